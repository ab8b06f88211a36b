"""InternVL, CogVLM, GLM-4.1V and DeepSeek-VL2: whole numbers in square brackets."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.dialects import Sizes, find
from eyechart.errors import UsageError
from eyechart.text.thinking import strip

if TYPE_CHECKING:
    from pathlib import Path

    from eyechart.dialects.found import Parser
    from eyechart.values import Box, Reading

FAMILIES = ["internvl", "cogvlm-grounding", "glm-4.1v", "deepseek-vl2"]
BOX = (120.0, 340.0, 560.0, 780.0)


def read(text: str, family: str, parser: Parser = "tolerant") -> Reading:
    """A reading over a picture with a pixel for each step of the family's scale."""
    side = 999 if family == "deepseek-vl2" else 1000
    return find(family, parser).read(text, Sizes((side, side)))


def steps(reading: Reading) -> list[tuple[float, ...]]:
    return [tuple(round(value, 6) for value in box) for box in reading.boxes]


@pytest.mark.parametrize(
    "text",
    [
        "[[120, 340, 560, 780]]",
        "[[120,340,560,780]]",
        "[120,340,560,780]",
        "(120,340,560,780)",
        "<120,340,560,780>",
        "{120,340,560,780}",
        "[[ 120 ,\n340 ,\n560 , 780 ]]",
        "[[120 340 560 780]]",
        "[[120, 340, 560, 780,]]",
        "(120,340),(560,780)",
        "[[120,340],[560,780]]",
        r"\[120, 340, 560, 780\]",
        "120, 340, 560, 780",
        "[[120.0, 340., 5.6e2, +780]]",
        "<ref>a dog</ref><box>[[120, 340, 560, 780]]</box>",
        "<box>120, 340, 560, 780</box><|im_end|>",
        "<|begin_of_box|>[[120,340,560,780]]<|end_of_box|>",
        "<|ref|>a dog<|/ref|><|det|>[[120, 340, 560, 780]]<|/det|><｜end▁of▁sentence｜>",
        "[[120,340,560,780</box>",
        "[[120,340,560,780<|im_end|>",
        "Sure! It is here:\n```\n[[120, 340, 560, 780]]\n```\nAnything else?",
        '```json\n[{"bbox_2d": [120, 340, 560, 780]}]\n```',
        "{'x1': 120, 'y1': 340, 'x2': 560, 'y2': 780}",
        "［［１２０，３４０，５６０，７８０］］",
        "【120、340、560、780】",
    ],
)
@pytest.mark.parametrize("family", FAMILIES)
def test_one_box_in_many_clothes(text: str, family: str) -> None:
    reading = read(text, family)
    assert (reading.status, steps(reading), reading.truncated) == ("ok", [BOX], False)


@pytest.mark.parametrize(
    "text",
    [
        "[[1,2,3,4],[5,6,7,8]]",
        "[[1,2,3,4;5,6,7,8]]",
        "[[1,2,3,4]] and [[5,6,7,8]]",
        "[1, 2, 3, 4]\n[5, 6, 7, 8]",
        "[[1,2],[3,4]],[[5,6],[7,8]]",
        "1. 1, 2, 3, 4\n2. 5, 6, 7, 8",
    ],
)
@pytest.mark.parametrize("family", FAMILIES)
def test_several_boxes(text: str, family: str) -> None:
    assert steps(read(text, family)) == [(1, 2, 3, 4), (5, 6, 7, 8)]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[[12, 40, 300]]", "wrong_count"),
        ("[[12, 40, 300, 355, 20]]", "wrong_count"),
        ("12, 40, 300", "wrong_count"),
        ("[[left, top, right, bottom]]", "not_numeric"),
        ("[[12, forty, 300, 355]]", "not_numeric"),
        ("<box>on the left</box>", "not_numeric"),
        ("[[12, 40, 300, 355", "truncated"),
        ("[[", "truncated"),
        ("The box is [[12, 40", "truncated"),
        ("<box>12, 40, 300, 35", "truncated"),
        ("<ref>the cup</ref>", "no_box"),
        ("The cup is on the left (in 2019, by chance).", "no_box"),
        ("I see 3 dogs [1] and 2 cats (2).", "no_box"),
        ("", "no_box"),
    ],
)
@pytest.mark.parametrize("parser", ["authors", "tolerant"])
@pytest.mark.parametrize("family", FAMILIES)
def test_faults(text: str, fault: str, family: str, parser: Parser) -> None:
    reading = read(text, family, parser)
    assert (reading.status, reading.fault) == ("malformed", fault)
    assert reading.truncated == (fault == "truncated")
    assert reading.reason


@pytest.mark.parametrize(
    ("family", "text"),
    [
        ("internvl", "[[120,\n340, 560, 780]]"),
        ("internvl", "(120,340),(560,780)"),
        # the first bracket decides, as only it is scored
        ("internvl", "in [[x1, y1, x2, y2]]: [[120, 340, 560, 780]]"),
        ("internvl", "[cat] or dog, a or b, c [[120, 340, 560, 780]]"),
        ("cogvlm-grounding", "[[120, 340, 560, 780]]"),
        ("cogvlm-grounding", "[120,340,560,780]"),
        ("cogvlm-grounding", "[[120,340,560,780],[1,2,3,4]]"),
        ("cogvlm-grounding", "[[[120,340,560,780]]]"),
        ("deepseek-vl2", "[[120, 340, 560, 780]]"),
        ("deepseek-vl2", "<|ref|>a<|/ref|><|det|>[[120, 340, 560, 780]]<|/det|><|ref|>b<|/ref|>"),
        ("deepseek-vl2", "<|ref|>a<|/ref|><|det|>[120, 340, 560, 780]<|/det|>"),
        # no Python number
        ("deepseek-vl2", "<|ref|>a<|/ref|><|det|>[[120, 340, 560, 0780]]<|/det|>"),
        ("deepseek-vl2", "<|ref|>a<|/ref|><|det|>[[120,\n340, 560, 780]]<|/det|>"),
    ],
)
def test_what_the_authors_reject(family: str, text: str) -> None:
    reading = read(text, family, "authors")
    assert (reading.status, reading.fault) == ("malformed", "author_parser_rejects")
    assert BOX in steps(read(text, family))


def test_what_the_authors_take() -> None:
    assert steps(read("[120, 340, 560, 780]", "internvl", "authors")) == [BOX]
    both = read("[[120,340,560,780; 1,2,3,4;5,6,7,8]]", "cogvlm-grounding", "authors")
    assert steps(both) == [BOX, (5, 6, 7, 8)]
    five = "<|ref|>a<|/ref|><|det|>[[120, 340, 560, 780, 9]]<|/det|>"
    assert steps(read(five, "deepseek-vl2", "authors")) == [BOX]
    later = read("[[120, 340, 560, 780]] [[a, b, c, d]]", "internvl", "authors")
    assert (steps(later), later.flags) == ([BOX], ("dropped",))


def test_the_far_edge() -> None:
    text, sizes = "[[0, 0, 999, 500]]", Sizes((1000, 100))
    for family in ("internvl", "cogvlm-grounding", "glm-4.1v"):
        assert find(family).read(text, sizes).boxes == ((0, 0, 999, 50),)
    assert steps(find("deepseek-vl2").read(text, sizes)) == [(0, 0, 1000, 50.05005)]


def test_internvl_takes_a_small_sum_for_ratios_as_its_authors_do() -> None:
    sizes = Sizes((1000, 800))
    speck = "<box>[[0, 0, 1, 2]]</box>"
    assert find("internvl", "authors").read(speck, sizes).boxes == ((0, 0, 1000, 1600),)
    assert steps(find("internvl").read(speck, sizes)) == [(0, 0, 1, 1.6)]
    # a sum of 4 is none
    edge = "<box>[[0, 0, 2, 2]]</box>"
    assert steps(find("internvl", "authors").read(edge, sizes)) == [(0, 0, 2, 1.6)]


@pytest.mark.parametrize("parser", ["authors", "tolerant"])
def test_labels_by_tags(parser: Parser) -> None:
    text = (
        "There are <ref> two cats </ref> <box> [[1, 2, 3, 4], [5, 6, 7, 8]] </box> on "
        "<ref>a sofa</ref><box>[[9, 10, 11, 12]]</box>, also at <box>[[13, 14, 15, 16]]</box>"
    )
    labels = ("two cats", "two cats", "a sofa", None)
    assert read(text, "internvl", parser).labels == labels
    text = "<|ref|>a man<|/ref|><|det|>[[1, 2, 3, 4]]<|/det|> by <|ref|>a car<|/ref|><|det|>[[5, 6, 7, 8], [9, 10, 11, 12]]<|/det|>"
    assert read(text, "deepseek-vl2", parser).labels == ("a man", "a car", "a car")


def test_labels_whose_tags_were_skipped() -> None:
    text = "Two people are here: a man[[57, 110, 412, 988]] and a woman[[500, 95, 840, 999]]."
    assert read(text, "deepseek-vl2").labels == ("a man", "a woman")
    assert read("The giraffe at the back.[[1, 2, 3, 4]]", "deepseek-vl2").labels == (
        "The giraffe at the back.",
    )
    assert read("It is at [[1, 2, 3, 4]]", "internvl").labels == ()


@pytest.mark.parametrize("parser", ["authors", "tolerant"])
@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("A dog [[1,2,3,4]] and a cat [[5,6,7,8]] play.", ("A dog", "a cat")),
        ("A plate of food [[1,2,3,4]] is on a table [[5,6,7,8]].", ("A plate of food", "a table")),
        ("Two beds [[1,2,3,4]] with white linens [[5,6,7,8]]", ("Two beds", "white linens")),
        ("A hat [[1,2,3,4]], scarf [[5,6,7,8;9,10,11,12]].", ("A hat", "scarf", "scarf")),
        ("[[1,2,3,4]]", ()),
        ("[button] Search -> press at the box [[1,2,3,4]]", ()),
        ("Answer: [[1,2,3,4]]", ()),
    ],
)
def test_labels_of_a_caption(text: str, labels: tuple[str, ...], parser: Parser) -> None:
    assert read(text, "cogvlm-grounding", parser).labels == labels


@pytest.mark.parametrize("said", ["42", "Yes", "A [1] or B (2)", "3, 4"])
def test_glm_marks_every_answer(said: str) -> None:
    reading = read(f"<|begin_of_box|>{said}<|end_of_box|>", "glm-4.1v")
    assert reading.status == "malformed"
    assert reading.fault == ("wrong_count" if said == "3, 4" else "no_box")


def test_glm_thinks_first() -> None:
    reply = "<think>Maybe [[1,2,3,4]].</think>At <|begin_of_box|>[[120,340,560,780]]<|end_of_box|>."
    reading = read(strip(reply)[0], "glm-4.1v")
    assert (steps(reading), reading.labels) == ([BOX], ())


@pytest.mark.parametrize("said", ["[]", "[[]]", "None", "null", "没有"])
@pytest.mark.parametrize("around", ["{}", "<box>{}</box>", "<|begin_of_box|>{}<|end_of_box|>"])
@pytest.mark.parametrize("family", FAMILIES)
def test_nothing_there_is_an_answer(said: str, around: str, family: str) -> None:
    text = around.format(said)
    if said.isalpha() and around.startswith("<box>"):
        assert read(text, family).fault == "not_numeric"
    else:
        assert read(text, family).status == "none"
    assert read('{"bbox_2d": null}', family).status == "none"


def test_flags() -> None:
    reading = read("[[1, 2, 3, 4], [5, 6, 7]]", "internvl")
    assert (steps(reading), reading.flags) == ([(1, 2, 3, 4)], ("dropped",))
    reading = read("[[560, 780, 120, 340]]", "internvl")
    assert (steps(reading), reading.flags) == ([BOX], ("swapped",))
    reading = read("[[560, 780, 120, 340]]", "internvl", "authors")
    assert steps(reading) == [(560, 780, 120, 340)]
    reading = read("[[930,60,1043,210]]", "glm-4.1v")
    assert (steps(reading), reading.flags) == ([(930, 60, 1000, 210)], ("outside",))
    assert steps(read("[[930,60,1043,210]]", "glm-4.1v", "authors")) == [(930, 60, 1043, 210)]


WHOLE = {
    "internvl": (
        "<ref>a dog</ref><box>[[120, 340, 560, 780], [1, 2, 3, 4]]</box>",
        ["780]", "3, 4]"],
    ),
    "cogvlm-grounding": ("A dog [[120,340,560,780;001,002,003,004]]", ["780;", "004]"]),
    "glm-4.1v": ("<|begin_of_box|>[[120,340,560,780],[1,2,3,4]]<|end_of_box|>", ["780]", "3,4]"]),
    "deepseek-vl2": (
        "<|ref|>a dog<|/ref|><|det|>[[120, 340, 560, 780], [1, 2, 3, 4]]<|/det|>",
        ["780]", "3, 4]"],
    ),
}


# beginnings that may as well be the whole of a reply
UNBROKEN = ("<ref>a dog</ref>", "<|ref|>a dog<|/ref|>")


@pytest.mark.parametrize("family", FAMILIES)
def test_whole_boxes_before_a_cut_are_kept(family: str) -> None:
    text, ends = WHOLE[family]
    assert steps(read(text, family)) == [BOX, (1, 2, 3, 4)]
    done = [text.index(end) + len(end) for end in ends]
    for end in range(1, len(text)):
        reading = read(text[:end], family)
        whole = sum(place <= end for place in done)
        assert steps(reading) == [BOX, (1, 2, 3, 4)][:whole], text[:end]
        if text[:end] in UNBROKEN or (family == "cogvlm-grounding" and "[" not in text[:end]):
            assert (reading.truncated, reading.fault) == (False, "no_box")
        else:
            assert reading.truncated, text[:end]
            assert whole or reading.fault == "truncated"


def test_numbers_too_large_to_be_numbers() -> None:
    nines = "9" * 5000
    for family in FAMILIES:
        for parser in ("authors", "tolerant"):
            for number in ("1e999", nines):
                text = f"<|ref|>a<|/ref|><|det|>[[1,2,3,{number}]]<|/det|>"
                reading = find(family, parser).read(text, Sizes((10, 10)))
                assert reading.status == "malformed"
                assert reading.fault in ("not_finite", "author_parser_rejects")


def test_no_word_after_the_colon() -> None:
    for family in FAMILIES:
        with pytest.raises(UsageError, match="takes nothing after a colon"):
            find(f"{family}:0-1")


NAMED: list[tuple[str | None, Box]] = [
    ("a dog", (64.0, 48.0, 320.0, 240.0)),
    (None, (0.0, 0.0, 640.0, 480.0)),
]


@pytest.mark.parametrize(
    ("family", "text"),
    [
        (
            "internvl",
            "<ref>a dog</ref><box>[[100, 100, 500, 500]]</box><box>[[0, 0, 1000, 1000]]</box>",
        ),
        ("cogvlm-grounding", "a dog [[100,100,500,500]] and [[000,000,999,999]]"),
        ("glm-4.1v", "<|begin_of_box|>[[100,100,500,500],[0,0,1000,1000]]<|end_of_box|>"),
        (
            "deepseek-vl2",
            "<|ref|>a dog<|/ref|><|det|>[[100, 100, 500, 500]]<|/det|>"
            "<|ref|><|/ref|><|det|>[[0, 0, 999, 999]]<|/det|>",
        ),
    ],
)
def test_writing(family: str, text: str) -> None:
    assert find(family).write(NAMED, Sizes((640, 480))) == text


@given(
    st.sampled_from(FAMILIES),
    st.sampled_from(["authors", "tolerant"]),
    st.lists(
        st.tuples(
            st.sampled_from(["a dog", "the red car", "the two men", "击掌"]),
            st.tuples(*[st.floats(0.0078125, 1, width=32)] * 4),
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
    assert not reading.truncated
    if family != "glm-4.1v":
        assert list(reading.labels) == [label for label, _ in named]
    # half a step; CogVLM has no step for the far edge itself
    slack = 1 if family == "cogvlm-grounding" else 0.5
    for got, (_, want) in zip(reading.boxes, named, strict=True):
        for value, wanted, side in zip(got, want, (*size, *size), strict=True):
            assert abs(value - wanted) <= slack * side / 999 + 1e-6


@pytest.mark.parametrize("parser", ["authors", "tolerant"])
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(
    "mark",
    [
        *("[", "[[", "]", "[1,", "[[1,1,1,1", "[[1,1,1,1]]", "[[a,b,c,d]]", "1;", "<1", "\n"),
        *("<box>", "<ref>a</ref>", "<|det|>", "<|ref|>\n", "A dog [[1,1,1,1]] and "),
        *('"a":', '{"box":[1,1,1,1]},'),
    ],
)
def test_long_texts(mark: str, family: str, parser: Parser) -> None:
    read(mark * (50_000 // len(mark)), family, parser)


REAL = {
    "CogVLM-grounding-generalist": "cogvlm-grounding",
    "DeepSeek-VL2": "deepseek-vl2",
    "InternVL2 (training sample)": "internvl",
}


def test_real_replies(shared: Path) -> None:
    path = shared / "data" / "dialects" / "grounding_replies.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    read_ones = [(REAL[row["model"]], row["reply"]) for row in rows if row["model"] in REAL]
    counts: dict[str, list[int]] = {}
    for family, reply in read_ones:
        theirs, ours = read(reply, family, "authors"), read(reply, family)
        assert steps(theirs) == steps(ours)
        assert theirs.labels == ours.labels
        assert (ours.status, ours.truncated, ours.flags) == ("ok", False, ())
        counts.setdefault(family, []).append(len(ours.boxes))
        if "goat" in reply:
            people = ("A young man", "a white shirt", "khaki shorts", "a goat", "a white van")
            assert ours.labels == people
            assert steps(ours)[3] == (262, 458, 594, 858)
    # boxes as counted by eye in the file
    assert counts["cogvlm-grounding"] == [2, 2, 5, 3, 4, 1, 3, 3]
    assert (counts["deepseek-vl2"], counts["internvl"]) == ([1], [1])
