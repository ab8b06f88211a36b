"""Kosmos-2's patch indices: what each reader takes, and why it takes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eyechart.dialects import Sizes, find
from eyechart.errors import UsageError

if TYPE_CHECKING:
    from eyechart.dialects.found import Parser
    from eyechart.values import Reading

# a cell is 20 x 15 pixels
SIZES = Sizes((640, 480))
# cells 44 (column 12, row 1) and 111 (column 15, row 3): centres of both
KITE = (250.0, 22.5, 310.0, 52.5)


def read(text: str, parser: Parser = "tolerant") -> Reading:
    return find("kosmos-2", parser).read(text, SIZES)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("<phrase>a kite</phrase><object> <patch_index_44> <patch_index_111> </object>", "a kite"),
        ("a kite <patch_index_0044><patch_index_0111>", None),
        ("<phrase>a kite</phrase><patch_index_0044>, <patch_index_0111></s><pad>", "a kite"),
        ("<answer><phrase>a kite<object><patch_index_44><patch_index_111></answer>", "a kite"),
        ("＜patch_index_００４４＞＜patch_index_０１１１＞", None),
    ],
)
def test_the_tolerant_reader_takes_pairs_wherever_they_stand(text: str, label: str | None) -> None:
    got = read(text)
    assert got.boxes == (KITE,)
    assert got.labels == ((label,) if label else ())


def test_labels_go_with_their_own_object() -> None:
    pair = "<patch_index_0044><patch_index_0111>"
    text = (
        f"<phrase>two kites</phrase><object>{pair}</delimiter_of_multi_objects/>{pair}</object>"
        f" and <object>{pair}</object> or<phrase> one</phrase> is<object>{pair}</object>"
    )
    assert read(text).labels == ("two kites", "two kites", None, "one")
    # a phrase counts for the authors where it touches its object
    assert read(text, "authors").labels == ("two kites", "two kites", None, None)


def test_a_cut_object_keeps_its_whole_pairs() -> None:
    text = "<phrase>kites</phrase><object><patch_index_0044><patch_index_0111></delim"
    got = read(text)
    assert (got.boxes, got.truncated) == ((KITE,), True)
    strict = read(text, "authors")
    assert (strict.status, strict.fault, strict.truncated) == ("malformed", "unclosed_tag", True)
    first = read("<phrase>kites</phrase><object><patch_index_0044><patch_i")
    assert (first.fault, first.truncated) == ("truncated", True)


@pytest.mark.parametrize(
    ("text", "tolerant", "authors"),
    [
        ("a kite", "no_box", "no_box"),
        ("[0.1, 0.2, 0.3, 0.4]", "no_box", "no_box"),
        ("<object><patch_index_44></object>", "wrong_count", "wrong_count"),
        ("<object><patch_index_44>", "wrong_count", "unclosed_tag"),
        ("<patch_index_44><patch_index_111>", "", "author_parser_rejects"),
        ("<object><patch_index_44><patch_index_1024></object>", "index_out_of_range", ""),
    ],
)
def test_faults(text: str, tolerant: str, authors: str) -> None:
    assert read(text).fault == tolerant
    assert read(text, "authors").fault == authors


def test_an_index_beyond_the_grid_stands_below_it_for_the_authors() -> None:
    text = "<object><patch_index_0044><patch_index_1024></object>"
    # row 32 of 32: the centre of a row that is not there
    assert read(text, "authors").boxes == ((250.0, 22.5, 10.0, 487.5),)
    both = text + "<object><patch_index_0044><patch_index_0111></object>"
    got = read(both)
    assert (got.boxes, got.flags) == ((KITE,), ("dropped",))


def test_only_what_follows_the_last_picture_counts() -> None:
    before = "<image>x</image><object><patch_index_0000><patch_index_0111></object>"
    after = "<image></image><object><patch_index_0044><patch_index_0111></object>"
    for parser in ("tolerant", "authors"):
        assert find("kosmos-2", "authors" if parser == "authors" else "tolerant").read(
            before + after, SIZES
        ).boxes == (KITE,)


def test_another_grid() -> None:
    text = "<object><patch_index_0000><patch_index_0003></object>"
    # two by two cells, the whole picture by its outer centres
    assert find("kosmos-2:2").read(text, SIZES).boxes == ((160.0, 120.0, 480.0, 360.0),)
    assert find("kosmos-2:2").name == "kosmos-2:2"
    assert find("kosmos-2:32").name == "kosmos-2"


@pytest.mark.parametrize("grid", ["0", "1025", "-1", "x", "3.5", "²"])
def test_no_such_grid(grid: str) -> None:
    with pytest.raises(UsageError, match=f"kosmos-2:{grid}: the grid is a whole number"):
        find(f"kosmos-2:{grid}")
