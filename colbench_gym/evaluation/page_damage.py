"""Pages made worse on purpose: what a measure of similarity is trained on, and, by other kinds of damage, judged by.

The kinds in `TRAINING` (what `mini` learns from), `TUNING` (by which the weights of our measures were chosen) and
`UNSEEN` (by which measures are judged) have no edit in common. Everything is drawn from the `random.Random` that is
handed in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from html.parser import HTMLParser
from random import Random

# ---------------------------------------------------------------------------------------------------------------- tree

_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")
)
_RAW = frozenset(("script", "style"))
_UNSEEN_TEXT = _RAW | {"title"}


@dataclass(eq=False, slots=True)
class Element:
    """An element of a page, or its `!doctype`; `html` reads it back into text. Comments are not kept."""

    tag: str
    attributes: dict[str, str | None] = field(default_factory=dict)
    children: list[Element | str] = field(default_factory=list)
    parent: Element | None = None

    def elements(self) -> Iterator[Element]:
        """This element and all below it, in document order."""
        yield self
        for child in self.children:
            if isinstance(child, Element):
                yield from child.elements()

    def inner(self) -> list[Element]:
        """The child elements."""
        return [child for child in self.children if isinstance(child, Element)]

    def text(self) -> str:
        """The text that is shown, in document order."""
        if self.tag in _UNSEEN_TEXT:
            return ""
        return "".join(child if isinstance(child, str) else child.text() for child in self.children)

    def copy(self) -> Element:
        """A copy without a parent."""
        twin = Element(self.tag, dict(self.attributes))
        twin.extend(child if isinstance(child, str) else child.copy() for child in self.children)
        return twin

    def extend(self, children: Iterator[Element | str]) -> None:
        for child in children:
            if isinstance(child, Element):
                child.parent = self
            self.children.append(child)

    def remove(self) -> None:
        """Takes the element out of its parent."""
        if self.parent is not None:
            self.parent.children = [child for child in self.parent.children if child is not self]
            self.parent = None

    @property
    def classes(self) -> list[str]:
        return (self.attributes.get("class") or "").split()

    @classes.setter
    def classes(self, names: Sequence[str]) -> None:
        self.attributes["class"] = " ".join(names)

    def html(self) -> str:
        inside = "".join(
            child.html() if isinstance(child, Element) else child if self.tag in _RAW else escape(child, quote=False)
            for child in self.children
        )
        if not self.tag:
            return inside
        attributes = "".join(
            f" {name}" if value is None else f' {name}="{escape(value)}"' for name, value in self.attributes.items()
        )
        bare = self.tag in _VOID or self.tag.startswith("!")
        return f"<{self.tag}{attributes}>" + ("" if bare else f"{inside}</{self.tag}>")


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("")
        self.open = [self.root]

    def handle_decl(self, decl: str) -> None:
        self.open[-1].children.append(Element(f"!{decl}", parent=self.open[-1]))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, dict(attrs), parent=self.open[-1])
        self.open[-1].children.append(element)
        if tag not in _VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        for depth in range(len(self.open) - 1, 0, -1):
            if self.open[depth].tag == tag:
                del self.open[depth:]
                return

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def parse_page(html: str) -> Element:
    """The page as a tree below a nameless root."""
    builder = _Builder()
    builder.feed(html)
    builder.close()
    return builder.root


def sections(root: Element) -> list[Element]:
    """The page's sections: what stands below `body`, wrappers that hold most of the page's text opened."""
    body = next((element for element in root.elements() if element.tag == "body"), root)
    found = [child for child in body.inner() if child.tag not in _UNSEEN_TEXT | {"head", "link", "meta"}]
    total = max(len(body.text().split()), 1)
    while len(found) < 4:
        big = max(found, key=lambda element: len(element.text().split()), default=None)
        if big is None or len(big.inner()) < 2 or 2 * len(big.text().split()) < total:
            if len(found) == 1 and found[0].inner():
                found = found[0].inner()
                continue
            break
        at = found.index(big)
        found[at : at + 1] = big.inner()
    return found


def _texts(root: Element) -> list[tuple[Element, int]]:
    """Where text is shown: (element, index in its `children`)."""
    return [
        (element, index)
        for element in root.elements()
        if element.tag not in _UNSEEN_TEXT
        for index, child in enumerate(element.children)
        if isinstance(child, str) and child.strip()
    ]


# -------------------------------------------------------------------------------------------------- kinds for training

_WORDS = tuple(
    word
    for line in (
        "alpha market garden silver planet window bridge coffee random service quality modern simple travel energy",
        "future studio ocean team award craft digital local global friendly secure rapid premium design report",
    )
    for word in line.split(" ")
)
_COLOURS = ("gray", "red", "yellow", "green", "blue", "indigo", "purple", "pink")
_COLOUR_CLASS = re.compile(rf"^((?:\w+:)*(?:bg|text|border|from|to|via)-)({'|'.join(_COLOURS)})(-\d+)$")


def retext(root: Element, rng: Random, share: float) -> None:
    """Exchanges this share of the words for others."""
    for element, index in _texts(root):
        words = str(element.children[index]).split(" ")
        element.children[index] = " ".join(
            rng.choice(_WORDS) if word.strip() and rng.random() < share else word for word in words
        )


def recolour(root: Element, rng: Random, share: float) -> None:
    """Gives this share of the page's Tailwind colours (at least one) another hue; tints a page that has none."""
    split = [
        (element, position, match)
        for element in root.elements()
        for position, name in enumerate(element.classes)
        if (match := _COLOUR_CLASS.match(name))
    ]
    used = sorted({match[2] for _, _, match in split})
    if not used:
        body = next((element for element in root.elements() if element.tag == "body"), root)
        body.attributes["style"] = f"background: hsl({rng.randrange(360)}, 80%, 85%)"
        return
    changed = rng.sample(used, max(1, round(share * len(used))))
    other = {hue: rng.choice([one for one in _COLOURS if one != hue]) for hue in changed}
    for element, position, match in split:
        if match[2] in other:
            names = element.classes
            names[position] = match[1] + other[match[2]] + match[3]
            element.classes = names


def remove_sections(root: Element, rng: Random, share: float) -> None:
    """Removes this share of the sections, at least one, never all."""
    found = sections(root)
    for element in rng.sample(found, min(max(1, round(share * len(found))), max(len(found) - 1, 0))):
        element.remove()


def reorder(root: Element, rng: Random, share: float) -> None:
    """Exchanges places between this share of the sections, at least two."""
    found = sections(root)
    chosen = rng.sample(range(len(found)), min(max(2, round(share * len(found))), len(found)))
    places = [(found[index].parent, found[index]) for index in chosen]
    twins = [element.copy() for _, element in places]
    for (parent, element), twin in zip(places, [*twins[1:], *twins[:1]], strict=True):
        if parent is not None:
            twin.parent = parent
            parent.children[parent.children.index(element)] = twin


# ------------------------------------------------------------------------------------ kinds for choosing the weights by


def shorten(root: Element, rng: Random, share: float) -> None:
    """Cuts this share of the texts to half their words."""
    for element, index in _texts(root):
        if rng.random() < share:
            words = str(element.children[index]).split()
            element.children[index] = " ".join(words[: (len(words) + 1) // 2])


def narrow(root: Element, rng: Random, share: float) -> None:
    """Gives this share of the sections (at least one) another width."""
    found = sections(root)
    for element in rng.sample(found, min(max(1, round(share * len(found))), len(found))):
        style = element.attributes.get("style") or ""
        element.attributes["style"] = f"{style}; max-width: {rng.randrange(400, 1000)}px"


def reletter(root: Element, rng: Random, share: float) -> None:
    """Sets this share of the elements with text in another typeface, weight or case."""
    for element in {id(element): element for element, _ in _texts(root)}.values():
        if rng.random() < share:
            name = rng.choice(("font-serif", "font-mono", "uppercase", "italic", "font-bold", "font-light"))
            element.classes = [*element.classes, name]


def flatten(root: Element, rng: Random, share: float) -> None:
    """Takes this share of the grounds, borders, shadows and round corners away."""
    for element in root.elements():
        if element.classes:
            element.classes = [
                name
                for name in element.classes
                if not name.startswith(("bg-", "border", "shadow", "rounded")) or rng.random() >= share
            ]


# ------------------------------------------------------------------------------------------- kinds kept for judging by

_SPACING = re.compile(r"^(-?)(p[xytblr]?|m[xytblr]?|space-[xy]|gap(?:-[xy])?)-(\d+)$")
_SIZES = [f"text-{size}" for size in ("xs", "sm", "base", "lg", "xl", "2xl", "3xl", "4xl", "5xl", "6xl")]
_FLIPS = {
    "text-center": "text-left",
    "text-left": "text-right",
    "text-right": "text-left",
    "justify-between": "justify-start",
    "justify-center": "justify-end",
    "items-center": "items-start",
    "mx-auto": "mr-auto",
    "flex-row": "flex-row-reverse",
    "flex-col": "flex-row",
}
_STEPS = (0, 1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24)


def respace(root: Element, rng: Random, share: float) -> None:
    """Changes paddings, margins, gaps and font sizes of this share of the classes that set them."""
    for element in root.elements():
        names = element.classes
        for position, name in enumerate(names):
            if rng.random() >= share:
                continue
            if match := _SPACING.match(name):
                step = rng.choice([one for one in _STEPS if str(one) != match[3]])
                names[position] = f"{match[1]}{match[2]}-{step}"
            elif name in _SIZES:
                at = _SIZES.index(name) + rng.choice((-2, -1, 1, 2))
                names[position] = _SIZES[min(max(at, 0), len(_SIZES) - 1)]
        if names:
            element.classes = names


def reimage(root: Element, rng: Random, share: float) -> None:
    """Removes this share of the images, or gives them another size."""
    for element in [element for element in root.elements() if element.tag in ("img", "svg", "video")]:
        if rng.random() >= share:
            continue
        if rng.random() < 0.5:
            element.remove()
        else:
            style = f"width: {rng.randrange(40, 700)}px; height: {rng.randrange(40, 400)}px"
            element.attributes["style"] = style


def realign(root: Element, rng: Random, share: float) -> None:
    """Flips alignments and directions, and thins out grids, in this share of the elements."""
    for element in root.elements():
        if element.classes and rng.random() < share:
            element.classes = [
                re.sub(
                    r"grid-cols-(\d+)", lambda match: f"grid-cols-{max(1, int(match[1]) - 1)}", _FLIPS.get(name, name)
                )
                for name in element.classes
            ]


def duplicate(root: Element, rng: Random, share: float) -> None:
    """Shows this share of the sections, at least one, twice."""
    found = sections(root)
    for element in rng.sample(found, min(max(1, round(share * len(found))), len(found))):
        if element.parent is not None:
            twin = element.copy()
            twin.parent = element.parent
            element.parent.children.insert(element.parent.children.index(element) + 1, twin)


def unstyle(root: Element, rng: Random, share: float) -> None:
    """Drops this share of the classes."""
    for element in root.elements():
        if element.classes:
            element.classes = [name for name in element.classes if rng.random() >= share]


def truncate(root: Element, rng: Random, share: float) -> None:
    """Cuts off this share of the sections at the bottom; the first one stays."""
    found = sections(root)
    for element in found[max(1, round((1 - share) * len(found))) :]:
        element.remove()


def exchange_texts(root: Element, rng: Random, share: float, others: Sequence[str]) -> None:
    """Puts texts of other pages in the place of this share of the texts."""
    for element, index in _texts(root):
        if rng.random() < share:
            element.children[index] = rng.choice(others)


Damage = Callable[[Element, Random, float], None]

TRAINING: dict[str, Damage] = {
    "retext": retext,
    "recolour": recolour,
    "remove_sections": remove_sections,
    "reorder": reorder,
}
UNSEEN: dict[str, Damage] = {
    "respace": respace,
    "reimage": reimage,
    "realign": realign,
    "duplicate": duplicate,
    "unstyle": unstyle,
    "truncate": truncate,
}

TUNING: dict[str, Damage] = {"shorten": shorten, "narrow": narrow, "reletter": reletter, "flatten": flatten}

Step = tuple[tuple[Damage, float], ...]

TRAINING_LADDER: tuple[Step, ...] = (
    ((retext, 0.3),),
    ((recolour, 0.5),),
    ((remove_sections, 0.01),),
    ((reorder, 1.0), (recolour, 1.0)),
    ((remove_sections, 0.8), (retext, 0.5)),
)
TUNING_LADDER: tuple[Step, ...] = (
    ((reletter, 0.3),),
    ((narrow, 0.3),),
    ((flatten, 0.4),),
    ((shorten, 0.7), (narrow, 1.0)),
    ((flatten, 1.0), (shorten, 1.0)),
)
UNSEEN_LADDER: tuple[Step, ...] = (
    ((respace, 0.3),),
    ((reimage, 0.7), (realign, 0.3)),
    ((duplicate, 0.01), (respace, 0.5)),
    ((unstyle, 0.5), (realign, 0.7)),
    ((truncate, 0.75),),
)
"""What each rung adds to the damage of the one above it."""


def ladder(html: str, steps: Sequence[Step], rng: Random) -> list[str]:
    """The page with more and more damage: one page per step, each with all the damage of those before it."""
    root = parse_page(html)
    pages: list[str] = []
    for step in steps:
        for damage, share in step:
            damage(root, rng, share)
        pages.append(root.html())
    return pages


def half_rewritten(html: str, rng: Random, others: Sequence[str]) -> str:
    """The page with half of its texts from elsewhere, half of its spacings changed, a quarter of its classes dropped.

    Args:
        others: texts to draw from; see `texts_of`.
    """
    root = parse_page(html)
    exchange_texts(root, rng, 0.5, others)
    respace(root, rng, 0.5)
    unstyle(root, rng, 0.25)
    return root.html()


def texts_of(html: str) -> list[str]:
    """The texts that a page shows, in document order."""
    root = parse_page(html)
    return [str(element.children[index]).strip() for element, index in _texts(root)]
