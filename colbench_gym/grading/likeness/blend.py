"""Our own measures: layout evidence alone (`visual`), and with a small CLIP of our own (`mini`).

Each is a weighted mean of parts in [0, 1]: `blocks`, `colour` and `thumbnail` of `layout`, and `clip`, the cosine of
`MiniClip`'s embeddings of the two pages, below 0 taken as 0. Two screenshots without one differing pixel are worth
exactly 1; others at most 0.999999. The weights were chosen on pages of our own generator, where `colour` and
`thumbnail` add nothing beside `clip`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from colbench_gym.grading.likeness import layout
from colbench_gym.grading.likeness.pictures import DIGITS, check_boxes, digest, no_answer, picture, squashed
from colbench_gym.grading.render import Render
from colbench_gym.grading.sharing import Cache
from colbench_gym.grading.similarity import Likeness

if TYPE_CHECKING:
    import numpy as np

    from colbench_gym.grading.likeness.mini import MiniClip

FORMULA = 1
"""Raised with every change of a weight below."""

VISUAL_WEIGHTS: Mapping[str, float] = {"blocks": 0.9, "colour": 0.05, "thumbnail": 0.05}
MINI_WEIGHTS: Mapping[str, float] = {"blocks": 0.95, "clip": 0.05}

BELOW_ONE = 1 - 10**-DIGITS
"""The most that a page is worth which differs in a pixel."""

MOST_PAGES = 1024
"""Whose evidence is kept in memory: about 100 kB each."""


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of a page."""

    layout: layout.Evidence
    embedding: np.ndarray | None


class Blend:
    """A weighted mean of parts.

    Args:
        kind: the measure's name.
        weights: part -> weight; they add up to 1.
        clip: what gives the part `clip`; None without that part.
    """

    needs_boxes = True

    def __init__(self, kind: str, weights: Mapping[str, float], clip: MiniClip | None = None) -> None:
        self.weights = weights
        self.clip = clip
        self.identity: Mapping[str, Any] = {"kind": kind, "layout": layout.VERSION, "formula": FORMULA} | (
            {"weights": clip.checksum} if clip is not None else {}
        )
        self._pages: Cache[_Known] = Cache(MOST_PAGES)
        self._no_answer = no_answer()

    def compare(self, answers: Sequence[Render | None], references: Sequence[Render]) -> list[Likeness]:
        """See `Similarity.compare`."""
        shown = [self._no_answer if answer is None else answer for answer in answers]
        renders = [*shown, *references]
        check_boxes(renders, str(self.identity["kind"]))
        # A render often stands in a list many times, and hashing it costs more than comparing it.
        distinct = list({id(render): render for render in renders}.values())
        keys = [f"{digest(render.png)} {hash(render.boxes)}" for render in distinct]
        known = dict(
            zip(
                map(id, distinct),
                self._pages.all(keys, lambda positions: [self._look(distinct[at]) for at in positions]),
                strict=True,
            )
        )
        return [
            Likeness(1.0, dict.fromkeys(self.weights, 1.0))
            if answer.png == reference.png
            else self._likeness(known[id(answer)], known[id(reference)])
            for answer, reference in zip(shown, references, strict=True)
        ]

    def _look(self, render: Render) -> _Known:
        small = squashed(picture(render.png))
        embedding = None if self.clip is None else self.clip.embed([small])[0]
        return _Known(layout.evidence_of(render, small), embedding)

    def _likeness(self, one: _Known, other: _Known) -> Likeness:
        parts = layout.compare(one.layout, other.layout)
        if one.embedding is not None and other.embedding is not None:
            parts["clip"] = min(max(float(one.embedding @ other.embedding), 0.0), 1.0)
        parts = {name: round(parts[name], DIGITS) for name in self.weights}
        value = round(sum(weight * parts[name] for name, weight in self.weights.items()), DIGITS)
        return Likeness(min(value, BELOW_ONE), parts)


def visual() -> Blend:
    """The measure `visual`."""
    return Blend("visual", VISUAL_WEIGHTS)


def mini() -> Blend:
    """The measure `mini`."""
    from colbench_gym.grading.likeness.mini import MiniClip

    return Blend("mini", MINI_WEIGHTS, MiniClip())
