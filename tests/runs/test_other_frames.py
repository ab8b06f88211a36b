"""Boxes in other frames: made all at once, by the very arithmetic of the frames and of scoring."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.runs.boxes_said import SMALL, checked, facts, pictures, pixels, said

from eyechart.dialects import Sizes
from eyechart.dialects.frames import ORDERS, Frame
from eyechart.dialects.placing import tidied
from eyechart.io.resizing import Resize
from eyechart.runs import other_frames, rescore
from eyechart.runs.other_frames import Frames, candidates, look
from eyechart.runs.spec import ReadingSpec
from eyechart.values import Reply

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eyechart.runs.rescore import Scored
    from eyechart.values import Sample

SPELLED = [scale if order == "xyxy" else f"{scale},{order}" for order in ORDERS for scale in
           other_frames.SCALES]  # fmt: skip


def several(samples: Sequence[Sample]) -> dict[tuple[str, int], Reply]:
    """Replies of one to three boxes, some right, some swapped, some far outside, in pixels."""
    draw = np.random.default_rng(11)
    replies = {}
    for one in samples:
        box, width, height = facts(one)
        right = np.array(box) + draw.normal(0, 12, 4)
        wild = draw.uniform(-200, 1200, 4)
        swapped = np.array(box)[[2, 1, 0, 3]]
        boxes = [[right, wild, swapped][k].round(1).tolist() for k in draw.permutation(3)]
        rows = [{"bbox_2d": box} for box in boxes[: int(draw.integers(1, 4))]]
        size = (width // 2, height // 3)
        replies[one.id, 0] = Reply(one.id, text=json.dumps(rows), sent_size=size)
    return replies


@pytest.mark.parametrize("policy", ["first", "last", "any", "union", "mean"])
@pytest.mark.parametrize("parser", ["tolerant", "authors"])
def test_every_frame_hits_as_often_as_scoring_in_it_would(policy: str, parser: str) -> None:
    samples = pictures(40)
    replies = several(samples)
    scored = {}
    for name in SPELLED:
        spec = ReadingSpec(
            "rec", dialect=f"json:{name}", box_policy=policy, parser=parser, seen=SMALL
        )
        scored[name] = rescore.score(samples, replies, spec)
    looked = look(scored["pixels"], spec)
    assert looked is not None
    frames = Frames(looked)
    assert frames.hits(looked.boxes).tolist() == as_bool(scored["pixels"])
    tried = [one for one in candidates(Frame("pixels"), set()) if one.rule is None]
    assert {one.name for one in tried} == set(SPELLED) - {"pixels"}
    for one in tried:
        boxes = frames.boxes(one)
        assert boxes is not None
        assert frames.hits(frames.tidied(boxes)).tolist() == as_bool(scored[one.name])


def as_bool(scored: Scored) -> list[bool]:
    return [value == 1.0 for value in scored.columns["acc@0.5"]]


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("forms", [set(), {"xyxy-pixels"}])
def test_the_arithmetic_is_that_of_the_frames(kept: bool, forms: set[str]) -> None:
    samples = pictures(30)
    replies = several(samples)
    spec = ReadingSpec("rec", dialect="json:pixels", box_policy="any", seen=SMALL,
                       parser="authors" if kept else "tolerant")  # fmt: skip
    looked = look(rescore.score(samples, replies, spec), spec)
    assert looked is not None
    frames = Frames(looked)
    every = candidates(None, forms)
    assert len(every) >= 4 * (len(other_frames.SCALES) if not forms else 8)
    for one in every:
        boxes = frames.boxes(one)
        assert boxes is not None
        found = frames.tidied(boxes)
        for row, owner in enumerate(looked.owners):
            sizes = looked.sizes[owner]
            if one.rule is not None:
                assert sizes.sent is not None
                sizes = Sizes(sizes.original, sizes.sent, Resize.parse(one.rule).apply(sizes.sent))
            exact = one.frame.to_pixels(looked.numbers[row].tolist(), sizes)
            assert boxes[row] == pytest.approx(exact, rel=1e-12, abs=1e-9)
            expected = tidied((exact,), sizes.original, kept)[0][0]
            assert found[row] == pytest.approx(expected, rel=1e-12, abs=1e-9)


def test_so_many_replies_are_looked_at_and_always_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(other_frames, "MOST", 40)
    samples = pictures(101)
    replies = said(samples, pixels)
    spec = ReadingSpec("rec", dialect="json:pixels")
    looked = look(rescore.score(samples, replies, spec), spec)
    assert looked is not None
    ids = [int(reply.sample_id.removeprefix("s")) for reply in looked.replies]
    assert len(ids) == 40
    assert (ids[0], ids[-1]) == (0, 100)
    assert set(np.diff(ids)) <= {2, 3}
    found = checked(samples, replies, dialect="json:pixels")
    assert (found.looked_at, found.with_boxes, found.sampled) == (40, 101, True)
    assert not checked(samples[:40], replies, dialect="json:pixels").sampled
