"""Telling what is not on the page yet: sentences that each add a little where the one before left off."""

from __future__ import annotations

from collections.abc import Sequence

from colbench_gym.simulators.seeing.model import Block, Cell, Line, Row
from colbench_gym.simulators.seeing.wording import (
    about,
    column_phrase,
    line_phrase,
    looks_like,
    ordinal,
    quoted,
    row_phrase,
    style_key,
    unit,
    units,
)

_SENTENCE = 320
"""A sentence that has become this long ends."""
_DEFAULT_GAP = 16
_NOTABLE_GAP = 24
"""A gap that differs by this much from the usual one is mentioned."""
_LISTED = 5
"""So many things of one kind below one another are told in one go."""


def tell(blocks: Sequence[Block], place: str, depth: int) -> list[str]:
    """Sentences that describe blocks below one another, beginning at a place (`Under "X"`, `At the top`)."""
    teller = _Teller()
    teller.blocks(blocks, f"{place} there should be ", depth)
    return teller.sentences


def tell_cell(cell: Cell, row: Row, place: str, depth: int, like: Cell | None) -> list[str]:
    """Sentences that describe one more cell of a row; `like` is one it stands beside and may be compared with."""
    if not cell.blocks:
        return []
    if like is not None and looks_like(like, cell):
        return [f"{place} there should be another {unit(row, depth)} like it, with {_texts_only(cell)}."]
    teller = _Teller()
    teller.blocks(cell.blocks, f"{place} there should be another {unit(row, depth)} with ", depth + 1)
    return teller.sentences


class _Teller:
    def __init__(self) -> None:
        self.sentences: list[str] = []

    def blocks(self, blocks: Sequence[Block], opening: str, depth: int) -> None:
        """`opening` is the beginning of a sentence that still needs its thing."""
        sentence, parts = opening, 0
        position = 0
        while position < len(blocks):
            block = blocks[position]
            count = _alike_below(blocks, position)
            phrase = self._phrase(blocks[position : position + count], depth)
            if parts and len(sentence) + len(phrase) > _SENTENCE:
                self.sentences.append(f"{sentence}.")
                sentence, parts = "Below that there should be ", 0
            gap = f"after a gap of about {about(block.gap)} pixels"
            is_wide = position > 0 and abs(block.gap - _DEFAULT_GAP) > _NOTABLE_GAP
            if parts:
                sentence += f"; then {gap} " if is_wide else "; then "
            elif is_wide:
                sentence = sentence.replace(" there should be", f", {gap}, there should be")
            sentence += phrase
            parts += 1
            position += count
            if isinstance(block, Row):
                self._cells(block, sentence, depth)
                name = units(block, depth)
                this = "this" if name == unit(block, depth) else "these"
                sentence, parts = f"Below {this} {name} there should be ", 0
        if parts:
            self.sentences.append(f"{sentence}.")

    def _phrase(self, blocks: Sequence[Block], depth: int) -> str:
        block = blocks[0]
        if isinstance(block, Row):
            return row_phrase(block, depth)
        lines = [line for line in blocks if isinstance(line, Line)]
        return line_phrase(block) if len(lines) == 1 else column_phrase(lines)

    def _cells(self, row: Row, sentence: str, depth: int) -> None:
        inner = depth if row.band else depth + 1
        name = unit(row, depth)
        if len(row.cells) == 1:
            if row.cells[0].blocks:
                self.blocks(row.cells[0].blocks, f"{sentence}, with ", inner)
            else:
                self.sentences.append(f"{sentence}.")
            return
        start = len(self.sentences)
        self.sentences.append(f"{sentence}.")
        for position, cell in enumerate(row.cells):
            if not cell.blocks:
                continue
            like = ", like the first," if position and looks_like(row.cells[0], cell) else ""
            if like:
                self.sentences.append(f"The {ordinal(position)} {name}{like} has {_texts_only(cell)}.")
            else:
                self.blocks(cell.blocks, f"The {ordinal(position)} {name} has ", inner)
        # A row without anything in it cannot be seen: nobody could tell whether it is there.
        if len(self.sentences) > start + 1:
            self.sentences[start : start + 2] = [" ".join(self.sentences[start : start + 2])]


def _alike_below(blocks: Sequence[Block], position: int) -> int:
    """How many blocks from here on are lines of one thing each that one phrase describes."""
    first = blocks[position]
    if isinstance(first, Row) or len(first.items) != 1 or first.items[0].kind == "picture":
        return 1
    count = 1
    length = len(first.items[0].text)
    for block in blocks[position + 1 : position + _LISTED]:
        if isinstance(block, Row) or len(block.items) != 1 or block.places != first.places:
            break
        length += len(block.items[0].text)
        if style_key(block.items[0]) != style_key(first.items[0]) or abs(block.gap - first.gap) > _NOTABLE_GAP:
            break
        if length > _SENTENCE:
            break
        count += 1
    return count


def _texts_only(cell: Cell) -> str:
    names = []
    for block in cell.blocks:
        if isinstance(block, Line):
            names += [quoted(item.text) for item in block.items if item.kind != "picture" and item.text]
    return "; then ".join(names) or "a picture"
