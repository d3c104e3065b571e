"""How one page looks throughout: its colours, type and spacing, as Tailwind 2 classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import TypeVar

T = TypeVar("T")

COLOURS = {"green": 8, "yellow": 6, "indigo": 8, "red": 6, "purple": 6, "pink": 5, "blue": 7, "gray": 5}
"""The default palette of Tailwind 2, with how often a page takes each for its accent."""

GHOSTS = ("teal", "orange", "brown", "stone")
"""Colours that pages of this sort ask for although the stylesheet lacks them: nothing is painted."""

_SANS = "font-sans leading-normal tracking-normal"


@dataclass(frozen=True, slots=True)
class Style:
    """One page's look.

    Attributes:
        body: classes of `<body>`.
        dark: light text on a dark ground.
        accent: the colour of links, buttons and coloured bands.
        ghost: a colour that the stylesheet lacks, for the bar at the top, or None.
        bar: classes of the bar at the top.
        link: classes of a link in that bar.
        foot: classes of the footer.
        title, heading: classes of the largest and of the other headings.
        prose: classes of running text.
        centred: headings and text stand in the middle.
        inset: padding of a block.
        gap: margin below a block's heading.
        card: classes of a card.
        button: classes of a button.
        indent: blanks that the source is indented by.
    """

    body: str
    dark: bool
    accent: str
    ghost: str | None
    bar: str
    link: str
    foot: str
    title: str
    heading: str
    prose: str
    centred: bool
    inset: str
    gap: str
    card: str
    button: str
    indent: int

    @property
    def middle(self) -> str:
        return "text-center" if self.centred else ""


def draw_style(rng: Random) -> Style:
    """A look. Most pages are light gray with one accent, as most pages of this sort are."""
    accent = weighted(rng, COLOURS)
    ghost = rng.choice(GHOSTS[:2] if rng.random() < 0.9 else GHOSTS[2:]) if rng.random() < 0.2 else None
    body, dark = _ground(rng, accent)
    painted = ghost or accent
    bar, link = weighted(
        rng,
        {
            ("bg-white", "text-gray-600 hover:text-gray-900"): 9,
            ("bg-white", f"text-{accent}-500 hover:text-{accent}-700"): 4,
            ("bg-white shadow", "text-gray-700 hover:text-gray-900"): 4,
            (f"bg-{painted}-500 text-white", "text-white hover:underline"): 9,
            (f"bg-{painted}-500 text-white", f"text-{painted}-100 hover:text-white"): 2,
            ("bg-gray-800 text-white", "text-gray-300 hover:text-white"): 6,
            ("bg-gray-900 text-white", "hover:text-gray-300"): 1,
            (f"bg-{accent}-200", f"text-{accent}-800 hover:underline"): 1,
            ("", "text-gray-800 hover:underline"): 0 if dark else 3,
        },
    )
    foot = weighted(
        rng,
        {
            "bg-white": 7,
            "bg-gray-800 text-white": 9,
            "bg-gray-200": 1,
            "bg-gray-900 text-gray-300": 2,
            f"bg-{accent}-500 text-white": 1,
        },
    )
    foot = bar if rng.random() < 0.3 else foot
    weight = rng.choice(("font-bold", "font-bold", "font-bold", "font-semibold", ""))
    gray = "" if dark else rng.choice(("", "", "", "text-gray-600", "text-gray-700", "text-gray-700", "text-gray-800"))
    return Style(
        body=body,
        dark=dark,
        accent=accent,
        ghost=ghost,
        bar=bar,
        link=link,
        foot=foot,
        title=f"{weighted(rng, {'text-4xl': 9, 'text-3xl': 7, 'text-5xl': 3, 'text-2xl': 3})} {weight}",
        heading=f"{weighted(rng, {'text-2xl': 9, 'text-xl': 4, 'text-3xl': 2})} {weight}",
        prose=f"{weighted(rng, {'': 6, 'text-lg': 4, 'text-xl': 2, 'text-base': 1})} {gray}".strip(),
        centred=rng.random() < 0.38,
        inset=weighted(rng, {"p-4": 8, "p-6": 4, "px-4 py-8": 3, "p-8": 1, "p-5": 1, "px-6 py-4": 2, "p-10": 1}),
        gap=weighted(rng, {"mb-4": 8, "mb-2": 3, "mb-6": 2, "mb-8": 2, "": 2}),
        card=_card(rng, dark),
        button=_button(rng, accent),
        indent=rng.choice((2, 2, 4, 4, 4)),
    )


def _ground(rng: Random, accent: str) -> tuple[str, bool]:
    sans = _SANS if rng.random() < 0.42 else ""
    pale = "blue" if accent == "gray" else accent  # pale gray has its share already
    body, dark = weighted(
        rng,
        {
            ("bg-gray-100", False): 60,
            ("bg-gray-200", False): 6,
            ("bg-white", False): 4,
            ("", False): 5,
            ("bg-gray-800 text-white", True): 2,
            ("bg-gray-900 text-white", True): 2,
            ("bg-black text-white", True): 1,
            (f"bg-{pale}-100", False): 4,
            (f"bg-{pale}-200", False): 1,
            (f"bg-{accent}-500", False): 3,
            (f"bg-{accent}-500 text-white", False): 2,
        },
    )
    return f"{body} {sans}".strip(), dark


def _card(rng: Random, dark: bool) -> str:
    ground = "bg-gray-700" if dark else "bg-white"
    return weighted(
        rng,
        {
            f"{ground} p-4 rounded shadow": 4,
            f"{ground} p-6 rounded-lg shadow-md": 2,
            f"{ground} p-4": 3,
            f"{ground} rounded-lg shadow-lg p-6": 2,
            "border rounded p-4": 1,
            "p-4": 3,
        },
    )


def _button(rng: Random, accent: str) -> str:
    return weighted(
        rng,
        {
            f"bg-{accent}-500 hover:bg-{accent}-700 text-white font-bold py-2 px-4 rounded": 10,
            f"bg-{accent}-500 text-white px-4 py-2 rounded": 3,
            f"bg-{accent}-600 hover:bg-{accent}-800 text-white py-3 px-6 rounded-full": 1,
            "bg-white hover:bg-gray-100 text-gray-800 font-semibold py-2 px-4 border border-gray-400 rounded shadow": 2,
            f"bg-white text-{accent}-500 px-4 py-2 rounded": 1,
            f"border-2 border-{accent}-500 text-{accent}-700 py-2 px-6 rounded-lg": 1,
        },
    )


def weighted(rng: Random, weights: Mapping[T, float]) -> T:
    """One of the keys, each as likely as its weight says."""
    return rng.choices(list(weights), list(weights.values()))[0]
