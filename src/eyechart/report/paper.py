"""What the terminal is written on: lines, tables and quoted text that cannot act on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from eyechart.report.escape import shortened, visible, visible_block

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Column = tuple[str, Literal["left", "right"]]

_CELL = 160
_BAR = "  | "


def console(*, stderr: bool = False) -> Console:
    """A rich console for eyechart's own output: no markup, no emoji codes, no guessed colours.

    Colour is off where the stream is not a terminal or NO_COLOR is set.
    """
    return Console(stderr=stderr, markup=False, emoji=False, highlight=False)


def encodable(on: Console, text: str) -> str:
    """The text with characters that the console's encoding lacks written out."""
    return text.encode(on.encoding, "backslashreplace").decode(on.encoding)


class Paper:
    """A console that takes any text as it comes and prints it inert.

    Characters which the console's encoding lacks are written out, as hidden ones are.
    """

    def __init__(self, on: Console) -> None:
        self.console = on

    def text(self, text: str, style: str = "") -> Text:
        """The text on one line, inert, to be folded where it must."""
        return Text(encodable(self.console, visible(text)), style, overflow="fold")

    def _cell(self, text: str, style: str = "") -> Text:
        return self.text(shortened(text, _CELL), style)

    def gap(self) -> None:
        """An empty line."""
        self.console.print()

    def heading(self, title: str, style: str = "bold") -> None:
        """A heading after an empty line."""
        self.gap()
        self.line(title, style)

    def line(self, text: str = "", style: str = "") -> None:
        """A paragraph, folded at the console's width and never shortened."""
        self.console.print(self.text(text, style))

    def quote(self, text: str) -> None:
        """Somebody else's text, whole, each line behind a bar so that none passes for ours."""
        width = max(self.console.width - len(_BAR), 8)
        for line in visible_block(text).split("\n"):
            whole = Text(encodable(self.console, line), overflow="fold")
            for piece in whole.wrap(self.console, width) or [Text()]:
                piece.rstrip()
                self.console.print(Text(_BAR, "dim") + piece, no_wrap=True, overflow="ignore")

    def table(
        self,
        columns: Sequence[Column],
        rows: Iterable[Sequence[str]],
        *,
        strong_first: bool = False,
    ) -> None:
        """A table with headings, in the console's width; long cells lose their middle."""
        grid = Table(
            box=SIMPLE_HEAD,
            pad_edge=False,
            collapse_padding=True,
            header_style="bold",
            show_edge=False,
        )
        for name, justify in columns:
            grid.add_column(
                self._cell(name),
                justify=justify,
                overflow="fold",
                no_wrap=justify == "right",
                min_width=min(12, len(name)) if justify == "left" else None,
            )
        for index, row in enumerate(rows):
            style = "bold" if strong_first and index == 0 else None
            grid.add_row(*(self._cell(cell) for cell in row), style=style)
        self.console.print(grid)

    def pairs(self, rows: Iterable[tuple[str, str]]) -> None:
        """Names and values, these whole, side by side and without headings."""
        grid = Table.grid(padding=(0, 2, 0, 0), pad_edge=False)
        grid.add_column(overflow="fold", max_width=max(self.console.width // 2 - 4, 8))
        grid.add_column(overflow="fold")
        for name, value in rows:
            grid.add_row(self._cell(name, "dim"), self.text(value))
        self.console.print(grid)

    def entries(self, rows: Iterable[tuple[str, Sequence[str]]]) -> None:
        """Names, each beside its paragraphs, all whole; the first paragraph is the plain one."""
        grid = Table.grid(padding=(0, 2, 0, 0), pad_edge=False)
        grid.add_column(overflow="fold", max_width=max(self.console.width // 2 - 4, 8))
        grid.add_column(overflow="fold")
        for name, paragraphs in rows:
            for index, paragraph in enumerate(paragraphs or [""]):
                first = index == 0
                grid.add_row(
                    self.text(name if first else "", "bold"),
                    self.text(paragraph, "" if first else "dim"),
                )
        self.console.print(grid)
