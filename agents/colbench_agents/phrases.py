"""What a person's words say of one thing: its letters, its surface, its place, its size."""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import deepcopy

from colbench_gym.simulators.seeing.colours import COLOUR_WORDS, COLOURS
from colbench_gym.simulators.seeing.model import Cell, Item, Line, Look, Place, Row
from colbench_gym.simulators.seeing.wording import NUMBERS, PLACES, SIZES

UNSET = -1.0
"""A length that nobody has spoken of."""

COLOUR = rf"(?:{COLOUR_WORDS})"
NUMBER = r"(\d+)"
_SIZE = re.compile(r"\b(" + "|".join(sorted(SIZES, key=len, reverse=True)) + r")\b")
_ROW = re.compile(
    rf"^(?P<count>an?|{'|'.join(NUMBERS)}|\d+) (?:(?P<colour>{COLOUR}) )?"
    r"(?P<unit>band|cards?|small columns?|columns?|boxe?s?)\b(?P<rest>.*)$"
)


def restyle(item: Item, words: str) -> None:
    """Changes an item by words like `huge, bold and white`."""
    if "not a button" in words:
        item.kind, item.look, words = "text", Look(), words.replace("not a button", "")
        item.width = item.height = 0
    elif re.search(r"\bbuttons?\b", words):
        item.kind = "button"
    if match := _SIZE.search(words):
        item.size = SIZES[match[1]]
    if "bold" in words:
        item.bold = "not bold" not in words
    if "italic" in words:
        item.italic = "not italic" not in words
    if match := re.search(rf"about {NUMBER} by {NUMBER}", words):
        item.width, item.height = float(match[1]), float(match[2])
    if match := re.search(rf"in lines about {NUMBER} pixels long and (ragged|flush left|flush right)", words):
        item.width = float(match[1])
        item.align = "centred" if match[2] == "ragged" else "left" if match[2] == "flush left" else "right"
    if match := re.search(rf"\b({COLOUR}) (?:text|letters)\b", words):
        item.colour = COLOURS[match[1]]
        words = words.replace(match[0], "")
    elif item.kind == "text" and (match := re.search(rf"\b({COLOUR})\b", words)):
        item.colour = COLOURS[match[1]]
        return
    if item.kind != "text":
        repaint(item.look, words)


def repaint(look: Look, words: str) -> None:
    """Changes a surface by words like `white, with rounded corners and a shadow`."""
    if match := re.search(rf"\b({COLOUR}) border\b", words):
        look.border = COLOURS[match[1]]
        words = words.replace(match[0], "")
    elif "without a border" in words:
        look.border = None
    if match := re.search(rf"\b({COLOUR})\b", words):
        look.background = COLOURS[match[1]]
    elif "without a colour" in words or "see-through" in words:
        look.background = None
    if "rounded corners" in words or "sharp corners" in words:
        look.rounded = "rounded corners" in words
    if "a shadow" in words:
        look.shadow = "without a shadow" not in words
    if "a picture" in words:
        look.picture = "without a picture" not in words


def row_in(phrase: str) -> Row | None:
    """The empty row that a phrase speaks of; None if it speaks of something else."""
    match = _ROW.match(phrase.partition(", with ")[0])
    if match is None:
        return None
    head = match["count"]
    count = NUMBERS.index(head) if head in NUMBERS else int(head) if head.isdigit() else 1
    rest = match["rest"]
    look = Look(background=COLOURS[match["colour"]] if match["colour"] else None)
    repaint(look, re.sub(r"taking about.*", "", rest))
    cell = Cell(look=look)
    row = Row([cell], match["unit"] == "band", count, gap=UNSET, inset=UNSET)
    if tall := re.search(rf"about {NUMBER} pixels tall", rest):
        cell.height = float(tall[1])
    if size := re.search(rf"about {NUMBER} by {NUMBER}", rest):
        cell.width, cell.height = float(size[1]), float(size[2])
    if widths := re.search(r"about ([\d, and]+) percent wide", rest):
        shares = [int(share) for share in re.findall(r"\d+", widths[1])]
        row.cells = [deepcopy(cell) for _ in shares]
        set_widths(row, shares)
    if taking := re.search(rf"taking about {NUMBER}% of the width(.*)$", rest):
        row.share, row.place = int(taking[1]) / 100, place_in(taking[2]) or "left"
    return row


def set_place(line: Line, position: int, place: Place) -> None:
    """Places a thing on its line; nothing before it can then stand further right, nothing after it further left."""
    if place == "spread":
        line.places = ["spread"] * len(line.places)
        return
    order: list[Place] = ["left", "centred", "right"]
    rank = order.index(place)
    for index, other in enumerate(line.places):
        own = order.index(other) if other in order else rank
        line.places[index] = order[min(own, rank) if index < position else max(own, rank)]
    line.places[position] = place


def set_widths(row: Row, shares: Sequence[int]) -> None:
    for cell, share in zip(row.cells, shares, strict=False):
        cell.width = float(share)


def place_in(words: str) -> Place | None:
    return next((place for place, phrase in PLACES.items() if phrase in words), None)
