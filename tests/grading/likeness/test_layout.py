"""The evidence of `visual` and `mini`, part by part."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from colbench_gym.grading.likeness import layout
from colbench_gym.grading.likeness.pictures import SIZE
from colbench_gym.grading.render import Box, Render


def evidence(*boxes: Box, height: int = 1000, image: Image.Image | None = None) -> layout.Evidence:
    render = Render(b"", 1280, height, boxes, "default", "by hand")
    return layout.evidence_of(render, image or Image.new("RGB", (SIZE, SIZE), "white"))


def text(words: str, x: float = 100, y: float = 100, **changes) -> Box:
    return Box("#text", -1, x, y, 200, 20, text=words, **changes)


def blocks(one: layout.Evidence, other: layout.Evidence) -> float:
    return layout.compare(one, other)["blocks"]


HELLO = text("Welcome to our bakery")


@pytest.mark.parametrize(
    ("near", "far"),
    [
        (text("Welcome to our bakery!"), text("Opening hours")),
        (text("Welcome to our bakery", x=140), text("Welcome to our bakery", x=900)),
        (text("Welcome to our bakery", color=(20, 20, 20, 1.0)), text("Welcome to our bakery", color=(255, 0, 0, 1.0))),
        (text("Welcome to our bakery", font_size=18), text("Welcome to our bakery", font_size=48)),
    ],
    ids=["words", "place", "colour", "font size"],
)
def test_each_property_of_a_text_counts(near, far):
    assert 1 > blocks(evidence(HELLO), evidence(near)) > blocks(evidence(HELLO), evidence(far)) > 0


def test_blocks_of_different_kinds_are_never_matched():
    image = Box("img", -1, 100, 100, 200, 20)
    assert blocks(evidence(HELLO), evidence(image)) == 0
    assert blocks(evidence(image), evidence(image)) == pytest.approx(1)


def test_blocks_missing_or_too_many_cost_alike():
    other = text("Second paragraph", y=400)
    assert blocks(evidence(HELLO), evidence(HELLO, other)) == pytest.approx(0.5 + 1 / 6, abs=0.01)
    assert blocks(evidence(HELLO, other), evidence(HELLO)) == blocks(evidence(HELLO), evidence(HELLO, other))


def test_the_best_matching_is_found_not_the_first():
    """Greedy matching would give the first text to the nearer of two equals."""
    one = evidence(text("a long sentence about bread"), text("a long sentence about bread", y=300))
    other = evidence(text("a long sentence about bread", y=300), text("a long sentence about bread"))
    assert blocks(one, other) == pytest.approx(1)


def test_place_counts_from_the_nearer_end():
    """A page that lost 400 pixels above its footer still has its footer in place."""
    footer, moved = text("All rights reserved", y=960), text("All rights reserved", y=560)
    assert blocks(evidence(footer), evidence(moved, height=600)) == pytest.approx(1)
    assert blocks(evidence(footer), evidence(moved)) < 0.95


def test_pages_without_blocks():
    assert blocks(evidence(), evidence()) == 1
    assert blocks(evidence(HELLO), evidence()) == 0


def test_what_is_not_seen_is_no_block():
    ground = Box("body", -1, 0, 0, 1280, 1000, background=(255, 255, 255, 1.0))
    unseen = [Box("div", 0, 0, 0, 500, 500), text("   "), Box("img", 0, 0, 0, 0, 0), ground]
    assert len(evidence(*unseen).blocks.kind) == 0
    panel = Box("div", 0, 0, 0, 500, 500, background=(0, 0, 255, 1.0))
    assert list(evidence(panel, Box("input", 0, 9, 9, 90, 20)).blocks.kind) == [layout.PANEL, layout.FIELD]


def test_unrelated_texts_have_nothing_in_common_however_long():
    """Plain counts of trigrams make any two long English texts alike; signed hashing does not."""
    one = "We bake our bread every morning in a stone oven that is older than the street it stands in."
    other = "Annual membership covers unlimited classes, a locker and two guest passes for friends or family."
    words = layout._words([one, other, one.upper()])
    assert abs(words[0] @ words[1]) < 0.35
    assert words[0] @ words[2] == pytest.approx(1)


def split(left: str, right: str) -> Image.Image:
    image = Image.new("RGB", (SIZE, SIZE), left)
    image.paste(right, (SIZE // 2, 0, SIZE, SIZE))
    return image


def test_colour_knows_how_much_and_not_where():
    one, mirrored = evidence(image=split("red", "blue")), evidence(image=split("blue", "red"))
    assert layout.compare(one, mirrored)["colour"] == pytest.approx(1)
    assert layout.compare(one, mirrored)["thumbnail"] < 0.1
    assert layout.compare(one, evidence(image=split("red", "green")))["colour"] < 0.6


def test_evidence_of_many_blocks_keeps_the_largest():
    many = [text(str(at)) for at in range(layout.MOST_BLOCKS)]
    found = evidence(*many, Box("img", -1, 0, 0, 900, 900)).blocks
    assert len(found.kind) == layout.MOST_BLOCKS
    assert layout.IMAGE in found.kind
    assert np.isfinite(found.size).all()
