"""What is asked of a scene, and what is right: the samples of the chart's five benchmarks."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from eyechart.chart.expressions import (
    ENDS,
    RELATIONS,
    SIZES,
    Expression,
    Fit,
    Kind,
    kinds_in,
    larger,
    margin_of,
    nothing,
    side,
    sole,
)
from eyechart.chart.scene import COLOURS, VERSION, compose, name_of, stream_of
from eyechart.chart.shapes import SHAPES
from eyechart.errors import UsageError
from eyechart.values import Answer, Answers, Boxes, Count, Image, Sample

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from eyechart.chart.generator import Stream
    from eyechart.chart.scene import Scene, Thing
    from eyechart.values import Target, Task

_NUMBER_WORDS = ("no", "one", "two", "three", "four", "five", "six")
_TRIES = 24
_SIZE_BANDS = ((2, "01-02%"), (4, "02-04%"), (8, "04-08%"), (16, "08-16%"), (101, "16-40%"))
_NUMBER_BANDS = ((0, "00"), (3, "01-03"), (9, "04-09"), (24, "10-24"), (60, "25-60"))


class Asked(NamedTuple):
    """A question: its slots, its truth, the things it is about, and its tags."""

    slots: dict[str, str]
    target: Target
    about: Sequence[Thing]
    tags: dict[str, str]


def samples(kind: str, task: Task, seed: int, n: int) -> Iterator[Sample]:
    """The questions on the first `n` pictures of a kind; more pictures leave the first as they are.

    Ids are `<kind>/<seed>/<index>`, and `<kind>/<seed>/<index>/<k>` where a picture has several
    questions. Nothing is drawn: `image.source` names the picture for `chart.pictures.read`.

    Raises:
        UsageError: `n` is below 1.
    """
    if n < 1:
        raise UsageError(f"chart/{kind}: n is {n}; it is a number of pictures, at least 1.")
    for index in range(n):
        scene = compose(seed, index, kind)
        asked = _asked(kind, scene, seed, index)
        name = name_of(seed, index, kind)
        image = Image(
            name, scene.width, scene.height, source=f"chart:v{VERSION}:{seed}:{index}:{kind}"
        )
        for place, question in enumerate(asked):
            own = f"/{place}" if kind == "phrases" else ""
            yield Sample(
                id=f"{kind}/{seed}/{index}{own}",
                task=task,
                image=image,
                asked=question.slots,
                target=question.target,
                group=name,
                tags=question.tags | _scene_tags(scene, question.about),
            )


def _asked(kind: str, scene: Scene, seed: int, index: int) -> list[Asked]:
    stream = stream_of(seed, index, kind, 1)
    if kind == "absent":
        # of each two pictures one has a match, in a random order
        first = stream_of(seed, index // 2, kind, 2).chance(1, 2)
        return _absent(scene, stream, first == (index % 2 == 0))
    return {"locate": _locate, "phrases": _phrases, "count": _count, "answer": _answer}[kind](
        scene, stream
    )


def _scene_tags(scene: Scene, about: Sequence[Thing]) -> dict[str, str]:
    """The slices: of the things asked about, or of all where the question is about none."""
    things = sorted(about or scene.things, key=lambda thing: thing.size)
    longer = max(scene.width, scene.height)
    seen = min((thing.visible for thing in things), default=1000)
    return {
        "size": _band(things[len(things) // 2].size * 100 / longer, _SIZE_BANDS, exclusive=True)
        if things
        else "nothing",
        "objects": _band(len(scene.things), _NUMBER_BANDS),
        "contrast": scene.contrast,
        "ground": scene.ground.pattern,
        "occlusion": "none" if seen == 1000 else "light" if seen >= 800 else "heavy",
        "orientation": "portrait" if scene.height > scene.width else "landscape",
    }


def _band(value: float, bands: tuple[tuple[int, str], ...], exclusive: bool = False) -> str:
    return next(name for top, name in bands if value < top or (value == top and not exclusive))


def _boxes(things: Sequence[Thing]) -> Boxes:
    return Boxes(tuple((float(a), float(b), float(c), float(d)) for a, b, c, d in
                       (thing.box for thing in things)))  # fmt: skip


# -- locate and absent


def _locate(scene: Scene, stream: Stream) -> list[Asked]:
    expression, thing = _present(scene, stream)
    return [Asked({"expression": expression.text}, _boxes([thing]), [thing],
                  {"question": expression.sort})]  # fmt: skip


def _present(scene: Scene, stream: Stream) -> tuple[Expression, Thing]:
    """An expression that fits exactly one thing. Scenes hold a look that occurs once."""
    for _ in range(4):
        sort = stream.weighted((("look", 2), ("size", 2), ("position", 3), ("relation", 4)))
        for _ in range(_TRIES // 2):
            expression = _drawn(scene, stream, sort)
            thing = sole(expression, scene)
            if thing is not None:
                return expression, thing
    for kind in stream.shuffled(kinds_in(scene.things)):
        thing = sole(Expression(kind), scene)
        if thing is not None:
            return Expression(kind), thing
    raise AssertionError("every scene that is asked about holds a look that occurs once")


def _drawn(scene: Scene, stream: Stream, sort: str) -> Expression:
    """An expression of that sort about some thing of the scene, proved by nothing yet."""
    partly = [thing for thing in scene.things if thing.visible < 1000]
    thing = stream.choice(partly if partly and stream.chance(1, 2) else scene.things)
    full = Kind(thing.colour, thing.shape)
    kind = stream.weighted(((full, 3), (Kind(shape=thing.shape), 2), (Kind(thing.colour), 1)))
    if sort == "look":
        return Expression(kind)
    if sort == "size":
        return Expression(full if not kind.shape else kind, rank=stream.choice(SIZES))
    if sort == "position":
        return Expression(kind, rank=stream.choice(ENDS))
    anchor = stream.choice(scene.things)
    anchor_kind = stream.choice((Kind(anchor.colour, anchor.shape), Kind(shape=anchor.shape)))
    return Expression(kind, relation=stream.choice(RELATIONS), anchor=anchor_kind)


def _absent(scene: Scene, stream: Stream, present: bool) -> list[Asked]:
    if present:
        expression, thing = _present(scene, stream)
        return [Asked({"expression": expression.text}, _boxes([thing]), [thing],
                      {"question": expression.sort, "match": "present"})]  # fmt: skip
    expression = _missing(scene, stream)
    return [Asked({"expression": expression.text}, Boxes(()), [],
                  {"question": expression.sort, "match": "absent"})]  # fmt: skip


def _missing(scene: Scene, stream: Stream) -> Expression:
    """An expression that fits nothing; where it can be, its colour and shape do occur."""
    if scene.things and stream.chance(1, 3):
        for _ in range(_TRIES):
            expression = _drawn(scene, stream, "relation")
            if nothing(expression, scene):
                return expression
    return Expression(_missing_kind(scene, stream))


def _missing_kind(scene: Scene, stream: Stream) -> Kind:
    """A colour and a shape that do not occur together."""
    there = set(kinds_in(scene.things))
    colours = {kind.colour for kind in there}
    shapes = {kind.shape for kind in there}
    free = [Kind(c, s) for c in COLOURS for s in SHAPES if Kind(c, s) not in there]
    near = [kind for kind in free if kind.colour in colours and kind.shape in shapes]
    half = [kind for kind in free if kind.colour in colours or kind.shape in shapes]
    return stream.choice(stream.choice((near or half or free, half or free, free)))


# -- phrases


def _phrases(scene: Scene, stream: Stream) -> list[Asked]:
    """Up to four kinds of the scene, each with all its things."""
    found = []
    for kind in stream.shuffled(kinds_in(scene.things)):
        things = [thing for thing in scene.things if kind.has(thing)]
        if len(things) < len(_NUMBER_WORDS):
            found.append((kind, things))
    chosen = found[:4]
    wordings = [_counted(kind, len(things)) for kind, things in chosen]
    listed = " and ".join([part for part in (", ".join(wordings[:-1]), wordings[-1]) if part])
    caption = listed[0].upper() + listed[1:] + "."
    return [
        Asked({"caption": caption, "phrase": phrase}, _boxes(things), things,
              {"question": "one" if len(things) == 1 else "several"})
        for phrase, (_, things) in zip(wordings, chosen, strict=True)
    ]  # fmt: skip


def _counted(kind: Kind, number: int) -> str:
    """`a red circle`, `an orange star`, `two red circles`."""
    if number == 1:
        return f"{'an' if kind.noun[0] in 'aeiou' else 'a'} {kind.noun}"
    return f"{_NUMBER_WORDS[number]} {kind.plural}"


# -- counts


def _count(scene: Scene, stream: Stream) -> list[Asked]:
    kind = Kind()
    if scene.things:
        thing = stream.choice(scene.things)
        kind = stream.weighted(
            (
                (Kind(thing.colour, thing.shape), 4),
                (Kind(shape=thing.shape), 2),
                (Kind(thing.colour), 2),
                (Kind(), 2),
            )
        )
    if stream.chance(1, 10):
        kind = _missing_kind(scene, stream)
    things = [thing for thing in scene.things if kind.has(thing)]
    asks = "both" if kind.colour and kind.shape else "shape" if kind.shape else "colour"
    question = {"question": asks if kind != Kind() else "all"}
    return [Asked({"question": f"How many {kind.plural} are there?"}, Count(len(things)), things,
                  question | {"number": _band(len(things), _NUMBER_BANDS)})]  # fmt: skip


# -- answers


def _answer(scene: Scene, stream: Stream) -> list[Asked]:
    """A question of a random sort; where the scene has none, whether something is there.

    Those who ask are given a wish, drawn like a coin, for yes (or no) as the answer: so that both
    are as frequent and none can be guessed.
    """
    wish = stream.chance(1, 2)
    for _ in range(_TRIES):
        ask = stream.choice((_is_there, _what_colour, _what_shape, _where, _which_larger, _more))
        made = ask(scene, stream, wish)
        if made is not None:
            return [made]
    return [_is_there(scene, stream, wish)]


def _agreed(question: str, answer: str, about: Sequence[Thing], sort: str) -> Asked:
    """Ten people of one mind, as VQA v2 has ten answers a question."""
    answers = Answers(tuple(Answer(answer, number) for number in range(1, 11)))
    kind = "yes/no" if answer in ("yes", "no") else "other"
    return Asked({"question": question}, answers, about, {"question": sort, "answer_type": kind})


def _is_there(scene: Scene, stream: Stream, wish: bool) -> Asked:
    if wish and scene.things:
        kind = stream.choice(kinds_in(scene.things))
    else:
        kind = _missing_kind(scene, stream)
    things = [thing for thing in scene.things if kind.has(thing)]
    article = "an" if kind.noun[0] in "aeiou" else "a"
    return _agreed(
        f"Is there {article} {kind.noun}?", "yes" if things else "no", things, "presence"
    )


def _what_colour(scene: Scene, stream: Stream, wish: bool) -> Asked | None:
    """The colour of a thing that is named without its colour."""
    thing = stream.choice(scene.things)
    rank = stream.choice(("", *ENDS, "large", "small"))
    expression = Expression(Kind(shape=thing.shape), rank=rank)
    meant = sole(expression, scene)
    if meant is None:
        return None
    return _agreed(f"What colour is {expression.text}?", meant.colour, [meant], "colour")


def _what_shape(scene: Scene, stream: Stream, wish: bool) -> Asked | None:
    """The shape of a thing that is named without its shape."""
    thing = stream.choice(scene.things)
    expression = Expression(Kind(thing.colour), rank=stream.choice(("", *ENDS)))
    meant = sole(expression, scene)
    if meant is None:
        return None
    return _agreed(f"What shape is {expression.text}?", meant.shape, [meant], "shape")


def _two(scene: Scene, stream: Stream) -> tuple[Thing, Thing] | None:
    """Two things whose looks occur once."""
    kinds = kinds_in(scene.things)
    alone = [k for k in kinds if sum(k.has(thing) for thing in scene.things) == 1]
    if len(alone) < 2:
        return None
    first, second = stream.shuffled(alone)[:2]
    return (
        next(thing for thing in scene.things if first.has(thing)),
        next(thing for thing in scene.things if second.has(thing)),
    )


def _named(thing: Thing) -> str:
    return Expression(Kind(thing.colour, thing.shape)).text


def _where(scene: Scene, stream: Stream, wish: bool) -> Asked | None:
    for _ in range(_TRIES):
        two = _two(scene, stream)
        if two is None:
            return None
        relation = stream.choice(RELATIONS)
        if side(relation, *two, margin_of(scene)) is (Fit.YES if wish else Fit.NO):
            question = f"Is {_named(two[0])} {relation} {_named(two[1])}?"
            return _agreed(question, "yes" if wish else "no", two, "position")
    return None


def _which_larger(scene: Scene, stream: Stream, wish: bool) -> Asked | None:
    two = _two(scene, stream)
    if two is None or larger(*two) is Fit.UNCLEAR:
        return None
    first, second = two if (larger(*two) is Fit.YES) == wish else two[::-1]
    question = f"Is {_named(first)} larger than {_named(second)}?"
    return _agreed(question, "yes" if wish else "no", two, "size")


def _more(scene: Scene, stream: Stream, wish: bool) -> Asked | None:
    """Which of two kinds is the more numerous, where they differ."""
    kinds = kinds_in(scene.things)
    if len(kinds) < 2:
        return None
    two = stream.shuffled(kinds)[:2]
    things = [[thing for thing in scene.things if kind.has(thing)] for kind in two]
    if len(things[0]) == len(things[1]):
        return None
    first, second = two if (len(things[0]) > len(things[1])) == wish else two[::-1]
    question = f"Are there more {first.plural} than {second.plural}?"
    return _agreed(question, "yes" if wish else "no", things[0] + things[1], "number")
