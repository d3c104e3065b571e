"""A page being drawn, and the registry of what it may be made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Literal

from colbench_gym.tasks.pages.markup import Comment, Element, Node, el, image
from colbench_gym.tasks.pages.style import Style, weighted
from colbench_gym.tasks.pages.words import Words

Role = Literal["top", "opening", "body", "foot"]


@dataclass(frozen=True, eq=False)
class Section:
    """A kind of section.

    Attributes:
        build: draws one for a page: a list of elements for a vertical flow.
        role: where it may stand.
        says: how a description may mention it, without colours, texts or counts; `[a|b]` stands for one of a, b.
        weight: how often it is drawn among those of its role.
        held_out: True for kinds that only the `test_ood` split has.
    """

    build: Callable[[Page], list[Node]]
    role: Role
    says: tuple[str, ...]
    weight: float
    held_out: bool

    @property
    def name(self) -> str:
        return self.build.__name__


@dataclass(frozen=True, eq=False)
class Layout:
    """A skeleton of pages; attributes as in `Section`, but `build` draws the children of `<body>`."""

    build: Callable[[Page], list[Node]]
    says: tuple[str, ...]
    weight: float
    held_out: bool

    @property
    def name(self) -> str:
        return self.build.__name__


def section(
    role: Role, *says: str, weight: float = 1, held_out: bool = False
) -> Callable[[Callable[[Page], list[Node]]], Section]:
    """Decorator that makes a function a `Section`."""
    return lambda build: Section(build, role, says, weight, held_out)


def layout(*says: str, weight: float = 1, held_out: bool = False) -> Callable[[Callable[[Page], list[Node]]], Layout]:
    """Decorator that makes a function a `Layout`."""
    return lambda build: Layout(build, says, weight, held_out)


@cache
def sections_of(role: Role, held_out: bool) -> dict[Section, float]:
    """The sections of a role with their weights, in a fixed order."""
    from colbench_gym.tasks.pages.sections import all_sections

    return {found: found.weight for found in all_sections() if found.role == role and found.held_out == held_out}


@dataclass
class Page:
    """What sections and layouts draw from, and what they leave behind for the description.

    Attributes:
        drawn: the sections so far, in order.
        topics: headings so far, in order.
    """

    rng: Random
    style: Style
    words: Words
    held_out: bool
    drawn: list[Section] = field(default_factory=list)
    topics: list[str] = field(default_factory=list)

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def draw(self, role: Role, *, once: bool = True) -> list[Node]:
        """A section of this role, of a kind that the page does not have yet (if `once`)."""
        choices = sections_of(role, self.held_out)
        fresh = {kind: weight for kind, weight in choices.items() if not (once and kind in self.drawn)}
        return self.add(weighted(self.rng, fresh or choices))

    def add(self, kind: Section) -> list[Node]:
        self.drawn.append(kind)
        return kind.build(self)

    def title(self, classes: str = "") -> Element:
        return el("h1", f"{self.style.title} {classes}", self.words.welcome())

    def heading(self, text: str | None = None, classes: str = "", tag: str = "h2") -> Element:
        text = text or self.words.subject()
        self.topics.append(text)
        return el(tag, f"{self.style.heading} {self.style.gap} {classes}", text)

    def prose(self, sentences: int, classes: str = "") -> Element:
        return el("p", f"{self.style.prose} {classes}", self.words.paragraph(sentences))

    def button(self, classes: str = "") -> Element:
        tag = "button" if self.chance(0.7) else "a"
        attributes = {} if tag == "button" else {"href": "#"}
        return el(tag, f"{self.style.button} {classes}", self.words.action(), **attributes)

    def picture(self, width: int, height: int, classes: str = "") -> Element:
        return image(width, height, self.words.sight(), classes)

    def later(self, what: str) -> Comment:
        """The author's reminder that something is missing here, as unfinished pages have it."""
        return Comment(self.rng.choice((f"{what} to be added", f"TODO: {what}", f"Put the {what} here", what)))
