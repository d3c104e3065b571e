"""From a render to the page as a person takes it in. Reads boxes and pixels only."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

from colbench_gym.grading.pictures import pixels
from colbench_gym.grading.render import Box, Colour, Render
from colbench_gym.simulators.seeing.colours import RGB, WHITE, colour_distance
from colbench_gym.simulators.seeing.model import Block, Cell, Item, Line, Look, Page, Place, Row

_PICTURES = frozenset(["img", "svg", "video", "canvas", "iframe", "object", "embed", "picture"])
_FIELDS = frozenset(["input", "textarea", "select"])
_INLINE = frozenset(("inline", "contents"))

_ALIGNED: dict[str, Place] = {"center": "centred", "right": "right"}

_SMALLEST_PICTURE = 8
_TALLEST_BUTTON = 96
_WIDEST_BUTTON = 480
_FULL_WIDTH = 0.9
_SAME_LINE = 0.35
"""Things overlapping in height by this share of the lower one stand side by side."""
_WIDE_GAP = 100
"""Between things of one line, this much empty space parts them into groups."""
_NARROW = 0.8
"""Lines shorter than this share of their surface are set in a narrow block."""
_COLOURLESS = 60
_UNEVEN = 0.06
"""What is painted by more than one colour, none of them strong, looks like a picture and not like a gradient."""
_STRONG = 0.15
"""A form field so far from white is one to press, not to fill in."""
_DEEPEST_ROW = 2
_THIN = 24
"""A strip of this height or less, with nothing in it, is no band of its own."""
_MOST_BLOCKS = 120
_MOST_BESIDE = 24
_LONGEST_TEXT = 4000
"""What goes on for longer is looked at up to here."""
_DEEPEST = 60
"""Levels of nesting that are followed: nobody sees more."""


@dataclass(slots=True)
class _Area:
    x: float
    y: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        return self.right - self.x

    @property
    def height(self) -> float:
        return self.bottom - self.y

    def joined(self, other: _Area) -> _Area:
        return _Area(
            min(self.x, other.x), min(self.y, other.y), max(self.right, other.right), max(self.bottom, other.bottom)
        )

    def covers(self, other: _Area) -> float:
        """Share of `other` that lies inside."""
        across = min(self.right, other.right) - max(self.x, other.x)
        down = min(self.bottom, other.bottom) - max(self.y, other.y)
        size = other.width * other.height
        return across * down / size if across > 0 and down > 0 and size > 0 else 0.0


@dataclass(slots=True)
class _Piece:
    """What one element shows: blocks below one another, where they are, and the element's own box."""

    blocks: list[Block]
    area: _Area
    box: _Area


def read_page(render: Render) -> Page:
    """What a person sees on a rendered page.

    Raises:
        MissingExtra: the extra `frontend` is not installed.
    """
    return _Reader(render).page()


class _Reader:
    def __init__(self, render: Render) -> None:
        self._render = render
        self._boxes = render.boxes
        self._children: list[list[int]] = [[] for _ in render.boxes]
        for index, box in enumerate(render.boxes):
            if box.parent >= 0:
                self._children[box.parent].append(index)
        self._picture = None

    def page(self) -> Page:
        ground: RGB = WHITE
        is_picture = False
        for box in self._boxes:
            if box.tag not in ("html", "body"):
                break
            ground = _over(box.background, ground)
            if box.gradient:
                ground, is_picture = self._painted(box, ground)
        pieces = [
            piece
            for index, box in enumerate(self._boxes)
            if box.parent < 0 and (piece := self._piece(index, ground, 0, True)) is not None
        ]
        width, height = float(self._render.width), float(self._render.height)
        cell = Cell([], Look(background=ground, picture=is_picture), 0, 0, width, height)
        if pieces:
            cell.blocks = _split_bands(_simplified(self._arranged(pieces).blocks, 0))
        _place(cell)
        return Page(cell)

    def _piece(self, index: int, behind: RGB, depth: int, may_be_band: bool) -> _Piece | None:
        box = self._boxes[index]
        area = _Area(box.x, box.y, box.x + box.width, box.y + box.height)
        if depth > _DEEPEST:
            return None
        if box.tag == "#text":
            return _single(_text(box), area) if box.text.strip() and area.width > 1 else None
        if box.tag in _PICTURES:
            if min(box.width, box.height) < _SMALLEST_PICTURE:
                return None
            look = Look(rounded=box.radius >= 4)
            return _single(Item("picture", look=look, x=box.x, y=box.y, width=box.width, height=box.height), area)
        if box.tag in _FIELDS:
            if min(box.width, box.height) < 4:
                return None
            look = self._look(box, behind)
            strong = look.background and colour_distance(look.background, WHITE) > _STRONG and box.text
            return _single(replace(_text(box), kind="button" if strong else "field", look=look), area)
        look = Look() if box.tag in ("html", "body") else self._look(box, behind)
        surface = look.background or behind
        is_band = may_be_band and not look.plain and box.width >= _FULL_WIDTH * self._render.width
        inner = may_be_band and (look.plain or is_band)
        flow = self._flow(index)
        if flow is not None:
            pieces = [_single(item, _Area(item.x, item.y, item.x + w, item.y + h)) for item, w, h in flow]
        else:
            pieces = [
                piece
                for child in self._children[index]
                if (piece := self._piece(child, surface, depth + 1, inner)) is not None
            ]
        if look.plain:
            if not pieces:
                return None
            found = self._arranged(pieces)
            return _Piece(found.blocks, found.area, area)
        if min(area.width, area.height) < 2:
            return None
        if look.picture and not pieces:
            look.picture = False
            return _single(Item("picture", look=look, x=box.x, y=box.y, width=box.width, height=box.height), area)
        found = self._arranged(pieces) if pieces else _Piece([], area, area)
        only = _only_item(found.blocks)
        if only is not None and only.kind == "text" and not is_band and _fits_button(area, only):
            item = replace(only, kind="button", look=look, x=box.x, y=box.y, width=box.width, height=box.height)
            return _single(item, area)
        cell = Cell(found.blocks, look, box.x, box.y, box.width, box.height)
        return _Piece([Row([cell], is_band, 1)], area, area)

    def _flow(self, index: int) -> list[tuple[Item, float, float]] | None:
        """The texts of an element that holds only running text, joined where they run on; None for any other."""
        texts: list[Box] = []
        for child in self._children[index]:
            found = self._running(child)
            if found is None:
                return None
            texts += found
        if not texts:
            return None
        items: list[tuple[Item, float, float]] = []
        for box in texts:
            item = _text(box)
            if items:
                last, width, height = items[-1]
                same_line = abs(last.y + height - (box.y + box.height)) < 0.4 * max(last.size, item.size)
                follows = same_line and -2 <= box.x - (last.x + width) <= 0.55 * last.size
                wraps = height + box.height > 3.2 * last.size and box.y < last.y + height - 2 and not same_line
                if (follows or wraps) and abs(last.size - item.size) <= 2:
                    area = _Area(last.x, last.y, last.x + width, last.y + height).joined(
                        _Area(box.x, box.y, box.x + box.width, box.y + box.height)
                    )
                    joined = replace(
                        last if len(last.text) >= len(item.text) else item,
                        text=f"{last.text} {item.text}",
                        x=area.x,
                        y=area.y,
                    )
                    items[-1] = (joined, area.width, area.height)
                    continue
            items.append((item, box.width, box.height))
        for item, width, height in items:
            item.width, item.height = width, height
        return items

    def _running(self, index: int) -> list[Box] | None:
        box = self._boxes[index]
        if box.tag == "#text":
            return [box] if box.text.strip() and box.width > 1 else []
        if box.tag in _PICTURES or box.tag in _FIELDS or box.display not in _INLINE:
            return [] if box.tag in ("br", "wbr") else None
        if box.background or any(box.border) or box.shadow:
            return None
        texts: list[Box] = []
        for child in self._children[index]:
            found = self._running(child)
            if found is None:
                return None
            texts += found
        return texts

    def _look(self, box: Box, behind: RGB) -> Look:
        background: RGB | None = _over(box.background, behind) if box.background else None
        if box.gradient:
            background, is_picture = self._painted(box, behind)
            if is_picture:
                return Look(background, None, box.radius >= 3, box.shadow, True)
        elif background is None and box.shadow:
            background = behind
        if background is not None and colour_distance(background, behind) < 0.004:
            background = None if not box.shadow else background
        border = None
        if box.border_color and sum(width >= 1 for width in box.border) >= 3:
            border = _over(box.border_color, background or behind)
            if colour_distance(border, background or behind) < 0.004:
                border = None
        return Look(background, border, box.radius >= 3, box.shadow)

    def _painted(self, box: Box, behind: RGB) -> tuple[RGB, bool]:
        """The colour that half of a box is darker than, from the pixels, and whether it looks like a picture."""
        if self._picture is None:
            self._picture = pixels(self._render)
        part = self._picture[
            max(int(box.y), 0) : max(int(box.y + box.height), 0) : 8,
            max(int(box.x), 0) : max(int(box.x + box.width), 0) : 8,
        ].reshape(-1, 3)
        if not len(part):
            return behind, False
        tones: list[RGB] = sorted(((int(r), int(g), int(b)) for r, g, b in part.tolist()), key=sum)
        # Letters on it are the darkest or the lightest; most of what is between is the surface itself.
        dark, middle, light = (tones[len(tones) * share // 100] for share in (20, 50, 80))
        is_grey = max(max(tone) - min(tone) for tone in (dark, middle, light)) < _COLOURLESS
        return middle, is_grey and colour_distance(dark, light) > _UNEVEN

    def _arranged(self, pieces: list[_Piece]) -> _Piece:
        """Pieces put into rows by where they are, the rows below one another."""
        whole = pieces[0].area
        for piece in pieces[1:]:
            whole = whole.joined(piece.area)
        rows: list[tuple[list[_Piece], float, float]] = []
        for piece in sorted(pieces, key=lambda piece: piece.area.y):
            if rows:
                row, top, bottom = rows[-1]
                shared = min(bottom, piece.area.bottom) - max(top, piece.area.y)
                if shared > _SAME_LINE * min(bottom - top, piece.area.height):
                    row.append(piece)
                    rows[-1] = (row, top, max(bottom, piece.area.bottom))
                    continue
            rows.append(([piece], piece.area.y, piece.area.bottom))
        blocks: list[Block] = []
        for row, _, _ in rows:
            blocks += row[0].blocks if len(row) == 1 else self._side_by_side(row)
        return _Piece(blocks, whole, whole)

    def _side_by_side(self, row: list[_Piece]) -> list[Block]:
        for piece in row:
            item = _only_item(piece.blocks)
            if item is not None and item.kind == "picture":
                others = [other for other in row if other is not piece]
                if all(piece.area.covers(other.area) > 0.6 for other in others):
                    inside = self._arranged(others)
                    look = replace(item.look, picture=True)
                    band = piece.area.width >= _FULL_WIDTH * self._render.width
                    cell = Cell(inside.blocks, look, item.x, item.y, item.width, item.height)
                    return [Row([cell], band, 1)]
        row = sorted(row, key=lambda piece: piece.area.x)
        for left, right in pairwise(row):
            if left.area.right - right.area.x > 0.5 * min(left.area.width, right.area.width):
                return [block for piece in sorted(row, key=lambda one: one.area.y) for block in piece.blocks]
        if all(len(piece.blocks) == 1 and isinstance(piece.blocks[0], Line) for piece in row) and _is_line(row):
            items = [item for piece in row for item in _line(piece).items]
            return [Line(items, ["left"] * len(items))]
        cells: list[Cell] = []
        for piece in row:
            first = piece.blocks[0]
            if len(piece.blocks) == 1 and isinstance(first, Row) and len(first.cells) == 1:
                cells.append(first.cells[0])
            else:
                box = piece.box
                cells.append(Cell(piece.blocks, Look(), box.x, piece.area.y, box.width, piece.area.height))
        return [Row(cells, False, len(cells))]


def _is_line(row: list[_Piece]) -> bool:
    """Whether things side by side make one line, and not equal columns, or columns of long text or large pictures."""
    items = [item for piece in row for item in _line(piece).items]
    widths = [piece.box.width for piece in row]
    if min(widths) > 120 and max(widths) < 1.04 * min(widths):
        roomy = [piece for piece in row if piece.box.width > 1.3 * piece.area.width]
        if len(roomy) == len(row):
            return False
    high = [item for item in items if item.kind == "picture" and item.height > 120]
    long = [item for item in items if item.is_long]
    return not high and not long


def _line(piece: _Piece) -> Line:
    block = piece.blocks[0]
    assert isinstance(block, Line)
    return block


def _only_item(blocks: list[Block]) -> Item | None:
    if len(blocks) == 1 and isinstance(blocks[0], Line) and len(blocks[0].items) == 1:
        return blocks[0].items[0]
    return None


def _fits_button(area: _Area, item: Item) -> bool:
    return area.height <= _TALLEST_BUTTON and area.width <= _WIDEST_BUTTON and item.height < 2.4 * item.size


def _single(item: Item, area: _Area) -> _Piece:
    return _Piece([Line([item], ["left"])], area, area)


def _text(box: Box) -> Item:
    colour = _over(box.color, WHITE) if box.color[3] > 0.3 else box.color[:3]
    return Item(
        "text",
        " ".join(box.text[:_LONGEST_TEXT].split()),
        round(box.font_size),
        box.font_weight >= 600,
        box.italic,
        (int(colour[0]), int(colour[1]), int(colour[2])),
        Look(border=None, rounded=box.radius >= 3),
        box.x,
        box.y,
        box.width,
        box.height,
        _ALIGNED.get(box.align, "left"),
    )


def _over(colour: Colour | None, behind: RGB) -> RGB:
    """A colour, perhaps a translucent one, painted over another."""
    if colour is None:
        return behind
    red, green, blue, opacity = colour
    shown = [
        round(opacity * top + (1 - opacity) * below) for top, below in zip((red, green, blue), behind, strict=True)
    ]
    return shown[0], shown[1], shown[2]


def _simplified(blocks: list[Block], depth: int) -> list[Block]:
    """Without surfaces that nobody sees, rows in rows in rows, and endless lists: nobody could describe them."""
    simple: list[Block] = []
    for block in blocks[:_MOST_BLOCKS]:
        if isinstance(block, Line):
            block.items, block.places = block.items[:_MOST_BESIDE], block.places[:_MOST_BESIDE]
        else:
            block.cells = block.cells[:_MOST_BESIDE]
            for cell in block.cells:
                cell.blocks = _simplified(cell.blocks, depth if block.band else depth + 1)
            if depth >= _DEEPEST_ROW or (len(block.cells) == 1 and block.cells[0].look.plain):
                simple += [inner for cell in block.cells for inner in cell.blocks]
                continue
        simple.append(block)
    return simple[:_MOST_BLOCKS]


def _split_bands(blocks: list[Block]) -> list[Block]:
    """Bands on top of a band become bands of the page, with what is left of the lower one between them."""
    split: list[Block] = []
    for block in blocks:
        if not (isinstance(block, Row) and block.band):
            split.append(block)
            continue
        outer = block.cells[0]
        inner = _split_bands(outer.blocks)
        if not any(isinstance(one, Row) and one.band for one in inner):
            split.append(block)
            continue
        top, between = outer.y, list[Block]()
        for one in [*inner, None]:
            if one is not None and not (isinstance(one, Row) and one.band):
                between.append(one)
                continue
            bottom = outer.y + outer.height if one is None else _area_of(one).y
            if not between and bottom - top > _THIN and outer.look.picture:
                look = replace(outer.look, picture=False)
                strip = Item("picture", look=look, x=outer.x, y=top, width=outer.width, height=bottom - top)
                split.append(Line([strip], ["left"]))
            elif between or bottom - top > _THIN:
                cell = replace(outer, blocks=between, y=top, height=bottom - top)
                split.append(Row([cell], True, 1))
            if one is not None:
                split.append(one)
                top, between = _area_of(one).bottom, []
    return split


# -- where things stand on their surface


def _area_of(block: Block) -> _Area:
    if isinstance(block, Row):
        parts = [_Area(cell.x, cell.y, cell.x + cell.width, cell.y + cell.height) for cell in block.cells]
    else:
        parts = [_Area(item.x, item.y, item.x + item.width, item.y + item.height) for item in block.items]
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.joined(part)
    return whole


def _place(cell: Cell) -> None:
    """Sets places, gaps and insets of everything in a cell, from where it was seen."""
    above = cell.y
    for block in cell.blocks:
        area = _area_of(block)
        block.gap = max(area.y - above, 0)
        above = max(area.bottom, above)
        if isinstance(block, Row):
            block.share = min(area.width / cell.width, 1.0) if cell.width else 1.0
            block.place = _lean(area, cell)
            block.inset = _inset(area, cell, block.place)
            for inner in block.cells:
                _place(inner)
            continue
        block.items.sort(key=lambda item: item.x)
        block.places = _places(block.items, cell)
        block.inset = _inset(area, cell, block.places[0])
        block.apart = _apart(block)


def _apart(line: Line) -> float:
    """The usual space between neighbours that stand together."""
    spaces = sorted(
        right.x - (left.x + left.width)
        for left, right, place, next_place in zip(
            line.items, line.items[1:], line.places, line.places[1:], strict=False
        )
        if place == next_place != "spread"
    )
    return spaces[len(spaces) // 2] if spaces else 0.0


def _lean(area: _Area, cell: Cell) -> Place:
    left, right = area.x - cell.x, cell.x + cell.width - area.right
    if abs(left - right) <= max(0.03 * cell.width, 12) and (left > 40 or left + right < 80):
        return "centred" if left > 40 else "left"
    return "left" if left < right else "right"


def _inset(area: _Area, cell: Cell, place: Place) -> float:
    if place == "right":
        return max(cell.x + cell.width - area.right, 0)
    return max(area.x - cell.x, 0)


def _places(items: list[Item], cell: Cell) -> list[Place]:
    first = items[0]
    if len(items) == 1:
        area = _Area(first.x, first.y, first.x + first.width, first.y + first.height)
        if first.is_long:
            first.narrow = first.width < _NARROW * cell.width
            return [_lean(area, cell) if first.narrow else first.align]
        return [_lean(area, cell) if first.kind != "field" or first.width < 0.7 * cell.width else "left"]
    gaps = [right.x - (left.x + left.width) for left, right in pairwise(items)]
    wide = [gap >= _WIDE_GAP for gap in gaps]
    if len(items) > 2 and all(wide) and max(gaps) < 1.5 * min(gaps):
        return ["spread"] * len(items)
    groups: list[list[Item]] = [[first]]
    for item, parted in zip(items[1:], wide, strict=True):
        if parted:
            groups.append([item])
        else:
            groups[-1].append(item)
    if len(groups) > 3:
        return ["spread"] * len(items)
    names: list[Place] = ["left", "centred", "right"]
    if len(groups) == 2:
        names = ["left", "right"]
    if len(groups) == 1:
        last = items[-1]
        area = _Area(first.x, first.y, last.x + last.width, max(item.y + item.height for item in items))
        names = [_lean(area, cell)]
    return [name for name, group in zip(names, groups, strict=False) for _ in group]
