"""What is asked and what is right, against an evaluator of its own that reads only the words."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from collections import Counter

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eyechart.benchmarks import Benchmark, find, known
from eyechart.chart.pictures import scene_of
from eyechart.chart.questions import samples
from eyechart.chart.scene import COLOURS, KINDS, Scene, Thing
from eyechart.chart.shapes import PLURALS, SHAPES, area
from eyechart.errors import UsageError
from eyechart.values import Answers, Boxes, Count, Sample, Task

TASKS: dict[str, Task] = {
    "locate": "ground",
    "absent": "ground",
    "phrases": "ground_phrases",
    "count": "count",
    "answer": "answer",
}
# SHA-256 over the first 60 pictures' samples of seed 11: ids, questions, truth and tags
TRUTH = {
    "locate": "1eb90feedc11e7b65f371767c5cc2f1e",
    "absent": "a583a25bc198e9ecdbd38c6ccc9eae73",
    "phrases": "1a57e277ccf9e5af1247d195e97eb36c",
    "count": "97fb694460683b418eacdc5f8d348751",
    "answer": "5a39f14b6626e4e7ad46f31277e49a7d",
}
NOUNS = {**{name: name for name in SHAPES}, **{many: one for one, many in PLURALS.items()},
         "shape": "", "shapes": ""}  # fmt: skip
NOUN = rf"(?:({'|'.join(COLOURS)}) )?({'|'.join(sorted(NOUNS, key=len, reverse=True))})"
EXPRESSION = re.compile(
    rf"the (?:(small|large|leftmost|rightmost|topmost|bottommost) )?{NOUN}"
    rf"(?: (to the left of|to the right of|above|below) the {NOUN})?"
)


def rows(kind: str, seed: int = 0, n: int = 100) -> list[Sample]:
    return list(samples(kind, TASKS[kind], seed, n))


def of_kind(scene: Scene, colour: str | None, noun: str) -> list[Thing]:
    return [
        thing
        for thing in scene.things
        if colour in (None, thing.colour) and NOUNS[noun] in ("", thing.shape)
    ]


def centre(thing: Thing) -> tuple[float, float]:
    return (thing.box[0] + thing.box[2]) / 2, (thing.box[1] + thing.box[3]) / 2


def beside(relation: str, thing: Thing, anchor: Thing) -> bool:
    """The loosest reading: only which centre comes first."""
    (x, y), (a, b) = centre(thing), centre(anchor)
    return {
        "to the left of": x < a,
        "to the right of": x > a,
        "above": y < b,
        "below": y > b,
    }[relation]


def meant(text: str, scene: Scene) -> list[Thing]:
    """All things that an expression could be said to mean, read as loosely as can be."""
    words = EXPRESSION.fullmatch(text)
    assert words is not None, text
    rank, colour, noun, relation, anchor_colour, anchor_noun = words.groups()
    things = of_kind(scene, colour, noun)
    if relation:
        anchors = of_kind(scene, anchor_colour, anchor_noun)
        assert len(anchors) == 1
        return [t for t in things if t is not anchors[0] and beside(relation, t, anchors[0])]
    if rank in ("small", "large"):
        assert len(things) >= 2
        assert len({thing.shape for thing in things}) == 1
        by_area = sorted(things, key=lambda t: area(t.shape, t.size), reverse=rank == "large")
        low, high = sorted(area(t.shape, t.size) for t in by_area[:2])
        assert high >= 2 * low
        return by_area[:1]
    if rank:
        axis = 0 if rank in ("leftmost", "rightmost") else 1
        last = rank in ("rightmost", "bottommost")
        ordered = sorted(things, key=lambda t: centre(t)[axis], reverse=last)
        assert len(ordered) >= 2
        assert abs(centre(ordered[0])[axis] - centre(ordered[1])[axis]) >= 6
        return ordered[:1]
    return things


def boxes_of(sample: Sample) -> set[tuple[float, ...]]:
    assert isinstance(sample.target, Boxes)
    assert len(set(sample.target.boxes)) == len(sample.target.boxes)
    return set(sample.target.boxes)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**9))
def test_an_expression_fits_exactly_the_thing_that_it_is_asked_for(seed: int) -> None:
    for sample in rows("locate", seed, 4):
        scene = scene_of(sample.image.source)
        found = meant(sample.asked["expression"], scene)
        assert [thing.box for thing in found] == [tuple(box) for box in boxes_of(sample)]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**9))
def test_half_of_the_absent_have_a_match_and_the_others_none(seed: int) -> None:
    asked = rows("absent", seed, 6)
    for sample in asked:
        scene = scene_of(sample.image.source)
        found = meant(sample.asked["expression"], scene)
        assert {thing.box for thing in found} == boxes_of(sample)
        assert len(found) == {"present": 1, "absent": 0}[sample.tags["match"]]
    assert Counter(sample.tags["match"] for sample in asked) == {"present": 3, "absent": 3}


def test_what_is_absent_mostly_has_a_colour_or_a_shape_that_is_there() -> None:
    near = []
    for sample in rows("absent", 1, 200):
        if sample.tags["match"] == "absent" and sample.tags["question"] == "look":
            scene = scene_of(sample.image.source)
            colour, shape = sample.asked["expression"].split()[1:]
            near.append(any(t.colour == colour or t.shape == shape for t in scene.things))
    assert sum(near) / len(near) > 0.7


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**9))
def test_phrases_stand_in_their_caption_and_mean_all_of_their_kind(seed: int) -> None:
    numbers = ("a", "an", "two", "three", "four", "five", "six")
    for sample in rows("phrases", seed, 3):
        caption, phrase = sample.asked["caption"], sample.asked["phrase"]
        assert phrase in caption.lower()
        number, noun = phrase.split(" ", 1)
        words = re.fullmatch(NOUN, noun)
        assert words is not None
        things = of_kind(scene_of(sample.image.source), *words.groups())
        assert {thing.box for thing in things} == boxes_of(sample)
        assert len(things) == max(1, numbers.index(number))
        assert (number == "an") == (len(things) == 1 and noun[0] in "aeiou")


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**9))
def test_counts_are_those_of_the_scene(seed: int) -> None:
    for sample in rows("count", seed, 5):
        words = re.fullmatch(rf"How many {NOUN} are there\?", sample.asked["question"])
        assert words is not None
        things = of_kind(scene_of(sample.image.source), *words.groups())
        assert sample.target == Count(len(things))


def test_counts_reach_from_none_to_sixty() -> None:
    values = [sample.target.value for sample in rows("count", 0, 300)
              if isinstance(sample.target, Count)]  # fmt: skip
    assert min(values) == 0
    assert max(values) >= 50
    assert len(set(values)) > 25
    assert 0.08 < values.count(0) / len(values) < 0.25


def judged(question: str, scene: Scene) -> str:
    """The answer by the loosest reading of the words."""
    body = question.removesuffix("?")
    if there := re.fullmatch(rf"Is there an? {NOUN}", body):
        return "yes" if of_kind(scene, *there.groups()) else "no"
    if more := re.fullmatch(rf"Are there more {NOUN} than {NOUN}", body):
        first, second = more.groups()[:2], more.groups()[2:]
        return "yes" if len(of_kind(scene, *first)) > len(of_kind(scene, *second)) else "no"
    if what := re.fullmatch(r"What (colour|shape) is (the .*)", body):
        (thing,) = meant(what[2], scene)
        assert what[1] == "shape" or thing.colour not in question
        assert what[1] == "colour" or thing.shape not in question
        return thing.colour if what[1] == "colour" else thing.shape
    compared = re.fullmatch(
        rf"Is the {NOUN} (larger than|to the left of|to the right of|above|below) the {NOUN}", body
    )
    assert compared is not None, question
    one = of_kind(scene, compared[1], compared[2])
    other = of_kind(scene, compared[4], compared[5])
    assert len(one) == len(other) == 1
    if compared[3] == "larger than":
        larger = one[0].size > other[0].size
        assert larger == (area(one[0].shape, one[0].size) > area(other[0].shape, other[0].size))
        return "yes" if larger else "no"
    return "yes" if beside(compared[3], one[0], other[0]) else "no"


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**9))
def test_answers_are_right_and_unanimous(seed: int) -> None:
    for sample in rows("answer", seed, 4):
        right = judged(sample.asked["question"], scene_of(sample.image.source))
        assert isinstance(sample.target, Answers)
        assert [answer.answer for answer in sample.target.answers] == [right] * 10
        assert [answer.answer_id for answer in sample.target.answers] == list(range(1, 11))
        assert sample.tags["answer_type"] == ("yes/no" if right in ("yes", "no") else "other")


def test_yes_and_no_are_as_frequent_in_every_sort_of_question() -> None:
    told: dict[str, Counter[str]] = {}
    for sample in rows("answer", 2, 900):
        if sample.tags["answer_type"] == "yes/no" and isinstance(sample.target, Answers):
            answers = told.setdefault(sample.tags["question"], Counter())
            answers[sample.target.answers[0].answer] += 1
    assert set(told) == {"presence", "position", "size", "number"}
    for sort, answers in told.items():
        assert 0.35 < answers["yes"] / answers.total() < 0.65, sort


@pytest.mark.parametrize("kind", KINDS)
def test_truth_is_the_same_on_every_machine(kind: str) -> None:
    told = msgspec.json.encode(rows(kind, 11, 60))
    assert hashlib.sha256(told).hexdigest()[:32] == TRUTH[kind]


@pytest.mark.parametrize("kind", KINDS)
def test_more_pictures_leave_the_first_as_they_are(kind: str) -> None:
    few, many = rows(kind, 4, 20), rows(kind, 4, 35)
    assert many[: len(few)] == few
    assert len({sample.id for sample in many}) == len(many)
    assert few[0].id == f"{kind}/4/0" + ("/0" if kind == "phrases" else "")


@pytest.mark.parametrize("kind", KINDS)
def test_every_sample_has_the_slices_of_the_acuity_curves(kind: str) -> None:
    for sample in rows(kind, 0, 60):
        assert {
            "size",
            "objects",
            "contrast",
            "ground",
            "occlusion",
            "orientation",
            "question",
        } <= (set(sample.tags))
        assert sample.group == sample.image.name
        scene = scene_of(sample.image.source)
        assert (sample.image.width, sample.image.height) == (scene.width, scene.height)


def test_the_size_slice_is_that_of_the_thing_asked_about() -> None:
    for sample in rows("locate", 0, 100):
        scene = scene_of(sample.image.source)
        (thing,) = [t for t in scene.things if t.box in boxes_of(sample)]
        low, high = re.findall(r"\d+", sample.tags["size"])
        share = 100 * thing.size / max(scene.width, scene.height)
        assert int(low) <= share <= int(high)
        hidden = {"none": (1000, 1000), "light": (800, 999), "heavy": (600, 799)}
        least, most = hidden[sample.tags["occlusion"]]
        assert least <= thing.visible <= most


@pytest.mark.parametrize("kind", KINDS)
def test_benchmarks_are_found_and_their_templates_take_their_slots(kind: str) -> None:
    found, split = find(f"chart/{kind}")
    assert isinstance(found, Benchmark)
    assert (found.builtin, found.task, split) == (True, TASKS[kind], "")
    assert dict(found.args) == {"seed": 0, "n": 100}
    told = list(found.rows(None, split, **{**found.args, "n": 3}))
    assert told == rows(kind, 0, 3)
    for sample in told:
        assert found.template.user.format(**sample.asked)
    assert f"chart/{kind}" in known()


def test_no_pictures_is_a_mistake_that_is_told() -> None:
    with pytest.raises(UsageError, match="chart/count: n is 0"):
        rows("count", 0, 0)


def test_asking_loads_no_heavy_package() -> None:
    program = (
        "import sys; from eyechart.benchmarks import chart; "
        "list(chart.locate.rows(None, '', seed=0, n=5)); "
        "print(sorted({'numpy', 'PIL', 'aiohttp', 'pyarrow', 'rich'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
