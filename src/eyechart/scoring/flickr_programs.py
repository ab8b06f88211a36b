"""The two official programs for Flickr30k Entities, from their input files to what they print.

Sources: microsoft/unilm, `kosmos-2/evaluation/flickr_entities/flickr_entities_evaluate.py`,
768a3c873f59; ashkamath/mdetr, `datasets/flickr_eval.py`, ea09acc44ca0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from eyechart.errors import DataError
from eyechart.formats.flickr30k import Boxed, Entities, with_boxes
from eyechart.formats.locout import read_h_lines
from eyechart.io.files import read_text
from eyechart.scoring.flickr import ROWS, TOP, by_category, recalls, table
from eyechart.scoring.kosmos2_text import phrase_boxes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from eyechart.values import Box


class Entity(NamedTuple):
    """A phrase that is judged: its predicted and its true boxes, and its categories."""

    predicted: Sequence[Box]
    phrase: Boxed


class Printed(NamedTuple):
    """What a program makes of its input.

    `results` is recall (ratio) by k (-1: all boxes) and category, `table` the lines it prints. Both
    are empty where the predictions run out: it then stops without a result. `without_box` counts
    the phrases without a box in their line, `phrases` and `sentences` those of the data set.
    """

    results: dict[int, dict[str, float]]
    table: list[str]
    valid: int = 0
    lines: int = 0
    without_box: int = 0
    phrases: int = 0
    sentences: int = 0

    def scores(self) -> dict[str, float]:
        """The same by `Recall@1_people` and so on, as MDETR has them."""
        return {
            f"{ROWS[TOP.index(top)]}_{name}": value
            for top, by_name in self.results.items()
            for name, value in sorted(by_name.items())
        }


class _Truth:
    """The data set of one subset as the programs hold it: only phrases whose chain has boxes."""

    def __init__(self, folder: Path, subset: str) -> None:
        data = Entities(folder)
        self.sentences: dict[str, list[list[Boxed]]] = {}
        ids = read_text(folder / f"{subset}.txt").splitlines()
        for image_id in (line.strip() for line in ids):
            picture = data.picture(image_id)
            self.sentences[image_id] = [
                with_boxes(sentence, picture.annotations.boxes) for sentence in picture.sentences
            ]
        self.known = {
            f"{image_id}_{number}"
            for image_id, sentences in self.sentences.items()
            for number, phrases in enumerate(sentences)
            if phrases
        }
        self.phrases = sum(len(s) for sentences in self.sentences.values() for s in sentences)


def kosmos2_entities(
    folder: Path,
    annotation: Mapping[str, Any],
    predictions: str,
    annotation_file_name: str,
    *,
    grid: int = 32,
    merged: bool = False,
) -> Printed:
    """Kosmos-2's program on a data set, the json of its phrases, and a prediction file's text.

    The subset is `test` where `_test.json` occurs in the json's name, else `val`. Lines are taken in
    order, one a phrase. A phrase is the first one of its text in its sentence. With `merged` the
    true boxes of a chain are replaced by the one that encloses them, as the program's class does on
    request.

    Raises:
        DataError: files that cannot be read, a picture, sentence or phrase of the json that they do
            not have, a missing key, a patch index that is no number.
    """
    truth = _Truth(folder, "test" if "_test.json" in annotation_file_name else "val")
    lines = read_h_lines(predictions)
    judged: list[Entity] = []
    size = (truth.phrases, len(truth.known))
    for place, (image, text, phrase) in enumerate(_asked(annotation, truth)):
        if place == len(lines):
            missing = sum(not one.predicted for one in judged)
            return Printed({}, [], place, len(lines), missing, *size)
        width, height = float(image["width"]), float(image["height"])
        judged.append(Entity(phrase_boxes(lines[place], text, width, height, grid)[1], phrase))
    missing = sum(not one.predicted for one in judged)
    results = _results(judged, merged)
    return Printed(results, _table(results), len(judged), len(lines), missing, *size)


def _asked(
    annotation: Mapping[str, Any], truth: _Truth
) -> Iterator[tuple[Mapping[str, Any], str, Boxed]]:
    """Image record, text and phrase of all that the json names, in its order."""
    for place, image in enumerate(annotation["images"]):
        where = f"images[{place}]"
        try:
            float(image["width"]), float(image["height"])
            spans = [spans[0] for spans in image["tokens_positive_eval"]]
            texts = [image["caption"][start:end] for start, end in spans]
            sentences = truth.sentences[str(image["original_img_id"])]
            phrases = sentences[int(image["sentence_id"])]
        except (KeyError, IndexError, ValueError, TypeError) as error:
            raise DataError(f"{where}: {type(error).__name__}: {error}.") from None
        for text in texts:
            first = next((one for one in phrases if one.text == text), None)
            if first is None:
                raise DataError(f"{where}: {text!r} is no phrase with boxes of its sentence.")
            yield image, text, first


def mdetr_entities(
    folder: Path, predictions: Sequence[Mapping[str, Any]], subset: str, *, merged: bool = False
) -> Printed:
    """MDETR's evaluator on a data set and predictions: `image_id`, `sentence_id`, `boxes`.

    `boxes` holds a list of boxes (xyxy, pixels) for each phrase of the sentence that has true ones.
    A second prediction for a sentence, and one for a sentence without such phrases, are left out.

    Raises:
        DataError: files that cannot be read, another number of phrases than the sentence has, a
            phrase without a box or with one that is none, a sentence without a prediction.
    """
    truth = _Truth(folder, subset)
    seen: set[str] = set()
    judged: list[Entity] = []
    for place, one in enumerate(predictions):
        try:
            image_id, sentence_id, given = one["image_id"], one["sentence_id"], one["boxes"]
        except KeyError as error:
            raise DataError(f"prediction {place}: it has no {error}.") from None
        name = f"{image_id}_{sentence_id}"
        if name in seen or name not in truth.known:
            continue
        seen.add(name)
        phrases = truth.sentences[str(image_id)][int(sentence_id)]
        if len(given) != len(phrases):
            raise DataError(
                f"sentence {name}: predictions for {len(given)} phrases, and it has "
                f"{len(phrases)} with boxes."
            )
        for boxes, phrase in zip(given, phrases, strict=True):
            judged.append(Entity(_boxes(boxes, f"sentence {name}, {phrase.text!r}"), phrase))
    if left := sorted(truth.known - seen):
        raise DataError(f"{len(left)} sentences have no prediction: {', '.join(left[:5])}.")
    results = _results(judged, merged)
    return Printed(
        results, _table(results), len(judged), phrases=truth.phrases, sentences=len(truth.known)
    )


def _boxes(given: Sequence[Sequence[float]], where: str) -> list[Box]:
    try:
        boxes = [(float(x1), float(y1), float(x2), float(y2)) for x1, y1, x2, y2 in given]
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"{where}: boxes must be lists of four numbers ({error}).") from None
    if not boxes:
        raise DataError(f"{where}: a phrase needs at least one predicted box.")
    return boxes


def _results(judged: Sequence[Entity], merged: bool) -> dict[int, dict[str, float]]:
    columns = recalls(
        [one.predicted for one in judged], [one.phrase.boxes for one in judged], merged=merged
    )
    categories = [one.phrase.types.split("/")[1:] for one in judged]
    scores = by_category(categories, columns)
    return {
        top: {name: values[place] for name, values in scores.items()}
        for place, top in enumerate(TOP)
    }


def _table(results: Mapping[int, Mapping[str, float]]) -> list[str]:
    names = list(results[TOP[0]])
    return table({name: [results[top][name] for top in TOP] for name in names})
