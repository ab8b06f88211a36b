"""How replies will be read and scored: declared, and checked before anything is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from eyechart import dialects, scoring
from eyechart.dialects.found import PARSERS
from eyechart.errors import UsageError, meant
from eyechart.io.resizing import ImagePolicy, Resize
from eyechart.runs import checks
from eyechart.runs.spec import ReadingSpec
from eyechart.text import filters as answer_filters

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from eyechart.benchmarks import Benchmark
    from eyechart.models import Model
    from eyechart.runs.order import Order
    from eyechart.scoring import Protocol

GROUNDING = frozenset({"ground", "ground_phrases"})
_OF_KOSMOS_2 = {"rec": "kosmos2", "flickr_any": "kosmos2_flickr"}


def protocol_of(spec: ReadingSpec) -> Protocol:
    """The protocol a reading names, with its options: policy for several boxes, grid, and others.

    Raises:
        UsageError: no such protocol, or an option that it does not have.
    """
    options = dict(spec.protocol_args)
    takes = scoring.options_of(spec.protocol)
    if spec.box_policy is not None:
        if "policy" not in takes:
            having = [name for name in scoring.known() if "policy" in scoring.options_of(name)]
            raise UsageError(
                f"--box-policy: protocol {spec.protocol} has none; {', '.join(having)} have."
            )
        options["policy"] = spec.box_policy
    family, _, grid = (spec.dialect or "").partition(":")
    if "grid" in takes and family == "kosmos-2" and grid.isdigit():
        options["grid"] = int(grid)
    return scoring.find(spec.protocol, options)


def of_order(order: Order, benchmark: Benchmark, model: Model) -> ReadingSpec:
    """The reading that an order means, checked against the task and what the model declares.

    A dialect and a policy for boxes are dropped where no boxes are asked for, so that one command
    may name several benchmarks.

    Raises:
        UsageError: it could not be read or scored.
    """
    grounding = benchmark.task in GROUNDING
    if order.dialect is not None:
        # also where it is not needed: a misspelt one is a mistake
        dialects.find(order.dialect)
        if model.about.gives_boxes and order.dialect.startswith("kosmos-2:"):
            raise UsageError(
                "--grid belongs to Kosmos-2's location tokens, and these replies give boxes as numbers."
            )
    dialect = (order.dialect or model.about.dialect) if grounding else None
    protocol = order.protocol or benchmark.protocol
    if order.protocol is None and (dialect or "").startswith("kosmos-2"):
        # replies in Kosmos-2's own tokens are scored as its authors score them
        protocol = _OF_KOSMOS_2.get(protocol, protocol)
    reading = ReadingSpec(
        protocol=protocol,
        dialect=dialect,
        reasoning=order.reasoning,
        filters=filter_steps(order.filters or ()),
        box_policy=order.box_policy if grounding else None,
        protocol_args=dict(order.protocol_args),
        prices=order.prices,
        parser=order.parser if grounding else None,
        seen=_seen(order, model) if grounding else None,
    )
    check(reading, benchmark.task)
    _check_boxes(reading, benchmark, model)
    return reading


def _seen(order: Order, model: Model) -> str | None:
    """What the model's preprocessing makes of what is sent, as far as it is declared."""
    if order.seen is not None:
        return Resize.parse(order.seen).spelled
    policy = ImagePolicy.parse(order.image_policy or "original")
    # a picture sent at a size that the preprocessing leaves alone is seen as it was sent
    return "sent" if policy.leaves_alone and model.about.tells_seen_size is not True else None


def changed(before: ReadingSpec, changes: Mapping[str, Any]) -> ReadingSpec:
    """A reading with some of its choices changed; `none` takes a filter or a policy away.

    Another protocol drops the policy for boxes, the other options and the choice on reasoning made
    for the former one.

    Raises:
        UsageError: an unknown filter.
    """
    found: dict[str, Any] = dict(changes)
    if "filters" in found:
        words = [one for one in found["filters"] if one != "none"]
        found["filters"] = filter_steps(words)
    if found.get("protocol", before.protocol) != before.protocol:
        found.setdefault("box_policy", None)
        found.setdefault("protocol_args", {})
        found.setdefault("reasoning", None)
        found.setdefault("parser", None)
    for name in ("box_policy", "seen"):
        if found.get(name) == "none":
            found[name] = None
    if found.get("seen") is not None:
        found["seen"] = Resize.parse(found["seen"]).spelled
    grid = str(found.get("dialect", "")).startswith("kosmos-2:")
    if grid and before.dialect is not None and not before.dialect.startswith("kosmos-2"):
        raise UsageError(f"--grid belongs to Kosmos-2's location tokens, not to {before.dialect}.")
    return msgspec.structs.replace(before, **found)


def filter_steps(filters: Iterable[str | Mapping[str, Any]]) -> tuple[dict[str, Any], ...]:
    """One mapping a filter, from `NAME=VALUE` texts or the mappings of a suite file.

    Raises:
        UsageError: an unknown filter or option.
    """
    steps: list[dict[str, Any]] = []
    for one in filters:
        if isinstance(one, str):
            steps.append(answer_filters.parse(one))
            continue
        answer_filters.build(one)
        steps += [{name: dict(options or {})} for name, options in one.items()]
    return tuple(steps)


def check(reading: ReadingSpec, task: str) -> None:
    """Refuses what could not be read or scored.

    Raises:
        UsageError: an unknown protocol, dialect, policy or filter, those that do not go together, or
            something that the protocol needs and is not installed.
    """
    protocol = protocol_of(reading)
    if task not in protocol.tasks:
        fitting = [name for name in scoring.known() if task in scoring.find(name).tasks]
        raise UsageError(
            f"Protocol {protocol.name} does not score the task {task!r}. For it there "
            f"are: {', '.join(fitting) or 'none'}."
        )
    if protocol.ready is not None:
        protocol.ready()
    answer_filters.build(reading.filters)
    checks.prices(reading.prices)
    if reading.seen is not None:
        Resize.parse(reading.seen)
    if reading.parser is not None and reading.parser not in PARSERS:
        raise UsageError(
            f"--parser {reading.parser}: there are {' and '.join(PARSERS)}."
            f"{meant(reading.parser, PARSERS)}"
        )
    if reading.dialect is None:
        return
    if task not in GROUNDING:
        raise UsageError(f"--dialect says how boxes are written, and the task {task} has none.")
    dialects.find(reading.dialect)
    if protocol.name in _OF_KOSMOS_2.values() and reading.dialect.partition(":")[0] != "kosmos-2":
        other = next(name for name, own in _OF_KOSMOS_2.items() if own == protocol.name)
        raise UsageError(
            f"Protocol {protocol.name} reads Kosmos-2's own tokens, not {reading.dialect}. For "
            f"boxes in another form there is --protocol {other}."
        )


def _check_boxes(reading: ReadingSpec, benchmark: Benchmark, model: Model) -> None:
    if benchmark.task not in GROUNDING or model.about.gives_boxes:
        return
    if reading.dialect is None:
        if protocol_of(reading).read_text is not None:
            return
        raise UsageError(
            f"{benchmark.name} needs boxes, and how {model.about.identity.get('name', 'the model')} "
            "writes them is not declared. Say it with --dialect, such as --dialect json:0-1000 or "
            "--dialect qwen3-vl (`eyechart list dialects`), with --image-policy where it writes "
            "pixels of its own resize, or with --preset; it is never guessed from the replies. "
            "`eyechart probe MODEL` finds it out on the eye chart. "
            "A Python model that returns boxes says gives_boxes = True."
        )
    unknown = model.about.tells_seen_size is False and reading.seen is None
    if unknown and dialects.find(reading.dialect).needs_seen:
        raise UsageError(
            f"--dialect {reading.dialect} is in pixels of the picture as the model's own "
            "preprocessing makes it, and its size is not known here. Send pictures at a size that "
            "it leaves alone (--image-policy multiple-of=28 for Qwen2.5-VL), or say what it does "
            "(--seen smart:factor=28,max=1003520), or let `eyechart probe MODEL` find it out; or "
            "declare another --dialect, if that is how it writes."
        )
