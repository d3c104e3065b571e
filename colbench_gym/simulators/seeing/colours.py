"""Colours in words, and words in colours: one vocabulary, for whoever speaks and whoever listens."""

from __future__ import annotations

import re
from functools import lru_cache

RGB = tuple[int, int, int]

WHITE: RGB = (255, 255, 255)
BLACK: RGB = (0, 0, 0)

_STEPS = ("palest", "very pale", "pale", "light", "soft", "", "strong", "deep", "dark", "very dark")
# Each hue from its palest to its darkest step. Most are those of Tailwind 2, in which the reference pages are painted.
_HUES = {
    "grey": "f9fafb f3f4f6 e5e7eb d1d5db 9ca3af 6b7280 4b5563 374151 1f2937 111827",
    "red": "fef2f2 fee2e2 fecaca fca5a5 f87171 ef4444 dc2626 b91c1c 991b1b 7f1d1d",
    "orange": "fff7ed ffedd5 fed7aa fdba74 fb923c f97316 ea580c c2410c 9a3412 7c2d12",
    "amber": "fffbeb fef3c7 fde68a fcd34d fbbf24 f59e0b d97706 b45309 92400e 78350f",
    "yellow": "fefce8 fef9c3 fef08a fde047 facc15 eab308 ca8a04 a16207 854d0e 713f12",
    "olive green": "f7fee7 ecfccb d9f99d bef264 a3e635 84cc16 65a30d 4d7c0f 3f6212 365314",
    "green": "f0fdf4 dcfce7 bbf7d0 86efac 4ade80 22c55e 16a34a 15803d 166534 14532d",
    "emerald green": "ecfdf5 d1fae5 a7f3d0 6ee7b7 34d399 10b981 059669 047857 065f46 064e3b",
    "teal": "f0fdfa ccfbf1 99f6e4 5eead4 2dd4bf 14b8a6 0d9488 0f766e 115e59 134e4a",
    "sky blue": "f0f9ff e0f2fe bae6fd 7dd3fc 38bdf8 0ea5e9 0284c7 0369a1 075985 0c4a6e",
    "blue": "eff6ff dbeafe bfdbfe 93c5fd 60a5fa 3b82f6 2563eb 1d4ed8 1e40af 1e3a8a",
    "indigo": "eef2ff e0e7ff c7d2fe a5b4fc 818cf8 6366f1 4f46e5 4338ca 3730a3 312e81",
    "violet": "f5f3ff ede9fe ddd6fe c4b5fd a78bfa 8b5cf6 7c3aed 6d28d9 5b21b6 4c1d95",
    "purple": "faf5ff f3e8ff e9d5ff d8b4fe c084fc a855f7 9333ea 7e22ce 6b21a8 581c87",
    "pink": "fdf2f8 fce7f3 fbcfe8 f9a8d4 f472b6 ec4899 db2777 be185d 9d174d 831843",
    "brown": "fdf8f6 f2e8e5 eaddd7 d9c2b4 bfa094 a18072 8b5e3c 6f4a2f 543822 3b2616",
}


def _parsed(code: str) -> RGB:
    return int(code[:2], 16), int(code[2:4], 16), int(code[4:], 16)


COLOURS: dict[str, RGB] = {"white": WHITE, "black": BLACK} | {
    f"{step} {hue}".strip(): _parsed(code)
    for hue, codes in _HUES.items()
    for step, code in zip(_STEPS, codes.split(), strict=True)
}
"""Every colour name there is, e.g. `very dark blue`."""

COLOUR_WORDS = "|".join(re.escape(name) for name in sorted(COLOURS, key=len, reverse=True))
"""A pattern of the names, the longest first."""


def colour_distance(one: RGB, other: RGB) -> float:
    """How different two colours look, from 0 to about 1 (black against white)."""
    # Red weighs more in light colours, blue more in dark ones ("redmean").
    red = (one[0] + other[0]) / 2
    squares = [(a - b) ** 2 for a, b in zip(one, other, strict=True)]
    return ((2 + red / 256) * squares[0] + 4 * squares[1] + (2 + (255 - red) / 256) * squares[2]) ** 0.5 / 765


@lru_cache(maxsize=4096)
def colour_name(colour: RGB) -> str:
    """The name that fits best."""
    return min(COLOURS, key=lambda name: colour_distance(COLOURS[name], colour))


def same_colour(one: RGB, other: RGB) -> bool:
    """Whether a person would call both by one name."""
    return one == other or colour_name(one) == colour_name(other) or colour_distance(one, other) < 0.02
