"""BLEU, ROUGE-L and CIDEr-D by hand, METEOR's pipe, and the protocol's reading of failures."""

from __future__ import annotations

import math
import sys
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.errors import DataError, UsageError
from eyechart.scoring import find, options_of
from eyechart.scoring.captions import CAPTIONS, columns, meteor, totals
from eyechart.scoring.captions.rouge import rouge_l
from eyechart.values import Captions, Count, Image, Reading, Sample, Target

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def sample(name: str, *references: str, target: Target | None = None) -> Sample:
    return Sample(name, "caption", Image("x.jpg"), {}, target or Captions(references), "x.jpg")


def read(text: str) -> Reading:
    assert CAPTIONS.read_text is not None
    return CAPTIONS.read_text(sample("x"), text)


def test_bleu_by_hand() -> None:
    # 3 of 4 words and 1 of 3 pairs are in a reference; 4 words against 4 and 6: the closest is 4
    made = columns(["a cat sat here"], [["a cat was sat", "b c d e f here"]])
    found = totals(made)
    assert found["Bleu_1"] == pytest.approx(4 / 4, abs=1e-8)
    assert found["Bleu_2"] == pytest.approx(math.sqrt(1 * 1 / 3), abs=1e-8)
    assert found["Bleu_3"] == pytest.approx((1 / 3 * 1e-15 / 2) ** (1 / 3), rel=1e-6)


def test_a_repeated_word_counts_as_often_as_one_reference_has_it() -> None:
    made = columns(["the the the"], [["the cat", "the the dog"]])
    assert made["bleu.matches_1"] == [2]


def test_of_two_lengths_as_close_the_shorter_counts_and_brevity_is_punished() -> None:
    made = columns(["a b c"], [["a b", "a b c d"]])
    assert made["bleu.reference_length"] == [2]
    short = totals(columns(["a"], [["a b c"]]))
    assert short["Bleu_1"] == pytest.approx(math.exp(1 - 3), abs=1e-8)


def test_bleu_of_a_set_is_no_mean() -> None:
    found = totals(columns(["a", "x y z"], [["a"], ["p q r"]]))
    assert found["Bleu_1"] == pytest.approx(1 / 4, abs=1e-8)


def test_rouge_l_by_hand() -> None:
    # three words in order: precision 3/4 by one reference, recall 1/1 by the other
    assert rouge_l("a b c d", ["a x c d", "b"]) == pytest.approx(
        2.44 * 0.75 * 1 / (1 + 1.44 * 0.75)
    )
    assert rouge_l("a", ["b"]) == 0.0
    assert rouge_l("", [""]) == 1.0
    assert rouge_l("", ["a"]) == 0.0


@given(
    st.lists(st.sampled_from("abc"), min_size=1, max_size=12),
    st.lists(st.sampled_from("abc"), min_size=1, max_size=12),
)
def test_the_common_subsequence_is_the_longest(one: list[str], other: list[str]) -> None:
    row = [0] * (len(other) + 1)
    for word in one:
        before = row[:]
        for place, second in enumerate(other, start=1):
            same = before[place - 1] + 1
            row[place] = same if word == second else max(row[place - 1], before[place])
    precision, recall = row[-1] / len(one), row[-1] / len(other)
    expected = 2.44 * precision * recall / (recall + 1.44 * precision) if row[-1] else 0.0
    assert rouge_l(" ".join(one), [" ".join(other)]) == pytest.approx(expected)


def test_cider_by_hand() -> None:
    # every n-gram stands in one sample of two: weights log 2; two words have orders 1 and 2 only
    made = columns(["red cat", "blue dog"], [["red cat"], ["blue dog"]])
    assert made["cider"] == pytest.approx([5.0, 5.0])
    # one word of two: cosine of unigrams 1/sqrt(2), of bigrams 0; one bigram fewer: exp(-1/72)
    made = columns(["red", "blue dog"], [["red cat"], ["blue dog"]])
    assert made["cider"][0] == pytest.approx(10 / 4 / math.sqrt(2) * math.exp(-1 / 72))


def test_a_word_in_all_samples_or_a_single_sample_is_worth_nothing() -> None:
    assert columns(["a b c d"], [["a b c d"]])["cider"] == [0.0]
    assert columns(["a", "a"], [["a"], ["a"]])["cider"] == [0.0, 0.0]


captions = st.lists(
    st.tuples(
        st.lists(st.sampled_from(["a", "dog", "cat", "red"]), max_size=6).map(" ".join),
        st.lists(
            st.lists(st.sampled_from(["a", "dog", "cat", "red"]), max_size=6).map(" ".join),
            min_size=1,
            max_size=3,
        ),
    ),
    min_size=1,
    max_size=6,
)


@given(captions)
def test_the_order_of_samples_changes_nothing_and_nothing_leaves_its_range(
    rows: list[tuple[str, list[str]]],
) -> None:
    forth = columns([said for said, _ in rows], [texts for _, texts in rows])
    back = columns([said for said, _ in rows[::-1]], [texts for _, texts in rows[::-1]])
    for name, column in forth.items():
        assert column == pytest.approx(back[name][::-1])
    assert totals(forth) == pytest.approx(totals(back))
    assert all(0 <= value <= 1 + 1e-12 for value in forth["rouge_l"])
    assert all(0 <= value <= 10 + 1e-9 for value in forth["cider"])


def test_the_reply_is_the_caption_as_it_stands() -> None:
    assert read(" A dog.\n") == Reading("ok", value="A dog.")
    assert read("a\rb").flags == ("line_break",)
    assert read(" \n").status == "malformed"


SAMPLES = [sample("1", "A red cat."), sample("2", "A blue dog!", "a dog"), sample("3", "...")]


def test_a_failure_is_an_empty_caption_in_the_set_and_worth_nothing_itself() -> None:
    said = [Reading("ok", value="a red cat"), Reading("error"), Reading("malformed")]
    found = CAPTIONS.score(SAMPLES, said)
    assert found["cider"][0] > 0
    # the third reference has no words, and an empty caption would be worth 1 beside it
    assert list(found["rouge_l"]) == [1.0, 0.0, 0.0]
    assert list(found["bleu.length"]) == [3, 0, 0]
    assert list(found["bleu.reference_length"]) == [3, 2, 0]


def test_a_line_break_in_a_reply_moves_no_other() -> None:
    said = [Reading("ok", value=text) for text in ("a red\rcat", "a blue dog", "x")]
    assert list(CAPTIONS.score(SAMPLES, said)["rouge_l"]) == [1.0, 1.0, 0.0]


def test_repeats_are_sets_of_their_own() -> None:
    once = [Reading("ok", value=text) for text in ("a red cat", "a dog here", "x")]
    again = [Reading("ok", value=text) for text in ("a cat unseen", "blue", "y")]
    both = CAPTIONS.score([*SAMPLES, *SAMPLES], [*once, *again])
    for name in ("cider", "rouge_l"):
        apart = [*CAPTIONS.score(SAMPLES, once)[name], *CAPTIONS.score(SAMPLES, again)[name]]
        assert list(both[name]) == apart


def test_totals_are_printed_as_officially() -> None:
    assert CAPTIONS.official is not None
    said = [Reading("ok", value=text) for text in ("a red cat", "a dog", "x")]
    made = CAPTIONS.score(SAMPLES, said)
    official = CAPTIONS.official(SAMPLES, made)
    assert list(official) == [*(f"Bleu_{k}" for k in (1, 2, 3, 4)), "ROUGE_L", "CIDEr", "printed"]
    assert official["printed"][0] == f"Bleu_1: {official['Bleu_1']:.3f}"
    # from the metrics alone there is no BLEU
    alone = {name: made[name] for name in ("cider", "rouge_l")}
    assert list(CAPTIONS.official(SAMPLES, alone)) == ["ROUGE_L", "CIDEr", "printed"]
    assert CAPTIONS.official([], CAPTIONS.score([], [])) == {}


def test_other_targets_and_lacking_references_are_refused() -> None:
    with pytest.raises(DataError, match="sample 9"):
        CAPTIONS.score([sample("9", target=Count(3))], [Reading("ok", value="x")])
    with pytest.raises(DataError, match="sample 8"):
        CAPTIONS.score([sample("8")], [Reading("ok", value="x")])
    with pytest.raises(DataError, match="sample number 2"):
        columns(["a", "b"], [["a"], []])


FAKE = """
import sys
asked = 0
for line in sys.stdin:
    parts = [part.strip() for part in line.split("|||")]
    if parts[0] == "SCORE":
        asked += 1
        print(f"{len(parts) - 2}.0 {'9' * 200}", flush=True)
    else:
        assert len(parts) == asked + 1
        for part in parts[1:]:
            print(float(part.split()[0]) / 10)
        print(0.5, flush=True)
"""


def java(folder: Path, code: str) -> tuple[Path, str]:
    """A program in the place of METEOR's jar, and what stands in for Java."""
    (folder / "data").mkdir()
    (folder / "data" / "paraphrase-en.gz").touch()
    (folder / "meteor-1.5.jar").touch()
    (folder / "code.py").write_text(code)
    path = folder / "java"
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" code.py\n')
    path.chmod(0o755)
    return meteor.jar(str(folder)), str(path)


def test_meteor_speaks_to_its_program(tmp_path: Path) -> None:
    program, runtime = java(tmp_path, FAKE)
    # more than a pipe holds, both ways
    said = ["a dog runs"] * 2000
    texts: Sequence[list[str]] = [["a dog"] * (1 + place % 2) for place in range(2000)]
    whole, each = meteor.score(program, said, texts, java=runtime)
    assert whole == 0.5
    assert each == [0.1, 0.2] * 1000
    assert meteor.score(program, [], [], java=runtime) == (0.0, [])


@pytest.mark.parametrize("code", ["", "print('no number')", "raise SystemExit(1)"])
def test_a_program_that_fails_is_told(tmp_path: Path, code: str) -> None:
    program, runtime = java(tmp_path, code)
    with pytest.raises(UsageError, match="gave no scores"):
        meteor.score(program, ["a"], [["b"]], java=runtime)


def test_what_meteor_lacks_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no file .*meteor-1\.5\.jar"):
        meteor.jar(str(tmp_path))
    program, _ = java(tmp_path, FAKE)
    with pytest.raises(UsageError, match="install a Java runtime"):
        meteor.score(program, ["a"], [["b"]], java=str(tmp_path / "absent"))
    with pytest.raises(DataError, match="sample number 2 has a reference without any word"):
        meteor.score(program, ["a", "b"], [["b"], ["c", ""]])


def test_meteor_is_an_option_that_says_whether_it_is_ready(tmp_path: Path) -> None:
    assert options_of("captions") == ("meteor",)
    made = find("captions", {"meteor": str(tmp_path)})
    assert [metric.name for metric in made.metrics] == ["cider", "rouge_l", "meteor"]
    assert made.ready is not None
    with pytest.raises(UsageError, match="METEOR"):
        made.ready()
    assert CAPTIONS.ready is None


def test_pairs_are_counted_across_no_border() -> None:
    # the last word of a caption and the first of the next are no pair
    words = ["a b", "c d"]
    made = columns(words, [["a b"], ["c d"]])
    assert made["bleu.matches_2"] == [len(list(pairwise(one.split()))) for one in words]
