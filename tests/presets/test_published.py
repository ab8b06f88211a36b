"""Published against measured, whose figure it is, and which settings depart from a preset."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from eyechart import presets
from eyechart.presets import Preset, Prompt, Published, modelnames
from eyechart.presets.published import Measured, Row, compare, differs, rows, verdicts

_TABLE = Published(
    model="Some-VL-7B",
    protocol="rec",
    metric="acc@0.5",
    mark="A",
    source="their report",
    values={"refcoco/val": 92.5, "refcoco/testA": 94.0, "refcoco-family": 90.0},
)
_PRESET = Preset(name="some-vl", about="x", dialect="json:pixels", published=(_TABLE,))
_RUN = Measured("refcoco/val", "rec", "acc@0.5", 0.921, 0.915, 0.927, 10834, 10834)


def _row(benchmark: str = "refcoco/val", **changes: Any) -> Row:
    import msgspec

    table = msgspec.structs.replace(_TABLE, **changes)
    return Row(table, benchmark, table.values[benchmark])


@pytest.mark.parametrize(
    ("low", "high", "word"),
    [
        (0.915, 0.927, "agrees"),
        (0.925, 0.93, "agrees"),
        (0.90, 0.925, "agrees"),
        (0.90, 0.924, "below"),
        (0.926, 0.94, "above"),
    ],
)
def test_the_verdict_is_where_the_published_figure_lies(low: float, high: float, word: str) -> None:
    found = compare(_row(), replace(_RUN, low=low, high=high))
    assert found.word == word
    assert found.said == "92.5 %"
    assert found.published == pytest.approx(0.925)
    assert found.mark == "A: the authors' own"


def test_the_reason_is_in_words() -> None:
    assert compare(_row(), _RUN).reason == "92.5 % lies in the measured 91.5 to 92.7 %"
    low = replace(_RUN, value=0.89, low=0.88, high=0.9, n=1000)
    assert compare(_row(mark="S"), low).reason == (
        "measured 89.0 % (88.0 to 90.0), below the published 92.5 %; on 1,000 samples, where the "
        "split has 10,834; the published figure is a second-hand copy"
    )


@pytest.mark.parametrize(
    ("row", "run", "reason"),
    [
        (_row(comparable=False, note="masks"), _RUN, "it was not measured as this was: masks"),
        (
            _row(metric="mask_miou", comparable=False),
            _RUN,
            "it is mask_miou, and this is acc@0.5",
        ),
        (
            _row(protocol="mdetr", metric="precision@1"),
            _RUN,
            "it is precision@1, and this is acc@0.5",
        ),
        (_row("refcoco/testA"), _RUN, "it is on refcoco/testA, and this run on refcoco/val"),
        (
            Row(_TABLE, "refcoco", 90.0),
            _RUN,
            "the source does not say on which split of refcoco it is",
        ),
        (_row(protocol=""), _RUN, "it is by protocol unknown, and this by rec"),
        (
            _row(),
            replace(_RUN, low=None, high=None),
            "the measured figure has no interval: one picture shows no spread",
        ),
    ],
)
def test_what_cannot_be_compared_says_why(row: Row, run: Measured, reason: str) -> None:
    found = compare(row, run)
    assert (found.word, found.reason) == ("not comparable", reason)


def test_hit_rates_of_kindred_protocols_are_compared_and_it_is_said() -> None:
    kosmos = _row(protocol="kosmos2", metric="precision@1")
    found = compare(kosmos, _RUN)
    assert found.word == "agrees"
    assert found.reason.endswith("; published by kosmos2, measured by rec")
    # generalised IoU is another measure, but under its own protocol it is the same one
    mdetr = _row(protocol="mdetr", metric="precision@1")
    assert compare(mdetr, _RUN).word == "not comparable"
    assert compare(mdetr, replace(_RUN, protocol="mdetr", metric="precision@1")).word == "agrees"
    any_box = _row(protocol="flickr_any", metric="recall@1")
    merged = replace(_RUN, protocol="flickr_merged", metric="recall@1")
    assert compare(any_box, merged).word == "not comparable"


def test_cider_is_printed_a_hundredfold() -> None:
    table = Published(
        "M", "cider", "A", "s", {"coco-captions/test": 144.6}, protocol="captions", unit="CIDEr"
    )
    run = Measured("coco-captions/test", "captions", "cider", 1.44, 1.42, 1.45, 5000, 5000)
    found = compare(Row(table, "coco-captions/test", 144.6), run)
    assert found.word == "agrees"
    assert found.published == pytest.approx(1.446)
    assert found.said == "144.6 (CIDEr)"


def test_ratios_are_taken_as_they_are() -> None:
    found = compare(Row(_row(unit="ratio").table, "refcoco/val", 0.93), _RUN)
    assert found.word == "below"
    assert found.reason == "measured 0.921 (0.915 to 0.927), below the published 0.93"


def test_rows_are_chosen_by_model_benchmark_and_metric() -> None:
    own = verdicts(_PRESET, "openai:org/some_vl-7b-Instruct", _RUN)
    assert [(one.word, one.benchmark) for one in own] == [("agrees", "refcoco/val")]
    other = verdicts(_PRESET, "org/Some-VL-13B", _RUN)
    assert [one.word for one in other] == ["another model"]
    assert other[0].reason == ("it is of Some-VL-7B, and none is known of org/Some-VL-13B")
    assert verdicts(_PRESET, "org/Some-VL-7B", replace(_RUN, benchmark="vqav2/val")) == []
    family = verdicts(_PRESET, "Some-VL-7B", replace(_RUN, benchmark="refcoco-family"))
    assert [one.published for one in family] == [0.9]


def test_another_split_or_measure_stands_there_only_where_nothing_better_does() -> None:
    testb = verdicts(_PRESET, "Some-VL-7B", replace(_RUN, benchmark="refcoco/testB"))
    assert {one.word for one in testb} == {"not comparable"}
    assert {one.benchmark for one in testb} == {"refcoco/val", "refcoco/testA"}
    paligemma = presets.find("paligemma")
    found = verdicts(paligemma, "google/paligemma-3b-ft-refcoco-seg-448", _RUN)
    assert [(one.word, one.metric, one.said) for one in found] == [
        ("not comparable", "mask_miou", "75.57 %")
    ]


def test_a_server_side_split_is_not_ours() -> None:
    run = Measured("vqav2/val", "vqa_v2", "accuracy", 0.78, 0.77, 0.79, 214354, 214354)
    found = verdicts(presets.find("llava-1.5"), "llava-hf/llava-1.5-7b-hf", run)
    assert [(one.word, one.benchmark) for one in found] == [("not comparable", "vqav2/test-dev")]
    assert found[0].reason == "it is on vqav2/test-dev, and this run on vqav2/val"


def test_quantised_weights_are_named() -> None:
    found = verdicts(
        presets.find("qwen2.5-vl"),
        "Qwen/Qwen2.5-VL-7B-Instruct-AWQ",
        replace(_RUN, value=0.9, low=0.89, high=0.91),
    )
    assert [one.word for one in found] == ["agrees"]
    assert found[0].reason == (
        "90 % lies in the measured 89.0 to 91.0 %; the asked weights are quantised (awq)"
    )


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Qwen/Qwen2.5-VL-7B-Instruct", "Qwen2.5-VL-7B", True),
        ("qwen2.5vl:7b", "Qwen2.5-VL-7B", True),
        ("hf:/weights/Qwen2.5-VL-7B-Instruct/", "Qwen2.5-VL-7B", True),
        ("Qwen2.5-VL-72B", "Qwen2.5-VL-7B", False),
        ("Qwen2.5-VL-7B-my-lora", "Qwen2.5-VL-7B", False),
        ("Qwen/Qwen-VL-Chat", "Qwen/Qwen-VL", False),
        ("OpenGVLab/InternVL2_5-1B", "InternVL2.5-1B", True),
        ("InternVL2-51B", "InternVL2.5-1B", False),
        ("liuhaotian/llava-v1.5-7b", "LLaVA-1.5-7B", True),
        ("openai:gpt-5-2025-08-07", "GPT-5", True),
        ("claude-opus-4-1-20250805", "Claude Opus 4.1", True),
        ("Qwen3-VL-8B-Thinking", "Qwen3-VL-8B", False),
        ("", "", False),
        ("//", "", False),
    ],
)
def test_when_two_names_mean_the_same_weights(one: str, other: str, same: bool) -> None:
    assert modelnames.same(one, other) is same
    assert modelnames.same(other, one) is same


def test_departures_are_told_in_words() -> None:
    preset = Preset(
        name="p",
        about="x",
        dialect="qwen2.5-vl",
        image_policy="multiple-of=28",
        prompts={"ground": Prompt("Find {expression}", "Be brief", generation={"max_tokens": 28})},
        generation={"temperature": 0, "max_tokens": 100},
    )
    same = {
        "prompt": "Find {expression}",
        "system": "Be brief",
        "generation": {"temperature": 0.0, "max_tokens": 28},
        "dialect": "qwen2.5-vl",
        # the same policy, otherwise spelt
        "image_policy": "max-pixels=1003520,multiple-of=28",
        # left open by the preset
        "parser": "authors",
        "seen": "sent",
        "reasoning": "strip",
        "box_policy": "first",
    }
    assert differs(preset, "ground", same) == []
    assert differs(preset, "ground", {}) == []
    other = {
        "prompt": "Where is {expression}?",
        "system": None,
        "generation": {"temperature": 0.2, "seed": 7},
        "dialect": "json:pixels",
        "image_policy": None,
    }
    assert differs(preset, "ground", same | other) == [
        "prompt: 'Where is {expression}?' here, 'Find {expression}' in the preset",
        "system: not set here, 'Be brief' in the preset",
        "dialect: json:pixels here, qwen2.5-vl in the preset",
        "image policy: original here, multiple-of=28 in the preset",
        "temperature: 0.2 here, 0 in the preset",
        "max_tokens: not set here, 28 in the preset",
        "seed: 7 here, not set in the preset",
    ]
    # without a prompt of its own for a task a preset has nothing to say of the wording
    assert differs(preset, "count", {"prompt": "x", "generation": preset.generation}) == []


def test_rows_are_all_figures() -> None:
    assert [(row.benchmark, row.value) for row in rows(_PRESET)] == list(_TABLE.values.items())
