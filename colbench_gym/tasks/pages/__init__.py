"""Generated pages: one design at a time, drawn from kinds of business, kinds of section and layouts.

`kinds` holds the businesses' own words, `words` makes names, headings and sentences of them, `style` chooses colours,
type and spacing, `sections` and `layouts` build elements, `markup` writes them down, and `describe` tells what somebody
who wants such a page would say at first.
"""

from __future__ import annotations

from functools import cache
from random import Random

from colbench_gym.tasks.pages.describe import describe
from colbench_gym.tasks.pages.kind import Kind
from colbench_gym.tasks.pages.kinds import all_kinds
from colbench_gym.tasks.pages.layouts import layouts_of
from colbench_gym.tasks.pages.markup import document, el
from colbench_gym.tasks.pages.page import Page
from colbench_gym.tasks.pages.style import draw_style, weighted
from colbench_gym.tasks.pages.words import Words

__all__ = ["draw_page", "kinds_of"]


@cache
def kinds_of(held_out: bool) -> tuple[Kind, ...]:
    return tuple(kind for kind in all_kinds() if kind.held_out == held_out)


def draw_page(rng: Random, held_out: bool) -> tuple[Kind, str, str]:
    """The kind of business, the description and the HTML of one page."""
    kind = rng.choice(kinds_of(held_out))
    page = Page(rng, draw_style(rng), Words(kind, rng), held_out)
    skeleton = weighted(rng, layouts_of(held_out))
    body = el("body", page.style.body, *skeleton.build(page))
    return kind, describe(page, skeleton), document(body, page.style.indent)
