"""Sizes that pictures are brought to: by the model's own preprocessing, and by us before sending."""

from __future__ import annotations

import io
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eyechart.errors import DataError, UsageError, meant

if TYPE_CHECKING:
    from eyechart.values import Picture

Size = tuple[int, int]

# of the Qwen2-VL and Qwen2.5-VL checkpoints' own preprocessor
FACTOR, MIN_PIXELS, MAX_PIXELS = 28, 4 * 28 * 28, 16384 * 28 * 28
_MOST_RATIO = 200
# the smallest bound commonly in force: 1,003,520 pixels for patches of 28
_MOST_PATCHES, _LEAST_PATCHES = 1280, 4
_LARGEST = 10**9
_LARGEST_PATCH = 256


def smart_resize(
    width: int,
    height: int,
    factor: int = FACTOR,
    min_pixels: int = MIN_PIXELS,
    max_pixels: int = MAX_PIXELS,
    *,
    least_side: int = 0,
) -> Size:
    """Width and height (pixels) as the preprocessing of Qwen2-VL, Qwen2.5-VL and kin makes them.

    Each side is rounded to the nearest multiple of `factor` (half to even). Where the product is
    then above `max_pixels`, both are scaled down instead and floored, to one `factor` at least;
    where it is below `min_pixels`, scaled up and ceiled. A shorter side under `least_side` is taken
    to be that long first, the longer one stays, and no ratio is refused then (MiMo-VL: 28).
    Source: transformers `qwen2_vl/image_processing_qwen2_vl.py`; for MiMo-VL lirang04/GroundingME
    `smart_resize_mimo`.

    Raises:
        DataError: one side is more than 200 times the other, which that code refuses.
    """
    if min(width, height) < 1:
        raise DataError(f"a picture of {width} x {height} pixels has no pixel.")
    if min(width, height) < least_side:
        width, height = (least_side, height) if width <= height else (width, least_side)
    elif max(width, height) > _MOST_RATIO * min(width, height):
        raise DataError(
            f"a picture of {width} x {height} pixels is too narrow: the model's preprocessing "
            f"refuses one side above {_MOST_RATIO} times the other."
        )
    wide, high = round(width / factor) * factor, round(height / factor) * factor
    if wide * high > max_pixels:
        beta = math.sqrt(height * width / max_pixels)
        wide = max(factor, math.floor(width / beta / factor) * factor)
        high = max(factor, math.floor(height / beta / factor) * factor)
    elif wide * high < min_pixels:
        beta = math.sqrt(min_pixels / (height * width))
        wide = math.ceil(width * beta / factor) * factor
        high = math.ceil(height * beta / factor) * factor
    return wide, high


_RULES = ("sent", "original", "smart", "longest", "square")
_SMART = {"factor": FACTOR, "min": MIN_PIXELS, "max": MAX_PIXELS, "side": 0}
_SEEN_FORMS = (
    "sent, original, smart:factor=28,min=3136,max=12845056 (each part may be left out and is then "
    "as here; side=28 for MiMo-VL), longest:1568, square:448"
)


@dataclass(frozen=True, slots=True)
class Resize:
    """What a model's own preprocessing makes of the picture that it is sent.

    | text | the model sees |
    |---|---|
    | `sent` | what was sent |
    | `original` | the picture itself, which was also sent so |
    | `smart:factor=28,min=3136,max=12845056` | `smart_resize` of it; `side=N` is its `least_side` |
    | `longest:1568` | it in proportion, its longer side at most so long, each side rounded |
    | `square:448` | it squashed to a square |

    `numbers` are those of the text, in this order.
    """

    kind: str
    numbers: tuple[int, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Resize:
        """The rule that a text such as `smart:max=1003520` names.

        Raises:
            UsageError: there is no such rule.
        """
        kind, colon, rest = (part.strip() for part in text.partition(":"))
        given = f"--seen {text}"
        if kind not in _RULES or (colon and kind in ("sent", "original")):
            raise UsageError(f"{given}: no such rule.{meant(kind, _RULES)} Rules: {_SEEN_FORMS}.")
        if kind in ("longest", "square"):
            return cls(kind, (_whole(given, kind, rest, f"{kind}:N"),))
        if kind != "smart":
            return cls(kind)
        found = _SMART | _pairs(given, rest, tuple(_SMART), _SEEN_FORMS)
        if found["min"] > found["max"]:
            raise UsageError(
                f"{given}: min is {found['min']:,}, above max, which is {found['max']:,}."
            )
        return cls(kind, tuple(found[name] for name in _SMART))

    @property
    def spelled(self) -> str:
        """The text that means this rule, nothing left out; equal rules spell equal."""
        if self.kind != "smart":
            return ":".join([self.kind, *map(str, self.numbers)])
        factor, least, most, side = self.numbers
        tail = f",side={side}" if side else ""
        return f"smart:factor={factor},min={least},max={most}{tail}"

    def apply(self, sent: Size) -> Size:
        """Width and height (pixels) that the model sees of a picture sent in this size.

        Raises:
            DataError: as `smart_resize`.
        """
        width, height = sent
        if self.kind == "smart":
            factor, least, most, side = self.numbers
            return smart_resize(width, height, factor, least, most, least_side=side)
        if self.kind == "square":
            return self.numbers[0], self.numbers[0]
        if self.kind == "longest" and max(sent) > self.numbers[0]:
            scale = self.numbers[0] / max(sent)
            return max(1, round(width * scale)), max(1, round(height * scale))
        return sent


_POLICY = ("multiple-of", "max-pixels", "min-pixels")
_POLICY_FORMS = (
    "original, max-pixels=N, or multiple-of=28 (also with ,max-pixels=N and ,min-pixels=N, where "
    f"others are meant than {_MOST_PATCHES:,} and {_LEAST_PATCHES} times its square)"
)


@dataclass(frozen=True, slots=True)
class ImagePolicy:
    """In which size a picture is sent: as it is, within bounds, in multiples of a patch.

    0 stands for none; with `multiple_of` bounds that are not given become 1,280 and 4 times its
    square. The bounds must lie so far apart that a size between them can always be found.

    Raises:
        UsageError: bounds that do not fit each other.
    """

    multiple_of: int = 0
    max_pixels: int = 0
    min_pixels: int = 0

    def __post_init__(self) -> None:
        if not self.multiple_of:
            if self.min_pixels:
                raise UsageError("--image-policy: min-pixels goes with multiple-of=N.")
            return
        patch = self.multiple_of * self.multiple_of
        if not self.max_pixels:
            object.__setattr__(self, "max_pixels", patch * _MOST_PATCHES)
        if not self.min_pixels:
            object.__setattr__(self, "min_pixels", patch * _LEAST_PATCHES)
        if self.max_pixels < 4 * max(patch, self.min_pixels):
            raise UsageError(
                f"--image-policy: with multiple-of={self.multiple_of} max-pixels "
                f"({self.max_pixels:,} here) is at least four times min-pixels "
                f"({self.min_pixels:,}) and four times {patch:,}."
            )

    @classmethod
    def parse(cls, text: str) -> ImagePolicy:
        """The policy that a text such as `multiple-of=28,max-pixels=501760` names.

        Raises:
            UsageError: there is no such policy.
        """
        if text.strip() == "original":
            return cls()
        given = f"--image-policy {text}"
        found = _pairs(given, text, _POLICY, _POLICY_FORMS, also="original")
        if not found:
            raise UsageError(f"--image-policy: nothing is said. Policies: {_POLICY_FORMS}.")
        if found.get("multiple-of", 0) > _LARGEST_PATCH:
            raise UsageError(f"{given}: multiple-of is at most {_LARGEST_PATCH}.")
        return cls(*(found.get(name, 0) for name in _POLICY))

    @property
    def spelled(self) -> str:
        """The text that means this policy, its own bounds left out; equal policies spell equal."""
        patch = self.multiple_of * self.multiple_of
        parts = [f"multiple-of={self.multiple_of}"] if patch else []
        if self.max_pixels != patch * _MOST_PATCHES:
            parts.append(f"max-pixels={self.max_pixels}")
        if self.min_pixels != patch * _LEAST_PATCHES:
            parts.append(f"min-pixels={self.min_pixels}")
        return ",".join(parts) or "original"

    @property
    def leaves_alone(self) -> bool:
        """Whether the model's own preprocessing is taken to leave alone what is sent."""
        return bool(self.multiple_of)

    def size(self, original: Size) -> Size:
        """Width and height (pixels) in which a picture of this size is sent.

        Within the bounds; a size that it gives it leaves as it is. With `multiple_of` it is that of
        `smart_resize`. A picture more than 200 times as long as wide, which that refuses, is
        squeezed to 200 times first.
        """
        if self.multiple_of:
            return self._multiple(original)
        width, height = original
        most = self.max_pixels
        if not most or width * height <= most:
            return original
        # whole numbers: each is floor(side * sqrt(most / (width * height))), without rounding errors
        wide, high = math.isqrt(width * most // height), math.isqrt(height * most // width)
        # a side under one pixel becomes one: then the other may be as long as the bound
        return max(1, min(wide, most)), max(1, min(high, most))

    def _multiple(self, size: Size) -> Size:
        # One round is enough but for needles: a side cut to one patch leaves the product too large,
        # and sides of two patches may have a ratio that rounding brought above what is allowed.
        while True:
            before = size
            longest = _MOST_RATIO * min(size)
            width, height = min(size[0], longest), min(size[1], longest)
            size = smart_resize(width, height, self.multiple_of, self.min_pixels, self.max_pixels)
            if size == before:
                return size


class ResizedPicture:
    """A picture in the size that a policy sends it in; its own bytes, where that is its own size.

    The annotation's size decides, or else that of the picture upright. What must be resized is
    resized with a bicubic filter over all pixels that fall into one (`PIL.Image.Image.resize`) and
    encoded as PNG: it is lossless, so that the model is given just these pixels, and no second loss
    is added to that of a JPEG.
    """

    __slots__ = ("_inner", "_policy")

    def __init__(self, inner: Picture, policy: ImagePolicy) -> None:
        self._inner = inner
        self._policy = policy

    @property
    def width(self) -> int | None:
        """Width in pixels as it is sent; None where the annotation has none."""
        size = self._stated()
        return size and size[0]

    @property
    def height(self) -> int | None:
        """Height in pixels as it is sent; None where the annotation has none."""
        size = self._stated()
        return size and size[1]

    def _stated(self) -> Size | None:
        width, height = self._inner.width, self._inner.height
        return self._policy.size((width, height)) if width and height else None

    def read(self) -> bytes:
        """The encoded bytes: the picture's own where it is upright in this size, else PNG.

        Raises:
            PictureError: they cannot be had, or are no picture.
        """
        from eyechart.io import images

        data = self._inner.read()
        head = images.header(data)
        own = (head.width, head.height)
        if head.orientation == 1 and own == (self._stated() or self._policy.size(own)):
            return data
        buffer = io.BytesIO()
        upright = images.upright(data, (self._inner.width, self._inner.height))
        self._resized(upright).save(buffer, "PNG", compress_level=3)
        return buffer.getvalue()

    def open(self) -> Any:
        """The picture in RGB, upright and in the size that is sent, as a `PIL.Image.Image`.

        Raises:
            PictureError: as `read`.
        """
        return self._resized(self._inner.open())

    def _resized(self, picture: Any) -> Any:
        from PIL import Image

        size = self._stated() or self._policy.size(picture.size)
        return picture if size == picture.size else picture.resize(size, Image.Resampling.BICUBIC)


def _pairs(
    given: str, text: str, names: tuple[str, ...], forms: str, also: str = ""
) -> dict[str, int]:
    """`a=1,b=2` as whole numbers above 0, by name.

    Raises:
        UsageError: anything else; `given` and `forms` are said with it.
    """
    found: dict[str, int] = {}
    for word in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = (part.strip() for part in word.partition("="))
        if name not in names:
            near = meant(name, {*names, also} - {"", name})
            raise UsageError(f"{given}: {name!r} is nothing known here.{near} Forms: {forms}.")
        if name in found:
            raise UsageError(f"{given}: {name} is given twice.")
        found[name] = _whole(given, name, value if equals else "", f"{name}=N")
    return found


def _whole(given: str, name: str, value: str, form: str) -> int:
    # long digits are refused before they are read: that takes quadratic time
    if value.isascii() and value.isdigit() and len(value) < 12 and 0 < int(value) <= _LARGEST:
        return int(value)
    raise UsageError(
        f"{given}: {name} is a whole number from 1 to {_LARGEST:,} ({form}), not {value!r}."
    )
