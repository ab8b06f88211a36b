"""Every number spelt out in five languages, by the rules of school grammars, and read again."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.text.counts import final_count
from eyechart.text.numbers import mentions


def words(text: str) -> list[str]:
    return text.split()


EN_SMALL = words(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
EN_TENS = words("- - twenty thirty forty fifty sixty seventy eighty ninety")
DE_SMALL = words(
    "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn "
    "sechzehn siebzehn achtzehn neunzehn"
)
DE_TENS = words("- - zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig")
FR_SMALL = words(
    "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize "
    "dix-sept dix-huit dix-neuf"
)
FR_TENS = words("- - vingt trente quarante cinquante soixante")
ES_SMALL = words(
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince "
    "dieciséis diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro "
    "veinticinco veintiséis veintisiete veintiocho veintinueve"
)
ES_TENS = words("- - - treinta cuarenta cincuenta sesenta setenta ochenta noventa")
ES_HUNDREDS = words(
    "- ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos "
    "novecientos"
)


def english(n: int) -> str:
    if n < 20:
        return EN_SMALL[n]
    if n < 100:
        return EN_TENS[n // 10] + (f"-{EN_SMALL[n % 10]}" if n % 10 else "")
    if n < 1000:
        return f"{EN_SMALL[n // 100]} hundred" + (f" and {english(n % 100)}" if n % 100 else "")
    size, name = (10**6, "million") if n >= 10**6 else (1000, "thousand")
    return f"{english(n // size)} {name}" + (f" {english(n % size)}" if n % size else "")


def german(n: int) -> str:
    if n >= 10**6:
        million = "eine Million" if n // 10**6 == 1 else f"{german(n // 10**6)} Millionen"
        return million + (f" {german(n % 10**6)}" if n % 10**6 else "")
    if n >= 1000:
        return f"{_german(n // 1000)}tausend" + (german(n % 1000) if n % 1000 else "")
    return "eins" if n == 1 else _german(n) + ("s" if n > 100 and n % 100 == 1 else "")


def _german(n: int) -> str:
    if n >= 100:
        return f"{DE_SMALL[n // 100]}hundert" + (_german(n % 100) if n % 100 else "")
    if n < 20:
        return DE_SMALL[n]
    return (f"{DE_SMALL[n % 10]}und" if n % 10 else "") + DE_TENS[n // 10]


def french(n: int) -> str:
    if n >= 10**6:
        million = "un million" if n // 10**6 == 1 else f"{french(n // 10**6)} millions"
        return million + (f" {french(n % 10**6)}" if n % 10**6 else "")
    if n >= 1000:
        thousand = "mille" if n // 1000 == 1 else f"{french(n // 1000)} mille"
        return thousand + (f" {french(n % 1000)}" if n % 1000 else "")
    if n >= 100:
        hundred = "cent" if n // 100 == 1 else f"{FR_SMALL[n // 100]} cent"
        return hundred + (f" {french(n % 100)}" if n % 100 else "")
    if n < 20:
        return FR_SMALL[n]
    if n >= 80:
        return "quatre-vingts" if n == 80 else f"quatre-vingt-{FR_SMALL[n - 80]}"
    tens, rest = (6, n - 60) if n >= 60 else divmod(n, 10)
    if not rest:
        return FR_TENS[tens]
    return FR_TENS[tens] + (f" et {FR_SMALL[rest]}" if rest in (1, 11) else f"-{FR_SMALL[rest]}")


def spanish(n: int) -> str:
    if n >= 10**6:
        million = "un millón" if n // 10**6 == 1 else f"{spanish(n // 10**6)} millones"
        return million + (f" {spanish(n % 10**6)}" if n % 10**6 else "")
    if n >= 1000:
        thousand = "mil" if n // 1000 == 1 else f"{spanish(n // 1000)} mil"
        return thousand + (f" {spanish(n % 1000)}" if n % 1000 else "")
    if n >= 100:
        return (
            "cien"
            if n == 100
            else ES_HUNDREDS[n // 100] + (f" {spanish(n % 100)}" if n % 100 else "")
        )
    if n < 30:
        return ES_SMALL[n]
    return ES_TENS[n // 10] + (f" y {ES_SMALL[n % 10]}" if n % 10 else "")


def chinese(n: int) -> str:
    if n >= 10**4:
        rest = n % 10**4
        gap = "零" if rest and rest < 1000 else ""
        return f"{chinese(n // 10**4)}万" + (gap + _chinese(rest) if rest else "")
    return _chinese(n) if n else "零"


def _chinese(n: int) -> str:
    written, empty = "", False
    for power, unit in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = n // power % 10
        if digit:
            written += ("零" if empty and written else "") + "零一二三四五六七八九"[digit] + unit
            empty = False
        else:
            empty = True
    return written


SPELT = {
    "english": (english, "There are {} of them in the picture."),
    "german": (german, "Es sind insgesamt {} auf dem Bild."),
    "french": (french, "Il y en a {} sur les tables."),
    "spanish": (spanish, "Hay {} en las mesas."),
    "chinese": (chinese, "图中共有{}个。"),
}


@pytest.mark.parametrize("language", SPELT)
def test_every_number_below_a_thousand(language: str) -> None:
    spell, sentence = SPELT[language]
    read = {n: (final_count(spell(n)).value, final_count(sentence.format(spell(n))).value)
            for n in range(1000)}  # fmt: skip
    expected: dict[int, tuple[int | None, int]] = {n: (n, n) for n in range(1000)}
    if language == "german":
        # alone it is what JSON writes for nothing
        expected[0] = (None, 0)
    assert read == expected


@given(st.sampled_from(sorted(SPELT)), st.integers(1000, 10**8 - 1))
def test_numbers_up_to_a_hundred_million(language: str, number: int) -> None:
    spell, sentence = SPELT[language]
    assert final_count(sentence.format(spell(number))).value == number
    assert final_count(spell(number).capitalize()).value == number


@given(st.lists(st.sampled_from(
    [*EN_SMALL, *EN_TENS, *FR_SMALL, *ES_SMALL, *DE_SMALL, "cent", "mil", "mille", "million", "und",
     "hundert", "hundred", "and", "y", "et", "1", "2.5", "万", "三", " ", "-", ",", "no", "kein", "的"]
), max_size=30), st.sampled_from(["", " ", "-"]))  # fmt: skip
def test_any_order_of_words_is_read_without_a_fault(words: list[str], gap: str) -> None:
    text = gap.join(words)
    found = mentions(text)
    assert all(0 <= one.start < one.end <= len(text) and one.value >= 0 for one in found)
    assert all(a.end <= b.start for a, b in itertools.pairwise(found))
    assert final_count(text).status in ("ok", "malformed")
