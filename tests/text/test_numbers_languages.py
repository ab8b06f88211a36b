"""Counts in five languages: replies with what they say."""

from __future__ import annotations

import pytest

from eyechart.text.counts import final_count
from eyechart.text.numbers import evidence, mentions
from eyechart.text.numbers.words import DE, EN, ES, FR

ENGLISH = [
    ("2.5 million", 2500000),
    ("one hundred and five", 105),
    ("once", 11),
    ("There is one dog. I looked once.", 1),
    ("four", 4),
    ("four dogs", 4),
    ("forty-two thousand three hundred and seven", 42307),
    ("1,234", 1234),
    ("1.234", None),
    ("no", 0),
    ("No.", 0),
    ("none", 0),
    ("zero", 0),
    ("Seven and not eight", 8),
    ("elf", 11),
    ("There is an elf in the picture.", None),
    ("null", None),
    ('{"count": null}', None),
    ("5 percent", None),
    ("I have 3 cents", 3),
    ("ten", 10),
    ("There were seven quince fruits", 7),
    ("I see the DOS prompt", None),
    ("SEPT", 7),
    ("I ate it once, there is no dog", 0),
]
GERMAN = [
    ("einundzwanzig", 21),
    ("zwölf", 12),
    ("Es gibt zwölf Hunde.", 12),
    ("hundert", 100),
    ("zweihundertfünfunddreißig", 235),
    ("eintausendzweihundert", 1200),
    ("Insgesamt sind es 1.234 Perlen.", 1234),
    ("Insgesamt sind es 12,5", None),
    ("Ein Hund und drei Katzen sind auf dem Bild.", 3),
    ("Auf dem Bild ist ein Hund.", 1),
    ("Es gibt keine Hunde.", 0),
    ("keine", 0),
    ("null", None),
    ("Die Antwort ist null.", 0),
    ("Ich sehe elf Äpfel.", 11),
    ("zwei Millionen dreihunderttausend", 2300000),
    ("Die Antwort lautet: siebenundneunzig", 97),
    ("Antwort: 8. Es gibt 3 Reihen.", 8),
    ("8 Tassen insgesamt. 3 sind rot.", 8),
    ("hundertundeins", 101),
    ("Das ist ein Bild von vielen Hunden.", None),
    ("elfhundert", 1100),
    ("eine Million", 1000000),
    ("neunundneunzigtausendneunhundertneunundneunzig", 99999),
    ("Es gibt ein paar Hunde", None),
    ("Keine Ahnung.", None),
    ("2,5 Millionen sind es", 2500000),
    ("zwei bis drei", None),
]
FRENCH = [
    ("quatre-vingt-dix-sept", 97),
    ("vingt et un", 21),
    ("septante", 70),
    ("soixante et onze", 71),
    ("soixante-dix-sept", 77),
    ("quatre-vingts", 80),
    ("quatre-vingt-un", 81),
    ("quatre-vingt-onze", 91),
    ("quatre cent vingt", 420),
    ("deux mille trois cents", 2300),
    ("mille neuf cent quatre-vingt-dix-neuf", 1999),
    ("Il y a un chien.", 1),
    ("Il y a un chien et trois chats.", 3),
    ("Il n'y a pas de chien.", 0),
    ("Il n’y a pas d’oiseaux", 0),
    ("aucun", 0),
    ("Aucune", 0),
    ("Il y a un four et deux chaises dans la cuisine.", 2),
    ("La réponse est sept.", 7),
    ("au total, il y a 8 tasses sur 2 tables", 8),
    ("une douzaine", 12),
    ("deux douzaines d'œufs", 24),
    ("un million", 1000000),
    ("Il y a cent personnes sur la photo", 100),
    ("nonante-neuf", 99),
    ("Il y a 50 pour cent", None),
    ("R\xe9ponse : 1\u202f234", 1234),
    ("six", 6),
    ("dix", 10),
    ("Il y a seize", 16),
    ("soixante-quinze", 75),
    ("cent un", 101),
    ("deux cents", 200),
    ("cent vingt-trois mille quatre cent cinquante-six", 123456),
    ("huitante-cinq", 85),
    ("Je vois dix-huit tasses", 18),
    ("trois ou quatre", None),
    ("Il y en a 1.234 sur les tables", 1234),
]
SPANISH = [
    ("veintiuno", 21),
    ("treinta y dos", 32),
    ("ciento dos", 102),
    ("ciento treinta y dos", 132),
    ("Hay once gatos.", 11),
    ("Hay dos perros", 2),
    ("dos", 2),
    ("No hay perros en la imagen.", 0),
    ("no hay", 0),
    ("Ningún perro", 0),
    ("ninguna", 0),
    ("Hay un perro.", 1),
    ("Hay una mesa y cuatro sillas", 4),
    ("mil", 1000),
    ("dos mil trescientos", 2300),
    ("Hay 2 mil personas", 2000),
    ("un millón doscientos mil", 1200000),
    ("mil millones", 1000000000),
    ("La respuesta es quince.", 15),
    ("en total hay 8 tazas en 2 mesas", 8),
    ("veintidós", 22),
    ("quinientos cincuenta y cinco", 555),
    ("No, hay 5", 5),
    ("cien", 100),
    ("Hay 1.234 cuentas en las mesas", 1234),
    ("5 a 7", None),
    ("cero", 0),
    ("No puedo contar los perros", None),
    ("Hay media docena de huevos", 6),
]
CHINESE = [
    ("二十三", 23),
    ("图中有三只狗。", 3),
    ("一共有十二个", 12),
    ("没有", 0),
    ("图中没有狗。", 0),
    ("零", 0),
    ("〇", 0),
    ("两千〇五", 2005),
    ("1万2千", 12000),
    ("3.5万", 35000),
    ("三百五", 350),
    ("一万二", 12000),
    ("二〇二四", 2024),
    ("图中有一只狗和三只猫", 3),
    ("图中有一只狗", 1),
    ("一些", None),
    ("第三", None),
    ("答案是5。图中有2行。", 5),
    ("总共8个，其中3个红色", 8),
    ("两个", 2),
    ("两三个", None),
    ("三到五个", None),
    ("三个三角形", 3),
    ("没有问题，共有7个", 7),
    ("一百二十万", 1200000),
    ("三亿五千万", 350000000),
    ("１２３", 123),
    ("１，２３４", 1234),
    ("壹佰贰拾", 120),
    ("百分之八十", None),
    ("十", 10),
    ("十五", 15),
    ("一百零五", 105),
    ("一千零五十", 1050),
    ("我看到一个红色的三明治", 1),
    ("图中共有八个苹果。", 8),
    ("无", 0),
]
SCRIPTS = [
    ("۱۲", 12),
    ("१२३", 123),
    ("1'234", 1234),
    ("1’234", 1234),
    ("1\xa0234", 1234),
    ("１２.０", 12),
    ("٣٫٠", 3),
    ("**Antwort:** 5", 5),
    ("<answer>once</answer>", 11),
    ("Hay muchos gatos en el patio <answer>once</answer>", 11),
    ("<answer>fünf</answer>", 5),
    ("I count three cats, and a dog", 3),
    ("1.234.567", 1234567),
    ("1.234,56", None),
    (
        "In the picture, there are several items: one table, four chairs and two lamps. That is seven.",
        7,
    ),
    ("three thousand", 3000),
    ("a thousand", 1000),
    ("nineteen hundred", 1900),
    ("ninety-nine thousand nine hundred and ninety-nine", 99999),
    ("one million two hundred thousand", 1200000),
    ("two dozen", 24),
    ("three hundred million", 300000000),
]


@pytest.mark.parametrize(
    ("reply", "count"), [*ENGLISH, *GERMAN, *FRENCH, *SPANISH, *CHINESE, *SCRIPTS]
)
def test_the_count_that_is_stated(reply: str, count: int | None) -> None:
    reading = final_count(reply)
    assert reading.value == count
    assert (reading.status == "ok") == (count is not None)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("There are dogs in the picture", EN),
        ("Es gibt einundzwanzig Hunde auf dem Bild", DE),
        ("Il y a des chiens dans la rue", FR),
        ("Hay perros en las calles", ES),
    ],
)
def test_the_words_that_tell_a_language(text: str, language: int) -> None:
    told = evidence(text)
    assert told[language] > 0
    assert sum(told.values()) == told[language]


@pytest.mark.parametrize(
    ("word", "other", "own", "value"),
    [
        ("once", "There are cats, I looked at them {}", "Hay {} gatos en las calles", 11),
        ("elf", "This is an {} of the forest", "Es sind {} Hunde auf dem Bild", 11),
        ("sept", "It is dated {} of last year", "Il y en a {} sur les tables", 7),
        ("dos", "The {} and don'ts of the trade", "Veo {} perros con el gato", 2),
        ("quince", "This is the {} that they have", "Hay {} manzanas con las peras", 15),
        ("four", "Le {} est dans la cuisine", "There are {} of them in the picture", 4),
        ("null", "The pointer is {}", "Es sind {} Hunde auf dem Bild", 0),
    ],
)
def test_ambiguous_words_go_with_the_words_around_them(
    word: str, other: str, own: str, value: int
) -> None:
    assert [one.value for one in mentions(own.format(word)) if not one.weak] == [value]
    assert not [one for one in mentions(other.format(word)) if not one.weak]


def test_part_of_a_reply_is_read_by_the_words_of_the_whole() -> None:
    assert (
        final_count("Hay muchos gatos en las calles. <answer>hay mil gatos</answer>").value == 1000
    )
    assert final_count("There are many of the cats. <answer>mil cats</answer>").value is None


@pytest.mark.parametrize(
    "piece",
    ["einund", "hundert ", "un ", "cent ", "mil ", "million ", "quatre-vingt-", "一", "万", "1万", "一二",
     "没有", "1.111", "1.111,1", "no hay ", "n'y a pas d", "e\u0301", "ein ", "３，３３３", "half a doze",
     "zwei bis ", "treinta y ", "total 总共", "2 million ", "dix-", "1万2千"],
)  # fmt: skip
def test_the_answer_after_many_hostile_characters(piece: str) -> None:
    # reading on to the end from each of the pieces would take minutes
    text = piece * (60_000 // len(piece))
    assert final_count(f"{text}\nThe answer is 7.").value == 7
    assert mentions(f"{text}\n, 7 ,")[-1].value == 7
