"""A baseline that reads the eye chart by classical image processing, from pixels and prompt alone."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from eyechart.errors import PictureError
from eyechart.models import About
from eyechart.values import Failure, RawBoxes, Reply

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eyechart.models import Keep
    from eyechart.models.pixels.objects import Found
    from eyechart.values import Request


class PixelReader:
    """Segments by colour, names shapes by their outline, understands the chart's questions.

    It knows nothing of how the chart is drawn. On other pictures and other questions it answers as
    well as blobs of colour allow.
    """

    def __init__(self) -> None:
        self._last: tuple[bytes, list[Found]] | None = None

    @property
    def about(self) -> About:
        """What decides its answers."""
        return About(
            identity={"kind": "baseline", "name": "pixels", "version": 1}, gives_boxes=True
        )

    def answer(self, requests: Iterator[Request], keep: Keep) -> None:
        """Answers each request: boxes where a place is asked for, else a word or a number."""
        for request in requests:
            begun = time.perf_counter()
            try:
                said, size = self._said(request)
            except PictureError as error:
                failure = Failure("picture", str(error))
                keep(Reply(request.sample_id, request.repeat, state="error", error=failure))
                continue
            keep(
                Reply(
                    request.sample_id,
                    request.repeat,
                    text=said if isinstance(said, str) else None,
                    boxes=said if isinstance(said, RawBoxes) else None,
                    finish_reason="stop",
                    latency_s=time.perf_counter() - begun,
                    sent_size=size,
                    seen_size=size,
                )
            )

    def _said(self, request: Request) -> tuple[str | RawBoxes, tuple[int, int]]:
        from eyechart.models.pixels.answers import answer
        from eyechart.models.pixels.questions import understood

        if request.image is None:
            raise PictureError("there is no picture to read.")
        picture = request.image.open()
        found = self._found(picture)
        said = answer(understood(request.prompt), found)
        size = (picture.width, picture.height)
        if isinstance(said, str):
            return said, size
        return RawBoxes(tuple(thing.box for thing in said), "xyxy-pixels"), size

    def _found(self, picture: object) -> list[Found]:
        """What the picture shows; the last picture is remembered, as captions ask of it again."""
        import hashlib

        import numpy as np

        from eyechart.models.pixels.objects import find_objects

        pixels = np.asarray(picture, dtype=np.uint8)
        key = hashlib.blake2b(repr(pixels.shape).encode() + pixels.tobytes()).digest()
        if self._last is None or self._last[0] != key:
            self._last = key, find_objects(pixels)
        return self._last[1]
