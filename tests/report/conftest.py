"""A made-up report and two samples, with the kind of text that models and data sets bring."""

from __future__ import annotations

import pytest

from eyechart.report.comparison import Comparison, Difference
from eyechart.report.sample import SampleView
from eyechart.report.schema import (
    AskedFacts,
    BenchmarkFacts,
    Coverage,
    Effort,
    Figure,
    ProtocolFacts,
    ReadingFacts,
    Report,
    Slice,
)
from eyechart.values import (
    Boxes,
    Failure,
    Image,
    Message,
    RawBoxes,
    Reading,
    Reply,
    Sample,
    Score,
    Usage,
)

NASTY = "<script>alert('x')</script>\x1b]0;owned\x07\x1b[31mred \u202egnp.exe\u202c z\u200bw \ud800 👩‍🔬"


def _figure(value: float, half: float = 0.009, n: int = 10834) -> Figure:
    return Figure(value, value - half, value + half, n, value * 1.001, value * 1.012)


@pytest.fixture
def nasty() -> str:
    """Markup, terminal sequences, a bidi override, zero width, a lone surrogate, a ZWJ emoji."""
    return NASTY


@pytest.fixture
def report() -> Report:
    """A run of 10,834 expressions: 8 statuses' worth of trouble, long and hostile names."""
    sizes = [
        Slice("size", name, n, {"acc@0.5": _figure(value, half, n)})
        for name, n, value, half in (
            ("small", 1210, 0.431, 0.029),
            ("large", 5903, 0.852, 0.01),
            ("medium", 3721, 0.671, 0.016),
        )
    ]
    words = [
        Slice("category", f"category {k:02d}", 500 - 20 * k, {"acc@0.5": _figure(0.9 - k / 40)})
        for k in range(20)
    ]
    hostile = [
        Slice("question type " + NASTY, NASTY + "y" * 300, 12, {"acc@0.5": _figure(0.5, 0.3, 12)})
    ]
    return Report(
        schema=1,
        eyechart="0.1.0",
        run="refcoco-val--qwen2.5-vl-7b-instruct--0123456789ab",
        fingerprint="0123456789abcdef0123456789abcdef",
        benchmark=BenchmarkFacts(
            name="refcoco",
            split="val",
            version=1,
            task="ground",
            args={"partition": "unc"},
            citation="Kazemzadeh et al., ReferItGame, EMNLP 2014",
            known_size=10834,
        ),
        model={
            "kind": "openai",
            "name": "Qwen/Qwen2.5-VL-7B-Instruct",
            "address": "http://localhost:8000/v1",
            "nested": {"note": NASTY, "pixels": {"min": 3136, "max": 12845056}},
        },
        model_name="Qwen2.5-VL-7B-Instruct",
        protocol=ProtocolFacts(
            name="rec",
            version=1,
            primary="acc@0.5",
            about="The share of expressions whose box has IoU of at least 0.5 with the true one.",
            source="Yu et al., Modeling Context in Referring Expressions, 2016",
        ),
        reading=ReadingFacts("qwen2.5-vl", "strip", ["think blocks"], "first"),
        asked=AskedFacts(
            system="You are a helpful assistant.",
            prompt="Locate {expression} in the image.\nAnswer in JSON: " + NASTY,
            prompt_source="model card, 2025-01",
            generation={"temperature": 0.0, "max_tokens": 512, "seed": 1},
            images="as they are, JPEG quality 95, at most 12,845,056 pixels",
            repeats=1,
        ),
        coverage=Coverage(
            n=10834,
            answered=10820,
            read=10702,
            groups=1500,
            statuses={"ok": 10600, "none": 102, "malformed": 100, "refused": 18, "error": 14},
            truncated=61,
            several_boxes=340,
            errors={"timeout": 3, "rate_limit": 11},
            unread={"no box in the reply": 88, NASTY: 12},
            flags={"outside the picture": 41},
        ),
        complete=False,
        metrics={
            "iou": _figure(0.702, 0.007),
            "acc@0.5": _figure(0.743),
            "acc@0.75": _figure(0.611),
            "distance": Figure(31.26, 29.9, 32.7, 10834, 31.2, 30.9, "pixels", False),
        },
        official={"acc": 74.26, "perAnswerType": {"yes/no": 81.2}, "note": NASTY},
        slices=[*sizes, *words, *hostile],
        effort=Effort({"p50": 0.412, "p95": 1.93, "p99": 4.2}, 14_201_334, 402_118, 3.1, "USD"),
        warnings=[
            "7 % of boxes lie outside the picture; is --dialect qwen2.5-vl the right one? " + NASTY,
            "The model answered with several boxes to 340 samples: the first was taken.",
        ],
    )


@pytest.fixture
def views() -> list[SampleView]:
    """A hostile reply with a reading, and a request that failed."""
    sample = Sample(
        id="38012#2" + NASTY,
        task="ground",
        image=Image("COCO_train2014_000000581857.jpg", 640, 427, "train2014/x.jpg", "sha256:ab"),
        asked={"expression": NASTY},
        target=Boxes(((10.0, 20.5, 110.0, 220.25),)),
        group="COCO_train2014_000000581857.jpg",
        tags={"size": "small", NASTY: NASTY},
    )
    said = Reply(
        sample_id=sample.id,
        text="```json\n[{'bbox_2d': [1, 2, 3, 4]}]\n```\n" + NASTY + "\nWARNING: all is well",
        reasoning="Let me think. " + NASTY,
        finish_reason="stop " + NASTY,
        usage=Usage(1310, 37),
        latency_s=0.412,
        sent_size=(640, 427),
        seen_size=(644, 420),
        notes=("turned upright " + NASTY,),
    )
    failed = Reply(
        sample_id=sample.id,
        repeat=1,
        state="error",
        error=Failure("rate_limit", "slow down " + NASTY, 429, 5),
    )
    numbers = Reply(
        sample_id=sample.id, repeat=2, boxes=RawBoxes(((1.0, 2.0, 3.0, 4.0),), "xyxy-pixels")
    )
    reading = Reading(
        "ok",
        truncated=True,
        boxes=((1.0, 2.0, 3.0, 4.0),),
        points=((2.0, 3.0),),
        labels=(NASTY,),
        value=NASTY,
        reason=NASTY,
        flags=(NASTY,),
    )
    score = Score(sample.id, 0, "ok", {"acc@0.5": 0.0, "iou": 0.0123}, reading)
    messages = (
        Message("system", "You are a helpful assistant."),
        Message("user", "Locate " + NASTY, with_image=True),
    )
    return [SampleView(sample, messages, (said, failed, numbers), (score,), "not at hand " + NASTY)]


@pytest.fixture
def compared() -> Comparison:
    """B is better on one metric; the other does not tell."""
    return Comparison(
        a="Qwen2.5-VL-7B-Instruct " + NASTY,
        b="checkpoint-4000",
        benchmark="refcoco/val",
        protocol="rec",
        version=1,
        primary="acc@0.5",
        n=10834,
        groups=1500,
        metrics={
            "iou": Difference(
                0.702, 0.7015, -0.0005, -0.004, 0.003, 20, 22, 10792, "not distinguishable"
            ),
            "acc@0.5": Difference(
                0.743, 0.756, 0.013, 0.006, 0.02, 420, 279, 10135, "B is better", 1e-7
            ),
        },
        warnings=["The two runs used different prompts."],
    )
