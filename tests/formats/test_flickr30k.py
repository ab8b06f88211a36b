"""The readers of Flickr30k Entities: what stands in the files, and what is wrong with them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.errors import DataError
from eyechart.formats import flickr30k_xml
from eyechart.formats.flickr30k import (
    Entities,
    find_folder,
    parse_sentences,
    phrases,
    phrases_in_order_of,
    read_ids,
)
from eyechart.formats.flickr30k_xml import parse_annotations

if TYPE_CHECKING:
    from pathlib import Path

SIZE = "<size><width>50</width><height>40</height><depth>3</depth></size>"
PIECES = ["[", "]", " ", "  ", "\t", "\n", "a", "b]", "[/EN#1/people ", "[/EN#2/x/y z] ", "\u2003"]


def bounds(x1: str, y1: str, x2: str, y2: str) -> str:
    sides = zip(("xmin", "ymin", "xmax", "ymax"), (x1, y1, x2, y2), strict=True)
    return "<bndbox>" + "".join(f"<{s}>{v}</{s}>" for s, v in sides) + "</bndbox>"


def entry(names: str, *box: str) -> str:
    inside = bounds(*box) if box else "<nobndbox>1</nobndbox><scene>0</scene>"
    named = "".join(f"<name>{n}</name>" for n in names.split())
    return f"<object>{named}{inside}</object>"


def xml(*entries: str) -> bytes:
    return f"<annotation>{SIZE}{''.join(entries)}</annotation>".encode()


def test_words_and_marks_of_a_sentence() -> None:
    (one,) = parse_sentences("[/EN#7/people Two men] on [/EN#0/notvisual it] .\n", "f")
    assert one.text == "Two men on it ."
    assert one.marks == [("7", "/people", "Two men"), ("0", "/notvisual", "it")]
    assert one.first_words() == [0, 3]
    assert one.starts() == [0, 11]


@given(st.lists(st.sampled_from(PIECES), max_size=25))
def test_well_marked_files_are_read_as_word_by_word(pieces: list[str]) -> None:
    """The quick way for whole files gives what the rule gives line by line."""
    text = "".join(pieces)
    # a sentence with a bracket that is no mark sends the whole file the slow way
    slow = f"{text}\nx [/EN#9/other y"
    try:
        wanted = parse_sentences(slow, "f")[:-1]
    except DataError:
        with pytest.raises(DataError):
            parse_sentences(text, "f")
        return
    found = parse_sentences(text, "f")
    assert [(one.text, one.marks) for one in found] == [(one.text, one.marks) for one in wanted]
    for one in found:
        for start, (_, _, phrase) in zip(one.starts(), one.marks, strict=True):
            assert one.text[start : start + len(phrase)] == phrase


def test_the_line_of_a_stray_bracket_is_named() -> None:
    with pytest.raises(DataError, match=r"^f, line 3: '\[sic\]' begins with a bracket"):
        parse_sentences("fine .\n\na [sic] b", "f")


@given(
    st.lists(
        st.builds(
            lambda names, box, gap: entry(" ".join(names), *map(str, box)).replace("><", gap),
            st.lists(st.sampled_from(["1", "2", "x-3"]), min_size=1, max_size=3),
            st.one_of(st.just(()), st.tuples(*[st.integers(0, 999)] * 4)),
            st.sampled_from(["><", ">\n\t<", "> <"]),
        ),
        max_size=5,
    )
)
def test_plain_files_are_read_as_by_the_xml_parser(entries: list[str]) -> None:
    data = xml(*entries)
    commented = data.replace(b"<annotation>", b"<annotation><!-- not plain -->")
    assert flickr30k_xml._PLAIN.fullmatch(data.decode()) is not None
    assert flickr30k_xml._PLAIN.fullmatch(commented.decode()) is None
    assert parse_annotations(data, "f") == parse_annotations(commented, "f")


def test_an_object_of_two_names_counts_for_both_and_may_be_shifted() -> None:
    data = xml(entry("1 2", "1", "2", "30", "40"), entry("1", "5", "5", "9", "9"), entry("3"))
    sizes, boxes = parse_annotations(data, "f")
    assert sizes == {"width": 50, "height": 40, "depth": 3}
    assert boxes == {"1": ((1, 2, 30, 40), (5, 5, 9, 9)), "2": ((1, 2, 30, 40),)}
    shifted = parse_annotations(data, "f", shifted=True).boxes
    assert shifted == {"1": ((0, 1, 29, 39), (4, 4, 8, 8)), "2": ((0, 1, 29, 39),)}
    assert flickr30k_xml.parse_unboxed(data, "f") == (["3"], [])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"<annotation>", "line 1: not valid XML"),
        (b"", "not valid XML"),
        (b"<annotation/>", "line 1: <annotation> has no <size>"),
        (xml(entry("1", "1", "2", "3", "1.5")), "<ymax> holds '1.5'"),
        (xml(entry("1", "1", "2", "3", "9" * 400)), "<ymax> holds '9999"),
        (xml(f"<object><name/>{bounds('1', '2', '3', '4')}</object>"), "<name> is empty"),
        (xml("<object><name>1</name><bndbox/></object>"), "<bndbox> has no <xmin>"),
        (xml("<object><name>1</name></object>"), "<object> has no <nobndbox>"),
        (
            b'<!DOCTYPE a [<!ENTITY e "1">]>\n' + xml(entry("&e;", "1", "2", "3", "4")),
            "line 1: has a document type",
        ),
        ("<!DOCTYPE a>\n<annotation/>".encode("utf-16"), "line 1: has a document type"),
    ],
)
def test_broken_xml_is_told_with_its_line(data: bytes, message: str) -> None:
    with pytest.raises(DataError, match=f"^f, .*{message}"):
        parse_annotations(data, "f")


def folder(path: Path, sentences: str, annotations: bytes, image_id: str = "12") -> Path:
    for part in ("Sentences", "Annotations"):
        (path / part).mkdir(exist_ok=True)
    (path / "Sentences" / f"{image_id}.txt").write_text(sentences)
    (path / "Annotations" / f"{image_id}.xml").write_bytes(annotations)
    return path


MEN = "[/EN#1/people a man] and [/EN#2/people/other a man] see [/EN#3/scene a street] .\n"
BOXED = xml(entry("1", "1", "1", "9", "9"), entry("2", "20", "20", "40", "40"), entry("3"))


def record(*spans: tuple[int, int], **other: Any) -> dict[str, Any]:
    return {
        "caption": "a man and a man see a street .",
        "original_img_id": 12,
        "sentence_id": 0,
        "width": "50",
        "height": 40,
        "tokens_positive_eval": [[span, (0, 1)] for span in spans],
    } | other


def ordered(path: Path, *images: dict[str, Any]) -> list[tuple[int, int | None]]:
    named = path / "order.json"
    named.write_text(json.dumps({"images": images, "annotations": []}))
    found = phrases_in_order_of(named, Entities(path))
    return [(one.position, one.repeats) for asked in found for one in asked.phrases]


def test_a_repeated_phrase_has_its_own_boxes_and_names_the_first(tmp_path: Path) -> None:
    (asked,) = phrases(Entities(folder(tmp_path, MEN, BOXED)), ["12"])
    assert (asked.image_id, asked.width, asked.height, asked.sentence) == ("12", 50, 40, 0)
    assert asked.caption == "a man and a man see a street ."
    first, second = asked.phrases
    assert (first.position, first.types, first.repeats) == (0, "/people", None)
    assert (second.position, second.types, second.repeats) == (1, "/people/other", 0)
    assert second.boxes == ((20.0, 20.0, 40.0, 40.0),)


def test_the_json_decides_the_order(tmp_path: Path) -> None:
    folder(tmp_path, MEN, BOXED)
    assert ordered(tmp_path, record((0, 5), (10, 15))) == [(0, None), (1, 0)]
    assert ordered(tmp_path, record((10, 15), (0, 5))) == [(1, 0), (0, None)]
    assert ordered(tmp_path, record((10, 15))) == [(1, 0)]
    # a span of the same text that begins elsewhere is the first of them that is left
    assert ordered(tmp_path, record((1, 6), caption="xa man")) == [(0, None)]
    assert ordered(tmp_path, record()) == []


@pytest.mark.parametrize(
    ("images", "message"),
    [
        ([record((0, 5), (0, 5), (0, 5))], "'a man' is no phrase with boxes"),
        ([record((20, 28))], "'a street' is no phrase with boxes"),
        ([record((0, 5)), record((0, 5))], r"images\[1\]: sentence 0 of picture 12 stands twice"),
        ([record((0, 5), sentence_id=1)], "picture 12 has no sentence 1"),
        ([record((0, 5), original_img_id=13)], r"13\.xml: no such file"),
        ([record((0, 5), original_img_id="../12")], "no id of a picture"),
        ([record((0, 5), width="wide")], "width is 'wide'"),
        ([{"caption": "x"}], "missing required field"),
    ],
)
def test_a_json_that_does_not_fit_is_refused(
    tmp_path: Path, images: list[dict[str, Any]], message: str
) -> None:
    folder(tmp_path, MEN, BOXED)
    with pytest.raises(DataError, match=message):
        ordered(tmp_path, *images)


def test_ids_and_folders(tmp_path: Path) -> None:
    (tmp_path / "test.txt").write_text("12\r\n 13 \n\n")
    assert read_ids(tmp_path / "test.txt") == ["12", "13"]
    (tmp_path / "test.txt").write_text("12\n12\n")
    with pytest.raises(DataError, match="picture id 12 stands twice, line 1 and line 2"):
        read_ids(tmp_path / "test.txt")
    with pytest.raises(DataError, match="no folder with Sentences/ and Annotations/"):
        find_folder(tmp_path)
    below = tmp_path / "annotations"
    below.mkdir()
    folder(below, MEN, BOXED)
    assert find_folder(tmp_path) == below
    with pytest.raises(DataError, match="--data DIR"):
        find_folder(None)


def test_text_that_is_not_utf8_is_told_with_its_line(tmp_path: Path) -> None:
    folder(tmp_path, MEN, BOXED)
    (tmp_path / "Sentences" / "12.txt").write_bytes(b"a\n\xff\n")
    with pytest.raises(DataError, match=r"12\.txt, line 2: not UTF-8"):
        Entities(tmp_path).picture("12")
