"""The text rules of the VQA evaluations: cleaning, punctuation, digits and articles.

Sources: GT-Vision-Lab/VQA, `PythonEvaluationTools/vqaEvaluation/vqaEval.py`, commit a013f0043c1e,
with the meaning that Python 3 gives it (any Unicode decimal digit is a digit); for `m4c`,
facebookresearch/mmf, `mmf/utils/m4c_evaluators.py`, commit 2dc099af7ce2. Every step is linear in the
text's length.
"""

from __future__ import annotations

import re
from functools import lru_cache

_MARKS = ';/[]"{}()=+\\_-><@`,?!'
_TO_NOTHING = str.maketrans("", "", _MARKS)
_TO_SPACES = str.maketrans(_MARKS, " " * len(_MARKS))
_BESIDE_SPACE = re.compile(f"(?<= )([{re.escape(_MARKS)}])|([{re.escape(_MARKS)}])(?= )")
_COMMA_IN_NUMBER = re.compile(r"\d,\d")
_FULL_STOP = re.compile(r"\.(?!\d)")
# the official call passes a flag of value 32 where the number of replacements belongs
_MOST_FULL_STOPS = 32

_NUMBERS = {
    "none": "0", "zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5",
    "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10",
}  # fmt: skip
_ARTICLES = frozenset({"a", "an", "the"})

# The official table has six more entries that change nothing: four keys with capitals, which no
# lower-cased word equals, and two that stand for themselves.
_PAIRS = """
    aint>ain't arent>aren't cant>can't couldnt>couldn't couldn'tve>couldn't've
    couldnt've>couldn't've couldve>could've didnt>didn't doesnt>doesn't dont>don't
    hadnt>hadn't hadn'tve>hadn't've hadnt've>hadn't've hasnt>hasn't havent>haven't hed>he'd
    he'dve>he'd've hed've>he'd've hes>he's howd>how'd howll>how'll hows>how's isnt>isn't
    itd>it'd it'dve>it'd've itd've>it'd've itll>it'll maam>ma'am mightnt>mightn't
    mightn'tve>mightn't've mightnt've>mightn't've mightve>might've mustnt>mustn't
    mustve>must've neednt>needn't notve>not've oclock>o'clock oughtnt>oughtn't
    'ow'sat>'ow's'at 'ows'at>'ow's'at ow's'at>'ow's'at shant>shan't she'dve>she'd've
    shed've>she'd've shouldnt>shouldn't shouldn'tve>shouldn't've shouldnt've>shouldn't've
    shouldve>should've somebody'd>somebodyd somebody'dve>somebody'd've
    somebodyd've>somebody'd've somebodyll>somebody'll somebodys>somebody's someoned>someone'd
    someone'dve>someone'd've someoned've>someone'd've someonell>someone'll someones>someone's
    somethingd>something'd something'dve>something'd've somethingd've>something'd've
    somethingll>something'll thats>that's thered>there'd there'dve>there'd've
    thered've>there'd've therere>there're theres>there's theyd>they'd they'dve>they'd've
    theyd've>they'd've theyll>they'll theyre>they're theyve>they've twas>'twas wasnt>wasn't
    we'dve>we'd've wed've>we'd've werent>weren't weve>we've whatll>what'll whatre>what're
    whats>what's whatve>what've whens>when's whered>where'd wheres>where's whereve>where've
    whod>who'd who'dve>who'd've whod've>who'd've wholl>who'll whos>who's whove>who've
    whyll>why'll whyre>why're whys>why's wont>won't wouldnt>wouldn't wouldn'tve>wouldn't've
    wouldnt've>wouldn't've wouldve>would've yall>y'all y'all'dve>y'all'd've
    y'alld've>y'all'd've yall'd've>y'all'd've y'allll>y'all'll yall'll>y'all'll youd>you'd
    you'dve>you'd've youd've>you'd've youll>you'll youre>you're youve>you've
"""
_CONTRACTIONS = dict(pair.split(">") for pair in _PAIRS.split())
# Words that are dropped map to None; nothing that a number word becomes is an article or a key.
_WORDS: dict[str, str | None] = {**_CONTRACTIONS, **_NUMBERS, **dict.fromkeys(_ARTICLES)}
_CHANGED = _WORDS.keys()


def clean(text: str) -> str:
    """Newlines and tabs become spaces; the ends are stripped (a carriage return inside stays)."""
    return text.replace("\n", " ").replace("\t", " ").strip()


def punctuation(text: str) -> str:
    """The punctuation rule alone.

    Each of 21 marks is deleted, all its occurrences, where one of them has a space beside it or
    where the text holds digit-comma-digit anywhere; otherwise it becomes a space. Then at most 32
    full stops go that no digit follows.
    """
    if text.replace(" ", "").isalnum():
        return text
    if "," in text and _COMMA_IN_NUMBER.search(text):
        text = text.translate(_TO_NOTHING)
    else:
        if " " in text:
            for mark in {a or b for a, b in _BESIDE_SPACE.findall(text)}:
                text = text.replace(mark, "")
        text = text.translate(_TO_SPACES)
    return _FULL_STOP.sub("", text, count=_MOST_FULL_STOPS) if "." in text else text


def digits_and_articles(text: str) -> str:
    """Lower case, number words to digits, no articles, contractions with their apostrophes."""
    words = text.lower().split()
    if _CHANGED.isdisjoint(words):
        return " ".join(words)
    changed = [_WORDS.get(word, word) for word in words]
    return " ".join([word for word in changed if word is not None])


def process(text: str) -> str:
    """An answer cleaned, then by the punctuation rule, then digits and articles; not remembered."""
    return digits_and_articles(punctuation(clean(text)))


@lru_cache(maxsize=1 << 15)
def _remembered(text: str) -> str:
    return digits_and_articles(punctuation(text))


def normalise(text: str) -> str:
    """A cleaned answer as the official evaluation compares it where people differ.

    Answers repeat a great deal, so short ones are remembered.
    """
    if len(text) <= 64:
        return _remembered(text)
    return digits_and_articles(punctuation(text))


def m4c(text: str) -> str:
    """An answer as the M4C evaluator compares it, which TextVQA is scored by.

    Lower case first; all commas and question marks go, `'s` is parted from its word; then the rules
    above. So a comma between digits has no further effect here.
    """
    text = text.lower().replace(",", "").replace("?", "").replace("'s", " 's")
    return process(text.strip())
