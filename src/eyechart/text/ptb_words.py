"""The words that the caption tokenizer keeps with their full stop, or treats one by one.

Found by experiment with the program that `eyechart.text.ptb` reproduces: all words of one to four
letters, the words of many captions and of a dictionary, and lists of common abbreviations, each
with a full stop before a word, a capital and a figure.
"""

from __future__ import annotations

# each in small letters, with a capital and in capitals. These do not grow into a longer token by
# one more character (`etc.x` is two tokens)
_CLOSING = """
al ala apr ariz assn aug bhd bldg blvd bros calif co colo conn corp cos ct dak dec esq est etc ext
feb fla fri ga inc ind intl jan jr jul jun kan kans ky ltd mar md mich minn mo mon mont neb nev nov
oct okla penn plc rd rt sep sept seq sq sr sys tel tenn thu thurs tue tues univ va vt wed wis wisc
wyo
"""
# words of the language when they are written small
_CLOSING_CAPITAL = "ark az del ill la mass miss ore pa tex wash"
_CLOSING_AS_WRITTEN = "Ppte Ppty Pte Ptes Pty Ptys ppte ppty pte ptes pty ptys"
# these do (`St.x` is one)
_LEADING = """
adj adm adv alex assoc asst atty attys ave brig capt cf cie cmdr col comdr cpl dept det dr drs elec
ens ft gen gov govs hon insp invt jos lieut lt maj messrs mlle mme mr mrs ms msgr mt natl pfc ph
pres prof profs pvt rep reps rev sen sens sfc sgt spc st ste supt treas vs wm
"""
_LEADING_AS_WRITTEN = "Mfg mfg Mtg mtg"
# only before a figure: `fig. 3`, `no. 5`
_BEFORE_FIGURES = "art ca fig figs no nos op pp prop"


def _forms(words: str, small: bool = True) -> set[str]:
    forms = {form for word in words.split() for form in (word.capitalize(), word.upper())}
    return forms | set(words.split()) if small else forms


def _choice(forms: set[str]) -> str:
    return "|".join(sorted(forms))


CLOSING = _choice(
    _forms(_CLOSING) | _forms(_CLOSING_CAPITAL, small=False) | set(_CLOSING_AS_WRITTEN.split())
)
LEADING = _choice(_forms(_LEADING) | set(_LEADING_AS_WRITTEN.split()))
BEFORE_FIGURES = _choice(_forms(_BEFORE_FIGURES))

# a single letter's full stop stands apart before these and a space
OPENERS = _choice(
    _forms(
        "a about according additionally after an as at but earlier he her here however if in it "
        "last many more now once one other our she since so some such that the their then there "
        "these they this we what when while yet you mr. ms.",
        small=False,
    )
).replace(".", r"\.")

# an apostrophe inside these parts nothing, as it does in other words (in any case of letters)
WITH_APOSTROPHE = [
    "c'mon",
    "c'est",
    "cap'n",
    "s'mores",
    "ma'am",
    "e'er",
    "ne'er",
    "o'er",
    "ev'ry",
    "li'l",
    "l'il",
    "nat'l",
    "o'clock",
]

# words of two tokens, by the length of the first
SPLIT = {"cannot": 3, "gonna": 3, "gotta": 3, "lemme": 3, "gimme": 3, "wanna": 3}
