"""Numbers in words say no more and no less than the numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.errors import UsageError
from eyechart.report import figures as fig
from eyechart.report.comparison import verdict

if TYPE_CHECKING:
    from eyechart.report.schema import Report


def test_amounts_and_spans_by_unit() -> None:
    assert fig.amount(0.7426, "ratio") == "74.3 %"
    assert fig.amount(1234.5, "pixels") == "1,234.50 px"
    assert fig.amount(1.25, "count") == "1.250"
    assert fig.amount(-1e-9, "ratio") == "0.0 %"
    assert fig.span(0.734, 0.752, "ratio") == "73.4 to 75.2"
    assert fig.span(-0.004, 0.003, "ratio", signed=True) == "-0.40 to +0.30"
    assert fig.span(-2.5, 1.0, "count", signed=True) == "-2.500 to +1.000"
    assert fig.change(0.013, "ratio") == "+1.30 points"
    assert fig.change(-0.00001, "ratio") == "0.00 points"
    assert fig.change(-3.0, "pixels") == "-3.00 px"
    assert fig.probability(0.0123) == "p 0.012"
    assert fig.probability(0.0009) == "p <0.001"


@pytest.mark.parametrize(
    ("part", "whole", "words"),
    [
        (0, 10, "0 %"),
        (10, 10, "100 %"),
        (1, 3, "33.3 %"),
        (1, 10834, "<0.1 %"),
        (10833, 10834, ">99.9 %"),
        (0, 0, "0 %"),
    ],
)
def test_shares(part: int, whole: int, words: str) -> None:
    assert fig.share(part, whole) == words


@given(st.integers(1, 10**6), st.data())
def test_only_nothing_is_written_as_nothing(whole: int, data: st.DataObject) -> None:
    part = data.draw(st.integers(0, whole))
    words = fig.share(part, whole)
    assert (words in {"0 %", "0.0 %"}) == (part == 0)
    assert (words in {"100 %", "100.0 %"}) == (part == whole)


def test_statuses_are_all_there_and_add_up(report: Report) -> None:
    counted = fig.statuses(report.coverage)
    assert [name for name, _ in counted] == ["ok", "none", "malformed", "refused", "error"]
    assert sum(count for _, count in counted) == report.coverage.n


def test_a_status_without_samples_is_shown_as_zero(report: Report) -> None:
    fewer = msgspec.structs.replace(report.coverage, statuses={"ok": 3, "odd": 1})
    assert fig.statuses(fewer) == [
        ("ok", 3),
        ("none", 0),
        ("malformed", 0),
        ("refused", 0),
        ("error", 0),
        ("odd", 1),
    ]


def test_primary_metric_comes_first_and_the_rest_keep_their_order(report: Report) -> None:
    assert [name for name, _ in fig.figures(report)] == ["acc@0.5", "iou", "acc@0.75", "distance"]


def test_slices_are_most_frequent_first_and_say_what_is_left_out(report: Report) -> None:
    size, category = fig.slice_tables(report, ["size", "category"], 3)
    assert [one.value for one, _ in size.rows] == ["large", "medium", "small"]
    assert (size.left_out, size.left_n) == (0, 0)
    assert [one.n for one, _ in category.rows] == [500, 480, 460]
    # 440 + 420 + ... + 120 over 17 values
    assert (category.left_out, category.left_n) == (17, 17 * (440 + 120) // 2)


def test_an_unknown_slice_names_the_nearest(report: Report) -> None:
    with pytest.raises(UsageError, match=r"'sizes'\. Did you mean size"):
        fig.slice_tables(report, ["sizes"], 3)


def test_small_slices_are_counted_apart(report: Report) -> None:
    # n is 500, 480 ... 120: of 20 values, 11 have 300 samples or more
    (category,) = fig.slice_tables(report, ["category"], 4, least=300)
    assert [one.n for one, _ in category.rows] == [500, 480, 460, 440]
    assert (category.left_out, category.left_n) == (7, 7 * (420 + 300) // 2)
    assert category.small == 9
    (whole,) = fig.slice_tables(report, ["category"], None)
    assert (len(whole.rows), whole.left_out, whole.left_n, whole.small) == (20, 0, 0, 0)


def test_coverage_leaves_out_what_did_not_occur_but_errors(report: Report) -> None:
    clean = msgspec.structs.replace(
        report.coverage, statuses={"refused": 2}, truncated=0, several_boxes=1
    )
    assert fig.coverage_rows(clean) == [
        ("answered", 10820),
        ("read", 10702),
        ("status ok", 0),
        ("status refused", 2),
        ("status error", 0),
        ("several boxes", 1),
    ]


def test_official_lines_are_kept_apart_from_the_block(report: Report) -> None:
    block = {"overall": 50.0, "kinds": {"a": {}}, "printed": ["Overall: 50.00", "a\nb \x1b : 1"]}
    printed = msgspec.structs.replace(report, official=block)
    assert fig.official_lines(printed) == ["Overall: 50.00", r"a\nb \x1b : 1"]
    assert fig.official_rows(printed) == [("overall", "50.0")]
    # what is no list of lines is a value as any other
    odd = msgspec.structs.replace(report, official={"printed": [1, "two"], "none": {}})
    assert fig.official_lines(odd) == []
    assert fig.official_rows(odd) == [("printed", '[1, "two"]')]


def test_one_is_singular() -> None:
    assert [fig.counted(n, "picture") for n in (0, 1, 2, 1500)] == [
        "0 pictures",
        "1 picture",
        "2 pictures",
        "1,500 pictures",
    ]


def test_denominators_differ(report: Report) -> None:
    figure = report.metrics["acc@0.5"]
    same = msgspec.structs.replace(figure, over_answered=figure.value, over_read=figure.value)
    assert fig.denominators_differ(figure)
    assert not fig.denominators_differ(same)
    assert fig.denominators_differ(msgspec.structs.replace(same, over_answered=None))
    assert fig.part(None, "ratio") == "no sample"


def test_size_line_names_both_numbers_where_they_differ(report: Report) -> None:
    assert "the split" not in fig.size_line(report)
    limited = msgspec.structs.replace(
        report, coverage=msgspec.structs.replace(report.coverage, n=100)
    )
    assert "100 scored; the split has 10,834 samples" in fig.size_line(limited)
    thrice = msgspec.structs.replace(
        report,
        asked=msgspec.structs.replace(report.asked, repeats=3),
        coverage=msgspec.structs.replace(report.coverage, n=3 * 10834),
    )
    assert fig.size_line(thrice).startswith("32,502 scored (3 repeats of each sample); intervals")
    one = msgspec.structs.replace(
        limited,
        coverage=msgspec.structs.replace(limited.coverage, groups=1),
        benchmark=msgspec.structs.replace(limited.benchmark, known_size=1),
    )
    assert fig.size_line(one) == (
        "100 scored; the split has 1 sample; intervals clustered by 1 picture"
    )


def test_settings_are_flat_and_never_endless() -> None:
    deep: dict[str, object] = {"end": 1}
    for _ in range(50):
        deep = {"a": deep}
    rows = fig.settings({"x": {"y": [1, None], "z": True}, "s": "text", "e": {}, "deep": deep})
    assert rows[:4] == [("x.y", "[1, null]"), ("x.z", "true"), ("s", "text"), ("e", "{}")]
    assert rows[4][0] == "deep.a.a.a.a"
    assert rows[4][1].endswith('{"end": 1}' + "}" * 46)


def test_verdict_in_words() -> None:
    assert verdict(0.001, 0.02) == "B is better"
    assert verdict(-0.02, -0.001) == "A is better"
    assert verdict(0.0, 0.02) == "not distinguishable"
    assert verdict(0.1, 0.2, higher_is_better=False) == "A is better"
    assert verdict(-0.2, -0.1, higher_is_better=False) == "B is better"
