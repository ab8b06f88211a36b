"""Shikra, Ferret, LLaVA-1.5 and Griffon: four numbers in one bracket."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.dialects import Sizes, find
from eyechart.errors import UsageError

if TYPE_CHECKING:
    from eyechart.dialects.found import Parser
    from eyechart.values import Box, Reading

FAMILIES = ["shikra", "ferret", "llava-1.5", "griffon"]
THOUSAND = Sizes((1000, 1000))
BOX = (392.0, 280.0, 612.0, 870.0)


def read(text: str, family: str, parser: Parser = "tolerant", sizes: Sizes = THOUSAND) -> Reading:
    return find(family, parser).read(text, sizes)


def pixels(reading: Reading) -> list[tuple[float, ...]]:
    return [tuple(round(value, 6) for value in box) for box in reading.boxes]


@pytest.mark.parametrize(
    "text",
    [
        "[0.392,0.280,0.612,0.870]",
        "Answer: [0.392,0.280,0.612,0.870] .",
        "[0.392, 0.28, 0.612, 0.87]</s>",
        "[[0.392, 0.280, 0.612, 0.870]]",
        "(0.392, 0.280, 0.612, 0.870)",
        "[.392,.280,.612,.870]",
        "0.392, 0.280, 0.612, 0.870",
        "[ 0.392 ;\n0.280 ; 0.612 ; 0.870 ]",
        "dog-[0.392,0.280,0.612,0.870]",
        '{"bbox": [0.392, 0.280, 0.612, 0.870]}',
        "［0.392，0.280，0.612，0.870］",
        "[0.612,0.870,0.392,0.280]",
    ],
)
@pytest.mark.parametrize("family", ["shikra", "llava-1.5", "griffon"])
def test_one_box_in_many_clothes(text: str, family: str) -> None:
    reading = read(text, family)
    assert (reading.status, pixels(reading), reading.truncated) == ("ok", [BOX], False)


@pytest.mark.parametrize(
    ("size", "box"),
    [
        # a bar of (640 - 480) // 2 = 80 above, or at the left; none
        ((640, 480), (250.88, 99.2, 391.68, 476.8)),
        ((480, 640), (170.88, 179.2, 311.68, 556.8)),
        ((640, 640), (250.88, 179.2, 391.68, 556.8)),
        # an odd difference: (640 - 427) // 2 = 106
        ((640, 427), (250.88, 73.2, 391.68, 450.8)),
    ],
)
@pytest.mark.parametrize("family", ["shikra", "llava-1.5"])
def test_ratios_of_the_padded_square(
    size: tuple[int, int], box: tuple[float, ...], family: str
) -> None:
    reading = read("[0.392,0.280,0.612,0.870]", family, "authors", Sizes(size))
    assert pixels(reading) == [box]


def test_griffon_and_ferret_measure_the_picture_itself() -> None:
    sizes = Sizes((640, 480))
    (box,) = pixels(read("dog-[0.392,0.280,0.612,0.870]", "griffon", "authors", sizes))
    assert box == (250.88, 134.4, 391.68, 417.6)
    assert pixels(read("dog [392, 280, 612, 870].", "ferret", sizes=sizes)) == [box]
    # cut, not rounded
    assert read("dog [392, 280, 612, 870].", "ferret", "authors", sizes).boxes == (
        (250.0, 134.0, 391.0, 417.0),
    )


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("dog-[0.392,0.280,0.612]", "wrong_count"),
        ("dog-[0.392,0.280,0.612,0.870,0.1]", "wrong_count"),
        ("[x0,y0,x1,y1]", "not_numeric"),
        ("dog-[0.392,0.280,0.612,0.87", "truncated"),
        ("Answer: [", "truncated"),
        ("The dog is on the left.", "no_box"),
        ("", "no_box"),
    ],
)
@pytest.mark.parametrize("parser", ["authors", "tolerant"])
@pytest.mark.parametrize("family", FAMILIES)
def test_faults(text: str, fault: str, family: str, parser: Parser) -> None:
    reading = read(text, family, parser)
    assert (reading.status, reading.fault) == ("malformed", fault)
    assert reading.truncated == (fault == "truncated")


@pytest.mark.parametrize(
    ("family", "text"),
    [
        ("shikra", "[0.392, 0.280, 0.612, 0.870]"),
        ("shikra", "(0.392,0.280,0.612,0.870)"),
        ("shikra", "[00.392,0.280,0.612,0.870]"),
        ("shikra", "[.392,.280,.612,.870]"),
        ("griffon", "dog-[0.392, 0.280, 0.612, 0.870]"),
        ("griffon", "dog-[0.39,0.28,0.61,0.87]"),
        ("griffon", "dog-[0.392,0.280,0.612,0.870]."),
        ("ferret", "dog [0.5, 1, 2, 3]"),
        ("ferret", "dog [[1, 2, 3, 4]]"),
        ("ferret", "dog (1, 2, 3, 4)"),
        # the one bad bracket spoils the good one
        ("ferret", "dog [1, 2, 3, 4]. cat [1, 2, 3]."),
        ("ferret", "dog [1, 2, 3, 4]. cat [here]."),
    ],
)
def test_what_the_authors_reject(family: str, text: str) -> None:
    reading = read(text, family, "authors")
    assert (reading.status, reading.fault) == ("malformed", "author_parser_rejects")
    assert len(read(text, family).boxes) == 1


def test_several_boxes_of_shikra() -> None:
    text = "A man[0.1,0.2,0.3,0.4] and dogs[0.5,0.5,0.6,0.8;0.6,0.5,0.7,0.9] run."
    boxes = [(100, 200, 300, 400), (500, 500, 600, 800), (600, 500, 700, 900)]
    for parser in ("authors", "tolerant"):
        reading = find("shikra", parser).read(text, THOUSAND)
        assert (pixels(reading), reading.labels) == (boxes, ())


@pytest.mark.parametrize("parser", ["authors", "tolerant"])
def test_points_of_shikra(parser: Parser) -> None:
    reading = read(
        "Here [0.25,0.5] and [0.1,0.2;0.3,0.4], not [0.1,0.2,0.3,0.4].", "shikra", parser
    )
    assert [tuple(map(round, point)) for point in reading.points] == [
        (250, 500),
        (100, 200),
        (300, 400),
    ]
    assert pixels(reading) == [(100, 200, 300, 400)]
    # the padding of a square counts for points too
    ((x, y),) = read("[0.392,0.280]", "shikra", parser, Sizes((640, 480))).points
    assert (round(x, 6), round(y, 6)) == (250.88, 99.2)


def test_two_numbers_are_no_point_elsewhere() -> None:
    for family in ("ferret", "llava-1.5", "griffon"):
        reading = read("[0.25,0.5]", family)
        assert (reading.points, reading.fault) == ((), "wrong_count")


def test_entities_of_ferret() -> None:
    text = "The boy in front. in the image [1, 2, 3, 4]. a zebra [5, 6, 7, 8] and a lion [9, 10, 11, 12]"
    boy = "The boy in front. in the image"
    # behind the zebra there is no mark before the next bracket, so the authors find no words
    assert read(text, "ferret", "authors").labels == (boy, "a zebra", None)
    assert read(text, "ferret").labels == (boy, "a zebra", "a lion")


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("[0.1,0.2,0.3,0.4]", ["target"]),
        ("dog-[0.1,0.2,0.3,0.4]&cat-[0.2,0.2,0.3,0.4]", ["dog", "cat"]),
        ("t-shirt-[0.1,0.2,0.3,0.4]", ["shirt"]),
        ("hot dog-[0.1,0.2,0.3,0.4]&[0.2,0.2,0.3,0.4]", ["hot dog", "target"]),
    ],
)
def test_categories_of_griffon(text: str, labels: list[str]) -> None:
    exact = text
    for digit in "1234":
        exact = exact.replace(f"0.{digit}", f"0.{digit}00")
    for parser in ("authors", "tolerant"):
        assert list(find("griffon", parser).read(exact, THOUSAND).labels) == labels
    assert list(read(text, "griffon").labels) == labels


def test_griffon_throws_swapped_corners_away() -> None:
    swapped, good = "dog-[0.500,0.500,0.100,0.100]", "cat-[0.100,0.100,0.500,0.500]"
    reading = read(swapped, "griffon", "authors")
    assert (reading.status, reading.fault) == ("malformed", "invalid_box")
    reading = read(f"{swapped}&{good}", "griffon", "authors")
    assert (pixels(reading), reading.labels) == ([(100, 100, 500, 500)], ("cat",))
    assert reading.flags == ("dropped",)
    reading = read(swapped, "griffon")
    assert (pixels(reading), reading.flags) == ([(100, 100, 500, 500)], ("swapped",))


def test_griffon_says_none() -> None:
    for parser in ("authors", "tolerant"):
        assert find("griffon", parser).read("None", THOUSAND).status == "none"
    assert find("griffon").write([], THOUSAND) == "None"
    for family in FAMILIES:
        assert read("None</s>", family).status == "none"


WHOLE = {
    "shikra": ("Answer: [0.392,0.280,0.612,0.870;0.1,0.2,0.3,0.4] .", "870;", "Answer: "),
    "ferret": ("dog [392, 280, 612, 870]. cat [100, 200, 300, 400].", "870]", "dog "),
    "llava-1.5": ("[0.392, 0.280, 0.612, 0.870], [0.1, 0.2, 0.3, 0.4]", "870]", ""),
    "griffon": ("dog-[0.392,0.280,0.612,0.870]&cat-[0.1,0.2,0.3,0.4]", "870]", "dog-"),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_whole_boxes_before_a_cut_are_kept(family: str) -> None:
    text, first, words = WHOLE[family]
    assert pixels(read(text, family)) == [BOX, (100, 200, 300, 400)]
    done = [text.index(first) + len(first), text.rindex("]") + 1]
    for end in range(len(words) + 1, len(text)):
        reading = read(text[:end], family)
        whole = sum(place <= end for place in done)
        assert pixels(reading) == [BOX, (100, 200, 300, 400)][:whole], text[:end]
        if whole == 0:
            assert (reading.fault, reading.truncated) == ("truncated", True)
        inside = text[:end].rstrip()[-1] in "0123456789.,;[&"
        if whole == 1 and inside and not text[:end].rstrip().endswith("]."):
            assert reading.truncated, text[:end]


def test_griffon_announces_an_object_that_does_not_come() -> None:
    for parser in ("authors", "tolerant"):
        dialect = find("griffon", parser)
        assert dialect.read("dog-[0.392,0.280,0.612,0.870]&ca", THOUSAND).truncated
        assert not dialect.read("dog-[0.392,0.280,0.612,0.870]", THOUSAND).truncated


def test_numbers_too_large_to_be_numbers() -> None:
    for family in FAMILIES:
        for parser in ("authors", "tolerant"):
            for number in ("9" * 400 + ".000", "9" * 400, "1e999"):
                reading = find(family, parser).read(f"[1.000,2.000,3.000,{number}]", THOUSAND)
                assert reading.status == "malformed"
                assert reading.fault in ("not_finite", "author_parser_rejects")


def test_a_whole_number_too_large_for_ferret() -> None:
    reading = read(f"dog [1, 2, 3, {'9' * 400}].", "ferret", "authors")
    assert (reading.status, reading.fault) == ("malformed", "not_finite")


def test_no_word_after_the_colon() -> None:
    for family in FAMILIES:
        with pytest.raises(UsageError, match="takes nothing after a colon"):
            find(f"{family}:pixels")


@pytest.mark.parametrize(
    ("family", "text"),
    [
        ("shikra", "Answer: [0.100,0.200,0.500,0.500;0.000,0.125,1.000,0.875] ."),
        ("ferret", "a dog [100, 100, 500, 500]. [0, 0, 1000, 1000]."),
        ("llava-1.5", "[0.10, 0.20, 0.50, 0.50], [0.00, 0.12, 1.00, 0.88]"),
        ("griffon", "a dog-[0.100,0.100,0.500,0.500]&[0.000,0.000,1.000,1.000]"),
    ],
)
def test_writing(family: str, text: str) -> None:
    # 80 pixels of padding: (48 + 80) / 640 = 0.2, 80 / 640 = 0.125
    named: list[tuple[str | None, Box]] = [
        ("a dog", (64.0, 48.0, 320.0, 240.0)),
        (None, (0.0, 0.0, 640.0, 480.0)),
    ]
    assert find(family).write(named, Sizes((640, 480))) == text


STEP = {"shikra": 0.001, "ferret": 0.001, "llava-1.5": 0.01, "griffon": 0.001}


@given(
    st.sampled_from(FAMILIES),
    st.sampled_from(["authors", "tolerant"]),
    st.lists(
        st.tuples(
            st.sampled_from(["a dog", "the red car", "击掌"]),
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
    assert not reading.truncated
    labels = [label for label, _ in named] if family in ("ferret", "griffon") else []
    assert list(reading.labels) == labels
    sides = size if family in ("ferret", "griffon") else (max(size), max(size))
    # Ferret's authors cut a pixel off
    slack = 1 if (family, parser) == ("ferret", "authors") else 1e-6
    for got, (_, want) in zip(reading.boxes, named, strict=True):
        for value, wanted, side in zip(got, want, (*sides, *sides), strict=True):
            assert abs(value - wanted) <= STEP[family] / 2 * side + slack


@pytest.mark.parametrize("parser", ["authors", "tolerant"])
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(
    "mark",
    [
        *("[", "]", "[0.1,", "[0.1,0.1;", "[1,1]", "[0.1,0.1,0.1,0.1]", "[1;1;1;1]", "0.1,", "0."),
        *("dog-[0.123,0.123,0.223,0.333]&", "a [1, 2, 3, 4]. ", "&", "-", "\n[1,1,1,1]", ". "),
    ],
)
def test_long_texts(mark: str, family: str, parser: Parser) -> None:
    read(mark * (50_000 // len(mark)), family, parser)
