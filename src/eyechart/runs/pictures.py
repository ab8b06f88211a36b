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
    known: dict[tuple[str, int | None, int | None], Image] = {}
    found = []
    for sample in samples:
        image = sample.image
        if not image.source or image.source.startswith("chart:"):
            found.append(sample)
            continue
        key = (image.source, image.width, image.height)
        if key not in known:
            known[key] = _identified(image, notes)
        seen = known[key]
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
            f"that cannot be read ({str(error).removeprefix(f'{image.name}: ')[:120]})", image.name
        )
        return image
    if not images.is_whole(data):
        notes.add("cut short, it seems", image.name)
    stored, stated = (head.width, head.height), (image.width, image.height)
    upright = stored[::-1] if head.turned else stored
    if head.orientation != 1:
        kept = images.is_as_stored(head, stated)
        notes.add(
            "with an EXIF rotation or mirroring, annotated as stored: left so"
            if kept
            else "with an EXIF rotation or mirroring: shown upright",
            image.name,
        )
    if None not in stated and stated not in (upright, stored):
        notes.add("of another size than annotated", image.name)
    return msgspec.structs.replace(
        image, digest=images.file_digest(data), width=upright[0], height=upright[1]
    )
