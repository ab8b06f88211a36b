"""The classical reader on the chart: good where it is easy, worse where it is hard, never broken."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image

from eyechart.benchmarks import find
from eyechart.chart import pictures
from eyechart.errors import PictureError
from eyechart.models.pixels import PixelReader
from eyechart.values import Answers, Boxes, Count, Message, Reply, Request, Sample

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class Shown:
    """A picture as a model gets it."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.width = self.height = None

    def read(self) -> bytes:
        return self._data

    def open(self) -> Any:
        try:
            return Image.open(io.BytesIO(self._data)).convert("RGB")
        except OSError as error:
            raise PictureError(f"not a picture ({error})") from error


class Drawn(Shown):
    """A picture of the chart, drawn when it is opened."""

    def __init__(self, source: str) -> None:
        super().__init__(b"")
        self._source = source

    def open(self) -> Any:
        return Image.fromarray(pictures.pixels(self._source))


def replies(requests: Iterable[Request]) -> list[Reply]:
    kept: list[Reply] = []
    PixelReader().answer(iter(requests), kept.append)
    return kept


def samples(kind: str, seed: int, n: int) -> list[Sample]:
    benchmark, split = find(f"chart/{kind}")
    return list(benchmark.rows(None, split, seed=seed, n=n))


def iou(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    both = max(0.0, width) * max(0.0, height)
    return both / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - both)


def right(sample: Sample, reply: Reply) -> bool:
    target = sample.target
    if isinstance(target, Boxes):
        assert reply.boxes is not None
        assert reply.boxes.format == "xyxy-pixels"
        said = reply.boxes.boxes
        hit = all(any(iou(box, other) >= 0.5 for other in said) for box in target.boxes)
        return hit and len(said) == len(target.boxes)
    if isinstance(target, Count):
        return reply.text == str(target.value)
    assert isinstance(target, Answers)
    return reply.text == target.answers[0].answer


def accuracy(asked: list[Sample]) -> float:
    kind = asked[0].id.split("/")[0]
    template = find(f"chart/{kind}")[0].template.user
    told = replies(
        Request(s.id, (Message("user", template.format(**s.asked)),), Drawn(s.image.source))
        for s in asked
    )
    assert [reply.sample_id for reply in told] == [sample.id for sample in asked]
    return sum(right(s, r) for s, r in zip(asked, told, strict=True)) / len(asked)


@pytest.mark.parametrize(
    ("kind", "least"),
    [("locate", 0.85), ("absent", 0.85), ("phrases", 0.85), ("count", 0.75), ("answer", 0.9)],
)
def test_it_reads_the_chart_well(kind: str, least: float) -> None:
    assert accuracy(samples(kind, 21, 45)) >= least


def sliced(kind: str, where: Callable[[dict[str, str]], bool], n: int) -> list[Sample]:
    found = [sample for sample in samples(kind, 5, 700) if where(sample.tags)]
    assert len(found) >= n
    return found[:n]


@pytest.mark.parametrize(
    ("kind", "tag", "easy", "hard"),
    [
        ("locate", "size", "16-40%", "01-02%"),
        ("count", "objects", "01-03", "25-60"),
        ("count", "occlusion", "none", "heavy"),
        ("phrases", "occlusion", "none", "heavy"),
        ("count", "ground", "plain", "noise"),
        ("phrases", "contrast", "high", "faint"),
    ],
)
def test_it_falls_with_small_size_clutter_occlusion_noise_and_faintness(
    kind: str, tag: str, easy: str, hard: str
) -> None:
    at_ease = accuracy(sliced(kind, lambda tags: tags[tag] == easy, 40))
    in_need = accuracy(sliced(kind, lambda tags: tags[tag] == hard, 40))
    assert at_ease >= 0.9
    assert in_need < at_ease


def png(picture: Image.Image) -> bytes:
    encoded = io.BytesIO()
    picture.save(encoded, "PNG")
    return encoded.getvalue()


def asked_of(picture: Image.Image, prompt: str) -> Reply:
    (reply,) = replies([Request("one", (Message("user", prompt),), Shown(png(picture)))])
    return reply


def scene() -> Image.Image:
    """A white ground with a red square (10..29) and, right of it, two blue ones (60.., 120..)."""
    picture = Image.new("RGB", (200, 50), "white")
    picture.paste((220, 20, 20), (10, 15, 30, 35))
    picture.paste((30, 60, 220), (60, 5, 100, 45))
    picture.paste((30, 60, 220), (120, 20, 130, 30))
    return picture


@pytest.mark.parametrize(
    ("prompt", "boxes"),
    [
        ("Locate the red square.", [(10, 15, 30, 35)]),
        ("please give me the RED SQUARE as [x1, y1, x2, y2]", [(10, 15, 30, 35)]),
        ("Locate the blue squares", [(60, 5, 100, 45), (120, 20, 130, 30)]),
        ("Where is the red square?", [(10, 15, 30, 35)]),
        ("Locate the leftmost square", [(10, 15, 30, 35)]),
        ("the smallest blue thing", [(120, 20, 130, 30)]),
        ("the square to the left of the large blue square", [(10, 15, 30, 35)]),
        ("the green square. If there is no such thing, answer none.", []),
        ("the red circle", []),
        ('"A red square and two blue squares." Which is "two blue squares"?',
         [(60, 5, 100, 45), (120, 20, 130, 30)]),
        ("Where is my umbrella?", [(60, 5, 100, 45)]),
        ("", [(60, 5, 100, 45)]),
    ],
)  # fmt: skip
def test_boxes_are_those_of_the_pixels(prompt: str, boxes: list[tuple[int, ...]]) -> None:
    reply = asked_of(scene(), prompt)
    assert reply.state == "ok"
    assert reply.text is None
    assert reply.boxes is not None
    assert sorted(reply.boxes.boxes) == boxes
    assert reply.sent_size == (200, 50)


@pytest.mark.parametrize(
    ("prompt", "said"),
    [
        ("How many blue squares are there? Answer with a number.", "2"),
        ("How many shapes are there?", "3"),
        ("How many umbrellas are there?", "3"),
        ("What is the number of red things", "1"),
        ("Is there a blue circle?", "no"),
        ("Is there a blue square?", "yes"),
        ("What color is the leftmost square?", "red"),
        ("What is the colour of the leftmost square?", "red"),
        ("What shape is the red thing?", "square"),
        ("Are there more red squares than blue squares?", "no"),
        ("Are there more blue squares than red squares?", "yes"),
        ("Is the red square larger than the blue square?", "no"),
        ("Is the red square smaller than the large blue square?", "yes"),
        ("Is the red square to the left of the small blue square?", "yes"),
        ("Is the red square to the right of the small blue square?", "no"),
        ("Is the man wearing a hat?", "yes"),
    ],
)
def test_words_and_numbers(prompt: str, said: str) -> None:
    reply = asked_of(scene(), prompt)
    assert (reply.state, reply.text, reply.boxes) == ("ok", said, None)


def test_a_picture_without_colour_holds_nothing() -> None:
    grey = Image.new("RGB", (64, 48), (120, 120, 120))
    assert asked_of(grey, "How many shapes are there?").text == "0"
    reply = asked_of(grey, "Locate the red square.")
    assert reply.boxes is not None
    assert reply.boxes.boxes == ()
    assert asked_of(grey, "What colour is the square?").text == "none"


def test_boxes_of_a_large_picture_are_in_its_own_pixels() -> None:
    picture = Image.new("RGB", (4000, 300), "white")
    picture.paste((220, 20, 20), (3000, 60, 3120, 180))
    reply = asked_of(picture, "the red square")
    assert reply.boxes is not None
    assert iou(reply.boxes.boxes[0], (3000, 60, 3120, 180)) > 0.9


def test_a_broken_picture_or_none_is_an_error_and_the_rest_is_answered() -> None:
    messages = (Message("user", "How many shapes are there?"),)
    broken, missing, whole = replies(
        [
            Request("broken", messages, Shown(b"no picture")),
            Request("missing", messages),
            Request("whole", messages, Shown(png(scene())), repeat=2),
        ]
    )
    for reply in (broken, missing):
        assert reply.state == "error"
        assert reply.error is not None
        assert reply.error.kind == "picture"
        assert reply.text is None
    assert (whole.text, whole.repeat) == ("3", 2)


def test_what_it_says_of_itself() -> None:
    about = PixelReader().about
    assert about.identity == {"kind": "baseline", "name": "pixels", "version": 1}
    assert about.gives_boxes
    assert about.needs_images
