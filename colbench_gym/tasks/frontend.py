"""The embedded frontend tasks: a seeded generator of pages and vague descriptions that needs no files and no network.

Task `i` of a split is a pure function of the split's name and `i`. The official tasks are pages of the WebSight set;
these are made to look and to be described like them, in words of our own.
"""

from __future__ import annotations

from functools import lru_cache
from random import Random

from colbench_gym.tasks.embedded import EmbeddedTasks, embedded_id
from colbench_gym.tasks.pages import draw_page
from colbench_gym.types import Task

NAME = "embedded-frontend"
SIZES = {"train": 10_000, "test": 500, "test_ood": 500}

# What the named sets were at their first release. A test recomputes them: a change here changes scores and needs `-v1`.
FINGERPRINTS: dict[str, str] = {
    "train": "1b26a075186ac307901bbe60095df9da86a239f6f890dca3a467438d6e259059",
    "test": "5ac8212f3130e37272f0dca79d9825990f779f362f877c2e632c640aa253ab2d",
    "test_ood": "9454f48cba9ab23a48120bc4050704e3f3a188349c592524c7e56dc80083d679",
}


class EmbeddedFrontendTasks(EmbeddedTasks):
    """One split; recent tasks are kept. `test_ood`: kinds of business, sections and layouts that the others lack.

    See `EmbeddedTasks` for the arguments.
    """

    set_name = NAME
    sizes = SIZES
    fingerprints = FINGERPRINTS

    def generate(self, index: int) -> Task:
        return generate(self.split, index)


@lru_cache(maxsize=2048)
def generate(split: str, index: int) -> Task:
    """Task `index` of a split. Seeded by their names alone, so ids mean the same task in every process."""
    rng = Random(f"{NAME}-v0/{split}/{index}")
    kind, description, reference = draw_page(rng, held_out=split == "test_ood")
    return Task(
        id=embedded_id(f"{NAME}:{split}", index),
        domain="frontend",
        description=description,
        reference=reference,
        source=f"{NAME}:{split}",
        family=kind.name,
    )
