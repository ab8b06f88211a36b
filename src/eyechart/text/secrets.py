"""Tells by their names which values are secrets, and hides those that stand in web addresses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Sequence

MASK = "[key]"

# `apiKey` and `APIKey` are two words each, as `api_key` and `api-key` are
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SECRET = re.compile(
    r"(?:keys?|tokens?|secrets?|sig|sigs|signature|pw|pwd|pin|creds?|bearer|cookies?|pass"
    r"|auth|oauth|authn|authz|authori[sz]ation|authentication"
    r"|credentials?|pass(?:word|wd|phrase|code|key)s?"
    # written without a mark between: apikey, accesstoken, clientsecret
    r"|(?:api|access|private|secret|auth|account|shared|subscription|client|master)keys?"
    r"|[a-z]+(?:tokens?|secrets?|passwords?|passwd))"
)
# words that make `token` and `key` plain ones: `max_tokens`, `pad_token_id`, `num_key_value_heads`
_COUNTED = "n num max min total per count limit budget length len id ids type dim"
_OF_TEXT = (
    "pad eos bos sep cls mask unk image video audio vision stop start end first last next prev "
    "special new text input output prompt completion"
)
_OF_KEY = "value values query frame frames point points word words sort primary"
_PLAIN_BESIDE = {
    "token": frozenset(f"{_COUNTED} {_OF_TEXT}".split()),
    "key": frozenset(f"{_COUNTED} {_OF_KEY}".split()),
}
# a name, and no sentence that happens to hold the word
_PLAIN_NAME = re.compile(r"[\w.:-]{1,64}")
# keys that are known by their shape, whatever they are called
_SHAPED = re.compile(
    r"\b(?:sk-[A-Za-z0-9_-]{16,}|hf_[A-Za-z0-9]{20,}|gh[pousr]_[A-Za-z0-9]{20,}"
    r"|AKIA[0-9A-Z]{16}|xox[abp]-[A-Za-z0-9-]{10,})"
    r"|(?<=Bearer )[A-Za-z0-9._~+/=-]{8,}"
)
_LOGIN = re.compile(r"://[^/\s@?#]*@")
_QUERY = re.compile(r"([?&])([^=&\s#?]{1,64})=([^&\s#]*)")


def is_secret_name(name: str) -> bool:
    """Whether a value of this name must not be seen: `api_key`, `hfToken`, `Authorization` ...

    Whole words count (`monkey` and `tokenizer` are harmless), and `key` and `token` do not where a
    word beside them says that something else is meant (`max_tokens`, `pad_token`, `key_frames`).
    """
    words = [word.lower() for word in _WORD.findall(name)]
    for place, word in enumerate(words):
        if not _SECRET.fullmatch(word):
            continue
        plain = _PLAIN_BESIDE.get(word.removesuffix("s"), frozenset())
        if not plain.intersection(words[max(place - 1, 0) : place + 2]):
            return True
    return False


def secrets_in(text: str) -> list[str]:
    """What `without_secrets` takes out of a text: keys by shape, logins, and query values."""
    shaped = _SHAPED.findall(text)
    if "://" not in text:
        return shaped
    logins = [match[0][3:-1] for match in _LOGIN.finditer(text)]
    values = [match[3] for match in _QUERY.finditer(text) if is_secret_name(match[2])]
    found = [*shaped, *logins, *(login.partition(":")[2] for login in logins), *values]
    return [form for one in found for form in {one, unquote(one)} if form]


def secret_places(items: Sequence[object]) -> frozenset[int]:
    """Which items of a list are secrets by the item before them.

    The second of a pair whose first is a secret name, as in `("Authorization", ...)`, and what
    follows a flag, as in `["--api-key", ...]`.
    """
    pair = len(items) == 2
    return frozenset(
        place + 1
        for place, name in enumerate(items[:-1])
        if isinstance(name, str)
        and (pair or name.startswith("-"))
        and _PLAIN_NAME.fullmatch(name)
        and is_secret_name(name)
    )


def without_secrets(text: str) -> str:
    """A text without keys of a known shape, logins in addresses and secret values of queries."""
    text = _SHAPED.sub(MASK, text)
    if "://" not in text:
        return text
    text = _LOGIN.sub(f"://{MASK}@", text)
    return _QUERY.sub(
        lambda part: f"{part[1]}{part[2]}={MASK}" if is_secret_name(part[2]) else part[0], text
    )
