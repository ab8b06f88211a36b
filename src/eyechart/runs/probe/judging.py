"""The judgement: which hypothesis explains the replies, by how much, and what is not told apart."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from eyechart.runs.probe import hypotheses, rules
from eyechart.runs.probe.doubt import Bootstrap
from eyechart.runs.probe.hypotheses import Arena, Candidate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from eyechart.runs.probe.readings import Item
    from eyechart.runs.probe.result import Kind, Verdict
    from eyechart.runs.probe.rules import Rule

    Floats = NDArray[np.float64]

# a hypothesis explains the replies where its score and its share of IoU 0.5 are at least so high
# (for points: the share within the true box), and it reads so many scenes
SCORE, OVER_HALF, INSIDE = 0.3, 0.35, 0.5
SCENES_READ, SCENES_SHARE = 5, 0.34
# a lead below this is none, however sure
LEAD = 0.005
# two readings whose boxes overlap so much on average make no difference that a score shows
ALIKE = 0.97
# what a wording's replies must be worth, beside the best hypothesis for them alone, to be counted
_SUPPORTS = 0.8
# resizing rules are refined for hypotheses that come so near the best
_NEAR = 0.15
_REFINED = 8
_LEAST_SCENES = 3
_PLAINEST = 0.004


@dataclass(frozen=True, slots=True)
class Lead:
    """How far one hypothesis is ahead: over all replies, and on those where the two differ.

    `low` and `high` bound `where_apart`, its mean over the replies about `scenes` scenes on which they
    differ; all are 0 where there are too few.
    """

    overall: float
    scenes: int
    where_apart: float = 0.0
    low: float = 0.0
    high: float = 0.0

    @property
    def sure(self) -> bool:
        """Whether it is ahead beyond doubt, and by as much as matters."""
        return self.low > 0 and self.overall >= LEAD


@dataclass(slots=True)
class Judgement:
    """What was found.

    `forms` are the wordings whose replies count, the best first; `ranked` are the hypotheses, the
    best first. `best` is the winner, or the likeliest where the verdict is `undecided`; `rivals` are those within
    doubt of it with how much their boxes agree with its own. `lead` is how far it is ahead of
    `runner_up`, the best that is not among those, with its interval. `bounds` are the rules that
    explain the replies as well as the best one's. `elsewhere` has other wordings, with what
    explains the replies to them.
    """

    verdict: Verdict
    ranked: list[Candidate] = field(default_factory=list)
    forms: list[str] = field(default_factory=list)
    best: Candidate | None = None
    rivals: list[tuple[Candidate, float]] = field(default_factory=list)
    runner_up: Candidate | None = None
    lead: Lead | None = None
    bounds: list[Rule] = field(default_factory=list)
    elsewhere: dict[str, Candidate] = field(default_factory=dict)


def judged(items: Sequence[Item]) -> Judgement:
    """Weighs all hypotheses on the replies to wordings that were asked about all scenes.

    First each wording alone: the one that some hypothesis explains best, and those whose replies
    the same hypothesis explains nearly as well as any other. Then all replies to these together.
    """
    arena = Arena.of([one for one in items if one.readable])
    if not arena.items:
        return Judgement("nothing")
    names = np.array([one.form.name for one in arena.items])
    parts = {name: np.flatnonzero(names == name) for name in dict.fromkeys(names.tolist())}
    able = hypotheses.candidates(arena, list(parts.values()))
    # a failed request says nothing of the wording; a refusal does
    asked = Counter(one.form.name for one in items if not one.state.startswith("error"))
    kinds: tuple[Kind, ...] = ("box", "point")
    ways = [way for kind in kinds if (way := _by_wording(able, parts, asked, kind)) is not None]
    for way in ways:
        kept = np.isin(names, way.forms)
        pooled = Arena.of([one for one, there in zip(arena.items, kept, strict=True) if there])
        judgement = _weighed(pooled, way)
        if judgement.verdict != "nothing":
            return judgement
    return Judgement("nothing", sorted(able, key=_rank))


@dataclass(frozen=True, slots=True)
class _Way:
    """Wordings that count, the best first, and what explains the replies to the others."""

    kind: Kind
    forms: list[str]
    elsewhere: dict[str, Candidate]


def _by_wording(
    found: Sequence[Candidate],
    parts: Mapping[str, NDArray[np.int64]],
    asked: Mapping[str, int],
    kind: Kind,
) -> _Way | None:
    """Which wordings one hypothesis of a kind explains; None where there is none of the kind."""
    able = [one for one in found if one.syntax.kind == kind]
    if not able:
        return None
    worth = np.array([one.credits for one in able])
    scores = {name: worth[:, part].sum(axis=1) / asked[name] for name, part in parts.items()}
    first = max(scores, key=lambda name: float(scores[name].max()))
    best = int(scores[first].argmax())
    forms = [
        name
        for name, own in scores.items()
        if name == first or own[best] >= max(SCORE, _SUPPORTS * own.max())
    ]
    forms.sort(key=lambda name: -float(scores[name][best]))
    others = {name: part for name, part in parts.items() if name not in forms}
    return _Way(kind, forms, _elsewhere(found, others, asked))


def _elsewhere(
    found: Sequence[Candidate],
    parts: Mapping[str, NDArray[np.int64]],
    asked: Mapping[str, int],
) -> dict[str, Candidate]:
    """What explains the replies to wordings that do not count, of any kind."""
    told = {}
    for name, part in parts.items():
        scores = [float(one.credits[part].sum()) / asked[name] for one in found]
        top = min(
            range(len(found)), key=lambda place: (-round(scores[place], 9), found[place].plainness)
        )
        if scores[top] >= (SCORE if found[top].syntax.kind == "box" else INSIDE):
            told[name] = found[top]
    return told


def _explains(one: Candidate, arena: Arena) -> bool:
    """Whether a hypothesis explains the replies at all, and enough of them."""
    read = one.syntax.read
    scenes = len({item.scene.index for item, there in zip(arena.items, read, strict=True) if there})
    asked = len({item.scene.index for item in arena.items})
    if scenes < max(SCENES_READ, SCENES_SHARE * asked):
        return False
    score = float(one.credits.mean())
    if one.syntax.kind == "point":
        return score >= INSIDE
    return score >= SCORE and float((one.credits[read] >= 0.5).mean()) >= OVER_HALF


def _rank(one: Candidate) -> tuple[object, ...]:
    return -round(float(one.credits.mean()), 9), one.plainness


def _weighed(arena: Arena, way: _Way) -> Judgement:
    """The judgement on replies that belong together."""
    bootstrap = Bootstrap(np.array([one.scene.index for one in arena.items]))
    found = hypotheses.candidates(arena, [np.arange(len(arena.items))])
    found = [one for one in found if one.syntax.kind == way.kind]
    bounds: dict[int, list[Rule]] = {}
    ranked = sorted(found, key=_rank)
    for place in _worth_refining(ranked):
        one = ranked[place]
        if one.rule is not None:
            ranked[place], within = _refined(arena, one, one.rule, bootstrap)
            bounds[id(ranked[place])] = within
    ranked.sort(key=_rank)
    if not _explains(ranked[0], arena):
        return Judgement("nothing", ranked, way.forms)
    leads = [_lead(ranked[0], one, arena) for one in ranked]
    doubted = [one for one, lead in zip(ranked, leads, strict=True) if not lead.sure]
    best = min(
        (one for one in doubted if _agreement(ranked[0], one) >= ALIKE),
        key=lambda one: one.plainness,
    )
    rivals = _worth_telling(
        best, [(one, _agreement(best, one)) for one in doubted if one is not best]
    )
    undecided = any(agreed < ALIKE for _, agreed in rivals)
    runner_up = next((one for one, lead in zip(ranked, leads, strict=True) if lead.sure), None)
    return Judgement(
        "undecided" if undecided else "found",
        ranked,
        way.forms,
        best,
        rivals,
        runner_up,
        _lead(best, runner_up, arena) if runner_up is not None else None,
        bounds.get(id(best), []),
        way.elsewhere,
    )


def _worth_refining(ranked: Sequence[Candidate]) -> list[int]:
    """The places of the best hypotheses with a rule, of those that come near the best of all."""
    least = float(ranked[0].credits.mean()) - _NEAR
    near = (
        place
        for place, one in enumerate(ranked)
        if one.rule is not None and one.credits.mean() >= least
    )
    return list(islice(near, _REFINED))


def _agreement(one: Candidate, other: Candidate) -> float:
    return 1.0 if one is other else hypotheses.agreement(one, other)


def _lead(one: Candidate, other: Candidate, arena: Arena) -> Lead:
    """How far one hypothesis is ahead of another, on the replies on which they differ.

    Where these are about fewer than three scenes, nothing is sure.
    """
    apart = one.credits - other.credits
    there = hypotheses.differ(one, other)
    scenes = np.array([item.scene.index for item in arena.items])[there]
    count = len(set(scenes.tolist()))
    if count < _LEAST_SCENES:
        return Lead(float(apart.mean()), count)
    low, high = Bootstrap(scenes).interval(apart[there][:, None])
    return Lead(
        float(apart.mean()), count, float(apart[there].mean()), float(low[0]), float(high[0])
    )


def _worth_telling(
    best: Candidate, rivals: Sequence[tuple[Candidate, float]]
) -> list[tuple[Candidate, float]]:
    """One rival a frame and kind of rule.

    Of those that make no difference only such as a user could declare, and no rule beside a scale
    that needs none.
    """
    told: dict[tuple[object, ...], tuple[Candidate, float]] = {}
    own = (best.scale, best.order, best.rule and best.rule.kind)
    for one, agreed in rivals:
        key = (one.scale, one.order, one.rule and one.rule.kind)
        needless = best.rule is None and one.rule is not None
        if agreed >= ALIKE and (needless or not one.is_native or key == own):
            continue
        told.setdefault(key, (one, agreed))
    return list(told.values())


def _refined(
    arena: Arena, one: Candidate, rule: Rule, bootstrap: Bootstrap
) -> tuple[Candidate, list[Rule]]:
    """The hypothesis with the plainest rule that explains the replies best, and all that do so."""
    better, bounds = _plainest(arena, one, rules.fine(rule), bootstrap)
    free = rules.unlimited(better.rule or rule, [size.original for size in arena.sizes])
    if free is not None:
        better = replace(better, rule=free)
    if rule.factor is None:
        return better, bounds
    raised, _ = _plainest(arena, better, rules.with_least(better.rule or rule), bootstrap)
    if _lead(raised, better, arena).sure and raised.rule is not None:
        better, _ = _plainest(arena, raised, rules.with_least(raised.rule), bootstrap)
    return better, bounds


def _plainest(
    arena: Arena, one: Candidate, tried: Sequence[Rule], bootstrap: Bootstrap
) -> tuple[Candidate, list[Rule]]:
    able, seen, worth = hypotheses.refined(arena, one, tried)
    if not able:
        return one, []
    scores = worth.mean(axis=1)
    top = int(scores.argmax())
    # most rules make the same of all pictures as another
    distinct, back = np.unique(worth, axis=0, return_inverse=True)
    low = bootstrap.interval((worth[top] - distinct).T)[0][back.reshape(-1)]
    within = [place for place in range(len(able)) if low[place] <= 0]
    best = [place for place in within if scores[top] - scores[place] <= _PLAINEST] or [top]
    chosen = able.index(rules.plainest([able[place] for place in best]))
    made = hypotheses.resized(arena, one.syntax, one.order, able[chosen], seen[chosen])
    return made, [able[place] for place in within]
