"""What stands around a box in a reply: answer tags, wide characters, words for none."""

from __future__ import annotations

from eyechart.dialects import chat_tokens
from eyechart.text.thinking import answer_tag

# digits, brackets and marks as models write them among Chinese or Japanese; one for one
_NARROW = str.maketrans(
    "０１２３４５６７８９［］｛｝（）＜＞【】〔〕，、；：．－＋\u3000",
    "0123456789[]{}()<>[][],,;:.-+ ",
)
# these may stand within a string, so they are a string's ends only where no others are
_QUOTES = str.maketrans({**dict.fromkeys("＂“”„‟", '"'), **dict.fromkeys("＇‘’", "'")})

# a whole reply that is one of these, whatever its capitals and marks
_NONE = frozenset(
    {"[]", "{}", "[[]]", "[{}]", "n/a", "na", "null", "nil"}
    # English
    | {"none", "nothing", "no", "empty", "not found", "not present", "not visible", "absent"}
    | {"no target", "no object", "no objects", "no match", "no matches", "none found"}
    # Chinese, Japanese, Korean
    | {"无", "無", "没有", "沒有", "空", "不存在", "无目标", "没有目标", "なし", "無し", "ない"}
    | {"ありません", "該当なし", "없음", "없습니다"}
    # German, French, Spanish, Italian, Portuguese, Dutch
    | {"keine", "keines", "keiner", "nichts", "aucun", "aucune", "rien", "ninguno", "ninguna"}
    | {"nada", "nessuno", "nessuna", "niente", "nenhum", "nenhuma", "geen", "niets"}
    # Russian, Arabic
    | {"нет", "ничего", "لا يوجد", "لا شيء"}
)


def core(text: str) -> str:
    """The part of a reply in which a tolerant reader looks for boxes; linear.

    What the last `<answer>...</answer>` holds, where there is one that holds anything, with wide
    digits and brackets made narrow.
    """
    if "<answer>" in text.lower():
        text = answer_tag(text) or text
    if text.isascii():
        return text
    text = text.translate(_NARROW)
    return text if '"' in text or "'" in text else text.translate(_QUOTES)


def says_none(text: str) -> bool:
    """Whether a whole reply is a word for nothing: an answer that there is no target."""
    if len(text) > 200:
        return False
    plain = chat_tokens.without(text).strip().strip("`\"'*. \n。！!").removeprefix("json")
    return " ".join(plain.split()).lower() in _NONE
