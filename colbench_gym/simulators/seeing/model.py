"""A page as a person takes it in: lines of things, rows of columns, coloured bands. Lengths in pixels.

Who describes a page and who builds one from a description share these names, and nothing else but the words.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from colbench_gym.simulators.seeing.colours import BLACK, RGB, WHITE

Kind = Literal["text", "button", "picture", "field"]
Place = Literal["left", "centred", "right", "spread"]

TEXT_COLOUR: RGB = BLACK
"""What a text is painted in when nobody says otherwise."""


@dataclass(slots=True)
class Look:
    """How a surface sets itself off from what is behind it."""

    background: RGB | None = None
    border: RGB | None = None
    rounded: bool = False
    shadow: bool = False
    picture: bool = False
    """A picture fills it."""

    @property
    def plain(self) -> bool:
        return not (self.background or self.border or self.shadow or self.picture)


@dataclass(slots=True)
class Item:
    """A text, a button, a picture or an input field.

    Attributes:
        size: of its letters.
        width, height: of a text, of what its lines cover.
        align: how the lines of a long text are set.
        narrow: its lines are clearly shorter than there is room.
    """

    kind: Kind
    text: str = ""
    size: int = 16
    bold: bool = False
    italic: bool = False
    colour: RGB = TEXT_COLOUR
    look: Look = field(default_factory=Look)
    x: float = 0
    y: float = 0
    width: float = 0
    height: float = 0
    align: Place = "left"
    narrow: bool = False

    @property
    def is_tick(self) -> bool:
        """A field so small that one can only tick it."""
        return self.kind == "field" and not self.text and max(self.width, self.height) <= 24

    @property
    def is_long(self) -> bool:
        """A text of several lines."""
        return self.kind == "text" and self.height > 2.2 * self.size


@dataclass(slots=True)
class Line:
    """Things side by side, at the left, in the middle, at the right, or spread over the whole width."""

    items: list[Item]
    places: list[Place]
    gap: float = 0
    """Empty space above."""
    inset: float = 0
    """Distance of the outermost thing from the edge it leans on."""
    apart: float = 0
    """Space between neighbours that stand together; 0 where there are none."""


@dataclass(slots=True)
class Cell:
    """A column, a card or a band: what stands below one another on one surface."""

    blocks: list[Block] = field(default_factory=list)
    look: Look = field(default_factory=Look)
    x: float = 0
    y: float = 0
    width: float = 0
    height: float = 0


@dataclass(slots=True)
class Row:
    """Cells side by side. A band is a row of one cell that spans the page.

    Attributes:
        count: how many cells there are to be.
        share: the row's width as a share of the surface it stands on.
    """

    cells: list[Cell]
    band: bool = False
    count: int = 0
    share: float = 1.0
    place: Place = "left"
    gap: float = 0
    inset: float = 0


Block = Line | Row


@dataclass(slots=True)
class Page:
    """What stands on the page; its cell's look is the page's background."""

    cell: Cell = field(default_factory=lambda: Cell(look=Look(background=WHITE)))

    def items(self) -> Iterator[Item]:
        """Everything on the page in reading order."""
        return items_of(self.cell.blocks)


def items_of(blocks: list[Block]) -> Iterator[Item]:
    """Everything in these blocks in reading order."""
    for block in blocks:
        if isinstance(block, Line):
            yield from block.items
        else:
            for cell in block.cells:
                yield from items_of(cell.blocks)
