"""What stands around a box in a reply: answer tags, wide characters, the word for nothing."""

from __future__ import annotations

from eyechart.text.thinking import answer_tag

# digits, brackets and marks as models write them among Chinese or Japanese; one for one
_NARROW = str.maketrans(
    "０１２３４５６７８９［］｛｝（）＜＞【】，、；：．－＋＂“”",
    '0123456789[]{}()<>[],,;:.-+"""',
)
_NONE = frozenset(
    {"none", "null", "nothing", "no", "n/a", "[]", "{}", "无", "没有", "なし", "없음"}
)


def core(text: str) -> str:
    """The part of a reply in which a tolerant reader looks for boxes; linear.

    What the last `<answer>...</answer>` holds, where there is one that holds anything, with wide
    digits and brackets made narrow.
    """
    if "<answer>" in text.lower():
        text = answer_tag(text) or text
    return text if text.isascii() else text.translate(_NARROW)


def says_none(text: str) -> bool:
    """Whether a whole reply is a word for nothing: an answer that there is no target."""
    if len(text) > 200:
        return False
    return text.strip().strip("`\"'*. \n。").removeprefix("json").strip().lower() in _NONE
