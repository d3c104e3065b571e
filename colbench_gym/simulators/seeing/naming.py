"""What the things on a shown page are called, so that whoever made the page finds them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from colbench_gym.simulators.seeing.model import Block, Cell, Item, Line, Page, Row, items_of
from colbench_gym.simulators.seeing.wording import called, joined, ordinal, tinted, unit, units

_LOW = 200
"""Bands of less than this height are bars, headers and footers."""


class Names:
    """The names of everything on a page: by its text, else by its kind, with its position where several are alike."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._names = _item_names(page)

    def item(self, item: Item) -> str:
        return self._names[id(item)]

    def line(self, line: Line) -> str:
        return joined([self.item(item) for item in line.items])

    def row(self, row: Row, depth: int) -> str | None:
        """`the cards with "X"`; None if there is nothing in them to call them by."""
        inside = self._first(row.cells)
        if inside is None:
            return f"the empty {tinted(row.cells[0].look)}{units(row, depth)}" if row.band else None
        return f"the {self._role(row) if row.band else units(row, depth)} with {inside}"

    def cell(self, cell: Cell, row: Row, depth: int) -> str | None:
        """`the card with "X"`; None if there is nothing in it to call it by."""
        inside = self._first([cell])
        return None if inside is None else f"the {unit(row, depth)} with {inside}"

    def block(self, block: Block, depth: int) -> str | None:
        return self.item(block.items[0]) if isinstance(block, Line) else self.row(block, depth)

    def _first(self, cells: Sequence[Cell]) -> str | None:
        inside = [self.item(item) for cell in cells for item in items_of(cell.blocks)]
        return next((name for name in inside if name.startswith('"')), inside[0] if inside else None)

    def _role(self, band: Row) -> str:
        blocks = self._page.cell.blocks
        position = next((index for index, block in enumerate(blocks) if block is band), 1)
        lines = [block for block in band.cells[0].blocks if isinstance(block, Line)]
        is_low = band.cells[0].height < _LOW
        if position <= 1 and is_low and any(len(line.items) >= 3 for line in lines):
            return "navigation bar"
        if position == 0 and len(blocks) > 1:
            return "header"
        if position == len(blocks) - 1 and len(blocks) > 1 and is_low:
            return "footer"
        return "band"


def _item_names(page: Page) -> dict[int, str]:
    bare = list(_bare_names(page))
    counts: dict[str, int] = {}
    for _, name in bare:
        counts[name] = counts.get(name, 0) + 1
    seen: dict[str, int] = {}
    names: dict[int, str] = {}
    for item, name in bare:
        position = seen[name] = seen.get(name, -1) + 1
        if counts[name] > 1:
            names[id(item)] = f"the {ordinal(position)} {name}"
        else:
            names[id(item)] = name if name.startswith('"') else f"the {name}"
    return names


def _bare_names(page: Page) -> Iterator[tuple[Item, str]]:
    for item in page.items():
        if item.kind == "picture":
            yield item, "picture"
        elif item.text:
            yield item, called(item.text)
        else:
            kind = "tick box" if item.is_tick else "empty input field" if item.kind == "field" else "empty button"
            yield item, kind
