"""Pages for the tests: one reference in parts that can be exchanged, and random page models."""

from __future__ import annotations

import random

from colbench_gym.simulators.seeing.colours import COLOURS
from colbench_gym.simulators.seeing.model import Block, Cell, Item, Line, Look, Page, Place, Row
from colbench_gym.simulators.seeing.wording import SIZES

PARTS = {
    "ground": "bg-white",
    "nav": """<nav class="bg-blue-800 p-4 flex justify-between text-white">
  <span class="text-xl font-bold">Harbour Bikes</span>
  <span class="flex space-x-4"><a>Home</a><a>Repairs</a><a>Rentals</a><a>Contact</a></span></nav>""",
    "hero": """<section class="p-8 text-center"><h1 class="text-4xl font-bold">Ride along the quay</h1>
  <p class="text-gray-600 mt-4">We mend, hire out and sell bicycles, every day from seven.</p>
  <button class="mt-4 bg-green-600 text-white px-4 py-2 rounded">Book a bike</button></section>""",
    "picture": '<p class="flex justify-center"><img src="https://picsum.photos/id/48/400/200" class="h-48 w-96"></p>',
    "cards": '<div class="flex p-8 space-x-4">'
    + "".join(
        f'<div class="flex-1 bg-gray-200 rounded shadow p-4"><h2 class="font-bold">{title}</h2><p>{text}</p></div>'
        for title, text in (
            ("City", "Light frames for short ways and narrow lanes."),
            ("Cargo", "Room for two children or a week of shopping."),
            ("Touring", "Wide tyres and bags for a month on the road."),
            ("Electric", "A quiet motor for the hill behind the harbour."),
        )
    )
    + "</div>",
    "footer": '<footer class="bg-gray-900 text-white p-4 text-center">© 2021 Harbour Bikes, Quay 4</footer>',
}


def page(**parts: str) -> str:
    """The reference, with some parts exchanged (or left out: an empty text)."""
    kept = {**PARTS, **parts}
    body = "\n".join(kept[name] for name in ("nav", "hero", "picture", "cards", "footer"))
    link = "https://cdn.jsdelivr.net/npm/tailwindcss@2.2.19/dist/tailwind.min.css"
    return (
        f'<html><head><link href="{link}" rel="stylesheet"></head><body class="{kept["ground"]}">{body}</body></html>'
    )


def changed(part: str, old: str, new: str) -> str:
    """The reference with one thing in one part replaced."""
    assert old in PARTS[part]
    return page(**{part: PARTS[part].replace(old, new)})


# -- random page models

_WORDS = [
    "bread",
    "river",
    "lamp",
    "seven",
    "quiet",
    "open",
    "market",
    "stone",
    "winter",
    "green",
    "paper",
    "cloud",
    "harbour",
    "window",
    "song",
    "table",
]
_PLACES: tuple[Place, ...] = ("left", "centred", "right")


class Drawn:
    """Page models drawn by a seed; every text on a page is another one."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._count = 0

    def page(self) -> Page:
        look = Look(background=self._colour())
        return Page(Cell([self._block(0) for _ in range(self._random.randint(1, 6))], look, width=1280, height=2000))

    def _colour(self) -> tuple[int, int, int]:
        return COLOURS[self._random.choice(sorted(COLOURS))]

    def _text(self) -> str:
        self._count += 1
        return " ".join(
            [*self._random.choices(_WORDS, k=self._random.randint(1, 9)), f"No. {self._count}"]
        ).capitalize()

    def _item(self) -> Item:
        kind = self._random.choice(("text", "text", "text", "button", "picture", "field"))
        if kind == "picture":
            return Item("picture", width=300, height=200)
        if kind == "field":
            tick, named = Item("field", width=13, height=13), Item("field", self._text(), width=320, height=40)
            return self._random.choice((tick, named, Item("field", width=200, height=40)))
        item = Item(kind, self._text(), SIZES[self._random.choice(sorted(SIZES))], self._random.random() < 0.3)
        item.italic, item.colour = self._random.random() < 0.2, self._colour()
        if kind == "button":
            item.look = Look(background=self._colour(), rounded=self._random.random() < 0.5)
        return item

    def _block(self, depth: int) -> Block:
        choice = self._random.random()
        if choice < 0.6 or depth > 1:
            count = self._random.choice((1, 1, 1, 3))
            items = [self._item() for _ in range(count)]
            places: list[Place] = [self._random.choice(_PLACES)] * count
            return Line(items, places, gap=self._random.choice((16, 16, 80)))
        look = Look(background=self._colour(), rounded=self._random.random() < 0.5, shadow=self._random.random() < 0.5)
        if choice < 0.75 and depth == 0:
            cell = Cell([self._block(depth) for _ in range(2)], Look(background=self._colour()), width=1280, height=200)
            cell.blocks = [block for block in cell.blocks if isinstance(block, Line) or not block.band]
            return Row([cell], True, 1) if cell.blocks else Line([self._item()], ["left"])
        if self._random.random() < 0.4:
            look = Look()
        count = self._random.randint(2, 4)
        cells = [
            Cell([self._block(depth + 1) for _ in range(self._random.randint(1, 3))], look, width=300, height=200)
            for _ in range(count)
        ]
        return Row(cells, False, count)
