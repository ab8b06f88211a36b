"""Answer filters: what is done to a reply's text, in a given order, before it is read.

The names, options and defaults are EvalScope's (`evalscope/filters`), so that settings carry over.
Its filters over several replies (`take_first`, `majority_vote`) have no counterpart here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from eyechart.errors import UsageError, meant

Filter = Callable[[str], str]

_GSM_ANSWER = r"#### (\-?[0-9\.\,]+)"
_INVALID = "[invalid]"


def _regex(
    regex_pattern: str = _GSM_ANSWER, group_select: int = 0, fallback: str = _INVALID
) -> Filter:
    """All matches of the pattern; the one that `group_select` counts to (-1: the last), stripped.

    Of several groups the first that is not empty counts. `fallback` stands where nothing matches,
    or where there are fewer matches than `group_select` asks for.
    """
    try:
        pattern = re.compile(regex_pattern)
    except re.error as error:
        raise UsageError(
            f"filter regex: {regex_pattern!r} is no regular expression: {error}."
        ) from None

    def apply(text: str) -> str:
        found = pattern.findall(text)
        if not -len(found) <= group_select < len(found):
            return fallback
        chosen = found[group_select]
        if isinstance(chosen, tuple):
            chosen = next((group for group in chosen if group), fallback)
        return str(chosen).strip()

    return apply


def _remove_until(delimiter: str) -> Filter:
    """What follows the first `delimiter`; the whole text where there is none."""
    if not delimiter:
        raise UsageError("filter remove_until: its delimiter is empty.")

    def apply(text: str) -> str:
        return text.split(delimiter, 1)[-1]

    return apply


def _remove_whitespace() -> Filter:
    """The text without white space at its beginning."""
    return str.lstrip


_KINDS: dict[str, tuple[Callable[..., Filter], str | None, Mapping[str, type]]] = {
    "regex": (
        _regex,
        "regex_pattern",
        {"regex_pattern": str, "group_select": int, "fallback": str},
    ),
    "extract": (
        _regex,
        "regex_pattern",
        {"regex_pattern": str, "group_select": int, "fallback": str},
    ),
    "remove_until": (_remove_until, "delimiter", {"delimiter": str}),
    "remove_whitespace": (_remove_whitespace, None, {}),
}
NAMES = tuple(_KINDS)


def _built(name: str, options: Mapping[str, Any]) -> Filter:
    if name not in _KINDS:
        raise UsageError(
            f"No filter is named {name!r}.{meant(name, NAMES)} Known: {', '.join(NAMES)}."
        )
    make, main, types = _KINDS[name]
    for option, value in options.items():
        if option not in types:
            raise UsageError(
                f"filter {name} has no option {option!r}.{meant(option, types)} "
                f"It takes: {', '.join(types) or 'none'}."
            )
        if not isinstance(value, types[option]) or isinstance(value, bool):
            raise UsageError(
                f"filter {name}: {option} must be {_A[types[option]]}, it is {value!r}."
            )
    if name == "remove_until" and main not in options:
        raise UsageError("filter remove_until needs its delimiter, as in remove_until=</think>.")
    return make(**options)


_A = {str: "text", int: "a whole number"}


def build(filters: Mapping[str, Mapping[str, Any]] | Sequence[Mapping[str, Any]]) -> Filter:
    """One function that applies the filters of a suite file, in the order given.

    Takes `{name: {option: value}}`, or a list of such mappings where one filter comes twice.

    Raises:
        UsageError: an unknown filter or option, a wrong value, a bad regular expression.
    """
    steps: list[Filter] = []
    for part in [filters] if isinstance(filters, Mapping) else filters:
        if not isinstance(part, Mapping):
            raise UsageError(
                f"A filter is written as a mapping NAME: {{OPTION: VALUE}}, not {part!r}."
            )
        for name, options in part.items():
            if not isinstance(options, Mapping | None):
                raise UsageError(f"filter {name}: its options must be a mapping, not {options!r}.")
            steps.append(_built(name, options or {}))

    def apply(text: str) -> str:
        for step in steps:
            text = step(text)
        return text

    return apply


def spelled(step: Mapping[str, Mapping[str, Any]]) -> str:
    """One filter as `--filter` takes it, or as JSON where it has options that `--filter` lacks."""
    [(name, options)] = step.items()
    main = _KINDS[name][1] if name in _KINDS else None
    rest = {option: value for option, value in options.items() if option != main}
    place = rest.pop("group_select", None)
    if rest:
        return f"{name}={json.dumps(options, ensure_ascii=False)}"
    where = f"[{place}]" if place is not None else ""
    return f"{name}{where}={options[main]}" if main and main in options else f"{name}{where}"


def parse(text: str) -> dict[str, dict[str, Any]]:
    r"""The mapping form of one `--filter NAME=VALUE`, as in `remove_until=</think>`.

    `regex=(\d+)` takes the first match and `regex[-1]=(\d+)` the last. `NAME` alone stands where a
    filter needs no value.

    Raises:
        UsageError: an unknown filter, a value where none is taken, a bad pattern.
    """
    name, equals, value = text.partition("=")
    name, bracket, place = name.strip().partition("[")
    options: dict[str, Any] = {}
    if bracket:
        if name not in ("regex", "extract") or not re.fullmatch(r"-?[0-9]{1,6}\]", place.strip()):
            raise UsageError(f"--filter {text}: write it as regex[-1]=PATTERN for the last match.")
        options["group_select"] = int(place.strip()[:-1])
    if equals and name in _KINDS:
        main = _KINDS[name][1]
        if main is None:
            raise UsageError(f"--filter {text}: {name} takes no value.")
        options[main] = value
    _built(name, options)
    return {name: options}
