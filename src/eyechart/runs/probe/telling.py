"""A judgement told: the values of a `Probe`, with flags, a preset and remarks."""

from __future__ import annotations

import re
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from eyechart.runs.probe import resizing
from eyechart.runs.probe.judging import ALIKE
from eyechart.runs.probe.questions import FORMS
from eyechart.runs.probe.result import Asked, Hypothesis, Margin, Probe, Rival

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from eyechart.models import Model
    from eyechart.runs.probe.hypotheses import Candidate
    from eyechart.runs.probe.judging import Judgement
    from eyechart.runs.probe.questions import Form
    from eyechart.runs.probe.readings import Item
    from eyechart.runs.probe.scenes import Shown

MOST = 20
_SAMPLE = 200


def model_name(model: Model) -> str:
    """`kind:name`, as the command line writes it."""
    identity = model.about.identity
    kind, name = str(identity.get("kind", "")), str(identity.get("name", ""))
    return f"{kind}:{name}" if kind and name else kind or name or type(model).__name__


def told(
    model: Model,
    scenes: Sequence[Shown],
    seed: int,
    items: Sequence[Item],
    judgement: Judgement,
    settings: Mapping[str, Any],
    began: float,
) -> Probe:
    """What a probe found, as it is printed and kept."""
    winner = judgement.best if judgement.verdict == "found" else None
    sizes = tuple(one.size for one in scenes)
    form = _form(judgement) if winner is not None else None
    flags = _flags(winner, form) if winner is not None and form is not None else ()
    preset = None
    if winner is not None and form is not None and winner.dialects:
        preset = _preset(model, winner, form, settings, seed, len(scenes))
    return Probe(
        model=dict(model.about.identity),
        scenes=len(scenes),
        seed=seed,
        sizes=sizes,
        requests=len(items),
        states=_states(items),
        asked=_asked(items, judgement.forms if judgement.best is not None else []),
        hypotheses=_table(judgement),
        verdict=judgement.verdict,
        winner=hypothesis(winner) if winner is not None else None,
        margin=_margin(judgement) if winner is not None else None,
        cannot_tell=_rivals(judgement),
        resizes=resizing.found(judgement, sizes),
        flags=flags,
        preset=preset,
        notes=tuple(_notes(items, judgement, sizes)),
        seconds=round(time.monotonic() - began, 3),
    )


def hypothesis(one: Candidate) -> Hypothesis:
    """A hypothesis with its figures."""
    read = one.syntax.read
    worth = one.credits[read]
    return Hypothesis(
        syntax=one.syntax.names[0].partition(",")[0],
        scale=one.scale,
        order=one.order,
        kind=one.syntax.kind,
        dialect=one.dialects[0] if one.dialects else None,
        seen=one.seen,
        read=int(read.sum()),
        mean_iou=round(float(worth.mean()), 6),
        over_half=round(float((worth >= 0.5).mean()), 6),
        score=round(float(one.credits.mean()), 6),
        same_as=one.dialects[1:],
    )


def _table(judgement: Judgement) -> tuple[Hypothesis, ...]:
    """The best hypotheses, each name once; the winner first, as it explains as much as any."""
    ranked = list(judgement.ranked)
    if judgement.best is not None:
        ranked.sort(key=lambda one: one is not judgement.best)
    found: dict[str, Hypothesis] = {}
    for one in ranked:
        made = hypothesis(one)
        found.setdefault(made.name, made)
        if len(found) == MOST:
            break
    return tuple(found.values())


def _states(items: Sequence[Item]) -> dict[str, int]:
    return dict(Counter(one.state for one in items).most_common())


def _asked(items: Sequence[Item], used: Sequence[str]) -> tuple[Asked, ...]:
    found = []
    for form in FORMS:
        own = [one for one in items if one.form is form]
        said = sorted((one for one in own if one.text), key=lambda one: not one.readable)
        found.append(
            Asked(
                name=form.name,
                prompt=form.prompt,
                system=form.system,
                source=form.source,
                requests=len(own),
                states=_states(own),
                cut=sum(one.cut for one in own),
                used=form.name in used,
                sample=said[0].text[:_SAMPLE] if said else "",
            )
        )
    return tuple(found)


def _margin(judgement: Judgement) -> Margin | None:
    if judgement.runner_up is None or judgement.lead is None:
        return None
    lead = judgement.lead
    return Margin(
        over=hypothesis(judgement.runner_up).name,
        overall=round(lead.overall, 6),
        where_apart=round(lead.where_apart, 6),
        low=round(lead.low, 6),
        high=round(lead.high, 6),
        scenes=lead.scenes,
    )


def _rivals(judgement: Judgement) -> tuple[Rival, ...]:
    best = judgement.best
    if best is None:
        return ()
    rivals = [
        Rival(hypothesis(one), round(agreed, 6), agreed < ALIKE, _difference(best, one, agreed))
        for one, agreed in judgement.rivals
    ]
    if judgement.verdict == "undecided":
        own = hypothesis(best)
        rivals.insert(0, Rival(own, 1.0, True, "The likeliest, within doubt."))
    return tuple(rivals)


def _difference(best: Candidate, one: Candidate, agreed: float) -> str:
    both = best.syntax.read & one.syntax.read
    if not both.any() or best.shapes.shape != one.shapes.shape:
        return "The two read different replies."
    if best.syntax.kind == "point":
        return f"{agreed:.0%} of the points lie within 1 % of the picture's sides of each other."
    most = float((np.abs(best.shapes - one.shapes) / best.limits)[both].max())
    end = "; no score would show it." if agreed >= ALIKE else "."
    return (
        f"No edge lies further apart than {max(most, 0.0001):.2%} of the picture's side, the boxes "
        f"overlap by {agreed:.3f}{end}"
    )


def _form(judgement: Judgement) -> Form:
    return next(form for form in FORMS if form.name == judgement.forms[0])


def _flags(winner: Candidate, form: Form) -> tuple[str, ...]:
    """The words of the command line that declare what was found; none where no dialect is so."""
    if not winner.dialects:
        return ()
    words = ["--dialect", winner.dialects[0]]
    if winner.seen is not None:
        words += ["--seen", winner.seen, "--image-policy", "original"]
    words += ["--prompt", form.prompt]
    if form.system is not None:
        words += ["--system", form.system]
    return tuple(words)


def _preset(
    model: Model,
    winner: Candidate,
    form: Form,
    settings: Mapping[str, Any],
    seed: int,
    scenes: int,
) -> dict[str, Any]:
    """The values of a preset file, as `presets.Preset` has them."""
    name = model_name(model)
    plain = re.sub(r"[^A-Za-z0-9._+-]+", "-", name.partition(":")[2] or name).strip("-.")[:80]
    prompt: dict[str, Any] = {"user": form.prompt, "source": form.source}
    if form.system is not None:
        prompt["system"] = form.system
    preset: dict[str, Any] = {
        "name": plain or "probed",
        "about": f"{plain or 'a model'}, as eyechart probe found it",
        "dialect": winner.dialects[0],
        "image_policy": "original",
        "prompts": {"ground": prompt},
        "source": f"eyechart probe, {scenes} scenes, seed {seed}",
    }
    if winner.seen is not None:
        preset["seen"] = winner.seen
    if settings:
        preset["generation"] = dict(settings)
    return preset


def _notes(
    items: Sequence[Item], judgement: Judgement, sizes: Sequence[tuple[int, int]]
) -> list[str]:
    notes = []
    best = judgement.best
    if judgement.verdict == "found" and best is not None and not best.dialects:
        notes.append(
            "No dialect has this syntax in this frame, so there is nothing to declare; another wording "
            "(--prompt) may bring out another form."
        )
    if judgement.verdict == "undecided":
        notes.append("More scenes (24 at most) or another seed may tell them apart.")
        notes += resizing.way_out(judgement)
    if judgement.verdict == "nothing":
        notes.append(_why_nothing(items))
    if judgement.verdict != "nothing":
        notes += resizing.notes(judgement, sizes)
    notes += [
        f"Asked in the wording {name!r} it answers otherwise: {hypothesis(one).name}."
        for name, one in judgement.elsewhere.items()
    ]
    cut = sum(one.cut for one in items)
    if cut:
        notes.append(f"{cut} replies were cut off; a larger max_tokens lets the model end.")
    errors = sum(one.state.startswith("error") for one in items)
    if errors:
        notes.append(f"{errors} of {len(items)} requests failed.")
    return notes


def _why_nothing(items: Sequence[Item]) -> str:
    readable = sum(one.readable for one in items)
    if not readable:
        states = ", ".join(f"{count} {state}" for state, count in _states(items).items())
        return f"No reply holds a box or a point in any known form: {states}."
    return (
        f"{readable} of {len(items)} replies hold a box or a point, but in no frame do they lie where the "
        "objects are."
    )
