from __future__ import annotations

import pytest

from eyechart.text.secrets import is_secret_name, secret_places, secrets_in, without_secrets


@pytest.mark.parametrize(
    "name",
    ["key", "api_key", "apiKey", "APIKey", "API-KEY", "apikey", "_api_key", "token", "hf_token",
     "HF_TOKEN", "hfToken", "accesstoken", "client_secret", "clientSecret", "password", "db.passwd",
     "credential", "aws_credentials", "Authorization", "auth", "x-amz-signature", "sig",
     "subscription-key", "tokens", "api_keys", "passphrase", "cookie", "key2"],
)  # fmt: skip
def test_secrets_by_name(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize(
    "name",
    ["", "name", "monkey", "keyboard", "tokenizer", "author", "authors", "passes", "design",
     "max_tokens", "maxTokens", "max_new_tokens", "pad_token", "eos_token_id", "image_token",
     "num_key_value_heads", "key_frames", "sort_key", "secretary", "compass", "api-version"],
)  # fmt: skip
def test_harmless_names(name: str) -> None:
    assert not is_secret_name(name)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://u:pw@h/v1", "https://[key]@h/v1"),
        ("https://h/?a=1&api_key=hush&b=2", "https://h/?a=1&api_key=[key]&b=2"),
        ("https://h/?token=hush#x", "https://h/?token=[key]#x"),
        ("what is 3@4?", "what is 3@4?"),
        ("https://h/a@b", "https://h/a@b"),
    ],
)
def test_addresses_lose_logins_and_keys(text: str, shown: str) -> None:
    assert without_secrets(text) == shown


@pytest.mark.parametrize("piece", ["://", "://a", "?", "?a", "?a=", "&a=", "://?&"])
def test_a_key_after_a_million_hostile_characters_is_hidden(piece: str) -> None:
    text = "://" + piece * (1_000_000 // len(piece)) + " ://h?key=hush"
    assert without_secrets(text).endswith(" ://h?key=[key]")


@pytest.mark.parametrize(
    ("items", "places"),
    [
        (("Authorization", "x"), {1}),
        (["x-api-key", "x"], {1}),
        (("size", "x"), set()),
        (("what is the key", "x"), set()),
        ((1, 2), set()),
        (["a", "--api-key", "x", "-v", "--token", "y"], {2, 5}),
        (["red", "key", "blue"], set()),
        (["--api-key"], set()),
        ([], set()),
    ],
)
def test_secrets_by_the_item_before(items: list[object], places: set[int]) -> None:
    assert secret_places(items) == places


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("https://u:p%20w@h/v1", {"u:p%20w", "u:p w", "p%20w", "p w"}),
        ("see https://h/?a=1&api_key=hush&b=2 and ?token=t", {"hush", "t"}),
        ("api_key=hush", set()),
        ("https://h/?a=1", set()),
    ],
)
def test_secrets_in_addresses(text: str, found: set[str]) -> None:
    assert set(secrets_in(text)) == found


@pytest.mark.parametrize(
    "key",
    [
        "sk-proj-0123456789abcdef0123",
        "hf_abcdefghijklmnopqrstuvwx",
        "ghp_abcdefghijklmnopqrstuvwx",
        "AKIA0123456789ABCDEF",
    ],
)
def test_a_key_is_known_by_its_shape(key: str) -> None:
    assert without_secrets(f"use {key} now") == "use [key] now"
    assert key in secrets_in(f"use {key} now")
    assert without_secrets("Bearer abcdef0123456789") == "Bearer [key]"
    assert without_secrets("a bearer of sk-8 news") == "a bearer of sk-8 news"
