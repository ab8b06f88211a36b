"""Qwen-VL and Qwen2-VL: corners in round brackets, as the authors read them and as they are written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.dialects import Sizes, find
from eyechart.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from eyechart.dialects.found import Parser
    from eyechart.values import Box, Reading

# one step of 0-999 is one pixel, so a box stands here as it is written
STEPS = Sizes((999, 999))
BOX = (112.0, 87.0, 455.0, 903.0)


def read(text: str, family: str = "qwen-vl", parser: Parser = "tolerant") -> Reading:
    sizes = STEPS if family == "qwen-vl" else Sizes((1000, 1000))
    return find(family, parser).read(text, sizes)


def steps(reading: Reading) -> list[tuple[float, ...]]:
    return [tuple(round(value, 6) for value in box) for box in reading.boxes]


@pytest.mark.parametrize(
    "text",
    [
        "<ref>a dog</ref><box>(112,87),(455,903)</box>",
        "(112,87),(455,903)</box><|endoftext|>",
        "(112,87), (455,903)",
        "( 112 , 87 )\n,\n( 455 , 903 )",
        "(112,87) (455,903)",
        "[(112,87),(455,903)]",
        "[[112,87],[455,903]]",
        "(112,87,455,903)",
        "[[112, 87, 455, 903]]",
        "112,87,455,903",
        "<box>112 87 455 903</box>",
        "（112，87），（455，903）",
        "The dog is at **(112,87),(455,903)**.",
        '```json\n[{"bbox_2d": [112, 87, 455, 903]}]\n```',
        "<answer>(112,87),(455,903)</answer>",
        "(455,903),(112,87)",
    ],
)
@pytest.mark.parametrize("family", ["qwen-vl", "qwen2-vl"])
def test_one_box_in_many_clothes(text: str, family: str) -> None:
    reading = read(text, family)
    assert (reading.status, reading.truncated) == ("ok", False)
    assert steps(reading) == [BOX]


def test_the_frames_differ_by_one_part_in_a_thousand() -> None:
    text, sizes = "(0,0),(999,500)", Sizes((1000, 100))
    # 500/999 of 100 and 500/1000 of 100
    assert steps(find("qwen-vl").read(text, sizes)) == [(0, 0, 1000, 50.05005)]
    assert find("qwen2-vl").read(text, sizes).boxes == ((0, 0, 999, 50),)


@pytest.mark.parametrize("parser", ["authors", "tolerant"])
def test_labels_stand_in_front_and_hold_for_the_boxes_that_follow(parser: Parser) -> None:
    text = (
        "<ref> Two apples</ref><box>(1,2),(3,4)</box><box>(5,6),(7,8)</box> and"
        "<ref> a bowl</ref><box>(9,10),(11,12)</box>. Here too <box>(13,14),(15,16)</box>"
    )
    assert read(text, parser=parser).labels == ("Two apples", "Two apples", "a bowl", None)


def test_labels_whose_tags_were_skipped() -> None:
    text = "Woman(451,379),(731,806) and her dog(219,424),(576,896) on the beach"
    assert read(text).labels == ("Woman", "her dog")
    assert read("The dog is at (1,2),(3,4)").labels == ()
    assert read("bowl of carrots(228,320),(961,970)", "qwen2-vl").labels == ("bowl of carrots",)


def test_boxes_side_by_side_without_tags() -> None:
    reading = read("(1,2),(3,4)(5,6),(7,8)")
    assert steps(reading) == [(1, 2, 3, 4), (5, 6, 7, 8)]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("(112,87), (455,903)", "author_parser_rejects"),
        ("[112,87,455,903]", "author_parser_rejects"),
        ("(see (112,87),(455,903)", "author_parser_rejects"),
        # the first decides, as only it is scored
        ("(x,y),(x,y) (112,87),(455,903)", "author_parser_rejects"),
        ("<quad>(1,2),(30,4),(28,40),(3,44)</quad>", "author_parser_rejects"),
        ('{"bbox_2d": [112, 87, 455, 903]}', "author_parser_rejects"),
        ("<box>(451,379),(731)</box>", "wrong_count"),
        ("<box>(451,379),(7", "truncated"),
        ("(left,top),(right,bottom)", "not_numeric"),
        ("There is a dog.", "no_box"),
        ("", "no_box"),
    ],
)
def test_what_the_authors_do_not_read(text: str, fault: str) -> None:
    reading = read(text, parser="authors")
    assert (reading.status, reading.fault) == ("malformed", fault)


def test_the_authors_read_on_behind_the_first_box() -> None:
    reading = read("(1,2),(3,4) (a,b),(c,d) (5,6),(7,8)", parser="authors")
    assert steps(reading) == [(1, 2, 3, 4), (5, 6, 7, 8)]
    assert reading.flags == ("dropped",)


def test_a_quadrilateral_is_read_as_the_box_around_it() -> None:
    corners = "(10,2),(30,4),(28,40),(3,44)"
    for text in (f"<quad>{corners}</quad>", corners, f"<ref>STOP</ref><quad>{corners}</quad>"):
        assert steps(read(text)) == [(3, 2, 30, 44)]
    assert read(f"<ref>STOP</ref><quad>{corners}</quad>").labels == ("STOP",)
    whole = f"<quad>{corners}</quad><box>(1,2),(3,4)</box>"
    assert steps(read(whole)) == [(3, 2, 30, 44), (1, 2, 3, 4)]
    # only Qwen-VL has them
    assert len(read(corners, "qwen2-vl").boxes) == 2


@pytest.mark.parametrize("end", ["(10,2),(30,4)", "(10,2),(30,4),", "(10,2),(30,4),(28,40)", "(1"])
def test_half_a_quadrilateral_is_no_box(end: str) -> None:
    reading = read(f"<quad>{end}")
    assert (reading.status, reading.fault, reading.truncated) == ("malformed", "truncated", True)
    reading = read(f"<box>(1,2),(3,4)</box><quad>{end}")
    assert steps(reading) == [(1, 2, 3, 4)]
    assert reading.truncated


@pytest.mark.parametrize("parser", ["authors", "tolerant"])
def test_whole_boxes_before_a_cut_are_kept(parser: Parser) -> None:
    first = "<ref>a</ref><box>(1,2),(3,4)</box>"
    second = "<ref>b</ref><box>(5,6),(7,8)"
    for end in range(1, len(second)):
        reading = read(first + second[:end], parser=parser)
        whole_tag = end == len("<ref>b</ref>")
        assert steps(reading) == [(1, 2, 3, 4)], end
        assert reading.truncated != whole_tag, end
    for end in range(1, first.index(",(3,4)") + len(",(3,4)")):
        reading = read(first[:end], parser=parser)
        fault = "no_box" if end == len("<ref>a</ref>") else "truncated"
        assert (reading.status, reading.fault) == ("malformed", fault), end


def test_an_end_token_says_that_nothing_was_cut() -> None:
    assert read("<box>(1,2),(3,4)").truncated
    reading = read("<box>(1,2),(3,4)<|im_end|>")
    assert (len(reading.boxes), reading.truncated) == (1, False)
    assert read("(1,2),(3,4<|im_end|>", "qwen2-vl").status == "malformed"


def test_a_lone_corner_beside_a_box_is_counted() -> None:
    reading = read("<box>(1,2),(3,4)</box> and (5,6)")
    assert (len(reading.boxes), reading.flags) == (1, ("dropped",))


@pytest.mark.parametrize("text", ["None", "[]", "<box>[]</box>", "none</s>"])
def test_nothing_there_is_an_answer(text: str) -> None:
    assert read(text).status == "none"


def test_numbers_too_large_to_be_numbers() -> None:
    for parser in ("authors", "tolerant"):
        reading = find("qwen-vl", parser).read("(1,2),(3,1e999)", STEPS)
        assert (reading.status, reading.fault) == ("malformed", "not_finite")


def test_no_word_after_the_colon() -> None:
    for family in ("qwen-vl", "qwen2-vl"):
        with pytest.raises(UsageError, match="takes nothing after a colon"):
            find(f"{family}:0-1000")


def test_writing() -> None:
    named: list[tuple[str | None, Box]] = [("a dog", (64, 48, 320, 240)), (None, (0, 0, 640, 480))]
    sizes = Sizes((640, 480))
    assert find("qwen-vl").write(named, sizes) == (
        "<ref>a dog</ref><box>(100,100),(500,500)</box><box>(0,0),(999,999)</box>"
    )
    assert find("qwen2-vl").write(named[:1], sizes) == (
        "<|object_ref_start|>a dog<|object_ref_end|><|box_start|>(100,100),(500,500)<|box_end|>"
    )


@given(
    st.sampled_from(["qwen-vl", "qwen2-vl"]),
    st.sampled_from(["authors", "tolerant"]),
    st.lists(
        st.tuples(
            st.sampled_from(["a dog", "击掌", "two men", "x"]),
            st.tuples(*[st.floats(0, 1, width=32)] * 4),
        ),
        min_size=1,
        max_size=4,
    ),
    st.tuples(st.integers(1, 5000), st.integers(1, 5000)),
)
def test_round_trip(
    family: str,
    parser: Parser,
    shares: list[tuple[str, tuple[float, ...]]],
    size: tuple[int, int],
) -> None:
    width, height = size
    named: list[tuple[str | None, Box]] = []
    for label, (a, b, c, d) in shares:
        x1, x2 = sorted((a * width, c * width))
        y1, y2 = sorted((b * height, d * height))
        named.append((label, (x1, y1, x2, y2)))
    dialect = find(family, parser)
    reading = dialect.read(dialect.write(named, Sizes(size)), Sizes(size))
    assert list(reading.labels) == [label for label, _ in named]
    assert not reading.truncated
    for got, (_, want) in zip(reading.boxes, named, strict=True):
        # half a step of 999
        for value, wanted, side in zip(got, want, (*size, *size), strict=True):
            assert abs(value - wanted) <= side / 1998 + 1e-6


@pytest.mark.parametrize("parser", ["authors", "tolerant"])
@pytest.mark.parametrize("family", ["qwen-vl", "qwen2-vl"])
@pytest.mark.parametrize(
    "mark",
    ["(", "),(", "(1,", "(1,1),", "(1,1)(1,1),", "<quad>", "<ref>", "<ref>a</ref>", "<|", "1,1 "],
)
def test_long_texts(mark: str, family: str, parser: Parser) -> None:
    read(mark * (50_000 // len(mark)), family, parser)


def test_real_replies(shared: Path) -> None:
    path = shared / "data" / "dialects" / "grounding_replies.jsonl"
    if not path.is_file():
        pytest.skip(f"no {path}")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    rows = [row for row in rows if row["model"].startswith("Qwen-VL")]
    assert len(rows) == 3
    wanted = {
        "击掌": [(536, 509, 588, 602)],
        '"击掌"': [(211, 412, 577, 891)],
        "Woman": [(451, 379, 731, 806), (219, 424, 576, 896)],
    }
    for row in rows:
        for parser in ("authors", "tolerant"):
            reading = find("qwen-vl", parser).read(row["reply"], STEPS)
            boxes = wanted[str(reading.labels[0])]
            assert [tuple(map(round, box)) for box in reading.boxes] == boxes
            assert (reading.truncated, reading.flags) == (False, ())
