"""How good is a measure of similarity? Pages with known damage, and whether the measure sees it.

For each page there are five damaged versions, each with all the damage of the one before and more, and a version of
which half is rewritten (see `page_damage`). A measure is good if

- `top1`: among the originals of all pages, it finds the one that a half-rewritten page came from;
- `pair_order`: of two versions of a page (the original included), it gives the one with less damage more (ties: half);
- `auc`: it gives a version with one to four doses of damage more than an unrelated page (share of pairs; ties: half);
- `blank`: it gives every damaged version more than an empty page (share of pages).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np

from colbench_gym.errors import GraderError
from colbench_gym.evaluation.page_damage import UNSEEN_LADDER, Step, half_rewritten, ladder, texts_of
from colbench_gym.grading.render import Render, render_many
from colbench_gym.grading.similarity import Similarity

BLANK = "<html><body></body></html>"
_OTHERS = 30
"""Pages from which a half-rewritten page takes its texts."""


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A page and what became of it.

    Attributes:
        original: as it is.
        half_rewritten: see `page_damage.half_rewritten`.
        rungs: with more and more damage.
    """

    original: Render
    half_rewritten: Render
    rungs: tuple[Render, ...]


@dataclass(frozen=True, slots=True)
class Figures:
    """What a measure is worth (see the module). Means over the pages.

    Attributes:
        levels: its value for the original and each rung.
        unrelated: its value for another page.
        empty: its value for an empty page.
        hits: for each page, the position of the original it found for the half-rewritten version.
        margins: for each page, by how much the right original's value is above the best wrong one's.
    """

    top1: float
    pair_order: float
    auc: float
    blank: float
    levels: tuple[float, ...]
    unrelated: float
    empty: float
    hits: tuple[int, ...]
    margins: tuple[float, ...]


def make_exhibits(
    pages: Sequence[str],
    *,
    steps: Sequence[Step] = UNSEEN_LADDER,
    seed: int = 0,
    progress: Callable[[int], None] = lambda done: None,
) -> list[Exhibit]:
    """Damages the pages and renders them.

    Args:
        pages: HTML, at least two.
        steps: the damage of each rung.
        seed: of all damage; the damage of a page depends on its position.
        progress: called with the number of pages done.

    Raises:
        GraderError: a page cannot be rendered, or this machine cannot render.
    """
    texts = [texts_of(page) for page in pages]

    def versions(position: int) -> list[str]:
        rng = Random(f"{seed}/{position}")
        chosen = rng.sample([at for at in range(len(pages)) if at != position], min(_OTHERS, len(pages) - 1))
        others = [text for at in chosen for text in texts[at]]
        page = pages[position]
        return [page, half_rewritten(page, rng, others), *ladder(page, steps, rng)]

    results = render_many(version for position in range(len(pages)) for version in versions(position))
    found: list[Exhibit] = []
    for position in range(len(pages)):
        shown: list[Render] = []
        for _ in range(2 + len(steps)):
            result = next(results)
            if not isinstance(result, Render):
                raise GraderError(f"page {position} or a damaged version of it: {result}")
            shown.append(result)
        found.append(Exhibit(shown[0], shown[1], tuple(shown[2:])))
        progress(position + 1)
    return found


def audit(measure: Similarity, exhibits: Sequence[Exhibit], blank: Render) -> dict[str, Figures]:
    """The figures of a measure (named by its kind) and of each of its parts (`kind.part`).

    Args:
        blank: the empty page.
    """
    originals = [exhibit.original for exhibit in exhibits]
    count, rungs = len(exhibits), len(exhibits[0].rungs)
    found = _values(measure, [exhibit.half_rewritten for exhibit in exhibits], originals)
    among = _values(measure, originals, originals)
    levels = [_pairs(measure, [exhibit.rungs[rung] for exhibit in exhibits], originals) for rung in range(rungs)]
    empty = _pairs(measure, [blank] * count, originals)
    kind = str(measure.identity["kind"])
    return {
        name or kind: _figures(
            found[name],
            among[name],
            np.stack([np.diag(among[name]), *[level[name] for level in levels]], 1),
            empty[name],
        )
        for name in found
    }


def milliseconds(measure: Similarity, exhibits: Sequence[Exhibit]) -> float:
    """CPU time to compare a page never seen before with a reference seen before: the median, rendering excluded."""
    times: list[float] = []
    for exhibit in exhibits:
        measure.compare([None], [exhibit.original])
        began = time.process_time()
        measure.compare([exhibit.rungs[0]], [exhibit.original])
        times.append(1000 * (time.process_time() - began))
    return float(np.median(times))


def _values(measure: Similarity, answers: Sequence[Render], references: Sequence[Render]) -> dict[str, np.ndarray]:
    """Every answer against every reference: matrices by name, the measure's own value by the name ''."""
    rows = [_pairs(measure, [answer] * len(references), references) for answer in answers]
    return {name: np.stack([row[name] for row in rows]) for name in rows[0]}


def _pairs(measure: Similarity, answers: Sequence[Render], references: Sequence[Render]) -> dict[str, np.ndarray]:
    found = measure.compare(answers, references)
    kind = str(measure.identity["kind"])
    parts = {f"{kind}.{part}": np.array([one.parts[part] for one in found]) for part in found[0].parts}
    return {"": np.array([one.value for one in found])} | (parts if len(parts) > 1 else {})


def _figures(found: np.ndarray, among: np.ndarray, levels: np.ndarray, empty: np.ndarray) -> Figures:
    """From values: half-rewritten x originals, originals x originals, pages x (original, rungs...), pages."""
    count, steps = levels.shape
    apart = ~np.eye(count, dtype=bool)
    margins = np.diag(found) - np.where(apart, found, -np.inf).max(axis=1)
    order = [_above(levels[:, less], levels[:, more]) for less in range(steps) for more in range(less + 1, steps)]
    unrelated = among[apart].reshape(count, count - 1)
    damaged = [_above(levels[:, [rung]], unrelated) for rung in range(1, min(5, steps))]
    return Figures(
        top1=float((margins > 0).mean()),
        pair_order=float(np.mean(order)),
        auc=float(np.mean(damaged)),
        blank=float((levels[:, 1:] > empty[:, None]).all(axis=1).mean()),
        levels=tuple(float(value) for value in levels.mean(axis=0)),
        unrelated=float(unrelated.mean()),
        empty=float(empty.mean()),
        hits=tuple(int(hit) for hit in found.argmax(axis=1)),
        margins=tuple(float(margin) for margin in margins),
    )


def _above(one: np.ndarray, other: np.ndarray) -> float:
    """The share of pairs in which the one is greater; ties count half."""
    return float(((one > other) + 0.5 * (one == other)).mean())
