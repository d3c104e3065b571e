"""Which part of one page is which part of the other: texts first, then the role a thing plays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeVar

from colbench_gym.simulators.seeing.model import Block, Cell, Item, Line, Row, items_of
from colbench_gym.simulators.seeing.wording import plain

T = TypeVar("T")
Pair = tuple[int | None, int | None]

_SAME_PART = 0.3
_ENOUGH = 0.3
"""Things less alike than this are not each other."""


def align(wanted: Sequence[T], shown: Sequence[T], likeness: Callable[[T, T], float]) -> list[Pair]:
    """Pairs of positions, in the order of both lists, with the largest sum of likenesses; None where one is alone."""
    rows, columns = len(wanted), len(shown)
    scores = [[likeness(one, other) for other in shown] for one in wanted]
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for row in range(rows - 1, -1, -1):
        for column in range(columns - 1, -1, -1):
            score = scores[row][column]
            paired = best[row + 1][column + 1] + score if score >= _ENOUGH else 0.0
            best[row][column] = max(paired, best[row + 1][column], best[row][column + 1])
    pairs: list[Pair] = []
    row = column = 0
    while row < rows and column < columns:
        score = scores[row][column]
        if score >= _ENOUGH and best[row][column] == best[row + 1][column + 1] + score:
            pairs.append((row, column))
            row, column = row + 1, column + 1
        elif best[row][column] == best[row][column + 1]:
            pairs.append((None, column))
            column += 1
        else:
            pairs.append((row, None))
            row += 1
    pairs += [(index, None) for index in range(row, rows)]
    pairs += [(None, index) for index in range(column, columns)]
    return pairs


def text_likeness(one: str, other: str) -> float:
    """1 for equal texts, else the share of words in common; a text begun counts as nearly there."""
    one, other = plain(one), plain(other)
    if one == other:
        return 1.0
    if len(other) > 20 and one.startswith(other):
        return 0.9
    words, others = Counter(one.casefold().split()), Counter(other.casefold().split())
    total = words.total() + others.total()
    return 0.95 * 2 * (words & others).total() / total if total else 0.0


def item_likeness(one: Item, other: Item) -> float:
    if one.kind == other.kind == "picture":
        return 0.5 + 0.4 * _near(one.width * one.height, other.width * other.height)
    if "picture" in (one.kind, other.kind):
        return 0.0
    same_kind = one.kind == other.kind
    if not same_kind and "field" in (one.kind, other.kind):
        return 0.0
    likeness = text_likeness(one.text, other.text)
    if likeness >= 0.5 or not same_kind:
        return likeness * (1.0 if same_kind else 0.9)
    # Other words in the same part: a heading for a heading, a long text for a long text.
    role = 0.15 * _near(one.size, other.size) + 0.15 * _near(len(one.text) + 8, len(other.text) + 8)
    return likeness * 0.6 + role + (0.1 if one.bold == other.bold else 0.0)


def _near(one: float, other: float) -> float:
    return min(one, other) / max(one, other) if min(one, other) > 0 else 0.0


def _bag(blocks: Sequence[Block]) -> Counter[str]:
    words: Counter[str] = Counter()
    for item in items_of(list(blocks)):
        words.update(plain(item.text).casefold().split() if item.kind != "picture" else ["\0picture"])
    return words


def align_blocks(wanted: Sequence[Block], shown: Sequence[Block]) -> list[Pair]:
    """`align` for lines and rows."""
    bags, others = [_bag([block]) for block in wanted], [_bag([block]) for block in shown]
    return align(
        range(len(wanted)),
        range(len(shown)),
        lambda one, other: _block_likeness(wanted[one], shown[other], bags[one], others[other]),
    )


def align_cells(wanted: Sequence[Cell], shown: Sequence[Cell]) -> list[Pair]:
    """`align` for the cells of two rows."""
    bags, others = [_bag(cell.blocks) for cell in wanted], [_bag(cell.blocks) for cell in shown]
    return align(
        range(len(wanted)), range(len(shown)), lambda one, other: 0.6 * _shared(bags[one], others[other]) + _SAME_PART
    )


def _block_likeness(one: Block, other: Block, bag: Counter[str], other_bag: Counter[str]) -> float:
    if isinstance(one, Line) and isinstance(other, Line):
        if len(one.items) == len(other.items) == 1:
            return item_likeness(one.items[0], other.items[0])
        kinds = [[item.kind for item in line.items] for line in (one, other)]
        role = 0.35 if kinds[0] == kinds[1] else 0.2 if min(map(len, kinds)) > 1 else 0.0
        return 0.65 * _shared(bag, other_bag) + role
    if isinstance(one, Row) and isinstance(other, Row) and one.band == other.band:
        role = 0.3 if len(one.cells) == len(other.cells) else 0.2
        return 0.65 * _shared(bag, other_bag) + role
    return 0.0


def _shared(one: Counter[str], other: Counter[str]) -> float:
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 1.0


def as_columns(wanted: Sequence[Block], shown: Sequence[Block]) -> list[Block]:
    """The shown blocks, with lines that are the first column of a wanted row taken as a row of this one column.

    While nothing stands beside it, a column cannot be told from lines below one another.
    """
    blocks = list(shown)
    for row in wanted:
        if isinstance(row, Line) or row.band or len(row.cells) < 2 or not row.cells[0].look.plain:
            continue
        for cell in row.cells:
            texts = [item.text for item in items_of(cell.blocks) if item.kind != "picture"]
            hits = [isinstance(block, Line) and _is_among(block, texts) for block in blocks]
            if not any(hits):
                continue
            start = hits.index(True)
            end = start + next((n for n, hit in enumerate(hits[start:]) if not hit), len(hits) - start)
            found = [block for block in blocks[start:end] if isinstance(block, Line)]
            if 2 * len(found) < len(cell.blocks) or _is_elsewhere(found, wanted, row):
                continue
            first = found[0].items[0]
            bottom = max(item.y + item.height for line in found for item in line.items)
            surround = Cell(list(found), x=first.x, y=first.y, width=cell.width, height=bottom - first.y)
            blocks[start:end] = [Row([surround], count=0, gap=found[0].gap, inset=row.inset, share=row.share)]
            break
    return blocks


def _is_among(line: Line, texts: Sequence[str]) -> bool:
    return all(
        item.kind != "picture" and any(text_likeness(text, item.text) > 0.8 for text in texts) for item in line.items
    )


def _is_elsewhere(found: Sequence[Line], wanted: Sequence[Block], row: Row) -> bool:
    """Whether the lines are wanted as they are, outside the row."""
    others = [item.text for block in wanted if block is not row for item in items_of([block])]
    return all(item.text in others for line in found for item in line.items)
