"""Evidence from what stands on a page: its blocks one by one, its colours, its look from afar.

Needs no network and no torch, and is deterministic. Every part is 1 for equal pages, symmetric, and in [0, 1].

- `blocks`: texts, images, form fields and painted panels of both pages are matched one to one so that the part is
  greatest (the Hungarian method). The affinity of two texts weighs the words (cosine of hashed character trigrams), the
  place and the looks; that of other blocks place, size and colour. Place counts from the top or from the bottom of the
  page, whichever agrees better, so that one lost section does not condemn all that follow it. The part is the matched
  affinity over all blocks of both pages. A block weighs by the fourth root of its area (a heading about as much as a
  long paragraph, and more than half as much as a large image), a text twice that.
- `colour`: the two histograms over hue, saturation and value, what they share over what either has, each bin by its
  square root, so that a small button counts beside a large white ground.
- `thumbnail`: exp(-d / 0.12), where d is the mean difference of the two pages' colours, each 0 to 1, both pages seen
  32 cells wide and 32 high.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image
from scipy.optimize import linear_sum_assignment

from colbench_gym.grading.likeness.pictures import AVERAGED

if TYPE_CHECKING:
    from colbench_gym.grading.render import Box, Render

VERSION = 1
"""Raised with every change that moves a part."""

TEXT, IMAGE, FIELD, PANEL = range(4)

MOST_BLOCKS = 300
"""Of a page with more, the largest count: matching takes time cubic in their number."""

_TRIGRAM_BINS = 512
_IMAGES = frozenset(("img", "svg", "video", "picture", "canvas", "iframe", "object", "embed"))
_FIELDS = frozenset(("input", "textarea", "select"))


@dataclass(frozen=True, slots=True)
class Blocks:
    """The blocks of a page, n of them.

    Attributes:
        kind: n of `TEXT`, `IMAGE`, `FIELD`, `PANEL`.
        place: n x 6, in pixels: left, centre, right; top and bottom edge from the page's top; bottom edge from its end.
        words: n x 512, float32: unit vectors of hashed character trigrams; zero where there is no text.
        looks: n x 3, RGB in 0..1: of the text, or of a panel's ground.
        font: n, the natural logarithm of the font size.
        size: n x 2, the natural logarithms of width and height.
        weight: n, see the module.
    """

    kind: np.ndarray
    place: np.ndarray
    words: np.ndarray
    looks: np.ndarray
    font: np.ndarray
    size: np.ndarray
    weight: np.ndarray


@dataclass(frozen=True, slots=True)
class Evidence:
    """What `compare` needs to know of a page."""

    blocks: Blocks
    histogram: np.ndarray
    thumbnail: np.ndarray


def evidence_of(render: Render, small: Image.Image) -> Evidence:
    """Reads a page.

    Args:
        render: the page.
        small: its screenshot, RGB, `squashed`.
    """
    return Evidence(_blocks(render), _histogram(small), _thumbnail(small))


def compare(one: Evidence, other: Evidence) -> dict[str, float]:
    """The parts (see the module), each in [0, 1]."""
    common = np.minimum(one.histogram, other.histogram)
    return {
        "blocks": _match(one.blocks, other.blocks),
        "colour": float(common.sum() / np.maximum(one.histogram, other.histogram).sum()),
        "thumbnail": float(np.exp(-np.abs(one.thumbnail - other.thumbnail).mean() / 0.12)),
    }


# -------------------------------------------------------------------------------------------------------------- blocks


def _blocks(render: Render) -> Blocks:
    chosen = [(kind, box) for box in render.boxes if (kind := _kind(box, render)) is not None]
    if len(chosen) > MOST_BLOCKS:
        largest = sorted(range(len(chosen)), key=lambda at: -chosen[at][1].width * chosen[at][1].height)[:MOST_BLOCKS]
        chosen = [chosen[at] for at in sorted(largest)]
    boxes = [box for _, box in chosen]
    shape = np.array([(box.x, box.y, box.width, box.height) for box in boxes], np.float64).reshape(-1, 4)
    x, y, width, height = shape.T
    looks = [box.background or (255, 255, 255, 1.0) if kind == PANEL else box.color for kind, box in chosen]
    return Blocks(
        kind=np.array([kind for kind, _ in chosen], np.int64),
        place=np.stack([x, x + width / 2, x + width, y, y + height, render.height - y - height], axis=1),
        words=_words([box.text for box in boxes]),
        looks=np.array([colour[:3] for colour in looks], np.float64).reshape(-1, 3) / 255,
        font=np.log(np.array([max(box.font_size, 1.0) for box in boxes])),
        size=np.log(np.maximum(shape[:, 2:], 1.0)),
        weight=np.maximum(width * height, 1.0) ** 0.25 * np.array([2.0 if kind == TEXT else 1.0 for kind, _ in chosen]),
    )


def _kind(box: Box, render: Render) -> int | None:
    if box.width < 1 or box.height < 1:
        return None
    if box.tag == "#text":
        return TEXT if box.text.strip() else None
    if box.tag in _IMAGES:
        return IMAGE
    if box.tag in _FIELDS:
        return FIELD
    painted = (box.background is not None and box.background[3] > 0) or box.gradient or any(box.border) or box.shadow
    whole = box.width >= render.width and box.height >= render.height
    return PANEL if painted and not whole else None


def _words(texts: list[str]) -> np.ndarray:
    """Signed hashing of character trigrams: unrelated texts come out near 0, whatever their length."""
    result = np.zeros((len(texts), _TRIGRAM_BINS), np.float32)
    for row, text in enumerate(texts):
        codes = np.frombuffer(f"  {' '.join(text.lower().split())}  ".encode("utf-32-le"), np.uint32).astype(np.uint64)
        if len(codes) <= 4:
            continue
        hashed = _mixed(codes[:-2] | codes[1:-1] << np.uint64(21) | codes[2:] << np.uint64(42))
        signs = np.where(hashed & np.uint64(1), 1.0, -1.0)
        np.add.at(result[row], (hashed >> np.uint64(32)).astype(np.int64) % _TRIGRAM_BINS, signs)
    return result / np.maximum(np.linalg.norm(result, axis=1, keepdims=True), 1e-12)


def _mixed(numbers: np.ndarray) -> np.ndarray:
    """Each number (uint64) scattered over all 64 bits: the finalizer of SplitMix64."""
    numbers = (numbers ^ numbers >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ numbers >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return numbers ^ numbers >> np.uint64(31)


def _match(one: Blocks, other: Blocks) -> float:
    total = one.weight.sum() + other.weight.sum()
    if total == 0:
        return 1.0
    if not len(one.kind) or not len(other.kind):
        return 0.0
    gains = _affinity(one, other) * (one.weight[:, None] + other.weight[None, :])
    rows, columns = linear_sum_assignment(gains, maximize=True)
    return float(min(gains[rows, columns].sum() / total, 1.0))


def _affinity(one: Blocks, other: Blocks) -> np.ndarray:
    """How much each block of one page is like each of the other, in [0, 1]."""
    apart = np.abs(one.place[:, None, :] - other.place[None, :, :])
    across = np.exp(-apart[..., :3].min(axis=2) / 120)
    down = np.exp(-np.minimum(apart[..., 3], apart[..., 5]) / 200)
    place = across * down
    size = np.exp(-2 * np.abs(one.size[:, None, :] - other.size[None, :, :]).sum(axis=2))
    font = np.exp(-2 * np.abs(one.font[:, None] - other.font[None, :]))
    colour = np.exp(-2 * np.sqrt(((one.looks[:, None, :] - other.looks[None, :, :]) ** 2).sum(axis=2)))
    words = np.clip(one.words @ other.words.T, 0, 1)
    texts = 0.5 * words + 0.2 * place + 0.1 * size + 0.1 * font + 0.1 * colour
    others = 0.5 * place + 0.3 * size + 0.2 * colour
    is_text = ((one.kind == TEXT) | (one.kind == FIELD))[:, None]
    found = np.where(is_text, texts, others)
    return np.where(one.kind[:, None] == other.kind[None, :], found, 0.0)


# -------------------------------------------------------------------------------------------------------------- pixels


def _histogram(small: Image.Image) -> np.ndarray:
    hsv = np.asarray(small.convert("HSV")).reshape(-1, 3).astype(np.int64)
    hue, saturation, value = hsv[:, 0] * 12 // 256, hsv[:, 1] * 4 // 256, hsv[:, 2] * 6 // 256
    hue = np.where(saturation == 0, 0, hue)  # A grey has no hue.
    counts = np.bincount((hue * 4 + saturation) * 6 + value, minlength=12 * 4 * 6)
    return np.sqrt(counts / counts.sum())


def _thumbnail(small: Image.Image) -> np.ndarray:
    return np.asarray(small.resize((32, 32), AVERAGED), np.float32) / 255
