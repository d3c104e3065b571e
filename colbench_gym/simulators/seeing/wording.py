"""The user's English for things on a page. Every phrase is one that `colbench_agents.listening` can take back."""

from __future__ import annotations

from collections.abc import Sequence

from colbench_gym.simulators.seeing.colours import RGB, colour_name
from colbench_gym.simulators.seeing.model import Block, Cell, Item, Line, Look, Place, Row, items_of

SIZES = {
    "tiny": 12,
    "small": 14,
    "normal-sized": 16,
    "slightly larger": 18,
    "fairly large": 20,
    "large": 24,
    "very large": 30,
    "huge": 36,
    "enormous": 48,
    "gigantic": 60,
    "colossal": 76,
}
"""Heights of letters in pixels, as people call them."""

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
ORDINALS = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh"),
    "twelfth",
)

LONGEST_QUOTE = 420
"""Longer texts are begun, and gone on with in a later reply."""
ADDRESS = 44
"""A thing is called by this many of its first characters."""

_PLAIN = {ord('"'): "'", ord("“"): "'", ord("”"): "'", ord("…"): "...", ord("<"): "\u2039", ord(">"): "\u203a"}
PLACES: dict[Place, str] = {
    "left": "on the left",
    "centred": "centred",
    "right": "on the right",
    "spread": "spread over the whole width",
}


def percent(share: float) -> int:
    """A share as a person estimates it: in steps of five, the smallest by single figures."""
    return 5 * round(20 * share) or max(1, round(100 * share))


def number(count: int) -> str:
    return NUMBERS[count] if count < len(NUMBERS) else str(count)


def ordinal(position: int) -> str:
    """The name of a position, counted from 0."""
    return ORDINALS[position] if position < len(ORDINALS) else f"{position + 1}th"


def joined(parts: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def size_name(size: float) -> str:
    return min(SIZES, key=lambda name: abs(SIZES[name] - size) / max(SIZES[name], 1))


def about(length: float) -> int:
    """A length as a person estimates it."""
    step = 4 if length < 40 else 10 if length < 200 else 20
    return max(round(length / step) * step, step if length > 1 else 0)


def plain(text: str) -> str:
    """A text as it can stand between quotation marks."""
    return " ".join(text.translate(_PLAIN).split())


def quoted(text: str) -> str:
    """A text in quotation marks, whole if that is not too long."""
    text = plain(text)
    if len(text) <= LONGEST_QUOTE:
        return f'"{text}"'
    return f'"{text[: text.rfind(" ", 0, LONGEST_QUOTE) if " " in text[:LONGEST_QUOTE] else LONGEST_QUOTE]}…"'


def called(text: str) -> str:
    """A text as a name for the thing that bears it."""
    text = plain(text)
    if len(text) <= ADDRESS:
        return f'"{text}"'
    return f'"{text[:ADDRESS].rsplit(" ", 1)[0] if " " in text[:ADDRESS] else text[:ADDRESS]}…"'


# -- styles


def style(item: Item) -> str:
    """`huge, bold white text`; empty for plain text."""
    words = [size_name(item.size)] if size_name(item.size) != "normal-sized" else []
    words += ["bold"] * item.bold + ["italic"] * item.italic
    name = colour_name(item.colour)
    if name != "black":
        words.append(name)
    return f"{' '.join(words)} text" if words else ""


def surface(look: Look) -> str:
    """What follows the name of a surface: corners, shadow, border."""
    parts = ["rounded corners"] * look.rounded + ["a shadow"] * look.shadow
    if look.border:
        parts.append(f"a {colour_name(look.border)} border")
    return joined(parts) if parts else ""


def article(phrase: str) -> str:
    return f"an {phrase}" if phrase[0] in "aeiou" else f"a {phrase}"


def tinted(look: Look) -> str:
    """The colour of a surface in front of its name, with a blank."""
    return f"{colour_name(look.background)} " if look.background else ""


def box_size(item: Item) -> str:
    return f"about {about(item.width)} by {about(item.height)}"


# -- lines


def style_key(item: Item) -> tuple[object, ...]:
    """Equal for things that one phrase describes."""
    look = item.look
    shape = (about(item.width), about(item.height)) if item.kind in ("picture", "field") and not item.is_tick else ()
    if item.narrow:
        shape = (about(item.width), item.align)
    tint: RGB | None = look.background
    paint = (colour_name(tint) if tint else None, surface(look)) if item.kind in ("button", "picture") else ()
    return (item.kind, style(item), *shape, *paint, item.kind == "field" and not item.text, item.is_tick)


def group_phrase(items: Sequence[Item], place: Place = "left") -> str:
    """Things of one style, and where on the line they are."""
    phrase = _things_phrase(items) + (" side by side" if len(items) > 1 else "")
    return _placed(phrase, items[0], place)


def _placed(phrase: str, item: Item, place: Place) -> str:
    if item.narrow:
        return f"{phrase}, {'' if place == 'left' else f'{PLACES[place]}, '}in {lines_phrase(item)}"
    return phrase if place == "left" else f"{phrase} {PLACES[place]}"


def _things_phrase(items: Sequence[Item]) -> str:
    first = items[0]
    count = len(items)
    names = joined([quoted(item.text) for item in items])
    if first.kind == "picture":
        what = "round-cornered picture" if first.look.rounded else "picture"
        return f"{article(what) if count == 1 else f'{number(count)} {what}s'} {box_size(first)}"
    if first.is_tick:
        return "a tick box" if count == 1 else f"{number(count)} tick boxes"
    if first.kind == "field":
        named = joined([quoted(item.text) for item in items if item.text]) if any(item.text for item in items) else ""
        if not named:
            what = "an empty input field" if count == 1 else f"{number(count)} empty input fields"
            return f"{what} {box_size(first)}"
        return f"{'an input field' if count == 1 else 'input fields'} {named} {box_size(first)}"
    written = style(first)
    if first.kind == "button":
        what = f"{tinted(first.look) or 'see-through '}button"
        parts = [written] * bool(written) + [surface(first.look)] * bool(surface(first.look))
        head = f"{article(what)} {names}" if count == 1 else f"{what}s {names}"
        return head + (f" with {' and '.join(parts)}" if parts else "")
    return names + (f" in {written}" if written else "")


def lines_phrase(item: Item) -> str:
    """How the lines of a long text are set."""
    align = "ragged on both sides" if item.align == "centred" else f"flush {item.align}"
    return f"lines about {about(item.width)} pixels long and {align}"


def line_phrase(line: Line) -> str:
    """One line: groups of things, each with its place."""
    groups: list[tuple[list[Item], Place]] = []
    for item, place in zip(line.items, line.places, strict=True):
        if groups and groups[-1][1] == place and style_key(groups[-1][0][0]) == style_key(item):
            groups[-1][0].append(item)
        else:
            groups.append(([item], place))
    return ", beside it ".join(group_phrase(items, place) for items, place in groups)


def column_phrase(lines: Sequence[Line]) -> str:
    """Lines of one thing each, all alike."""
    items = [line.items[0] for line in lines]
    return _placed(f"{_things_phrase(items)} one below the other", items[0], lines[0].places[0])


# -- rows


def unit(row: Row, depth: int) -> str:
    """What the cells of a row are called; `depth` counts the rows around it."""
    if row.band:
        return "band"
    is_card = not row.cells[0].look.plain
    if depth > 0:
        return "box" if is_card else "small column"
    return "card" if is_card else "column"


def units(row: Row, depth: int) -> str:
    name = unit(row, depth)
    if len(row.cells) == 1:
        return name
    return f"{name}es" if name == "box" else f"{name}s"


def widths_of(row: Row) -> list[int] | None:
    """Percentages of the row's width, rounded to 5; None where the cells are about equal."""
    total = sum(cell.width for cell in row.cells)
    if len(row.cells) < 2 or total <= 0:
        return None
    shares = [5 * round(20 * cell.width / total) for cell in row.cells]
    return shares if max(shares) - min(shares) > 5 else None


def widths_phrase(shares: Sequence[int]) -> str:
    return f"about {joined([str(share) for share in shares])} percent wide"


def row_phrase(row: Row, depth: int) -> str:
    """A row without what is in it."""
    look = row.cells[0].look
    name = units(row, depth)
    if row.band:
        head = article(f"{tinted(look)}band" if not look.picture else "band filled by a picture")
        finish = surface(look)
        return f"{head} about {about(row.cells[0].height)} pixels tall" + (f" with {finish}" if finish else "")
    if look.picture:
        cell = row.cells[0]
        return f"a {name} filled by a picture about {about(cell.width)} by {about(cell.height)}"
    count = len(row.cells)
    finish = surface(look)
    phrase = article(f"{tinted(look)}{name}") if count == 1 else f"{number(count)} {tinted(look)}{name} side by side"
    phrase += f" with {finish}" if finish else ""
    if count == 1 and not row.cells[0].blocks:
        phrase += f" about {about(row.cells[0].height)} pixels tall"
    shares = widths_of(row)
    phrase += f", {widths_phrase(shares)}" if shares else ""
    if row.share < 0.85:
        phrase += f", taking about {percent(row.share)}% of the width {PLACES[row.place]}"
    return phrase


def looks_like(first: Cell, other: Cell) -> bool:
    """Whether two cells differ in their texts only."""
    return len(first.blocks) == len(other.blocks) and all(
        _alike(one, two) for one, two in zip(first.blocks, other.blocks, strict=True)
    )


def _alike(one: Block, two: Block) -> bool:
    if isinstance(one, Row) or isinstance(two, Row):
        return False
    keys = [[style_key(item) for item in line.items] for line in (one, two)]
    return keys[0] == keys[1] and one.places == two.places


def name_of(blocks: Sequence[Block]) -> str | None:
    """The first text by which blocks can be called."""
    for item in items_of(list(blocks)):
        if item.text and item.kind != "picture":
            return item.text
    return None
