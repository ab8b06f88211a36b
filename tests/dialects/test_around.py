from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.dialects import Sizes, find
from eyechart.dialects.around import core, says_none
from eyechart.text.refusals import is_refusal


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("[1, 2]", "[1, 2]"),
        ("<answer>[1, 2]</answer>", "[1, 2]"),
        ("[9, 9] <answer>[0]</answer> so <ANSWER> [1, 2] </ANSWER> done", "[1, 2]"),
        ("<answer>[1, 2]", "[1, 2]"),
        # one that holds nothing hides nothing
        ("[1, 2]<answer></answer>", "[1, 2]<answer></answer>"),
        ("［１２，３４］", "[12,34]"),
        ("｛＂a＂：【－１．５】｝", '{"a":[-1.5]}'),
        ("{“a”: [1]}", '{"a": [1]}'),
        ("{‘a’: [1]}", "{'a': [1]}"),
        # a string's own quotes do not end it
        ('{"label": "a “big” dog"}', '{"label": "a “big” dog"}'),
        ('{"label": "a ＂big＂ dog"}', '{"label": "a ＂big＂ dog"}'),
    ],
)
def test_the_core_of_a_reply(text: str, inside: str) -> None:
    assert core(text) == inside


@pytest.mark.parametrize(
    "text",
    [
        *(
            "none",
            "None.",
            " NULL\n",
            "`none`",
            "[]",
            "```json\n[]\n```",
            "N/A",
            "no  match",
            "无。",
        ),
        *("没有", "なし", "없음", "Keine.", "aucun", "Ninguno", "nessuno", "nenhum", "Geen", "нет"),
        *("none<|im_end|>", "[]</s>"),
    ],
)
def test_words_for_nothing(text: str) -> None:
    assert says_none(text)
    assert find("qwen3-vl").read(text, Sizes((640, 480))).status == "none"


@pytest.mark.parametrize(
    "text",
    ["", "nonesuch", "none of them", "no dog [1, 2, 3, 4]", "There is no man.", "none " * 100],
)
def test_what_is_no_word_for_nothing(text: str) -> None:
    assert not says_none(text)


@pytest.mark.parametrize(
    "text",
    [
        "I cannot see the image.",
        "I'm unable to view images.",
        "I’m sorry, but I can’t identify people.",
        "抱歉，我看不到图片。",
        "无法识别图中的内容。",
        "申し訳ありませんが、画像を確認できません。",
        "죄송하지만 이미지를 볼 수 없습니다.",
        "Leider kann ich das Bild nicht sehen.",
        "Je suis désolé, je ne vois pas l'image.",
        "Lo siento, no puedo ver la imagen.",
        "Mi dispiace, non posso vedere l'immagine.",
        "Desculpe, não consigo ver a imagem.",
        "К сожалению, я не вижу изображения.",
        "Przepraszam, nie widzę obrazu.",
        "Üzgünüm, görüntüyü göremiyorum.",
        "Xin lỗi, tôi không thể xem hình ảnh.",
        "عذرًا، لا أستطيع رؤية الصورة.",
        "I don't have the ability to see images.",
        "I do not have access to the picture.",
    ],
)
def test_refusals_to_look(text: str) -> None:
    assert is_refusal(text)
    reading = find("qwen2.5-vl").read(text, Sizes((640, 480), seen=(644, 476)))
    assert (reading.status, reading.fault) == ("refused", "no_box")


@given(st.text())
def test_the_core_of_any_text_is_a_fixed_point(text: str) -> None:
    once = core(text)
    # an answer within an answer is opened once a reading
    if "<answer>" not in once.lower():
        assert core(once) == once
