"""The measures by name, what they promise of every pair of pages, and the win rate."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from io import BytesIO
from random import Random

import pytest
from PIL import Image, ImageDraw

from colbench_gym.errors import ConfigError, GraderError
from colbench_gym.evaluation.page_damage import TRAINING_LADDER, UNSEEN_LADDER
from colbench_gym.evaluation.similarity_audit import BLANK, Exhibit, audit, make_exhibits
from colbench_gym.grading import similarity
from colbench_gym.grading.render import Box, Render, render
from colbench_gym.grading.similarity import Similarity, make_similarity, win_rate
from colbench_gym.tasks import load_tasks

MEASURES = ["visual", "mini"]


def page(seed: int, *, rows: int = 6) -> Render:
    """A page as a renderer would give it, drawn by hand: no browser."""
    random = Random(seed)
    image = Image.new("RGB", (1280, 160 * rows), "white")
    pen = ImageDraw.Draw(image)
    boxes: list[Box] = []
    for row in range(rows):
        colour = random.randrange(256), random.randrange(256), random.randrange(256)
        x, y, width, height = random.randrange(600), 160 * row + 10, random.randrange(200, 600), 140
        pen.rectangle((x, y, x + width, y + height), fill=colour)
        boxes.append(Box("div", -1, x, y, width, height, background=(*colour, 1.0)))
        text = " ".join(random.choice(("bread", "chairs", "open", "daily", "river", "yoga")) for _ in range(5))
        boxes.append(Box("#text", len(boxes) - 1, x + 8, y + 8, width / 2, 20, text=text, font_size=16))
    return shot(image, boxes)


def shot(image: Image.Image, boxes: list[Box] | None = None) -> Render:
    png = BytesIO()
    image.save(png, "PNG")
    return Render(png.getvalue(), image.width, image.height, tuple(boxes or ()), "default", "by hand")


@pytest.fixture(params=MEASURES)
def measure(request) -> Similarity:
    if request.param == "mini":
        torch = pytest.importorskip("torch")
        torch.set_num_threads(1)  # Threads that wait for each other take seconds where tests run side by side.
    return make_similarity(request.param)


def test_a_page_is_wholly_like_itself(measure):
    found = measure.compare([page(0)], [page(0)])[0]
    assert found.value == 1.0
    assert set(found.parts.values()) == {1.0}


def test_one_changed_pixel_is_less(measure):
    with Image.open(BytesIO(page(0).png)) as image:
        image.putpixel((5, 5), (0, 0, 0))
        changed = shot(image, list(page(0).boxes))
    assert 0.99 < measure.compare([changed], [page(0)])[0].value < 1.0


def test_values_and_parts_are_shares_and_symmetric(measure):
    pages = [page(seed, rows=3 + seed) for seed in range(5)]
    ones = [one for one in pages for _ in pages]
    others = pages * len(pages)
    there, back = measure.compare(ones, others), measure.compare(others, ones)
    for one, other in zip(there, back, strict=True):
        assert all(0 <= value <= 1 for value in (one.value, *one.parts.values()))
        assert one.value == pytest.approx(other.value, abs=2e-6)


def test_no_answer_counts_as_a_black_picture(measure):
    black = shot(Image.new("RGB", (224, 224)))
    none, drawn = measure.compare([None, black], [page(1), page(1)])
    assert none == drawn
    assert none.value < 0.3


def test_a_batch_gives_what_single_calls_give(measure):
    answers = [page(seed) for seed in range(4)] + [None]
    references = [page(seed + 1) for seed in range(5)]
    # A fresh measure, so that nothing comes from memory.
    similarity._made.cache_clear()
    fresh = make_similarity(str(measure.identity["kind"]))
    singly = [fresh.compare([answer], [reference])[0] for answer, reference in zip(answers, references, strict=True)]
    assert measure.compare(answers, references) == singly
    assert fresh.compare([], []) == []


def test_pages_of_one_look_but_other_boxes_are_kept_apart(measure):
    one = page(2)
    bare = replace(one, boxes=())
    reference = page(3)
    first, second = measure.compare([one, bare], [reference, reference])
    assert first.parts["blocks"] > second.parts["blocks"] == 0.0
    assert measure.compare([bare, one], [reference, reference]) == [second, first]


def test_a_renderer_without_boxes_is_refused_with_the_mend(measure):
    assert measure.needs_boxes
    flat = replace(page(0), boxes=(), flags=("no_boxes",))
    with pytest.raises(GraderError, match="Mend: renderer='chromium'"):
        measure.compare([flat], [page(0)])


def test_hostile_boxes_are_bounded(measure):
    many = tuple(Box("#text", -1, at % 1280, at // 10, 5, 5, text="x" * 50) for at in range(20_000))
    assert measure.compare([replace(page(0), boxes=many)], [replace(page(1), boxes=many)])[0].value <= 1


def test_the_same_measure_for_the_same_name():
    assert make_similarity("visual") is make_similarity("visual")


def test_identities_tell_measures_apart():
    pytest.importorskip("open_clip")
    visual, mini = make_similarity("visual").identity, make_similarity("mini").identity
    assert visual["kind"] == "visual"
    assert "weights" not in visual
    assert len(mini["weights"]) == 64


@pytest.mark.parametrize("spec", ["", "Clip", "mini:x", "visual:", "clip:", "ssim"])
def test_unknown_names_are_refused(spec):
    with pytest.raises(ConfigError, match="'mini', 'visual', 'clip', or 'clip:PATH'"):
        make_similarity(spec)


BLOCKED = """
import importlib.util, sys
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name in {blocked} else found(name, *rest)
sys.modules.update(dict.fromkeys({blocked}))
from colbench_gym.errors import MissingExtra
from colbench_gym.grading.similarity import make_similarity
for spec in {specs}:
    try:
        print(spec, make_similarity(spec).identity["kind"])
    except MissingExtra as error:
        print(spec, error.extra)
"""


@pytest.mark.parametrize(
    ("blocked", "expected"),
    [
        ({"torch", "open_clip"}, ["visual visual", "mini clip", "clip:x clip"]),
        ({"open_clip"}, ["visual visual", "mini clip", "clip:x clip"]),
        ({"scipy"}, ["visual frontend", "mini frontend", "clip:x frontend"]),
    ],
    ids=["no torch", "no open_clip", "no scipy"],
)
def test_what_is_not_installed_is_named_and_nothing_stands_in(blocked, expected):
    code = BLOCKED.format(blocked=blocked, specs=("visual", "mini", "clip:x"))
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.splitlines() == expected


def test_visual_does_not_load_torch():
    code = "import sys; from colbench_gym.grading.similarity import make_similarity as make; make('visual')"
    code += "; assert not {'torch', 'open_clip'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


# ------------------------------------------------------------------------------------------------------ generated pages


@pytest.fixture(scope="module")
def exhibits() -> list[Exhibit]:
    tasks = load_tasks("embedded-frontend:test")
    return make_exhibits([tasks[number].reference for number in range(8)])


@pytest.mark.browser
def test_more_damage_is_less_like(measure, exhibits):
    figures = audit(measure, exhibits, render(BLANK))[str(measure.identity["kind"])]
    assert figures.levels[0] == 1.0
    assert figures.pair_order > 0.9
    assert figures.auc > 0.9
    assert figures.blank == 1.0
    assert figures.top1 >= 0.75


@pytest.mark.browser
def test_an_empty_page_is_nothing_like_a_full_one(measure, exhibits):
    full = [exhibit.original for exhibit in exhibits if len(exhibit.original.boxes) > 30]
    assert full
    for answer in (render(BLANK), None):
        assert all(found.value < 0.3 for found in measure.compare([answer] * len(full), full))


def test_the_ladders_share_no_damage():
    assert not {damage for step in TRAINING_LADDER for damage, _ in step} & {
        damage for step in UNSEEN_LADDER for damage, _ in step
    }


# ------------------------------------------------------------------------------------------------------------- win rate


def test_a_win_is_a_task_on_which_ours_is_strictly_nearer():
    found = win_rate({"a": 0.9, "b": 0.5, "c": 0.2, "d": 0.7}, {"a": 0.8, "b": 0.5, "c": 0.3, "d": 0.1})
    assert (found.wins, found.ties, found.losses, found.rate) == (2, 1, 1, 0.5)
    assert win_rate({"a": 0.5}, {"a": 0.5}).rate == 0


@pytest.mark.parametrize(("ours", "baseline"), [({}, {}), ({"a": 1.0}, {"b": 1.0}), ({"a": 1.0}, {"a": 1.0, "b": 0.0})])
def test_a_win_rate_is_over_the_same_tasks(ours, baseline):
    with pytest.raises(ConfigError, match="Mend: compare them on the same tasks"):
        win_rate(ours, baseline)
