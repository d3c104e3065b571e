"""What one thing should look like where it looks like another: words, and how much there is to change."""

from __future__ import annotations

from colbench_gym.simulators.seeing.colours import BLACK, RGB, WHITE, colour_distance, colour_name, same_colour
from colbench_gym.simulators.seeing.model import Item, Look
from colbench_gym.simulators.seeing.wording import joined, size_name


def restyling(wanted: Item, shown: Item) -> tuple[list[str], float]:
    """What the letters should be like."""
    words: list[str] = []
    off = 0.0
    if size_name(wanted.size) != size_name(shown.size):
        words.append(size_name(wanted.size))
        off += min(abs(wanted.size - shown.size) / max(wanted.size, 1), 1.0)
    if wanted.bold != shown.bold:
        words.append("bold" if wanted.bold else "not bold")
        off += 0.15
    if wanted.italic != shown.italic:
        words.append("italic" if wanted.italic else "not italic")
        off += 0.1
    if not same_colour(wanted.colour, shown.colour):
        name = colour_name(wanted.colour)
        words.append(name if wanted.kind == "text" else f"with {name} letters")
        off += colour_distance(wanted.colour, shown.colour)
    return words, off


def resurfacing(wanted: Look, shown: Look) -> tuple[str, float]:
    """What a surface should be like; empty where it is."""
    words: list[str] = []
    off = 0.0
    if wanted.picture != shown.picture:
        paint = colour_name(wanted.background) if wanted.background else "plain"
        return ("filled by a picture" if wanted.picture else f"{paint}, without a picture behind it"), 1.0
    if wanted.picture:
        return "", 0.0
    if wanted.background and not _same(wanted.background, shown.background):
        words.append(colour_name(wanted.background))
        off += max(2 * colour_distance(wanted.background, shown.background or WHITE), 0.02)
    elif shown.background and not wanted.background:
        words.append("without a colour of its own")
        off += max(2 * colour_distance(shown.background, WHITE), 0.02)
    if wanted.rounded != shown.rounded and not wanted.plain:
        words.append("with rounded corners" if wanted.rounded else "with sharp corners")
        off += 0.02
    if wanted.shadow != shown.shadow:
        words.append("with a shadow" if wanted.shadow else "without a shadow")
        off += 0.02
    if not _same(wanted.border, shown.border):
        words.append(f"with a {colour_name(wanted.border)} border" if wanted.border else "without a border")
        off += 0.05 * max(colour_distance(wanted.border or WHITE, shown.border or BLACK), 0.2)
    return (joined(words) if words else ""), off


def _same(one: RGB | None, other: RGB | None) -> bool:
    return one == other if one is None or other is None else same_colour(one, other)
