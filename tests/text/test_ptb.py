"""The caption tokenizer: what the official program printed for invented lines, and its limits."""

from __future__ import annotations

import importlib.util
import os
import random
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.text.ptb import has_line_break, tokenise, tokenise_officially

# what the program printed (java -cp stanford-corenlp-3.4.1.jar
# edu.stanford.nlp.process.PTBTokenizer -preserveLines -lowerCase), less what the scorers leave out
PRINTED = [
    (
        "A man isn't riding; he's walking, they'd said.",
        "a man is n't riding he 's walking they 'd said",
    ),
    ("I'm sure you've won't she'll can't DON'T", "i 'm sure you 've wo n't she 'll ca n't do n't"),
    ("The dog's bowl, the dogs' bowls and James's.", "the dog 's bowl the dogs bowls and james 's"),
    ("It’s the man’s hat, don’t you’ll", "it 's the man 's hat do n't you 'll"),
    ("We cannot and we're gonna, wanna cannot's", "we can not and we 're gon na wan na cannot 's"),
    (
        "y'all 'tis 'twas 'em 'cause rock'n'roll o'clock ma'am",
        "y' all 't is 't was 'em 'cause rock 'n' roll o'clock ma'am",
    ),
    (
        "jack-o'lantern O'Brien-Smith L'Oreal Hawai'i s'mores ol' dog",
        "jack-o'lantern o'brien-smith l'oreal hawai'i s'mores ol' dog",
    ),
    (
        "a 'quoted' word, a \"quoted one\" and “curly” ‘quotes’",
        "a quoted word a quoted one and curly quotes",
    ),
    ("the '90s, '85 90's 1990s and ’80s", "the '90s '85 90 's 1990s and ’80s"),
    (
        "1,000 dogs, 2.5 cats, .5 -3 +4 1:30 1:30pm 10am 3.5mm 25.",
        "1,000 dogs 2.5 cats .5 -3 +4 1:30 1:30 pm 10am 3.5 mm 25",
    ),
    (
        "on 12/25/2014 or 2014-12-25, 5/6 and 1/2-inch",
        "on 12/25/2014 or 2014-12-25 5/6 and 1/2-inch",
    ),
    ("a 5 1/2 inch board, 5-1/2, 1½ and ¾ cups", "a 5\xa01/2 inch board 5-1/2 1 1/2 and 3/4 cups"),
    ("$5.50, £6, €7, US$8, 50¢ and 10% off", "$ 5.50 # 6 $ 7 us$ 8 50 cents and 10 % off"),
    ("5'10\" tall, 6' by 8\", 3x4 and 8×10", "5 10 tall 6 by 8 3x4 and 8 × 10"),
    ("the 1st, 2nd and 21st", "the 1st 2nd and 21st"),
    (
        "a half-eaten, two-year-old's well-known -- or - not--so known dash—here",
        "a half-eaten two-year-old 's well-known or not so known dash here",
    ),
    ("black/white and/or a/b/c/d w/ w/o", "black/white and/or a/b/c / d w / w/o"),
    ("the U.S. flag at 5 p.m. or 6:30a.m. in D.C.", "the u.s. flag at 5 p.m. or 6:30 a.m. in d.c."),
    (
        "Mr. and Mrs. Smith, Dr. Who of St. John's Ave. and the Ph.D.",
        "mr. and mrs. smith dr. who of st. john 's ave. and the ph.d.",
    ),
    (
        "J. B. sat with plan A. The dog and plan B. Dogs",
        "j. b. sat with plan a the dog and plan b. dogs",
    ),
    ("no. 5 and no. one, fig. 3, No.1, etc., in.", "no. 5 and no one fig. 3 no. 1 etc. in"),
    ("wait... what?! no!! really??? so. . . yes…", "wait what ?! no !! really ??? so yes"),
    ("a dog.Then a cat,and a bird!So what", "a dog.then a cat and a bird!so what"),
    ("black & white, A&W, b&w, M&Ms and R&B", "black & white a&w b & w m&m s and r&b"),
    (
        '(red) [blue] {green} <b>bold</b> <a href="x">',
        '-lrb- red -rrb- -lsb- blue -rsb- -lcb- green -rcb- <b> bold </b> <a\xa0href="x">',
    ),
    ("#1 #tag @home user_name me@site.org", "# 1 #tag @home user_name me@site.org"),
    (
        "see www.site.com or http://a.com/b?c=d, x.org/page",
        "see www.site.com or http://a.com/b?c=d x.org/page",
    ),
    ("img_01.jpg 12.jpg photo.png a.tar.gz", "img_01 jpg 12.jpg photo.png a.tar.gz"),
    (
        "salt &amp; pepper, 1 &lt; 2 &quot;x&quot; caf&eacute; &#39;",
        "salt & pepper 1 < 2 x caf&eacute; &#39;",
    ),
    (
        "café naïve’s Ünï 中文 日本語。 a😀b ★ 5°C 90°",
        "café naïve 's ünï 中文 日本語 。 a b ★ 5 ° c 90 °",
    ),
    ("soft\xadhyphen no\xa0break zero\u200bwidth", "softhyphen no break zero width"),
    (":) :-( ^_^ <3 *** ___ || == ~", ":-rrb- :--lrb- ^_^ < 3 *** ___ | | = = ~"),
    ("call 555-123-4567 or (555) 123-4567", "call 555-123-4567 or -lrb-555-rrb-\xa0123-4567"),
    ("anti- and pro-war", "anti- and pro-war"),
]

LEFT_OUT = ["''", "'", "``", "`", ".", "?", "!", ",", ":", "-", "--", "...", ";"]


@pytest.mark.parametrize(("line", "printed"), PRINTED)
def test_what_the_program_printed(line: str, printed: str) -> None:
    assert tokenise(line) == printed


def test_all_lines_at_once_are_as_each_alone() -> None:
    lines = [line for line, _ in PRINTED]
    assert tokenise_officially(lines) == [printed for _, printed in PRINTED]
    # from what is kept of each chunk, too
    assert [tokenise(line) for line in lines] == [printed for _, printed in PRINTED]


@pytest.mark.parametrize("sign", ["\r", "\x0b", "\x0c", "\u2028", "\u2029"])
def test_a_line_break_inside_shifts_the_later_captions(sign: str) -> None:
    captions = ["a dog", f"a cat{sign}here.", "two birds", "a cow"]
    assert [has_line_break(caption) for caption in captions] == [False, True, False, False]
    assert tokenise_officially(captions) == ["a dog", "a cat", "here", "two birds"]
    assert [tokenise(caption) for caption in captions] == [
        "a dog",
        "a cat here",
        "two birds",
        "a cow",
    ]


@pytest.mark.parametrize("caption", ["a\nb", "a\x85b", "a\tb", "a\x1cb", "a\r"])
def test_other_signs_and_a_carriage_return_at_the_end_shift_nothing(caption: str) -> None:
    assert not has_line_break(caption)
    assert tokenise_officially([caption, "c d"])[1] == "c d"


def test_empty_captions_keep_their_place() -> None:
    assert tokenise_officially([]) == []
    assert tokenise_officially(["", " ", "...", "a"]) == ["", "", "", "a"]
    assert tokenise_officially(["a", "", ""]) == ["a", "", ""]


def test_a_last_letter_depends_on_the_next_caption() -> None:
    assert tokenise_officially(["plan A.", "The dog", "plan A.", "the dog"]) == [
        "plan a",
        "the dog",
        "plan a.",
        "the dog",
    ]
    assert tokenise("plan A.") == "plan a."
    # over blank ones too; at the very end there is nothing behind
    assert tokenise_officially(["plan A.", "", "The", "A. A"]) == ["plan a", "", "the", "a. a"]


@given(st.text(max_size=60))
def test_any_text_gives_words_between_single_spaces(text: str) -> None:
    said = tokenise(text)
    words = said.split(" ") if said else []
    assert all(words)
    assert not set(words) & set(LEFT_OUT)
    assert said == said.lower()
    assert len(tokenise_officially([text, text])) == 2


@given(st.lists(st.sampled_from([*"aA1.,'-/&:()<>@ ", "Mr.", "U.S.", "n't", "\u2019"]), max_size=9))
def test_no_letter_or_figure_is_lost(parts: list[str]) -> None:
    text = "".join(parts)
    named = tokenise(text).replace("-lrb-", "").replace("-rrb-", "")
    assert [sign for sign in named if sign.isalnum()] == [
        sign for sign in text.lower() if sign.isalnum()
    ]


@pytest.mark.parametrize("chunk", ["dog", "Dog.", "it's", "5", "(red)", "A.", "fig.", "a/b"])
def test_a_chunk_is_the_same_alone_and_among_words(chunk: str) -> None:
    assert tokenise(f"x {chunk} y") == f"x {tokenise(chunk)} y"


HOSTILE = [
    *(
        "a",
        " ",
        "A.",
        "1",
        "1 ",
        "-",
        "a-",
        "'",
        "it's ",
        ".",
        "<",
        "<a ",
        '<a b="',
        "&",
        "&amp;",
        "@",
    ),
    *(
        "a@",
        "a,",
        "(1",
        "22 333 ",
        "http://",
        "www.",
        "a.com/",
        "n't",
        "\u2019",
        "\U0001f600",
        "\xa0",
    ),
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_long_lines_take_time_by_their_length(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    began = time.perf_counter()
    tokenise(text)
    tokenise_officially(["<a" + text[:50_000] + "@", "The"])
    # about a second on an idle machine; a square of the length would be minutes
    assert time.perf_counter() - began < 10


WORDS = """
a the The dog cats' man's it’s don't (red) "sign" 5 12.5 1/2 U.S. A. p.m. Mr. No. 7 , . ... - ½
well-known black/white & $5 10% #1 12:30 and, dog.The café 'em cannot <b> x@y.org ?! :) J. '90s
"""


@pytest.mark.slow
def test_the_program_itself(tmp_path: Path) -> None:
    """Lines at random against the program, of an installed pycocoevalcap or as PTB_JAR names it."""
    found = importlib.util.find_spec("pycocoevalcap")
    folders = found.submodule_search_locations if found else None
    place = Path(folders[0]) / "tokenizer" if folders else tmp_path
    jar = Path(os.environ.get("PTB_JAR", place / "stanford-corenlp-3.4.1.jar"))
    if not jar.is_file() or not shutil.which("java"):
        pytest.skip("no java or no tokenizer program: install pycocoevalcap or set PTB_JAR")
    pick, words = random.Random(3), ["", *WORDS.split()]
    lines = [" ".join(pick.choices(words, k=pick.randint(1, 9))) for _ in range(5000)]
    file = tmp_path / "lines"
    file.write_text("\n".join(lines), "utf-8")
    order = ["java", "-Dfile.encoding=UTF-8", "-cp", str(jar)]
    order += ["edu.stanford.nlp.process.PTBTokenizer", "-preserveLines", "-lowerCase", str(file)]
    ran = subprocess.run(order, capture_output=True, check=True, timeout=120)
    printed = ran.stdout.decode("utf-8").split("\n")[: len(lines)]
    assert tokenise_officially(lines) == [
        " ".join(word for word in line.rstrip().split(" ") if word and word not in LEFT_OUT)
        for line in printed
    ]
