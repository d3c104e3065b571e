"""A page kept in the head, written down as HTML."""

from __future__ import annotations

from html import escape

from colbench_gym.simulators.seeing.colours import RGB
from colbench_gym.simulators.seeing.model import Block, Cell, Item, Line, Look, Page, Place, Row

_USUAL_SPACE = 16.0
_GLYPHS = 1.164
"""Height that a font paints for letters of size 1; the rest of a line's height is empty."""
_LINE_HEIGHTS = ((13, 16), (15, 20), (17, 24), (19, 28), (22, 28), (27, 32), (33, 36), (42, 40))
_ALIGN: dict[Place, str] = {"left": "left", "centred": "center", "right": "right", "spread": "left"}
_JUSTIFY: dict[Place, str] = {
    "left": "flex-start",
    "centred": "center",
    "right": "flex-end",
    "spread": "space-between",
}
_MARGIN: dict[Place, str] = {"centred": "margin:0 auto", "right": "margin-left:auto"}
TAILWIND = "https://cdn.jsdelivr.net/npm/tailwindcss@2.2.19/dist/tailwind.min.css"


def html_of(page: Page) -> str:
    """The page as HTML: Tailwind 2 for the basics, its own lengths and colours."""
    ground = _css(page.cell.look.background or (255, 255, 255))
    if page.cell.look.picture:
        ground = f"url('https://picsum.photos/id/48/1280/720') center/cover {ground}"
    body = _blocks(page.cell.blocks, _USUAL_SPACE, 0)
    return (
        f'<html>\n<head><link href="{TAILWIND}" rel="stylesheet"></head>\n'
        f'<body style="background:{ground};min-height:100vh">\n{body}</body>\n</html>'
    )


def _css(colour: RGB) -> str:
    return "#" + "".join(f"{part:02x}" for part in colour)


def _blocks(blocks: list[Block], inset: float, depth: int) -> str:
    """Blocks below one another, each with its space above and at its sides."""
    parts: list[str] = []
    before: Block | None = None
    for block in blocks:
        is_band = isinstance(block, Row) and block.band
        lead = _lead(block) + (_lead(before) if before is not None else 0.0)
        if block.gap > 0 or (block.gap == 0 and before is not None):
            gap = block.gap - lead
        else:
            gap = 0.0 if before is None or is_band else max(_USUAL_SPACE - lead, 0.0)
        side = block.inset if block.inset >= 0 else 0.0 if is_band else inset
        inner = _line(block, side) if isinstance(block, Line) else _row(block, side, depth)
        style = f"padding-top:{gap:g}px" if gap >= 0 else f"margin-top:{gap:g}px"
        parts.append(f'<div style="{style}">{inner}</div>\n')
        before = block
    return "".join(parts)


def _lead(block: Block) -> float:
    """Empty height that a line of text brings along above, and again below its letters."""
    if isinstance(block, Row) or any(item.kind != "text" for item in block.items):
        return 0.0
    size = max(item.size for item in block.items)
    return (line_height(size) - _GLYPHS * size) / 2


def line_height(size: int) -> int:
    return next((height for limit, height in _LINE_HEIGHTS if size < limit), size)


def _line(line: Line, side: float) -> str:
    groups: list[tuple[Place, list[Item]]] = []
    for item, place in zip(line.items, line.places, strict=True):
        if groups and groups[-1][0] == place:
            groups[-1][1].append(item)
        else:
            groups.append((place, [item]))
    apart = line.apart if line.apart >= 0 else _USUAL_SPACE
    if len(line.items) == 1:
        item, place = line.items[0], line.places[0]
        if item.kind == "text":
            align = f"text-align:{_ALIGN[place]}"
            if item.width > 0:
                align = f"text-align:{_ALIGN[item.align]};max-width:{item.width:g}px;{_MARGIN.get(place, '')}"
            inner = f'<div style="{align}">{_item(item)}</div>'
        else:
            inner = f'<div style="display:flex;justify-content:{_JUSTIFY[place]}">{_item(item)}</div>'
        return f'<div style="padding:0 {side:g}px">{inner}</div>'
    inside = "".join(
        f'<div style="display:flex;align-items:center;gap:{apart:g}px;justify-content:{_JUSTIFY[place]};'
        f'{"flex:1" if len(groups) == 1 else ""}">{"".join(_item(item) for item in items)}</div>'
        for place, items in groups
    )
    spread = "display:flex;align-items:center;justify-content:space-between"
    return f'<div style="padding:0 {side:g}px;{spread}">{inside}</div>'


def _item(item: Item) -> str:
    text = escape(item.text)
    if item.kind == "picture":
        width, height = item.width or 300, item.height or 200
        corner = "border-radius:8px;" if item.look.rounded else ""
        source = f"https://picsum.photos/id/48/{width:g}/{height:g}"
        return f'<img src="{source}" alt="" style="width:{width:g}px;height:{height:g}px;max-width:none;{corner}">'
    letters = f"font-size:{item.size}px;line-height:{line_height(item.size)}px;color:{_css(item.colour)};"
    letters += "font-weight:700;" * item.bold + "font-style:italic;" * item.italic
    size = f"width:{item.width:g}px;height:{item.height:g}px;" if item.width and item.height else ""
    if item.is_tick and item.width:
        return f'<input type="checkbox" style="{size}">'
    if item.kind == "field":
        surface = f"{_surface(item.look)}padding:8px 12px;{'' if item.look.border else 'border:1px solid #d1d5db;'}"
        return f'<input placeholder="{text}" style="{letters}{surface}{size or "width:100%;"}max-width:100%">'
    if item.kind == "button":
        room = f"{size}display:flex;align-items:center;justify-content:center;" if size else "padding:8px 16px;"
        return f'<button style="{letters}{_surface(item.look)}{room}">{text}</button>'
    return f'<p style="{letters}">{text}</p>'


def _surface(look: Look) -> str:
    style = f"background:{_css(look.background)};" if look.background else ""
    style += f"border:1px solid {_css(look.border)};" if look.border else ""
    style += "border-radius:8px;" if look.rounded else ""
    return style + ("box-shadow:0 2px 6px rgba(0,0,0,.15);" if look.shadow else "")


def _row(row: Row, side: float, depth: int) -> str:
    if row.band or row.cells[0].look.picture:
        return f'<div style="padding:0 {side:g}px">{"".join(_band(cell, row) for cell in row.cells)}</div>'
    count = max(row.count, len(row.cells))
    total = sum(cell.width for cell in row.cells) if all(cell.width > 0 for cell in row.cells) else 0
    cells = []
    for cell in row.cells:
        share = cell.width / total if total else 1 / count
        is_set = bool(cell.blocks) and cell.blocks[0].gap >= 0
        room = "" if cell.look.plain else f"padding:{0 if is_set else 16}px 0 16px;"
        width = f"width:calc({100 * share:g}% - {_USUAL_SPACE * (1 - share):g}px)"
        inner = _blocks(cell.blocks, 0.0 if cell.look.plain else _USUAL_SPACE, depth + 1)
        if cell.height > 0:
            width += f";min-height:{cell.height:g}px"
        cells.append(f'<div style="{width};{_surface(cell.look)}{room}">\n{inner}</div>')
    margin = _MARGIN.get(row.place, f"margin-left:{side:g}px")
    if row.place == "right":
        margin += f";margin-right:{side:g}px"
    width = f"width:{100 * row.share:g}%;{margin}" if row.share < 1 else f"margin:0 {side:g}px"
    return f'<div style="{width}"><div style="display:flex;gap:{_USUAL_SPACE:g}px">{"".join(cells)}</div></div>'


def _band(cell: Cell, row: Row) -> str:
    look = cell.look
    size = f"width:{cell.width:g}px;max-width:100%;" if cell.width > 0 and not row.band else ""
    is_set = bool(cell.blocks) and cell.blocks[0].gap >= 0
    tall = f"min-height:{cell.height:g}px;" if cell.height > 0 else "" if is_set else "padding:16px 0;"
    stand = "flex-start" if is_set else "center"
    back = ""
    if look.picture:
        back = f"background:url('https://picsum.photos/id/48/1280/{cell.height or 400:g}') center/cover;"
    inner = _blocks(cell.blocks, _USUAL_SPACE, 1)
    return (
        f'<div style="{size}{_surface(look)}{tall}{back}display:flex;flex-direction:column;justify-content:{stand}">'
        f"\n<div>{inner}</div></div>"
    )
