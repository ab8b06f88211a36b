from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.dialects import Sizes
from eyechart.dialects.kosmos2 import decode, kosmos2
from eyechart.errors import DataError, UsageError
from eyechart.formats.locout import read_h_lines
from eyechart.scoring import kosmos2 as scorer
from eyechart.values import Box, Boxes, Image, Reading, Sample

if TYPE_CHECKING:
    from pathlib import Path

Records = Callable[[str], list[dict[str, Any]]]


def sample(expression: str, width: int, height: int, truth: Box, data_set: str) -> Sample:
    return Sample(
        id=expression,
        task="ground",
        image=Image("x.jpg", width, height),
        asked={"expression": expression},
        target=Boxes((truth,)),
        group="x.jpg",
        tags={"dataset": data_set} if data_set else {},
    )


def test_v08_edges_and_a_blank_before_the_phrase(records: Records) -> None:
    case = next(c for c in records("cases") if c["id"] == "v08")["input"]
    read = scorer.KOSMOS2.read_text
    assert read is not None
    width, height = case["image_size_wh"]
    asked = sample(case["phrase"], width, height, (0, 0, 1, 1), "")
    assert read(asked, case["reply"]) == Reading(
        "ok", boxes=((100.0, 60.0, 260.0, 75.0),), labels=(" the red kite",)
    )


def test_the_dialect_gives_pixels_and_stripped_labels() -> None:
    text = (
        "<grounding> An image of<phrase> a snowman</phrase><object><patch_index_0044>"
        "<patch_index_0863></object> by<object><patch_index_0000><patch_index_1023></object>"
    )
    got = kosmos2().read(text, Sizes((640, 480)))
    assert got.status == "ok"
    assert got.labels == ("a snowman", None)
    assert got.boxes == ((250.0, 22.5, 630.0, 397.5), (10.0, 7.5, 630.0, 472.5))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a dog",
        "<object><patch_index_0001></object>",
        "<object><patch_index_" + "1" * 4301 + "><patch_index_1></object>",
        "<object><patch_index_" + "1" * 400 + "><patch_index_1></object>",
    ],
)
def test_unreadable_replies_are_malformed_with_a_reason(text: str) -> None:
    got = kosmos2().read(text, Sizes((640, 480)))
    assert got.status == "malformed"
    assert got.reason
    read = scorer.KOSMOS2.read_text
    assert read is not None
    assert read(sample("<11><1>", 640, 480, (0, 0, 1, 1), ""), text).status == "malformed"


def test_a_grid_must_have_cells() -> None:
    with pytest.raises(UsageError, match="kosmos-2:0: the grid is a whole number from 1 to 1024"):
        kosmos2("0")
    with pytest.raises(UsageError, match="--grid must be a whole number from 1 on"):
        scorer.kosmos2(0)


def test_h_lines_by_the_official_rule() -> None:
    text = "S-0\tx\nH-0\t-0.1\ta\r\n12: xxH-foo-1\tb\rH-a\tc\nH-2 no tab\nH-²\td\n\u2028H-3\te"
    kept = ["H-0\t-0.1\ta", "12: xxH-foo-1\tb", "H-²\td", "\u2028H-3\te"]
    assert read_h_lines(text) == kept


def test_the_mean_is_torchs_beyond_17_boxes() -> None:
    # 1 + 17 * 2^-24 one by one stays 1 in float32; torch's second block of 16 starts at 0
    rows = np.full((1, 33, 4), 2.0**-24, np.float32)
    rows[0, 0] = 1.0
    blocks = np.float32(1.0) + np.float32(16 * 2.0**-24) + np.float32(2.0**-24)
    assert scorer.torch_mean(rows)[0, 0] == np.float32(blocks / np.float32(33))
    assert scorer.torch_mean(rows[:, :17])[0, 0] == np.float32(1.0) / np.float32(17)


def test_a_leading_nan_hides_the_other_boxes() -> None:
    nan, right = (10.0, 0.0, 0.0, 10.0), (20.0, 0.0, 30.0, 10.0)
    assert scorer.hits([[nan, right]], [right])[0].tolist() == [0, 0, 0]
    assert scorer.hits([[right, nan]], [right])[0, [0, 2]].tolist() == [1, 1]


def test_several_true_boxes_are_refused_by_name() -> None:
    two = Sample("s3", "ground", Image("x", 1, 1), {}, Boxes(((0, 0, 1, 1), (0, 0, 2, 2))), "x")
    with pytest.raises(DataError, match=r"s3.*rec"):
        scorer.KOSMOS2.score([two], [Reading("ok", boxes=((0, 0, 1, 1),))])


def test_real_annotations_repeated_to_full_size_score_as_they_do_once(shared: Path) -> None:
    name = "finetune_refcoco_val.18images.json"
    small = json.loads((shared / "data" / "refcoco" / "mdetr_derived" / name).read_text("utf-8"))
    images, notes = small["images"], small["annotations"]
    times = 10834 // len(images) + 1
    line = "H-{}\t-0.5\t</image><phrase>{}</phrase><object><patch_index_0044><patch_index_0863>"
    more = "</delimiter_of_multi_objects/><patch_index_0010><patch_index_0901></object>"
    lines = [line.format(k, i["caption"]) + more for k, i in enumerate(images)]
    big = {"images": images * times, "annotations": notes * times}
    got = scorer.refexp(big, "\n".join(lines * times))
    assert got.counted == len(images) * times
    assert got.scores == scorer.refexp(small, "\n".join(lines)).scores


@given(st.text("<>/phraseobjct_indx0123456789 ", max_size=80))
def test_decoding_any_text_gives_finite_boxes(text: str) -> None:
    whole = f"<phrase>{text}</phrase><object><patch_index_{text}><patch_index_1></object>"
    for _, *numbers in decode(whole):
        assert all(np.isfinite(numbers))


PAIR = "<patch_index_1><patch_index_2></delimiter_of_multi_objects/>"


@pytest.mark.parametrize(
    "text",
    [
        "<object>" * 125_000,
        "<phrase>" * 125_000,
        "<object>" + PAIR * 16_000,
        "<phrase>" + "a" * 1_000_000,
        "<object><patch_index_" + "1" * 1_000_000,
        ("<phrase>a</phrase><object>" + PAIR) * 11_000,
    ],
    ids=["objects", "phrases", "pairs", "letters", "digits", "objects of a phrase"],
)
def test_a_box_after_a_million_hostile_characters_is_found(text: str) -> None:
    box = "<phrase>dog</phrase><object><patch_index_0044><patch_index_0863></object>"
    # 44 is row 1, column 12 and 863 is row 26, column 31
    assert decode(text + " " + box) == [("dog", 12.5 / 32, 1.5 / 32, 31.5 / 32, 26.5 / 32)]
