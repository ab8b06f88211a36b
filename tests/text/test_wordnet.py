from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from eyechart.errors import DataError, UsageError
from eyechart.text import wordnet
from eyechart.text.wordnet import WordNet

# the form of wndb(5WN): lemma, part, synsets, pointers and their symbols, senses, tagged, offsets
NOUNS = """\
  1 This software and database is being provided to you, the LICENSEE, by
  2 Princeton University under the following license.
auto n 1 2 @ ~ 1 1 02958343
automobile n 1 4 @ ~ #p %p 1 1 02958343
bear n 2 3 @ ~ #m 2 1 02131653 09831411
box n 1 1 @ 1 1 02883344
car n 2 5 @ ~ #p %p + 2 2 02958343 02959942
glass n 1 1 @ 1 1 03438257
goose n 1 1 @ 1 1 01855672
man n 1 1 @ 1 1 10287213
one n 1 1 @ 1 1 13742573
polar_bear n 1 2 @ #m 1 0 02134084
t-shirt n 1 1 @ 1 0 03595614
u.s.a. n 1 1 @i 1 0 09044862
"""
FILES = {
    "index.noun": NOUNS,
    "index.verb": "car v 1 1 @ 1 0 00000007\nrun v 1 1 @ 1 0 01926311\nhop v 1 1 @ 1 0 01966861\n",
    "index.adj": "big a 1 1 ! 1 0 01382086\nlarge a 1 1 ! 1 0 01382086\n",
    "index.adv": "fast r 1 0 1 0 00086000\n",
    "noun.exc": "geese goose\nattorneys_general attorney_general\n",
    "verb.exc": "ran run\nrunning run\n",
    "adj.exc": "bigger big\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "dictionary"
    path.mkdir()
    for name, text in FILES.items():
        (path / name).write_text(text)
    return path


@pytest.fixture(autouse=True)
def _nothing_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("EYECHART_WORDNET", "WNSEARCHDIR", "WNHOME", "NLTK_DATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    monkeypatch.setattr(wordnet, "_USUAL", ())
    monkeypatch.setattr(wordnet, "_NLTK", ())
    monkeypatch.setattr("sys.prefix", str(tmp_path / "nowhere"))


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("auto", {("noun", 2958343)}),
        ("car", {("noun", 2958343), ("noun", 2959942), ("verb", 7)}),
        ("cars", {("noun", 2958343), ("noun", 2959942), ("verb", 7)}),
        ("polar bear", {("noun", 2134084)}),
        ("polar bears", {("noun", 2134084)}),
        ("boxes", {("noun", 2883344)}),
        ("men", {("noun", 10287213)}),
        ("geese", {("noun", 1855672)}),
        ("glass", {("noun", 3438257)}),
        ("running", {("verb", 1926311)}),
        ("ran", {("verb", 1926311)}),
        ("hopping", set()),  # morphy does not undouble
        ("hops", {("verb", 1966861)}),
        ("bigger", {("adj", 1382086)}),
        ("larger", {("adj", 1382086)}),
        ("fast", {("adv", 86000)}),
        ("t shirt", {("noun", 3595614)}),
        ("usa", {("noun", 9044862)}),
        ("1", {("noun", 13742573)}),
        ("is", set()),
        ("", set()),
        ("brown bear", set()),
        ("this", set()),
        ("polar bear polar bear polar bear polar bear polar bear", set()),
    ],
)
def test_what_a_phrase_stands_in(folder: Path, phrase: str, expected: set[object]) -> None:
    dictionary = WordNet(folder)
    assert dictionary.synsets(phrase) == expected
    assert dictionary.synsets(phrase) == expected  # remembered


@pytest.mark.parametrize("place", ["", "dict", "corpora/wordnet"])
def test_a_dictionary_is_found_in_a_named_folder(folder: Path, tmp_path: Path, place: str) -> None:
    root = tmp_path / "root"
    (root / place).parent.mkdir(parents=True, exist_ok=True)
    folder.rename(root / place)
    assert wordnet.find(str(root)).synsets("auto")


def test_a_dictionary_in_a_zip_file(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "corpora" / "wordnet.zip"
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in FILES.items():
            archive.writestr(f"wordnet/{name}", text)
    assert wordnet.find(str(path)).synsets("geese") == {("noun", 1855672)}
    assert wordnet.find(str(tmp_path)).source == path


@pytest.mark.parametrize("variable", ["EYECHART_WORDNET", "WNSEARCHDIR", "NLTK_DATA"])
def test_a_dictionary_named_by_the_environment(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    if variable == "NLTK_DATA":
        (tmp_path / "corpora").mkdir()
        folder = folder.rename(tmp_path / "corpora" / "wordnet")
        monkeypatch.setenv(variable, f"{tmp_path / 'no'}:{tmp_path}")
    else:
        monkeypatch.setenv(variable, str(folder))
    assert wordnet.find().source == folder
    assert wordnet.find() is wordnet.find()


def test_none_is_installed() -> None:
    with pytest.raises(UsageError, match=r"apt-get install wordnet-base.*EYECHART_WORDNET"):
        wordnet.find()


def test_none_is_where_it_was_said_to_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match=r"no WordNet dictionary is there \(the option wordnet"):
        wordnet.find(str(tmp_path))
    monkeypatch.setenv("EYECHART_WORDNET", str(tmp_path / "gone"))
    with pytest.raises(UsageError, match=r"gone.*EYECHART_WORDNET names it"):
        wordnet.find()


def test_a_dictionary_that_is_broken(folder: Path, tmp_path: Path) -> None:
    (folder / "index.noun").write_text("auto n many 2 @ ~ 1 1 02958343\ncar\n")
    for word in ("auto", "car"):
        with pytest.raises(DataError, match="not in WordNet's form"):
            WordNet(folder).synsets(word)
    (folder / "index.adv").unlink()
    with pytest.raises(DataError, match=r"index\.adv cannot be read"):
        WordNet(folder).synsets("auto")
    (tmp_path / "wordnet.zip").write_bytes(b"no zip")
    with pytest.raises(DataError, match="cannot be read"):
        WordNet(tmp_path / "wordnet.zip").synsets("auto")


def test_an_installed_dictionary(monkeypatch: pytest.MonkeyPatch) -> None:
    installed = Path("/usr/share/wordnet")
    if not (installed / "index.noun").is_file():
        pytest.skip(f"no WordNet at {installed} (Debian: apt-get install wordnet-base)")
    monkeypatch.setattr(wordnet, "_USUAL", (str(installed),))
    dictionary = wordnet.find()
    for one, other in (
        ("car", "automobile"),
        ("couch", "sofas"),
        ("t shirt", "tee shirt"),
        ("bikes", "bicycle"),
        ("sneakers", "gym shoe"),
        ("pairs of scissors", "pair of scissors"),
    ):
        assert dictionary.synsets(one) & dictionary.synsets(other), (one, other)
    for one, other in (("car", "dog"), ("folded umbrella", "closed umbrella"), ("red", "blue")):
        assert not dictionary.synsets(one) & dictionary.synsets(other), (one, other)
