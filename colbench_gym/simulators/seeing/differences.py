"""How a shown page differs from the wanted one: each difference in a sentence, with the weight it has to the eye."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from colbench_gym.simulators.seeing.colours import WHITE, colour_distance, colour_name, same_colour
from colbench_gym.simulators.seeing.matching import (
    align,
    align_blocks,
    align_cells,
    as_columns,
    item_likeness,
    text_likeness,
)
from colbench_gym.simulators.seeing.model import Block, Cell, Item, Line, Page, Row, items_of
from colbench_gym.simulators.seeing.naming import Names
from colbench_gym.simulators.seeing.restyling import restyling, resurfacing
from colbench_gym.simulators.seeing.telling import tell, tell_cell
from colbench_gym.simulators.seeing.wording import (
    PLACES,
    about,
    article,
    box_size,
    group_phrase,
    joined,
    lines_phrase,
    looks_like,
    number,
    percent,
    plain,
    quoted,
    style,
    surface,
    tinted,
    unit,
    units,
    widths_of,
    widths_phrase,
)

_TEXT_EYE = 3.0
"""The eye goes to letters before it goes to surfaces of the same size."""
_SMALLEST_SPACE = 10
"""Spaces that differ by fewer pixels are the same to a person."""
_LEAST_APART = 6
_FEWEST_SHARED = 0.15
"""With less than this share of the wanted words on it, a page is another page."""
_LIKE = 0.6
_NAMED_AT_ONCE = 6


@dataclass(slots=True)
class Difference:
    """One thing to say.

    Attributes:
        key: stable name, e.g. `colour:Home`: what is meant, and by its first words where it is.
        topic: `colour`, `text`, `layout`, `picture`, `size`, `space` or `style`.
        weight: how outstanding it is, in pixels of the page, roughly.
        sentences: to be said in this order; each holds without those after it.
        about: the words of the things concerned, for finding what a question is about.
    """

    key: str
    topic: str
    weight: float
    sentences: list[str]
    about: str = ""


def shared_words(page: Page, other: Page) -> float:
    """Share of a page's words that stand on the other page in texts like theirs."""
    theirs = [item.text for item in other.items() if item.text]
    total = found = 0
    for item in page.items():
        size = len(item.text.split())
        total += size
        if size and any(text_likeness(item.text, text) > _LIKE for text in theirs):
            found += size
    return found / total if total else 1.0


def is_other_page(wanted: Page, shown: Page) -> bool:
    """Whether it is easier to begin anew than to mend: hardly anything is there, and what is there is not wanted."""
    if not any(True for _ in shown.items()):
        return False
    return shared_words(wanted, shown) < _FEWEST_SHARED and shared_words(shown, wanted) < 2 * _FEWEST_SHARED


def whole(wanted: Page) -> list[str]:
    """Sentences that describe a page from nothing."""
    sentences = []
    ground = wanted.cell.look.background or WHITE
    if wanted.cell.look.picture:
        sentences.append("The page's background should be filled by a picture.")
    elif not same_colour(ground, WHITE):
        sentences.append(f"The page's background should be {colour_name(ground)}.")
    return sentences + (tell(wanted.cell.blocks, "At the top", 0) if wanted.cell.blocks else [])


def differences(wanted: Page, shown: Page) -> list[Difference]:
    """Everything that a person would notice, the most outstanding first."""
    finder = _Finder(wanted, shown)
    finder.compare_page()
    return sorted(finder.found, key=lambda one: -one.weight)


@dataclass(slots=True)
class _Shared:
    """What is to be said of several things at once."""

    before: str
    after: str
    kind: str
    topic: str
    weight: float = 0.0
    names: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    about: list[str] = field(default_factory=list)


class _Finder:
    def __init__(self, wanted: Page, shown: Page) -> None:
        self.found: list[Difference] = []
        self._wanted = wanted
        self._shown = shown
        self._names = Names(shown)
        self._is_loose = False
        self._absent: list[tuple[Difference, str, list[Block]]] = []
        self._surplus: list[tuple[Difference, Block]] = []
        self._shared: dict[tuple[str, str], _Shared] = {}

    def compare_page(self) -> None:
        one, other = self._wanted.cell, self._shown.cell
        ground, ours = one.look.background or WHITE, other.look.background or WHITE
        if one.look.picture != other.look.picture:
            words = "filled by a picture" if one.look.picture else f"plain {colour_name(ground)}, without a picture"
            self._add(
                "background",
                "picture",
                one.width * one.height,
                f"The page's background should be {words}.",
                "page background picture image",
            )
        elif not one.look.picture and not same_colour(ground, ours):
            open_ground = one.width * one.height - sum(
                cell.width * cell.height for block in one.blocks if isinstance(block, Row) for cell in block.cells
            )
            self._add(
                "background",
                "colour",
                max(open_ground, 0.1 * one.width * one.height) * colour_distance(ground, ours) * 2,
                f"The page's background should be {colour_name(ground)}, yours is {colour_name(ours)}.",
                "page background",
            )
        self._compare_blocks(one, other, 0, "")
        self._join_moves()
        for shared in self._shared.values():
            for start in range(0, len(shared.names), _NAMED_AT_ONCE):
                names = shared.names[start : start + _NAMED_AT_ONCE]
                self._add(
                    f"{shared.kind}:{_key(shared.texts[start])}",
                    shared.topic,
                    shared.weight * len(names) / len(shared.names),
                    _capital(f"{shared.before}{joined(names)}{shared.after}."),
                    " ".join(shared.about),
                )

    # -- what is there and what is not

    def _compare_blocks(self, wanted: Cell, shown: Cell, depth: int, name: str | None) -> bool:
        """Whether everything in the one cell is in the other, and nothing else."""
        shown = replace(shown, blocks=as_columns(wanted.blocks, shown.blocks))
        pairs = align_blocks(wanted.blocks, shown.blocks)
        complete = all(None not in pair for pair in pairs)
        missing: list[int] = []
        last: int | None = None
        for one, other in [*pairs, (None, None)]:
            if one is not None and other is None:
                missing.append(one)
                continue
            if other is None or one is not None:
                if missing:
                    blocks = [wanted.blocks[index] for index in missing]
                    self._missing(blocks, shown, last, other, depth, name)
                    missing = []
                if other is None or one is None:
                    continue
                is_next = pairs.index((one, other)) == 0 or None not in pairs[pairs.index((one, other)) - 1]
                self._compare_block(wanted.blocks[one], shown.blocks[other], shown, depth, is_next)
                last = other
            else:
                self._extra(shown.blocks[other], depth)
        return complete

    def _missing(
        self, blocks: list[Block], shown: Cell, last: int | None, after: int | None, depth: int, name: str | None
    ) -> None:
        if last is None and after is None:
            place = "at the top" if name == "" else f"in {name}" if name else None
        else:
            near = shown.blocks[last if last is not None else after or 0]
            word = "above" if last is None else "under" if isinstance(near, Line) else "below"
            label = self._names.block(near, depth)
            place = f"{word} {label}" if label else None
        if place is None:
            return
        weight = sum(_weight(block) for block in blocks)
        key = f"missing:{_key(_first_text(blocks))}"
        self._found(key, "layout", weight, tell(blocks, _capital(place), depth), _words(blocks))
        self._absent.append((self.found[-1], place, blocks))

    def _extra(self, block: Block, depth: int) -> None:
        if isinstance(block, Line):
            name = self._names.line(block)
        else:
            name = self._names.row(block, depth) or f"the empty {tinted(block.cells[0].look)}{units(block, depth)}"
        key = f"extra:{_key(_first_text([block]))}"
        self._add(key, "layout", 0.7 * _weight(block), _capital(f"{name} should go."), _words([block]))
        self._surplus.append((self.found[-1], block))

    def _join_moves(self) -> None:
        """What is missing in one place and too much in another is in the wrong place."""
        for absent, place, blocks in self._absent:
            moved = [self._surplus_like(block) for block in blocks]
            lines = [block for pair in moved if pair is not None and isinstance(block := pair[1], Line)]
            if len(lines) < len(blocks):
                continue
            gone = [pair[0] for pair in moved if pair is not None]
            self.found = [one for one in self.found if not any(one is other for other in gone)]
            self._surplus = [pair for pair in self._surplus if not any(pair[0] is other for other in gone)]
            names = joined([self._names.line(line) for line in lines])
            absent.key = absent.key.replace("missing:", "place:")
            absent.sentences = [_capital(f"{names} should stand {place}.")]

    def _surplus_like(self, block: Block) -> tuple[Difference, Block] | None:
        texts = [plain(item.text) for item in items_of([block])]
        for one, other in self._surplus:
            if any(texts) and [plain(item.text) for item in items_of([other])] == texts:
                return one, other
        return None

    # -- one block against its counterpart

    def _compare_block(self, wanted: Block, shown: Block, cell: Cell, depth: int, is_next: bool) -> None:
        if isinstance(wanted, Line) and isinstance(shown, Line):
            self._compare_lines(wanted, shown)
            self._compare_apart(wanted, shown)
        elif isinstance(wanted, Row) and isinstance(shown, Row):
            self._compare_rows(wanted, shown, depth)
        self._spacing(wanted, shown, self._names.block(shown, depth), cell, is_next)

    def _spacing(self, wanted: Block, shown: Block, name: str | None, cell: Cell, is_next: bool) -> None:
        if name is None or self._is_loose:
            return
        text = _first_text([wanted])
        off = abs(wanted.gap - shown.gap)
        if is_next and off >= _SMALLEST_SPACE:
            more = "more" if wanted.gap > shown.gap else "less"
            self._share(
                f"there should be {more} space above ",
                name,
                f", about {about(wanted.gap)} pixels, yours has about {about(shown.gap)}",
                ("space", "space"),
                0.25 * off * cell.width,
                text,
            )
        place = wanted.places[0] if isinstance(wanted, Line) else wanted.place
        ours = shown.places[0] if isinstance(shown, Line) else shown.place
        far = abs(wanted.inset - shown.inset)
        if isinstance(wanted, Row) and abs(wanted.share - (shown.share if isinstance(shown, Row) else 1)) > 0.06:
            return
        if place == ours and place in ("left", "right") and far >= 1.5 * _SMALLEST_SPACE:
            self._share(
                "",
                name,
                f" should keep about {about(wanted.inset)} pixels from the {place} edge, "
                f"yours keeps about {about(shown.inset)}",
                ("inset", "space"),
                min(far, 200) / 200 * _weight(wanted),
                text,
            )

    def _compare_lines(self, wanted: Line, shown: Line) -> None:
        pairs = align(wanted.items, shown.items, item_likeness)
        anchor: Item | None = None
        for one, other in pairs:
            if one is None and other is not None:
                item = shown.items[other]
                self._add(
                    f"extra:{_key(item.text)}",
                    "layout",
                    0.7 * _item_weight(item),
                    _capital(f"{self._names.item(item)} should go."),
                    item.text,
                )
            elif one is not None and other is None:
                item, place = wanted.items[one], wanted.places[one]
                near = anchor or shown.items[0]
                side = "right" if anchor else "left"
                name = self._names.item(near)
                sentence = f"To the {side} of {name}, on the same line, there should be {group_phrase([item], place)}"
                self._found(f"missing:{_key(item.text)}", "layout", _item_weight(item), [f"{sentence}."], item.text)
            elif one is not None and other is not None:
                anchor = shown.items[other]
                self._compare_items(wanted.items[one], anchor)
                if wanted.places[one] != shown.places[other] and (len(wanted.items) == len(shown.items)):
                    self._change(wanted.items[one], anchor, PLACES[wanted.places[one]], "layout", 0.5)

    def _compare_apart(self, wanted: Line, shown: Line) -> None:
        if len(wanted.items) != len(shown.items) or not (wanted.apart and shown.apart):
            return
        if wanted.places == shown.places and abs(wanted.apart - shown.apart) >= _LEAST_APART:
            places = shown.places
            subjects = [
                self._names.item(item)
                for item, place in zip(shown.items, places, strict=True)
                if places.count(place) > 1
            ]
            self._add(
                f"apart:{_key(wanted.items[0].text)}",
                "space",
                0.5 * sum(map(_item_weight, wanted.items)),
                _capital(
                    f"{joined(subjects)} should be about {about(wanted.apart)} pixels apart, "
                    f"yours are about {about(shown.apart)}."
                ),
                _words([wanted]),
            )

    def _compare_items(self, wanted: Item, shown: Item) -> None:
        name = self._names.item(shown)
        size = _item_weight(wanted)
        if wanted.kind == "picture":
            off = max(abs(wanted.width - shown.width) / wanted.width, abs(wanted.height - shown.height) / wanted.height)
            if off > 0.08:
                self._add(
                    f"picture:{_key(name)}",
                    "picture",
                    min(off, 1.0) * max(size, _item_weight(shown)),
                    _capital(f"{name} should be {box_size(wanted)}, yours is {box_size(shown)}."),
                    "picture image",
                )
            if wanted.look.rounded != shown.look.rounded:
                words = "with rounded corners" if wanted.look.rounded else "with sharp corners"
                self._change(wanted, shown, words, "style", 0.02)
            return
        if plain(wanted.text) != plain(shown.text):
            self._compare_texts(wanted, shown, name, size)
        if wanted.kind != shown.kind:
            if wanted.kind == "button":
                written = [style(wanted)] * bool(style(wanted)) + [surface(wanted.look)] * bool(surface(wanted.look))
                words = article(f"{tinted(wanted.look)}button") + (f" with {' and '.join(written)}" if written else "")
            else:
                words = style(wanted) or "plain text"
                words += ", not a button"
            self._change(wanted, shown, words, "style", 1.0)
            return
        words, off = restyling(wanted, shown) if wanted.kind != "field" else ([], 0.0)
        if words:
            topic = "style" if same_colour(wanted.colour, shown.colour) else "colour"
            self._change(wanted, shown, joined(words), topic, off)
        if wanted.kind in ("button", "field"):
            surfaces, off = resurfacing(wanted.look, shown.look) if wanted.kind == "button" else ("", 0.0)
            if surfaces:
                self._change(wanted, shown, surfaces, "colour", off)
            wide = abs(wanted.width - shown.width) / max(wanted.width, 1)
            high = abs(wanted.height - shown.height) / max(wanted.height, 1)
            if max(wide, high) > 0.2 and not (wanted.is_tick and shown.is_tick):
                self._change(wanted, shown, box_size(wanted), "size", 0.3)
        elif plain(wanted.text) == plain(shown.text) and wanted.is_long:
            is_other = abs(wanted.width - shown.width) > 0.12 * wanted.width and abs(wanted.size - shown.size) < 2
            if (wanted.narrow or shown.narrow) and (is_other or wanted.align != shown.align):
                self._change(wanted, shown, f"in {lines_phrase(wanted)}", "layout", 0.5)

    def _compare_texts(self, wanted: Item, shown: Item, name: str, size: float) -> None:
        text, ours = plain(wanted.text), plain(shown.text)
        if len(ours) > 20 and text.startswith(ours):
            rest = quoted(text[len(ours) :].strip())
            sentence = f"{_capital(name)} should go on: {rest}."
        else:
            sentence = f"{_capital(name)} should read {quoted(text)}."
        share = 1.0 - text_likeness(text, ours)
        self._found(f"text:{_key(text)}", "text", (0.3 + share) * size, [sentence], f"{text} {ours}")

    # -- rows

    def _compare_rows(self, wanted: Row, shown: Row, depth: int) -> None:
        inner = depth if wanted.band else depth + 1
        name = self._names.row(shown, depth)
        key = _key(_first_text([wanted]))
        if not wanted.band:
            shown = replace(shown, cells=[cell for cell in shown.cells if cell.blocks] or shown.cells)
        pairs = [(0, 0)] if len(wanted.cells) == len(shown.cells) == 1 else align_cells(wanted.cells, shown.cells)
        self._compare_counts(wanted, shown, pairs, depth)
        # A column that nothing stands beside has no edges yet.
        was_loose, self._is_loose = self._is_loose, self._is_loose or shown.count == 0
        complete = True
        together = [(wanted.cells[one], shown.cells[other]) for one, other in pairs if None not in (one, other)]  # pyright: ignore[reportArgumentType, reportCallIssue]
        looks = {resurfacing(one.look, other.look)[0] for one, other in together}
        if len(looks) == 1 and name and len(together) > 1:
            words, off = resurfacing(together[0][0].look, together[0][1].look)
            if words:
                area = sum(_area(one) for one, _ in together)
                self._add(
                    f"surface:{key}", "colour", off * area, _capital(f"{name} should all be {words}."), _words([wanted])
                )
        for one, other in together:
            label = name if wanted.band else self._names.cell(other, shown, depth)
            words, off = resurfacing(one.look, other.look)
            if words and label and not (len(looks) == 1 and len(together) > 1):
                sentence = _capital(f"{label} should be {words}{self._letters(one, other)}.")
                self._add(f"surface:{_key(_first_text(one.blocks))}", "colour", off * _area(one), sentence, label)
            complete = self._compare_blocks(one, other, inner, label) and complete
        self._is_loose = was_loose
        if name is None or not complete:
            return
        one, other = wanted.cells[0], shown.cells[0]
        if not one.look.plain:
            off = abs(one.height - other.height)
            if off >= max(_SMALLEST_SPACE, 0.06 * one.height):
                self._add(
                    f"height:{key}",
                    "size",
                    0.3 * off * one.width,
                    _capital(
                        f"{name} should be about {about(one.height)} pixels tall, yours is about {about(other.height)}."
                    ),
                    _words([wanted]),
                )
        if not (wanted.band or one.look.picture) and len(wanted.cells) == len(shown.cells):
            self._compare_widths(wanted, shown, name, key)

    def _letters(self, wanted: Cell, shown: Cell) -> str:
        """` with white text` where a surface and all that is written on it change colour together."""
        ours = [item for item in items_of(wanted.blocks) if item.kind == "text"]
        theirs = [item for item in items_of(shown.blocks) if item.kind == "text"]
        names = {colour_name(item.colour) for item in ours}
        if len(names) != 1 or not theirs or len(ours) != len(theirs):
            return ""
        if any(same_colour(item.colour, ours[0].colour) for item in theirs):
            return ""
        return f" with {names.pop()} text"

    def _compare_counts(
        self, wanted: Row, shown: Row, pairs: Sequence[tuple[int | None, int | None]], depth: int
    ) -> None:
        preface = ""
        if len(wanted.cells) != len(shown.cells):
            preface = (
                f"There should be {number(len(wanted.cells))} {units(wanted, depth)} side by side, "
                f"yours has {number(len(shown.cells))}. "
            )
            if len(wanted.cells) == 1:
                preface = f"There should be only one {unit(wanted, depth)}, yours has {number(len(shown.cells))}. "
        position = 0
        while position < len(pairs):
            one, other = pairs[position]
            position += 1
            if one is None and other is not None:
                cell = shown.cells[other]
                label = self._names.cell(cell, shown, depth)
                if label:
                    self._add(
                        f"extra:{_key(_first_text(cell.blocks))}",
                        "layout",
                        0.7 * (_area(cell) + sum(map(_weight, cell.blocks))),
                        f"{preface}{_capital(label)} should go.",
                        _words(cell.blocks),
                    )
            elif one is not None and other is None:
                missing = [wanted.cells[one]]
                while position < len(pairs) and pairs[position][1] is None:
                    missing.append(wanted.cells[pairs[position][0] or 0])
                    position += 1
                before = next(
                    (pair for pair in reversed(pairs[: position - len(missing)]) if pair[1] is not None), None
                )
                after = next((pair for pair in pairs[position:] if pair[1] is not None), None)
                self._missing_cells(missing, wanted, shown, before or after, before is not None, preface, depth)
            else:
                continue
            preface = ""

    def _missing_cells(
        self,
        missing: list[Cell],
        wanted: Row,
        shown: Row,
        near: tuple[int | None, int | None] | None,
        is_before: bool,
        preface: str,
        depth: int,
    ) -> None:
        """Cells that belong to the right (or the left) of the pair of cells `near`."""
        if near is None or near[1] is None:
            return
        own, neighbour = wanted.cells[near[0] or 0], shown.cells[near[1]]
        label = self._names.cell(neighbour, shown, depth)
        if label is None:
            return
        place = f"To the {'right' if is_before else 'left'} of {label}"
        sentences: list[str] = []
        for cell in missing if is_before else missing[-1:]:
            pattern = own if looks_like(own, neighbour) else None
            sentences += tell_cell(cell, wanted, place, depth, pattern)
            place = "To the right of that"
        if sentences:
            sentences[0] = preface + sentences[0]
            weight = sum(_area(cell) + sum(map(_weight, cell.blocks)) for cell in missing)
            key = f"missing:{_key(_first_text(missing[0].blocks))}"
            self._found(key, "layout", weight, sentences, " ".join(_words(cell.blocks) for cell in missing))

    def _compare_widths(self, wanted: Row, shown: Row, name: str, key: str) -> None:
        ours, theirs = widths_of(wanted), widths_of(shown)
        if len(wanted.cells) > 1 and ours != theirs:
            shares = ours or [round(100 / len(wanted.cells))] * len(wanted.cells)
            before = theirs or [round(100 / len(wanted.cells))] * len(wanted.cells)
            off = max(abs(one - other) for one, other in zip(shares, before, strict=True))
            if off > 5:
                words = widths_phrase(shares) if ours else "equally wide"
                weight = off / 100 * sum(map(_area, wanted.cells))
                self._add(f"widths:{key}", "size", weight, _capital(f"{name} should be {words}."), _words([wanted]))
        if abs(wanted.share - shown.share) > 0.06 or (wanted.place != shown.place and wanted.share < 0.85):
            weight = max(abs(wanted.share - shown.share), 0.05) * sum(map(_area, wanted.cells))
            self._add(
                f"width:{key}",
                "size",
                weight,
                _capital(
                    f"{name} should take about {percent(wanted.share)}% of the width {PLACES[wanted.place]}, "
                    f"yours about {percent(shown.share)}%."
                ),
                _words([wanted]),
            )

    # -- collecting

    def _change(self, wanted: Item, shown: Item, words: str, topic: str, share: float) -> None:
        self._share(
            "",
            self._names.item(shown),
            f" should be {words}",
            (topic, topic),
            share * _item_weight(wanted),
            wanted.text,
            f"{wanted.text} {wanted.kind}",
        )

    def _share(
        self,
        before: str,
        name: str,
        after: str,
        kind_and_topic: tuple[str, str],
        weight: float,
        text: str,
        about: str = "",
    ) -> None:
        # A row is named by what is in it: in a list of names nobody could tell where its own name ends.
        is_row = " with " in name.split('"')[0]
        key = (before, f"{name}{after}" if is_row else after)
        shared = self._shared.setdefault(key, _Shared(before, after, *kind_and_topic))
        shared.weight += weight
        shared.names.append(name)
        shared.texts.append(text)
        shared.about.append(about or text)

    def _add(self, key: str, topic: str, weight: float, sentence: str, about: str) -> None:
        self._found(key, topic, weight, [sentence], about)

    def _found(self, key: str, topic: str, weight: float, sentences: list[str], about: str) -> None:
        self.found.append(Difference(key, topic, weight, sentences, about))


def _area(cell: Cell) -> float:
    return cell.width * cell.height


def _item_weight(item: Item) -> float:
    return item.width * item.height * (_TEXT_EYE if item.kind == "text" else 1.0)


def _weight(block: Block) -> float:
    if isinstance(block, Line):
        return sum(map(_item_weight, block.items))
    return sum(
        (0.5 * _area(cell) if not cell.look.plain else 0.0) + sum(map(_weight, cell.blocks)) for cell in block.cells
    )


def _first_text(blocks: Sequence[Block]) -> str:
    return next((item.text for item in items_of(list(blocks)) if item.text), "")


def _words(blocks: Sequence[Block]) -> str:
    return " ".join(item.text or item.kind for item in items_of(list(blocks)))


def _key(text: str) -> str:
    return " ".join(plain(text).split()[:4])[:40] or "-"


def _capital(sentence: str) -> str:
    return sentence[0].upper() + sentence[1:]
