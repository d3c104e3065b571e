"""How well do the measures of similarity see what was done to a page?

    python benchmarks/similarity.py [FILE.jsonl] [--pages N] [--clip PATH] [--picture OUT.png]

FILE is a task file in the official format or the name of a task set. Its first N pages are damaged (by kinds of damage
that no measure was trained on), rendered, and compared. Prints a table for `mini`, `visual`, their parts, simple
measures, and `clip` where weights are given (see `evaluation.similarity_audit` for what the columns are), and ends with
one line of JSON: measure -> `top1`, `pair_order`, `auc`, `blank`, `ms` (CPU time to compare a new page on one core,
rendering excluded; null for a part).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from PIL import Image, ImageDraw

from colbench_gym.errors import ColbenchError
from colbench_gym.evaluation.page_damage import TRAINING_LADDER, UNSEEN_LADDER
from colbench_gym.evaluation.similarity_audit import BLANK, Exhibit, Figures, audit, make_exhibits, milliseconds
from colbench_gym.grading.likeness.pictures import digest, no_answer, picture
from colbench_gym.grading.render import Render, close, render
from colbench_gym.grading.sharing import Cache
from colbench_gym.grading.similarity import Likeness, Similarity, make_similarity
from colbench_gym.tasks import load_tasks

LADDERS = {"unseen": UNSEEN_LADDER, "training": TRAINING_LADDER}
TIMED = 50
"""Pages."""


def main() -> int:
    """Runs the benchmark; 0 done, 1 the file, the renderer or a measure failed."""
    parser = argparse.ArgumentParser(description="What the measures of similarity are worth.")
    parser.add_argument("file", nargs="?", default="embedded-frontend:test", metavar="FILE", help="tasks")
    parser.add_argument("--pages", type=int, default=100, metavar="N", help="only the first N (default: 100)")
    parser.add_argument("--clip", metavar="PATH", help="a checkpoint of CLIP ViT-B/32; 'hub' for OpenAI's from the hub")
    parser.add_argument("--ladder", choices=list(LADDERS), default="unseen", help="kinds of damage (default: unseen)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the damage (default: 0)")
    parser.add_argument("--picture", metavar="OUT.png", help="draw the best and worst retrievals of `mini`")
    arguments = parser.parse_args()
    try:
        return _run(arguments)
    except ColbenchError as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        close()


def _run(arguments: argparse.Namespace) -> int:
    torch.set_num_threads(1)
    measures: list[Similarity] = [make_similarity("mini"), make_similarity("visual")]
    if arguments.clip:
        measures.append(make_similarity("clip" if arguments.clip == "hub" else f"clip:{arguments.clip}"))
    measures += [Ssim(), Thumbnail(), Histogram()]
    tasks = load_tasks(arguments.file)
    pages = [tasks[number].reference for number in range(min(arguments.pages, len(tasks)))]

    def progress(done: int) -> None:
        if done % 50 == 0:
            print(f"{done} of {len(pages)} pages rendered", file=sys.stderr)

    exhibits = make_exhibits(pages, steps=LADDERS[arguments.ladder], seed=arguments.seed, progress=progress)
    blank = render(BLANK)
    print(f"{len(pages)} pages of {arguments.file}, {arguments.ladder} damage\n")
    print(
        f"{'measure':18} {'ms':>6} {'top1':>6} {'order':>6} {'auc':>6} {'blank':>6}   "
        "original, damaged ... | other | empty"
    )
    summary: dict[str, dict[str, Any]] = {}
    for measure in measures:
        time = milliseconds(measure, exhibits[:TIMED])
        for name, figures in audit(measure, exhibits, blank).items():
            ms = round(time, 1) if "." not in name else None
            summary[name] = _summary(figures, ms)
            _print_row(name, figures, ms)
            if name == "mini" and arguments.picture:
                _draw(arguments.picture, exhibits, figures)
    print()
    print(json.dumps(summary))
    return 0


def _summary(figures: Figures, ms: float | None) -> dict[str, Any]:
    return {
        "top1": round(figures.top1, 4),
        "pair_order": round(figures.pair_order, 4),
        "auc": round(figures.auc, 4),
        "blank": round(figures.blank, 4),
        "ms": ms,
    }


def _print_row(name: str, figures: Figures, ms: float | None) -> None:
    levels = " ".join(f"{value:.2f}" for value in figures.levels)
    print(
        f"{name:18} {'' if ms is None else f'{ms:.1f}':>6} {figures.top1:6.3f} {figures.pair_order:6.3f} "
        f"{figures.auc:6.3f} {figures.blank:6.3f}   {levels} | {figures.unrelated:.2f} | {figures.empty:.2f}",
        flush=True,
    )


# ----------------------------------------------------------------------------------------------------- simple measures


class Simple:
    """A measure that needs nothing but a picture of the page, 64 x 64."""

    needs_boxes = False
    kind = ""

    def __init__(self) -> None:
        self.identity = {"kind": self.kind}
        self._seen: Cache[np.ndarray] = Cache(2000)
        self._no_answer = no_answer()

    def compare(self, answers: Sequence[Render | None], references: Sequence[Render]) -> list[Likeness]:
        """See `Similarity.compare`."""
        shown = [*(self._no_answer if answer is None else answer for answer in answers), *references]
        distinct = list({id(render): render for render in shown}.values())

        def look(positions: list[int]) -> list[np.ndarray]:
            return [
                np.asarray(picture(distinct[at].png).resize((64, 64), Image.Resampling.BOX), np.float64) / 255
                for at in positions
            ]

        found = dict(
            zip(map(id, distinct), self._seen.all([digest(render.png) for render in distinct], look), strict=True)
        )
        pairs = zip(shown[: len(answers)], references, strict=True)
        values = [min(max(self.value(found[id(one)], found[id(other)]), 0.0), 1.0) for one, other in pairs]
        return [Likeness(value, {self.kind: value}) for value in values]

    def value(self, one: np.ndarray, other: np.ndarray) -> float:
        """The measure for two pictures of shape (64, 64, 3), each value 0 to 1."""
        raise NotImplementedError


class Ssim(Simple):
    """Structural similarity of the grey pictures over windows of 8 x 8 (means, variances and covariance of each)."""

    kind = "ssim"

    def value(self, one: np.ndarray, other: np.ndarray) -> float:
        first, second = (_windows(image.mean(axis=2)) for image in (one, other))
        mean1, mean2 = first.mean(axis=1), second.mean(axis=1)
        covariance = ((first - mean1[:, None]) * (second - mean2[:, None])).mean(axis=1)
        light = (2 * mean1 * mean2 + 0.01**2) / (mean1**2 + mean2**2 + 0.01**2)
        structure = (2 * covariance + 0.03**2) / (first.var(axis=1) + second.var(axis=1) + 0.03**2)
        return float((light * structure).mean())


def _windows(grey: np.ndarray) -> np.ndarray:
    return np.lib.stride_tricks.sliding_window_view(grey, (8, 8))[::4, ::4].reshape(-1, 64)


class Thumbnail(Simple):
    """One less the mean difference of the pixels."""

    kind = "thumbnail"

    def value(self, one: np.ndarray, other: np.ndarray) -> float:
        return float(1 - np.abs(one - other).mean())


class Histogram(Simple):
    """The intersection of the two histograms over 8 x 8 x 8 colours."""

    kind = "histogram"

    def value(self, one: np.ndarray, other: np.ndarray) -> float:
        first, second = (
            np.bincount((np.minimum(image * 8, 7).astype(np.int64) @ (64, 8, 1)).ravel(), minlength=512) / 4096
            for image in (one, other)
        )
        return float(np.minimum(first, second).sum())


# ------------------------------------------------------------------------------------------------------------- picture

_WIDTH, _HEIGHT, _SHOWN = 320, 300, 4


def _draw(path: str, exhibits: Sequence[Exhibit], figures: Figures) -> None:
    """The worst and the best retrievals, a row each: the half-rewritten page, what was found, the right one."""
    order = np.argsort(figures.margins)
    chosen = [*order[:_SHOWN], *order[-2:]]
    sheet = Image.new("RGB", (3 * (_WIDTH + 8), len(chosen) * (_HEIGHT + 28)), "black")
    pen = ImageDraw.Draw(sheet)
    for row, page in enumerate(chosen):
        hit = figures.hits[page]
        shown = (exhibits[page].half_rewritten, exhibits[hit].original, exhibits[page].original)
        titles = (f"half rewritten, page {page}", f"found: page {hit}", f"right, ahead by {figures.margins[page]:+.3f}")
        for column, (one, title) in enumerate(zip(shown, titles, strict=True)):
            left, top = column * (_WIDTH + 8), row * (_HEIGHT + 28)
            image = picture(one.png)
            image = image.resize((_WIDTH, max(1, image.height * _WIDTH // image.width)))
            sheet.paste(image.crop((0, 0, _WIDTH, min(_HEIGHT, image.height))), (left, top + 20))
            pen.text((left + 4, top + 4), title, fill="white")
    sheet.save(path)


if __name__ == "__main__":
    sys.exit(main())
