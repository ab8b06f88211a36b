"""The frame check: it names the frame that replies are written in, and changes nothing."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest
from tests.runs.boxes_said import (
    LARGE,
    SMALL,
    centred,
    checked,
    facts,
    padded,
    pictures,
    pixels,
    ratios,
    run_of,
    said,
    sides,
    thousandths,
    y_first,
)

from eyechart.io.files import read_json
from eyechart.io.resizing import Resize
from eyechart.runs import frame_check, rescore, summarise
from eyechart.runs.spec import ReadingSpec
from eyechart.values import Answer, Answers, Boxes, Failure, Image, RawBoxes, Reply, Sample

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.runs.boxes_said import Write

    from eyechart.values import Box


@pytest.mark.parametrize(
    ("write", "declared", "named"),
    [
        (y_first, "json:0-1000", "0-1000,yxyx"),
        (sides, "json:pixels", "pixels,xywh"),
        (ratios, "json:pixels", "0-1"),
        (pixels, "json:0-1000", "pixels"),
        (thousandths, "json:0-1", "0-1000"),
        (centred, "json:0-1", "0-1,cxcywh"),
        (padded, "json:0-1000", "square"),
    ],
)
def test_the_frame_that_replies_are_in_is_named(write: Write, declared: str, named: str) -> None:
    samples = pictures(150)
    found = checked(samples, said(samples, write), dialect=declared)
    best = found.frames[0]
    assert named in (best.frame, *best.alike)
    assert not best.declared
    assert best.accuracy > 0.97
    (own,) = (one for one in found.frames if one.declared)
    assert own.frame == declared
    assert own.accuracy < 0.6
    assert f"as declared, {declared}, {100 * own.accuracy:.1f} % of 150 replies" in found.warning
    assert f"{100 * best.accuracy:.1f} % would" in found.warning
    assert named in found.warning
    assert best.flag == f"--dialect json:{best.frame}"
    assert best.flag in found.warning
    assert "eyechart probe" in found.warning
    assert "no score was changed" in found.warning


@pytest.mark.parametrize(
    ("write", "declared"),
    [
        (y_first, "json:0-1000,yxyx"),
        (sides, "json:pixels,xywh"),
        (ratios, "json:0-1"),
        (pixels, "json:pixels"),
        (thousandths, "json:0-1000"),
        (thousandths, "json:0-999"),
    ],
)
def test_no_warning_where_the_frame_is_declared(write: Write, declared: str) -> None:
    samples = pictures(150)
    found = checked(samples, said(samples, write), dialect=declared)
    assert found.warning == ""
    assert found.frames[0].declared
    assert found.frames[0].accuracy > 0.97
    assert (found.looked_at, found.pictures) == (150, 150)


def test_frames_that_differ_by_a_thousandth_are_named_together() -> None:
    samples = pictures(150)
    found = checked(samples, said(samples, thousandths), dialect="json:0-1000")
    assert "0-999" in found.frames[0].alike
    found = checked(samples, said(samples, thousandths), dialect="json:pixels")
    assert {"0-999", "0-1000"} <= {found.frames[0].frame, *found.frames[0].alike}
    assert "these replies do not tell them apart" in found.warning


def test_pixels_of_a_picture_that_the_server_made_smaller() -> None:
    # 1,003,520 pixels are a quarter to a sixteenth of these
    samples = pictures(60, least=2000, most=4000)

    def seen(box: Box, width: int, height: int) -> Sequence[float]:
        across, down = Resize.parse(SMALL).apply((width, height))
        x1, y1, x2, y2 = box
        numbers = (x1 / width * across, y1 / height * down, x2 / width * across, y2 / height * down)
        return [round(value) for value in numbers]

    replies = said(samples, seen)
    found = checked(samples, replies, dialect="json:pixels")
    assert found.frames[0].frame == "seen[max=1003520]"
    assert found.frames[0].flag == f"--dialect json:seen --seen {SMALL}"
    assert found.frames[0].flag in found.warning
    # where a rule is declared, another one is all that is missing
    found = checked(samples, replies, dialect="json:seen", seen=LARGE)
    assert found.frames[0].flag == f"--seen {SMALL}"
    assert checked(samples, replies, dialect="json:seen", seen=SMALL).warning == ""


def test_the_size_that_was_sent_is_tried_where_it_is_known() -> None:
    samples = pictures(60)

    def halves(box: Box, _width: int, _height: int) -> Sequence[float]:
        return [round(value / 2) for value in box]

    replies = said(samples, halves)
    known = {
        key: msgspec.structs.replace(
            replies[key], sent_size=(facts(one)[1] // 2, facts(one)[2] // 2)
        )
        for one in samples
        for key in [(one.id, 0)]
    }
    assert "sent" in checked(samples, known, dialect="json:pixels").frames[0].frame
    found = checked(samples, replies, dialect="json:pixels")
    assert all("sent" not in one.frame for one in found.frames)


def test_wrong_answers_are_not_taken_for_another_frame() -> None:
    samples = pictures(400)
    draw = np.random.default_rng(3)

    def anything(_box: Box, width: int, height: int) -> Sequence[float]:
        x1, y1 = draw.uniform(0, 0.7, 2) * (width, height)
        return [int(x1), int(y1), int(x1 + 0.2 * width), int(y1 + 0.2 * height)]

    found = checked(samples, said(samples, anything), dialect="json:pixels")
    assert found.warning == ""
    assert max(one.accuracy for one in found.frames) < 0.2


def test_a_few_replies_or_one_picture_prove_nothing() -> None:
    few = pictures(5)
    found = checked(few, said(few, pixels), dialect="json:0-1000")
    assert found.frames[0].accuracy == 1.0
    assert found.warning == ""
    many = pictures(150)
    enough = checked(many[:30], said(many, pixels), dialect="json:0-1000")
    assert enough.warning
    alone = [msgspec.structs.replace(one, group="the only one") for one in many]
    found = checked(alone, said(many, pixels), dialect="json:0-1000")
    assert found.pictures == 1
    assert found.frames[0].accuracy > 0.97
    assert found.warning == ""


@pytest.mark.parametrize(("odd", "warned"), [(27, False), (40, True)])
def test_less_than_ten_points_are_no_far_better(odd: int, warned: bool) -> None:
    # in pictures of 1000 x 1000 pixels a thousandth is a pixel; `odd` of 300 have another size
    square = [
        msgspec.structs.replace(one, image=Image(one.image.name, 1000, 1000))
        for one in pictures(300)
    ]
    samples = [*square[odd:], *pictures(odd, seed=9)]
    samples = [msgspec.structs.replace(one, id=f"t{k}") for k, one in enumerate(samples)]
    found = checked(samples, said(samples, pixels), dialect="json:0-1000")
    assert found.frames[0].hits == 300
    (own,) = (one for one in found.frames if one.declared)
    assert 300 - odd <= own.hits <= 300 - odd + 3
    assert bool(found.warning) is warned


def test_nothing_that_was_scored_is_changed() -> None:
    samples = pictures(50)
    spec = ReadingSpec("rec", dialect="json:0-1000")
    scored = rescore.score(samples, said(samples, pixels), spec)
    before = copy.deepcopy((scored.columns, scored.readings, scored.replies))
    run = run_of(spec)
    made = summarise.report(run, scored, "a run")
    assert made.frame_check is not None
    assert made.frame_check == frame_check.check(scored, run)
    assert before == (scored.columns, scored.readings, scored.replies)
    assert made.warnings.count(made.frame_check.warning) == 1
    assert made.metrics["acc@0.5"].value == sum(scored.columns["acc@0.5"]) / 50


def test_shares_and_kinds_of_unreadable_replies() -> None:
    samples = pictures(10)
    texts = [
        "[10, 10, 90, 90]", "[90, 10, 10, 90]", "[10, 10, 10, 90]", "[10, 10, 5000, 90]",
        "[1, 2, 3]", "there it is", "I'm sorry, but I can't help with that.", "none",
        "[[0, 0, 20, 20], [0, 0, 9000, 9000]]",
    ]  # fmt: skip
    replies = {
        (one.id, 0): Reply(one.id, text=text) for one, text in zip(samples, texts, strict=False)
    }
    replies[samples[9].id, 0] = Reply(
        samples[9].id, state="error", error=Failure("timeout", "late")
    )
    found = checked(samples, replies, dialect="json:pixels")
    assert (found.answered, found.with_boxes) == (9, 5)
    assert (found.outside, found.swapped, found.flat) == (2, 1, 1)
    assert found.unread == {"no_box": 1, "refused": 1, "wrong_count": 1}
    assert found.looked_at == 5


def test_boxes_outside_that_hit_nothing_are_asked_about() -> None:
    samples = pictures(60)
    far = said(samples, lambda _box, width, height: (2 * width, 9, 3 * width, 99))
    found = checked(samples, far, dialect="json:pixels")
    assert "60 of 60 replies with a box have one outside the picture and hit" in found.warning
    assert "json:pixels" in found.warning
    # a few pixels too far, and a hit all the same: no sign of another frame
    near = {}
    for one in samples:
        box, width, height = facts(one)
        whole = Boxes(((box[0], box[1], float(width), float(height)),))
        near[one.id] = msgspec.structs.replace(one, target=whole)
    over = said(samples, lambda box, width, height: (box[0], box[1], width + 9, height + 9))
    found = checked(list(near.values()), over, dialect="json:pixels")
    assert (found.outside, found.warning) == (60, "")


def numbers_of(
    samples: Sequence[Sample], form: str, write: Write, wrong_first: bool = False
) -> dict[tuple[str, int], Reply]:
    replies = {}
    for one in samples:
        a, b, c, d = (float(value) for value in write(*facts(one)))
        boxes = [(a, b, c, d)]
        scores = [0.9]
        if wrong_first:
            boxes.insert(0, (0.0, 0.0, 1.0, 1.0))
            scores.insert(0, 0.1)
        replies[one.id, 0] = Reply(one.id, boxes=RawBoxes(tuple(boxes), form, tuple(scores)))
    return replies


@pytest.mark.parametrize("wrong_first", [True, False])
@pytest.mark.parametrize(
    ("write", "form", "named"),
    [
        (sides, "xyxy-pixels", "xywh-pixels"),
        (ratios, "cxcywh-ratio", "xyxy-ratio"),
        (thousandths, "xyxy-ratio", "xyxy-1000"),
    ],
)
def test_boxes_as_numbers_in_another_form(
    write: Write, form: str, named: str, wrong_first: bool
) -> None:
    samples = pictures(80)
    found = checked(samples, numbers_of(samples, form, write, wrong_first))
    best = found.frames[0]
    assert named in (best.frame, *best.alike)
    assert found.declared == form
    assert f"as declared, {form}" in found.warning
    assert f"{best.frame} is the form to give with its boxes" in found.warning
    assert checked(samples, numbers_of(samples, named, write, wrong_first)).warning == ""


def test_a_family_that_json_cannot_read_has_no_option_to_name() -> None:
    samples = pictures(80)
    replies = {}
    for one in samples:
        # the left edge first, where the family has the upper one first
        text = "".join(f"<loc{round(v * 1023):04}>" for v in ratios(*facts(one)))
        replies[one.id, 0] = Reply(one.id, text=f"{text} it")
    found = checked(samples, replies, dialect="paligemma")
    assert "0-1023" in (found.frames[0].frame, *found.frames[0].alike)
    assert found.frames[0].flag == ""
    assert "No option reads paligemma in that frame" in found.warning


def test_protocols_that_read_the_phrase_themselves_get_the_shares_alone() -> None:
    samples = pictures(3)
    text = "<phrase>it</phrase><object><patch_index_0000><patch_index_1100></object>"
    replies = {(one.id, 0): Reply(one.id, text=text) for one in samples}
    found = checked(samples, replies, protocol="kosmos2", dialect="kosmos-2")
    assert (found.with_boxes, found.outside) == (3, 3)
    assert (found.frames, found.looked_at) == ([], 0)
    assert "3 of 3 replies with a box have one outside the picture: is kosmos-2" in found.warning
    # cells are no four numbers, whatever the protocol
    assert checked(samples, replies, dialect="kosmos-2").frames == []


def test_any_of_several_true_boxes_may_be_hit_and_without_one_nothing_is_looked_at() -> None:
    plain = pictures(40)
    replies = said(plain, pixels)
    samples = []
    for one in plain:
        box, width, height = facts(one)
        both = Boxes(((0.0, 0.0, width / 50, height / 50), box))
        samples.append(msgspec.structs.replace(one, task="ground_phrases", target=both))
        samples.append(msgspec.structs.replace(samples[-1], target=Boxes(()), id=f"no {one.id}"))
        replies[samples[-1].id, 0] = Reply(samples[-1].id, text="[1, 2, 30, 40]")
    found = checked(samples, replies, dialect="json:0-1000")
    assert (found.with_boxes, found.looked_at) == (80, 40)
    assert found.frames[0].frame == "pixels"
    assert found.frames[0].hits == 40


def test_texts_that_point_to_boxes_beside_them() -> None:
    samples = pictures(60)
    replies = {}
    for one in samples:
        a, b, c, d = (float(value) for value in ratios(*facts(one)))
        # corners, given out as centres
        given = RawBoxes(((0.0, 0.0, 0.1, 0.1), (a, b, c, d)), "cxcywh-ratio")
        replies[one.id, 0] = Reply(one.id, text="<p>it</p><roi><r1></roi>", boxes=given)
    found = checked(samples, replies, dialect="groma")
    assert (found.frames[0].frame, found.frames[0].flag) == ("0-1", "")
    assert found.declared == "groma"
    assert "No option reads groma in that frame" in found.warning


def test_no_check_where_no_boxes_are_asked_for_or_nothing_came() -> None:
    target = Answers((Answer("yes"),))
    asked = Sample("q", "answer", Image("p", 10, 10), {"question": "is it?"}, target, "p")
    spec = ReadingSpec("vqa_exact")
    scored = rescore.score([asked], {("q", 0): Reply("q", text="yes")}, spec)
    assert frame_check.check(scored, run_of(spec)) is None
    spec = ReadingSpec("rec", dialect="json:pixels")
    assert frame_check.check(rescore.score(pictures(3), {}, spec), run_of(spec)) is None


def test_odd_numbers_do_no_harm() -> None:
    samples = pictures(6)
    texts = [
        "[1e99, 2, 3e99, 4]", "[-1e99, -1e99, 1e99, 1e99]", "[0, 0, 0, 0]", "[1, 2, 3, 4]" * 500,
        "", "[",
    ]  # fmt: skip
    replies = {
        (one.id, 0): Reply(one.id, text=text) for one, text in zip(samples, texts, strict=True)
    }
    for policy in ("first", "any", "union", "mean"):
        found = checked(samples, replies, dialect="json:0-1", box_policy=policy)
        assert found.looked_at == 4
        json.loads(msgspec.json.encode(found))


def real(shared: Path, name: str) -> tuple[list[Sample], dict[tuple[str, int], Reply]]:
    folder = shared / "data/refcoco/rec_predictions"
    (path,) = folder.glob(f"rec_results_{name}_val_qwen2_5vl_3b_instruct_baseline.json*")
    rows = (folder / f"join_{name}_val_500.jsonl").read_text("utf-8").splitlines()
    samples, replies = [], {}
    for result, line in zip(read_json(path)["results"], rows, strict=True):
        row = json.loads(line)
        key, picture = str(row["row"]), row["img_id"].rpartition("_")[0]
        image = Image(picture, row["width"], row["height"])
        target = Boxes((tuple(row["bbox_xyxy"]),))
        asked = {"expression": row["expression"]}
        samples.append(Sample(key, "ground", image, asked, target, picture))
        replies[key, 0] = Reply(key, text=result["model_output"])
    return samples, replies


@pytest.mark.parametrize(("name", "accuracy"), [("refcoco", 0.894), ("refcocop", 0.85)])
def test_real_replies_in_pixels_that_were_declared_thousandths(
    shared: Path, name: str, accuracy: float
) -> None:
    """Their authors' own file states an accuracy of 0.00 for the first."""
    samples, replies = real(shared, name)
    found = checked(samples, replies, dialect="json:0-1000", box_policy="last")
    best = found.frames[0]
    assert best.frame == "pixels"
    assert best.accuracy == pytest.approx(accuracy, abs=0.004)
    assert "read as pixels" in found.warning
    assert "--dialect json:pixels" in found.warning
    assert f"{100 * best.accuracy:.1f} %" in found.warning
    (own,) = (one for one in found.frames if one.declared)
    assert own.accuracy <= 0.002
    right = checked(samples, replies, dialect="json:pixels", box_policy="last")
    assert right.warning == ""
    assert right.frames[0].declared
    assert right.frames[0].hits == best.hits
