"""Names of models: whether two mean the same weights, however they are written."""

from __future__ import annotations

import re

# how models are named on the command line: what stands before the colon is no part of the name
_KIND = re.compile(r"(?:openai|hf|hf-detector|onnx-detector|replay|baseline|command):")
_NOT_ALNUM = re.compile(r"[^a-z0-9]+")
_NOT_PATTERN = re.compile(r"[^a-z0-9*]+")
_DATE = re.compile(r"(?<!\d)20\d\d[-_.]?[01]\d[-_.]?[0-3]\d(?!\d)")
_SIZE = re.compile(r"(?<![a-z0-9.])[0-9]+(?:[._][0-9]+)?b(?![a-z0-9])")
_VERSION = re.compile(r"v(?=\d)")
# words that say how weights are packed or served, not which they are
_PACKING = frozenset(
    {"hf", "instruct", "it", "latest", "bf16", "fp16", "f16", "gguf", "safetensors"}
)
QUANTISED = frozenset(
    {"awq", "gptq", "int4", "int8", "fp8", "bnb", "4bit", "8bit", "w4a16", "w8a8", "nf4"}
)


def last_part(name: str) -> str:
    """A name in lower case, without the kind before its colon and the organisation or folder."""
    kind = _KIND.match(name)
    return name[kind.end() if kind else 0 :].rstrip("/").rpartition("/")[2].lower()


def pattern(name: str) -> str:
    """A name or a pattern without kind, organisation, case and punctuation; `*` stays."""
    return _NOT_PATTERN.sub("", last_part(name))


def quantised(name: str) -> str | None:
    """The word by which a name says that its weights are quantised, if it does."""
    return next((word for word in _words(last_part(name)) if word in QUANTISED), None)


def same(one: str, other: str) -> bool:
    """Whether two names mean the same weights.

    Kind, organisation, case, punctuation, dates and words on packing or quantisation do not count;
    sizes (`7B`) and every other word do, so that `Chat` or a fine-tuned version is another model.
    """
    return bool(_key(one)[0]) and _key(one) == _key(other)


def _key(name: str) -> tuple[str, tuple[str, ...]]:
    spoken = _DATE.sub("", last_part(name))
    sizes = tuple(sorted(size.replace("_", ".") for size in _SIZE.findall(spoken)))
    kept = [word for word in _words(spoken) if word not in _PACKING and word not in QUANTISED]
    return "".join(_VERSION.sub("", word) if word[:1] == "v" else word for word in kept), sizes


def _words(name: str) -> list[str]:
    return [word for word in _NOT_ALNUM.split(name) if word]
