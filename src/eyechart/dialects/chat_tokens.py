"""Special tokens of chat templates, which a server leaves in where it does not skip them."""

from __future__ import annotations

import re

# what may close a turn, and what may stand elsewhere
ENDS = (
    *("<|im_end|>", "<|endoftext|>", "<|end_of_text|>", "<|eot_id|>", "<|eom_id|>", "<|end|>"),
    *("</s>", "<eos>", "<end_of_turn>", "<|user|>", "<|observation|>", "[EOS]", "[/INST]"),
    *("<｜end▁of▁sentence｜>", "<|end▁of▁sentence|>"),
)
_OTHERS = (
    *("<s>", "<bos>", "<pad>", "<unk>", "<start_of_turn>", "<|im_start|>", "<|begin_of_text|>"),
    *("<|assistant|>", "<｜begin▁of▁sentence｜>", "<|begin▁of▁sentence|>"),
)
_ALL = re.compile("|".join(map(re.escape, sorted((*ENDS, *_OTHERS), key=len, reverse=True))))


def without(text: str, instead: str = "") -> str:
    """The text without these tokens, or with `instead` for each; linear."""
    if "<" not in text and "[EOS" not in text and "[/I" not in text:
        return text
    return _ALL.sub(instead, text)


def end_with_one(text: str) -> bool:
    """Whether a text ends with a token that closes a turn, and so was not cut."""
    return text.rstrip().endswith(ENDS)
