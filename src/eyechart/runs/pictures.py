"""Pictures by their source: a file, a row of a parquet file, or a scene of the chart."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from eyechart.errors import DataError, PictureError
from eyechart.io import images

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eyechart.values import Image, Sample


def read(image: Image) -> bytes:
    """The encoded bytes of a picture.

    A file that does not begin as a picture does is not read further: whatever names a data set
    holds, nothing else than pictures leaves this machine.

    Raises:
        PictureError: it is not at hand, or no picture.
    """
    source = image.source
    if not source:
        raise PictureError(f"{image.name}: the picture is not at hand.")
    try:
        if source.startswith("chart:"):
            from eyechart.chart import pictures

            return pictures.read(source)
        if source.startswith("parquet:"):
            from eyechart.formats.countqa import parse_parquet_source, read_parquet_image

            return read_parquet_image(*parse_parquet_source(source))
        data = Path(source).read_bytes()
    except PictureError:
        raise
    except (OSError, DataError) as error:
        raise PictureError(f"{image.name}: cannot be read from {source} ({error}).") from None
    if not images.looks_like_one(data):
        raise PictureError(f"{image.name}: {source} is not a picture.")
    return data


class _Notes:
    """What is odd about pictures: counted by kind, the first of each named."""

    def __init__(self) -> None:
        self._kinds: dict[str, list[str]] = {}

    def add(self, kind: str, name: str) -> None:
        """One picture more of which this is true."""
        self._kinds.setdefault(kind, []).append(name)

    def lines(self) -> list[str]:
        """One line a kind."""
        return [
            f"{len(names):,} {'picture' if len(names) == 1 else 'pictures'} {kind}, such as "
            f"{names[0]}."
            for kind, names in self._kinds.items()
        ]


def identified(samples: Iterable[Sample], warnings: list[str]) -> list[Sample]:
    """The samples with each picture's digest, and its size where the data set gave none.

    Drawn pictures are left as they are: their source decides their pixels, and tests hold them. A
    picture that cannot be read, or that ends too early, becomes a warning here and a counted state
    when it is asked about.
    """
    notes = _Notes()
    known: dict[str, Image] = {}
    found = []
    for sample in samples:
        image = sample.image
        if not image.source or image.source.startswith("chart:"):
            found.append(sample)
            continue
        if image.source not in known:
            known[image.source] = _identified(image, notes)
        seen = known[image.source]
        image = msgspec.structs.replace(
            image,
            digest=seen.digest,
            width=image.width or seen.width,
            height=image.height or seen.height,
        )
        found.append(msgspec.structs.replace(sample, image=image))
    warnings += notes.lines()
    return found


def _identified(image: Image, notes: _Notes) -> Image:
    try:
        data = read(image)
        head = images.header(data)
    except PictureError as error:
        notes.add(
            f"cannot be read ({str(error).removeprefix(f'{image.name}: ')[:120]})", image.name
        )
        return image
    if not images.is_whole(data):
        notes.add("seem to be cut short", image.name)
    upright = (head.height, head.width) if head.turned else (head.width, head.height)
    stated = (image.width, image.height)
    if head.turned:
        kept = None not in stated and stated == (head.width, head.height)
        how = "left as stored, as annotated" if kept else "turned upright"
        notes.add(f"carry an EXIF rotation and are {how}", image.name)
    if None not in stated and stated not in (upright, (head.width, head.height)):
        notes.add("have another size than annotated", image.name)
    return msgspec.structs.replace(
        image, digest=images.file_digest(data), width=upright[0], height=upright[1]
    )
