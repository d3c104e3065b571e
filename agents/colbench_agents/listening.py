"""A page kept in the head and changed by what a person says about it, sentence by sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import TypeGuard

from colbench_agents.phrases import COLOUR, NUMBER, UNSET, place_in, repaint, restyle, row_in, set_place, set_widths
from colbench_gym.simulators.seeing.colours import COLOURS, WHITE
from colbench_gym.simulators.seeing.model import Block, Cell, Item, Line, Look, Page, Place, Row
from colbench_gym.simulators.seeing.wording import NUMBERS, ORDINALS, plain, unit

_TICK = 13
_QUOTE = re.compile(r'"([^"]*)"')
_MARK = re.compile(r"⟦(\d+)⟧")
_SENTENCE_END = re.compile(r"(?<=\.)\s+")
_UNIT = r"(?:navigation bar|header|footer|band|cards?|small columns?|columns?|boxes|box)"
_ORDINAL = r"(?:" + "|".join(ORDINALS) + r"|\d+th)"

_THERE = re.compile(r"^(?P<place>.+?),? there should be (?P<what>.+?)\.?$")
_NEXT_CELL = re.compile(
    rf"^The (?P<which>{_ORDINAL}) (?P<unit>{_UNIT})(?P<like>, like the first,)? has (?P<what>.+?)\.?$"
)
_GROUND = re.compile(r"^The page's background should be (?P<what>.+)$")
_SPACE = re.compile(
    rf"^There should be (?:more|less) space above (?P<name>.+), about {NUMBER} pixels, yours has about {NUMBER}"
)
_KEEP = re.compile(
    rf"^(?P<name>.+) should keep about {NUMBER} pixels from the (?:left|right) edge, yours keeps about {NUMBER}"
)
_TAKE = re.compile(rf"^(?P<name>.+) should take about {NUMBER}% of the width (?P<place>.+?), yours")
_APART = re.compile(rf"^(?P<name>.+) should be about {NUMBER} pixels apart, yours are about {NUMBER}")
_TALL = re.compile(rf"^(?P<name>.+) should be about {NUMBER} pixels tall, yours is about {NUMBER}")
_READ = re.compile(r"^(?P<name>.+) should (?P<how>read|go on:) ⟦(?P<text>\d+)⟧")
_STAND = re.compile(r"^(?P<name>.+) should stand (?P<place>.+?)\.?$")
_GO = re.compile(r"^(?P<name>.+) should go\.?$")
_BE = re.compile(r"^(?P<name>.+?) should (?:all )?be (?P<what>.+?)\.?$")

_WITH_UNIT = re.compile(rf"^the (?P<unit>{_UNIT}) with (?P<name>.+)$", re.IGNORECASE)
_EMPTY_UNIT = re.compile(rf"^the empty (?:(?P<colour>{COLOUR}) )?(?P<unit>{_UNIT})$", re.IGNORECASE)
_KIND = r"picture|empty input field|empty button|tick box"
_THING = re.compile(rf"(?:the )?(?:(?P<which>{_ORDINAL}) )?(?:⟦(?P<text>\d+)⟧|(?P<kind>{_KIND}))", re.IGNORECASE)


@dataclass(slots=True)
class _Spot:
    """Where the next block goes: after position `after` of `cell`."""

    cell: Cell
    after: int


class Listener:
    """A page in the making.

    Args:
        page: what it begins with.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self._quotes: list[str] = []
        self._items: list[tuple[str, Item]] = []
        self._spot = _Spot(page.cell, -1)

    def hear(self, reply: str) -> None:
        """Changes the page by one reply. What it does not understand changes nothing."""
        self._quotes = []
        # Whoever speaks has the page of before in view, also when naming what an earlier sentence renamed.
        self._items = [(plain(item.text), item) for item in self.page.items()]
        self._spot = _Spot(self.page.cell, len(self.page.cell.blocks) - 1)
        text = _QUOTE.sub(self._marked, reply).replace(" should still ", " should ")
        for sentence in _SENTENCE_END.split(text.strip()):
            self._obey(sentence)

    def _marked(self, match: re.Match[str]) -> str:
        self._quotes.append(match[1])
        return f"⟦{len(self._quotes) - 1}⟧"

    def _obey(self, sentence: str) -> None:
        if "start afresh" in sentence:
            self.page.cell.blocks, self.page.cell.look = [], Look(background=WHITE)
            self._items = []
            self._spot = _Spot(self.page.cell, -1)
        elif match := _GROUND.match(sentence):
            repaint(self.page.cell.look, match["what"].split(", yours ")[0])
        elif match := _SPACE.match(sentence):
            self._space(match["name"], int(match[2]), int(match[3]))
        elif match := _KEEP.match(sentence):
            self._keep(match["name"], int(match[2]), int(match[3]))
        elif match := _TAKE.match(sentence):
            for row in self._rows(match["name"]):
                row.share, row.place = int(match[2]) / 100, place_in(match["place"]) or row.place
        elif match := _APART.match(sentence):
            for line in self._lines(match["name"]):
                line.apart = max((line.apart if line.apart >= 0 else 16) + int(match[2]) - int(match[3]), 1)
        elif match := _TALL.match(sentence):
            for row in self._rows(match["name"]):
                for cell in row.cells:
                    cell.height = float(match[2])
        elif match := _READ.match(sentence):
            for item in self._things(match["name"])[:1]:
                text = self._quotes[int(match["text"])].removesuffix("…")
                item.text = f"{item.text} {text}" if match["how"].startswith("go") else text
        elif match := _STAND.match(sentence):
            self._move(match["name"], match["place"])
        elif match := _GO.match(sentence):
            self._remove(match["name"])
        elif "yours has" in sentence:
            return
        elif match := _NEXT_CELL.match(sentence):
            self._next_cell(match["unit"], ORDINALS.index(match["which"]), bool(match["like"]), match["what"])
        elif match := _THERE.match(sentence):
            self._insert(match["place"], match["what"])
        elif match := _BE.match(sentence):
            self._change(match["name"], match["what"].split(", yours ")[0])

    # -- names

    def _things(self, name: str) -> list[Item]:
        """The items that a name, or a list of names, stands for."""
        found: list[Item] = []
        for match in _THING.finditer(name):
            position = ORDINALS.index(match["which"].lower()) if match["which"] in ORDINALS else 0
            if match["text"]:
                wanted = self._quotes[int(match["text"])]
                fits = [item for text, item in self._items if _called(text, wanted)]
            else:
                kind = {"picture": "picture", "empty button": "button"}.get(match["kind"], "field")
                fits = [
                    item
                    for text, item in self._items
                    if item.kind == kind
                    and (kind == "picture" or not text)
                    and item.is_tick == (match["kind"] == "tick box")
                ]
            if position < len(fits):
                found.append(fits[position])
        return found

    def _rows(self, name: str) -> list[Row]:
        return [row for row, _ in self._units(name)]

    def _units(self, name: str) -> list[tuple[Row, Cell]]:
        """The row, and its cell, that `the cards with "X"` stands for."""
        if match := _EMPTY_UNIT.match(name):
            for block in self.page.cell.blocks:
                if isinstance(block, Row) and not any(True for cell in block.cells for _ in _items(cell)):
                    return [(block, block.cells[0])]
            return []
        match = _WITH_UNIT.match(name)
        items = self._things(match["name"])[:1] if match else []
        if match is None or not items:
            return []
        path = self._path(items[0])
        rows = [(row, cell) for row, cell in path if row is not None]
        for row, cell in reversed(rows):
            if _same_unit(_unit_in(row, rows), match["unit"].lower()):
                return [(row, cell)]
        return rows[-1:]

    def _path(self, item: Item) -> list[tuple[Row | None, Cell]]:
        """The surfaces around an item, the page first, each with the row it is in."""

        def search(cell: Cell, row: Row | None) -> list[tuple[Row | None, Cell]] | None:
            for block in cell.blocks:
                if isinstance(block, Line):
                    if any(one is item for one in block.items):
                        return [(row, cell)]
                    continue
                for inner in block.cells:
                    found = search(inner, block)
                    if found is not None:
                        return [(row, cell), *found]
            return None

        return search(self.page.cell, None) or []

    def _lines(self, name: str) -> list[Line]:
        lines: list[Line] = []
        for item in self._things(name):
            for _, line in self._line_of(item):
                if not any(line is one for one in lines):
                    lines.append(line)
        return lines

    def _line_of(self, item: Item) -> list[tuple[Cell, Line]]:
        for _, cell in self._path(item)[-1:]:
            for block in cell.blocks:
                if isinstance(block, Line) and any(one is item for one in block.items):
                    return [(cell, block)]
        return []

    def _blocks(self, name: str) -> list[Block]:
        name = name.strip()
        if _WITH_UNIT.match(name):
            return list(self._rows(name))
        return list(self._lines(name))

    # -- spaces

    def _space(self, name: str, wanted: int, seen: int) -> None:
        for block in self._blocks(name):
            cell = self._cell_of(block)
            is_first = cell is not None and cell.blocks[0] is block
            usual = float(seen) if is_first else 16.0
            block.gap = (block.gap if block.gap >= 0 else usual) + wanted - seen
            block.gap = max(block.gap, -40.0 if not is_first else 0.0)

    def _keep(self, name: str, wanted: int, seen: int) -> None:
        for block in self._blocks(name):
            block.inset = max((block.inset if block.inset >= 0 else float(seen)) + wanted - seen, 0.0)

    def _cell_of(self, block: Block) -> Cell | None:
        for cell in _cells(self.page.cell):
            if any(one is block for one in cell.blocks):
                return cell
        return None

    # -- removals and changes

    def _remove(self, name: str) -> None:
        match = _WITH_UNIT.match(name)
        if match or _EMPTY_UNIT.match(name):
            for row, cell in self._units(name):
                spoken = (match or _EMPTY_UNIT.match(name))["unit"].lower()  # pyright: ignore[reportOptionalSubscript]
                if len(row.cells) > 1 and spoken in ("card", "column", "box", "small column"):
                    row.cells = [one for one in row.cells if one is not cell]
                    row.count = len(row.cells)
                else:
                    self._drop(row)
            return
        for item in self._things(name):
            for _, line in self._line_of(item):
                kept = [index for index, one in enumerate(line.items) if one is not item]
                line.items, line.places = [line.items[i] for i in kept], [line.places[i] for i in kept]
                if not line.items:
                    self._drop_whole(line)

    def _move(self, name: str, place: str) -> None:
        lines = self._lines(name)
        if not lines or not self._stand_at(place):
            return
        for line in lines:
            self._drop(line)
        for line in lines:
            self._put(line)

    def _drop_whole(self, line: Line) -> None:
        """Drops a line, and with it the card that nothing else stands on."""
        cell = self._cell_of(line)
        row = next((block for one in _cells(self.page.cell) for block in one.blocks if _holds(block, cell)), None)
        self._drop(line)
        if row is None or row.band or cell is None or cell.blocks or cell.look.plain:
            return
        row.cells = [one for one in row.cells if one is not cell]
        row.count = len(row.cells)
        if not row.cells:
            self._drop(row)

    def _drop(self, block: Block) -> None:
        cell = self._cell_of(block)
        if cell is None:
            return
        position = next(index for index, one in enumerate(cell.blocks) if one is block)
        del cell.blocks[position]
        if self._spot.cell is cell and self._spot.after >= position:
            self._spot.after -= 1

    def _change(self, name: str, what: str) -> None:
        match = _WITH_UNIT.match(name)
        if match is None:
            for item in self._things(name):
                restyle(item, what)
                place = place_in(what)
                if place is not None:
                    for _, line in self._line_of(item):
                        position = next(index for index, one in enumerate(line.items) if one is item)
                        set_place(line, position, place)
            return
        for row, cell in self._units(name):
            is_all = match["unit"].lower() in ("cards", "columns", "boxes", "small columns") or row.band
            if widths := re.match(r"about ([\d, and]+) percent wide", what):
                set_widths(row, [int(share) for share in re.findall(r"\d+", widths[1])])
            elif what.startswith("equally wide"):
                for one in row.cells:
                    one.width = 0
            for one in row.cells if is_all else [cell]:
                repaint(one.look, re.sub(rf"with {COLOUR} text", "", what))
                if letters := re.search(rf"with ({COLOUR}) text", what):
                    for item in _items(one):
                        if item.kind == "text":
                            item.colour = COLOURS[letters[1]]

    # -- additions

    def _insert(self, place: str, what: str) -> None:
        lowered = place[0].lower() + place[1:]
        if match := re.match(rf"(.+), after a gap of about {NUMBER} pixels$", lowered):
            lowered, what = match[1], f"after a gap of about {match[2]} pixels {what}"
        if match := re.match(r"to the (right|left) of (.+), on the same line$", lowered):
            self._insert_beside(match[2], match[1] == "right", what)
            return
        if match := re.match(rf"to the (right|left) of (the {_UNIT} with .+)$", lowered):
            self._insert_cell(match[2], match[1] == "right", what)
            return
        if re.match(r"to the right of that$", lowered):
            rows = [(row, cell) for row, cell in self._chain(self._spot.cell) if row is not None and not row.band]
            for row, cell in rows[-1:]:
                self._put_cell(row, cell, True, what)
            return
        if self._stand_at(lowered):
            self._add(what)

    def _stand_at(self, place: str) -> bool:
        """Moves the spot to a place; False where there is no such place."""
        if match := re.match(rf"below (?:this|these) ({_UNIT})$", place):
            self._leave(match[1])
        elif place == "at the top":
            self._spot = _Spot(self.page.cell, -1)
        elif place != "below that":
            match = re.match(r"(under|above|below|in) (.+)$", place)
            return match is not None and self._go_to(match[1], match[2])
        return True

    def _go_to(self, word: str, name: str) -> bool:
        if word == "in":
            for _, cell in self._units(name):
                self._spot = _Spot(cell, len(cell.blocks) - 1)
                return True
            return False
        for block in self._blocks(name):
            cell = self._cell_of(block)
            if cell is None:
                continue
            position = next(index for index, one in enumerate(cell.blocks) if one is block)
            self._spot = _Spot(cell, position - (word == "above"))
            return True
        return False

    def _leave(self, name: str) -> None:
        """To the place below the row around the spot."""
        chain = self._chain(self._spot.cell)
        rows = [(row, inner) for row, inner in chain if row is not None]
        for row, _ in reversed(rows):
            if _same_unit(_unit_in(row, rows), name):
                cell = self._cell_of(row)
                if cell is not None:
                    position = next(index for index, one in enumerate(cell.blocks) if one is row)
                    self._spot = _Spot(cell, position)
                return

    def _chain(self, target: Cell) -> list[tuple[Row | None, Cell]]:
        def search(cell: Cell, row: Row | None) -> list[tuple[Row | None, Cell]] | None:
            if cell is target:
                return [(row, cell)]
            for block in cell.blocks:
                if isinstance(block, Row):
                    for inner in block.cells:
                        found = search(inner, block)
                        if found is not None:
                            return [(row, cell), *found]
            return None

        return search(self.page.cell, None) or []

    def _add(self, what: str) -> None:
        """Puts `A; then B` where the spot is."""
        for part in what.split("; then "):
            match = re.match(rf"(?:after a gap of about {NUMBER} pixels )?(.+)$", part)
            if match is None:
                continue
            gap, phrase = float(match[1] or UNSET), match[2]
            row = row_in(phrase)
            if row is None:
                for line in self._parsed_lines(phrase):
                    line.gap = gap
                    self._put(line)
                continue
            row.gap = gap
            self._put(row)
            self._spot = _Spot(row.cells[0], -1)
            _, comma, contents = phrase.partition(", with ")
            if comma:
                self._add(contents)

    def _put(self, block: Block) -> None:
        self._spot.after += 1
        self._spot.cell.blocks.insert(self._spot.after, block)

    def _next_cell(self, name: str, position: int, like: bool, what: str) -> None:
        rows = [(row, cell) for row, cell in self._chain(self._spot.cell) if row is not None]
        row = next((row for row, _ in reversed(rows) if _same_unit(_unit_in(row, rows), name)), None)
        if row is None:
            return
        if position:
            first = row.cells[0]
            cell = Cell(look=deepcopy(first.look), width=row.cells[0].width)
            if len(row.cells) <= position:
                row.cells.append(cell)
            else:
                cell = row.cells[position]
            if like:
                self._copy(first, cell, what)
                return
        self._spot = _Spot(row.cells[min(position, len(row.cells) - 1)], -1)
        self._spot.after = len(self._spot.cell.blocks) - 1
        self._add(what)

    def _insert_cell(self, name: str, on_right: bool, what: str) -> None:
        for row, cell in self._units(name):
            self._put_cell(row, cell, on_right, what)

    def _put_cell(self, row: Row, cell: Cell, on_right: bool, what: str) -> None:
        """A cell beside another one; one that stands empty there is taken."""
        position = next(index for index, one in enumerate(row.cells) if one is cell)
        following = row.cells[position + 1] if on_right and position + 1 < len(row.cells) else None
        if following is not None and not following.blocks:
            new = following
        else:
            new = Cell(look=deepcopy(cell.look))
            row.cells.insert(position + on_right, new)
        row.count = max(row.count, len(row.cells))
        match = re.match(rf"another {_UNIT}(?P<like> like it,)? with (?P<what>.+)$", what)
        if match and match["like"]:
            self._copy(cell, new, match["what"])
            return
        self._spot = _Spot(new, -1)
        self._add(match["what"] if match else what)

    def _copy(self, pattern: Cell, cell: Cell, what: str) -> None:
        """What stands in one cell, with other texts, in another."""
        cell.blocks = deepcopy(pattern.blocks)
        named = [item for item in _items(cell) if item.kind != "picture" and item.text]
        for item, quote in zip(named, _MARK.findall(what), strict=False):
            item.text = self._quotes[int(quote)].removesuffix("…")
        self._spot = _Spot(cell, len(cell.blocks) - 1)

    def _insert_beside(self, name: str, on_right: bool, what: str) -> None:
        for item in self._things(name)[:1]:
            for _, line in self._line_of(item):
                position = next(index for index, one in enumerate(line.items) if one is item)
                groups = self._groups(what)
                for offset, (new, place) in enumerate(groups):
                    line.items.insert(position + on_right + offset, new)
                    line.places.insert(position + on_right + offset, place)
                    set_place(line, position + on_right + offset, place)

    def _parsed_lines(self, phrase: str) -> list[Line]:
        groups = self._groups(phrase)
        if not groups:
            return []
        if "one below the other" in phrase:
            return [Line([item], [place], UNSET, UNSET, UNSET) for item, place in groups]
        return [Line([item for item, _ in groups], [place for _, place in groups], UNSET, UNSET, UNSET)]

    def _groups(self, phrase: str) -> list[tuple[Item, Place]]:
        found: list[tuple[Item, Place]] = []
        for group in phrase.split(", beside it "):
            place = place_in(group) or "left"
            names = [self._quotes[int(mark)].removesuffix("…") for mark in _MARK.findall(group)]
            words = _MARK.sub("", group)
            if re.search(r"\bpictures?\b", words):
                head = words.split()[0]
                count = NUMBERS.index(head) if head in NUMBERS else 1
                items: list[Item] = [
                    Item("picture", look=Look(rounded="round-cornered" in words)) for _ in range(count)
                ]
            elif "empty input field" in words or "tick box" in words:
                head = words.split()[0]
                side = _TICK if "tick box" in words else 0
                count = NUMBERS.index(head) if head in NUMBERS else 1
                items = [Item("field", width=side, height=side) for _ in range(count)]
            elif "input field" in words:
                items = [Item("field", name) for name in names]
            else:
                items = [Item("button" if re.search(r"\bbuttons?\b", words) else "text", name) for name in names]
            for item in items:
                restyle(item, words)
                found.append((item, place))
        return found


# -- names


def _called(text: str, name: str) -> bool:
    return text.startswith(name[:-1]) if name.endswith("…") else text == name


def _unit_in(row: Row, rows: Sequence[tuple[Row, Cell]]) -> str:
    depth = 0
    for one, _ in rows:
        if one is row:
            break
        depth += not one.band
    return unit(row, depth)


def _same_unit(own: str, spoken: str) -> bool:
    singular = {"boxes": "box"}.get(spoken, spoken.removesuffix("s"))
    if own == "band":
        return singular in ("band", "header", "footer", "navigation bar")
    return own == singular or {own, singular} in ({"card", "column"}, {"box", "small column"})


def _holds(block: Block, cell: Cell | None) -> TypeGuard[Row]:
    return isinstance(block, Row) and any(one is cell for one in block.cells)


def _cells(cell: Cell) -> Iterator[Cell]:
    yield cell
    for block in cell.blocks:
        if isinstance(block, Row):
            for inner in block.cells:
                yield from _cells(inner)


def _items(cell: Cell) -> Iterator[Item]:
    for one in _cells(cell):
        for block in one.blocks:
            if isinstance(block, Line):
                yield from block.items
