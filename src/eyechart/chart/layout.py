"""Where things lie: a picture cut at random into cells, and pairs in which one hides the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from eyechart.chart.shapes import area, rows

if TYPE_CHECKING:
    from eyechart.chart.generator import Stream

SMALLEST = 9  # pixels: below this the seven shapes are not told apart with certainty
GAP = 2  # pixels of ground between any two things that do not hide each other
MIN_VISIBLE = 600  # thousandths of a thing's pixels that stay visible


class Cell(NamedTuple):
    """A part of the picture: its corner and its sides, in pixels."""

    x: int
    y: int
    width: int
    height: int

    @property
    def room(self) -> int:
        """The largest size that fits with its share of the gap."""
        return min(self.width, self.height) - GAP


class Placed(NamedTuple):
    """A shape on the picture: `x`, `y` is the corner of the size x size square that holds it."""

    shape: str
    size: int
    x: int
    y: int


def cut(stream: Stream, cell: Cell, number: int) -> list[Cell]:
    """The cell cut into `number` parts, always across its longer side, roughly by area."""
    if number <= 1:
        return [cell] if number else []
    share = (number + stream.below(2)) // 2
    if number >= 4:
        share = stream.between(number * 2 // 5, number - number * 2 // 5)
    across = max(cell.width, cell.height)
    slack = max(1, across // 8)
    at = (
        across * share // number
        + stream.between(-slack, slack) * min(share, number - share) * 2 // number
    )
    if cell.width >= cell.height:
        first = Cell(cell.x, cell.y, at, cell.height)
        rest = Cell(cell.x + at, cell.y, cell.width - at, cell.height)
    else:
        first = Cell(cell.x, cell.y, cell.width, at)
        rest = Cell(cell.x, cell.y + at, cell.width, cell.height - at)
    return cut(stream, first, share) + cut(stream, rest, number - share)


def some_size(stream: Stream, low: int, high: int) -> int:
    """A size of low..high, each doubling as likely as the next, the largest favoured."""
    steps = [low]
    while steps[-1] * 2 < high:
        steps.append(steps[-1] * 2)
    start = stream.choice((*steps, steps[-1], steps[-1]))
    return stream.between(start, min(high, start * 2))


def alone(stream: Stream, cell: Cell, shape: str, low: int, high: int) -> Placed:
    """One thing of `low` to `high` pixels somewhere in the cell, which has room for `low`."""
    size = some_size(stream, low, min(high, cell.room))
    edge = GAP // 2
    return Placed(
        shape,
        size,
        cell.x + edge + stream.below(cell.width - GAP - size + 1),
        cell.y + edge + stream.below(cell.height - GAP - size + 1),
    )


def hidden(below: Placed, above: Placed) -> int:
    """How many pixels of `below` lie under pixels of `above`."""
    under, over = rows(below.shape, below.size), rows(above.shape, above.size)
    shift = above.x - below.x
    total = 0
    for y in range(max(below.y, above.y), min(below.y + below.size, above.y + above.size)):
        for first, end in under[y - below.y]:
            for other_first, other_end in over[y - above.y]:
                total += max(0, min(end, other_end + shift) - max(first, other_first + shift))
    return total


def visible(below: Placed, above: Placed) -> int:
    """Thousandths of the pixels of `below` that `above` leaves to be seen, rounded down."""
    whole = area(below.shape, below.size)
    return (whole - hidden(below, above)) * 1000 // whole


def pair(
    stream: Stream, cell: Cell, shapes: tuple[str, str], low: int, high: int
) -> tuple[Placed, Placed] | None:
    """Two things in the cell of which the second hides a part of the first.

    At least 5 % and at most 1 - MIN_VISIBLE of the first is hidden. None where the cell is too
    small or the shapes, as they lie, hide nothing.
    """
    if cell.room < 3 * low:
        return None
    first = min(high, stream.between(cell.room * 2 // 5, cell.room * 3 // 5))
    second = min(high, cell.room - first, stream.between(first * 2 // 3, first * 4 // 3))
    if min(first, second) < low:
        return None
    wanted = stream.between(MIN_VISIBLE, 930)
    across, down = stream.choice(_DIRECTIONS)
    width, height = cell.width - GAP, cell.height - GAP
    # the pair's two squares lie at these offsets from each other; nearer until enough is hidden
    found = None
    for step in range(12, 0, -1):
        reach = (first + second) * step // 24
        dx = across * reach // 2 + (first - second) // 2
        dy = down * reach // 2 + (first - second) // 2
        above = Placed(shapes[1], second, dx, dy)
        seen = visible(Placed(shapes[0], first, 0, 0), above)
        if seen < wanted:
            break
        if seen <= 950:
            found = above
    if found is None:
        return None
    left, top = min(0, found.x), min(0, found.y)
    spare_x = width - (max(first, found.x + second) - left)
    spare_y = height - (max(first, found.y + second) - top)
    x = cell.x + GAP // 2 - left + stream.below(spare_x + 1)
    y = cell.y + GAP // 2 - top + stream.below(spare_y + 1)
    return (
        Placed(shapes[0], first, x, y),
        Placed(shapes[1], second, found.x + x, found.y + y),
    )


# the way from the hidden thing to the one that hides it, in halves
_DIRECTIONS = ((2, 0), (-2, 0), (0, 2), (0, -2), (2, 1), (2, -1), (-2, 1), (-2, -1),
               (1, 2), (1, -2), (-1, 2), (-1, -2), (2, 2), (2, -2), (-2, 2), (-2, -2))  # fmt: skip
