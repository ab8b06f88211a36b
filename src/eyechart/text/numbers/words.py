"""The number words of English, German, French and Spanish, and the words that tell the languages.

Nothing is guessed: a word that is a number in one language and an ordinary word in another
("once", "sept", "elf", "four") is a number only by the rule of `Word.counts`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from fractions import Fraction

EN, DE, FR, ES = 1, 2, 4, 8
LANGUAGES = (EN, DE, FR, ES)
# numerals are of all of them
EVERY = EN | DE | FR | ES

Kind = Literal[
    "unit",
    "tens",
    "hundred",
    "hundreds",
    "scale",
    "dozen",
    "compound",
    "numeral",
    "fixed",
    "zero",
    "range",
]


class Word(NamedTuple):
    """What a number word is worth and where.

    Kinds: unit (of less than 100, takes nothing after it but for dix-sept), tens (20, 30 ...),
    hundred (multiplies), hundreds (doscientos), scale (thousand and up), dozen (multiplies, and
    ends the number), compound (German, below a million); fixed, zero and range combine with
    nothing. `languages` are those in which it is that number, `ordinary` those in which it is
    another word. `weak` is 1 for "none" and its like, 2 for articles.
    """

    kind: Kind
    value: Fraction | int
    languages: int
    ordinary: int = 0
    weak: int = 0

    def counts(self, evidence: dict[int, int], alone: bool) -> bool:
        """Whether it is read as a number, by how many words of each language stand beside it.

        A word with another meaning elsewhere counts where the reply has no fewer words of a
        language in which it is a number than of those in which it is not, and at least one
        (English, the language of most prompts, needs none). `alone` says that the whole reply is
        number words: then each counts.
        """
        if not self.ordinary or alone:
            return True
        home = most(evidence, self.languages)
        return home >= most(evidence, self.ordinary) and (home > 0 or bool(self.languages & EN))


def most(evidence: dict[int, int], languages: int) -> int:
    """The most words that any of these languages has."""
    return max(evidence[one] for one in LANGUAGES if one & languages)


WORDS: dict[str, Word] = {}


def _add(kind: Kind, languages: int, words: str, first: int, step: int = 1, weak: int = 0) -> None:
    """Adds words that stand for `first`, `first + step` ...; spellings of one are joined by /."""
    for place, spellings in enumerate(words.split()):
        for one in spellings.split("/"):
            before = WORDS.get(one)
            both = languages | before.languages if before else languages
            WORDS[one] = Word(kind, first + step * place, both, _ORDINARY.get(one, 0), weak)


# words that mean something else in another of the languages
_ORDINARY = {
    "four": FR, "no": ES, "elf": EN, "null": EN, "sept": EN, "seize": EN, "cent": EN, "cents": EN,
    "dos": EN | FR, "once": EN, "quince": EN, "mil": EN, "un": EN,
}  # fmt: skip
# a JSON null is no number even where nothing else stands
NEVER_ALONE = frozenset({"null"})

_add("unit", EN, "zero one two three four five six seven eight nine ten eleven twelve thirteen "
     "fourteen fifteen sixteen seventeen eighteen nineteen", 0)  # fmt: skip
_add("tens", EN, "twenty thirty forty/fourty fifty sixty seventy eighty ninety", 20, 10)
_add("hundred", EN, "hundred", 100)
_add("scale", EN, "thousand", 1000)
_add("scale", EN, "million", 10**6)
_add("scale", EN, "billion", 10**9)
_add("dozen", EN, "dozen", 12)
_add("zero", EN, "none/nothing/no", 0, weak=1)

_add("unit", DE, "null eins zwei/zwo drei vier fünf/fuenf sechs sieben acht neun zehn elf zwölf/zwoelf "
     "dreizehn vierzehn fünfzehn/fuenfzehn sechzehn siebzehn achtzehn neunzehn", 0)  # fmt: skip
_add("unit", DE, "ein/eine/einen/einem/einer/eines", 1, weak=2)
_add("tens", DE, "zwanzig dreißig/dreissig vierzig fünfzig/fuenfzig sechzig siebzig achtzig neunzig",
     20, 10)  # fmt: skip
_add("hundred", DE, "hundert", 100)
_add("scale", DE, "tausend", 1000)
_add("scale", DE, "million/millionen", 10**6)
_add("scale", DE, "milliarde/milliarden", 10**9)
_add("dozen", DE, "dutzend", 12)
_add("zero", DE, "kein/keine/keinen/keinem/keiner/keines", 0, weak=1)

_add("unit", FR, "zéro/zero", 0)
_add("unit", FR, "un/une", 1, weak=2)
_add("unit", FR, "deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze "
     "seize", 2)  # fmt: skip
_add("tens", FR, "vingt/vingts trente quarante cinquante soixante septante huitante/octante nonante",
     20, 10)  # fmt: skip
_add("hundred", FR, "cent/cents", 100)
_add("scale", FR, "mille", 1000)
_add("scale", FR, "million/millions", 10**6)
_add("scale", FR, "milliard/milliards", 10**9)
_add(
    "dozen", FR, "dizaine/dizaines vingtaine trentaine quarantaine cinquantaine soixantaine", 10, 10
)
_add("dozen", FR, "douzaine/douzaines", 12)
_add("dozen", FR, "quinzaine", 15)
_add("dozen", FR, "centaine/centaines", 100)
_add("zero", FR, "aucun/aucune", 0, weak=1)

_add("unit", ES, "cero", 0)
_add("unit", ES, "un/una", 1, weak=2)
_add("unit", ES, "uno", 1, weak=1)
_add("unit", ES, "dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince "
     "dieciséis/dieciseis diecisiete dieciocho diecinueve", 2)  # fmt: skip
_add("unit", ES, "veintiuno/veintiún/veintiun/veintiuna veintidós/veintidos veintitrés/veintitres "
     "veinticuatro veinticinco veintiséis/veintiseis veintisiete veintiocho veintinueve", 21)  # fmt: skip
_add("tens", ES, "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa", 20, 10)
_add("hundreds", ES, "cien/ciento doscientos/doscientas trescientos/trescientas "
     "cuatrocientos/cuatrocientas quinientos/quinientas seiscientos/seiscientas "
     "setecientos/setecientas ochocientos/ochocientas novecientos/novecientas", 100, 100)  # fmt: skip
_add("scale", ES, "mil", 1000)
_add("scale", ES, "millón/millon/millones", 10**6)
_add("dozen", ES, "decena/decenas", 10)
_add("dozen", ES, "docena/docenas", 12)
_add("dozen", ES, "centenar/centenares", 100)
_add("zero", ES, "ningún/ningun/ninguno/ninguna", 0, weak=1)

# Words that only one of the four languages has, each telling that the reply has words of it.
_TELLING = {
    EN: "the there are is and of see count counting counted answer picture with how many that this "
        "these they which can have has it its i you people objects left right from for each not "
        "were was been be",
    DE: "der das und ist sind gibt auf dem den im ich wir sehe zähle bild insgesamt antwort nicht "
        "mit von vom sich zu zum anzahl gesamtzahl lautet beträgt zeigt hier mehrere",
    FR: "il les des dans est et sur sont vois le du ce cette ces pas réponse avec qui nombre je "
        "nous aux voici trouve compte",
    ES: "hay el los las del veo imagen respuesta con por están está cuento número nosotros aquí "
        "personas muestra puedo",
}  # fmt: skip
TELLING = {word: language for language, words in _TELLING.items() for word in words.split()}

_UNITS = {word: int(entry.value) for word, entry in WORDS.items()
          if entry.languages & DE and entry.kind == "unit"}  # fmt: skip
_TENS = {word: int(entry.value) for word, entry in WORDS.items()
         if entry.languages & DE and entry.kind == "tens"}  # fmt: skip
_LONGEST = 80


def german(word: str) -> Word | None:
    """The German number that a lower-case compound stands for, as einundzwanzig; below a million."""
    if not 6 < len(word) <= _LONGEST:
        return None
    if "und" not in word and "hundert" not in word and "tausend" not in word:
        return None
    head, thousand, tail = word.partition("tausend")
    above = _below_1000(head) if thousand and head else 1
    below = (
        _below_1000(tail.removeprefix("und") if thousand else word) if tail or not thousand else 0
    )
    if above is None or below is None:
        return None
    return Word("compound", (above * 1000 if thousand else 0) + below, DE)


def _below_1000(word: str) -> int | None:
    head, hundred, tail = word.partition("hundert")
    if not hundred:
        return _below_100(word)
    above = _UNITS.get(head) if head else 1
    below = _below_100(tail.removeprefix("und")) if tail else 0
    return None if above is None or below is None or not 0 < above < 20 else above * 100 + below


def _below_100(word: str) -> int | None:
    found = _UNITS.get(word, _TENS.get(word))
    if found:
        return found
    unit, joined, tens = word.partition("und")
    above, below = _TENS.get(tens), _UNITS.get(unit)
    return above + below if joined and above and below and below < 10 else None
