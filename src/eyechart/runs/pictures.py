"""Pictures by their source: a file, a row of a parquet file, or a scene of the chart."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from eyechart.errors import DataError, PictureError
from eyechart.io import images

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from eyechart.values import Image, Sample


def read(image: Image) -> bytes:
    """The encoded bytes of a picture.

    Raises:
        PictureError: it is not at hand, or cannot be read.
    """
    source = image.source
    if not source:
        raise PictureError(f"{image.name}: the picture is not at hand.")
    try:
        if source.startswith("chart:"):
            from eyechart.chart import pictures

            return pictures.read(source)
        if source.startswith("parquet:"):
            from eyechart.formats.countqa import read_parquet_image

            path, _, row = source.removeprefix("parquet:").rpartition("#")
            return read_parquet_image(Path(path), int(row))
        return Path(source).read_bytes()
    except PictureError:
        raise
    except (OSError, DataError) as error:
        raise PictureError(f"{image.name}: cannot be read from {source} ({error}).") from None


def identified(samples: Iterable[Sample], warnings: list[str]) -> Iterator[Sample]:
    """The samples with each picture's digest, and its size where the data set gave none.

    Drawn pictures are left as they are: their source decides their pixels, and tests hold them. A
    picture that cannot be read, or that ends too early, becomes a warning here and a counted state
    when it is asked about.
    """
    known: dict[str, Image] = {}
    for sample in samples:
        image = sample.image
        if not image.source or image.source.startswith("chart:"):
            yield sample
            continue
        if image.source not in known:
            known[image.source] = _identified(image, warnings)
        found = known[image.source]
        yield msgspec.structs.replace(
            sample,
            image=msgspec.structs.replace(
                image,
                digest=found.digest,
                width=image.width or found.width,
                height=image.height or found.height,
            ),
        )


def _identified(image: Image, warnings: list[str]) -> Image:
    try:
        data = read(image)
        head = images.header(data)
    except PictureError as error:
        warnings.append(f"{image.name}: {error}")
        return image
    if not images.is_whole(data):
        warnings.append(f"{image.name}: the picture seems to be cut short.")
    width, height = (head.height, head.width) if head.turned else (head.width, head.height)
    stated = (image.width, image.height)
    if None not in stated and stated not in ((width, height), (height, width)):
        warnings.append(
            f"{image.name}: annotated as {image.width} x {image.height}, but the picture is "
            f"{width} x {height}."
        )
    return msgspec.structs.replace(
        image, digest=images.file_digest(data), width=width, height=height
    )
