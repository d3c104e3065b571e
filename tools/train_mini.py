"""Trains the small CLIP of the measure `mini`: its weights come from here and from nowhere else.

    python tools/train_mini.py render FOLDER [--pages 1010]
    python tools/train_mini.py train FOLDER [--minutes 14] [--seed 0]

`render` draws pages of `embedded-frontend:train`, each as it is and with more and more damage of the kinds in
`page_damage.TRAINING`, squashed to 96x96 pixels. `train` teaches an OpenCLIP model with them and writes
`mini.safetensors` and `mini.json`, anew every few minutes; it may start while `render` still runs.
No page, description or word of ColBench's own data is used. Equal seeds give equal pictures; the weights also depend on
the machine, the number of threads and the time given.
"""

from __future__ import annotations

import argparse
import copy
import json
import math
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import numpy as np
import open_clip
import torch
from safetensors.torch import save_file
from torch.nn import functional

from colbench_gym.evaluation.page_damage import TRAINING, parse_page
from colbench_gym.grading.likeness.clip import MEAN, STD
from colbench_gym.grading.likeness.pictures import AVERAGED, picture, squashed
from colbench_gym.grading.render import Render, close, render_many
from colbench_gym.tasks import load_tasks

SIZE = 96
STEPS = (1, 2, 3)
"""How many edits each rung adds to the one before."""
VIEWS = 1 + len(STEPS)


def main() -> int:
    """Runs one of the two stages."""
    parser = argparse.ArgumentParser(description="Trains the weights of `mini`.")
    stages = parser.add_subparsers(dest="stage", required=True)
    render = stages.add_parser("render", help="draw the training pictures")
    render.add_argument("--pages", type=int, default=1010, metavar="N")
    train = stages.add_parser("train", help="train on what is drawn")
    train.add_argument("--minutes", type=float, default=14.0, metavar="N")
    for stage in (render, train):
        stage.add_argument("folder", type=Path, metavar="FOLDER")
        stage.add_argument("--seed", type=int, default=0, metavar="N")
    arguments = parser.parse_args()
    if arguments.stage == "render":
        draw(arguments.folder, arguments.pages, arguments.seed)
    else:
        fit(arguments.folder, arguments.minutes, arguments.seed)
    return 0


# ------------------------------------------------------------------------------------------------------------ pictures


def rungs(html: str, random: Random) -> Iterator[str]:
    """The page, and then the page with more and more damage: `VIEWS` in all."""
    yield html
    root = parse_page(html)
    for edits in STEPS:
        for _ in range(edits):
            random.choice(list(TRAINING.values()))(root, random, random.uniform(0.1, 0.6))
        yield root.html()


def draw(folder: Path, pages: int, seed: int) -> None:
    """Writes `pictures.bin`: pages x VIEWS x SIZE x SIZE x 3 bytes, page after page; a page that failed is left out.

    `pages.txt` holds the number of the task behind each row.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tasks = load_tasks("embedded-frontend:train")
    jobs = (view for number in range(pages) for view in rungs(tasks[number].reference, Random(f"{seed}/{number}")))
    results = render_many(jobs, in_flight=2)
    began = time.monotonic()
    with (folder / "pictures.bin").open("wb") as pictures, (folder / "pages.txt").open("w") as rows:
        for number in range(pages):
            views = [next(results) for _ in range(VIEWS)]
            shown = [view for view in views if isinstance(view, Render)]
            if len(shown) < VIEWS:
                continue
            small = (squashed(picture(view.png)).resize((SIZE, SIZE), AVERAGED) for view in shown)
            pictures.write(b"".join(image.tobytes() for image in small))
            pictures.flush()
            rows.write(f"{number}\n")
            rows.flush()
            if number % 100 == 0:
                sys.stderr.write(f"{number} pages, {time.monotonic() - began:.0f} s\n")
    close()


# ---------------------------------------------------------------------------------------------------------------- text

WORDS = 2000
CONTEXT = 64


def vocabulary(descriptions: Sequence[str]) -> list[str]:
    """The most frequent words, in order."""
    counts = Counter(word for text in descriptions for word in words_of(text))
    return [word for word, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[: WORDS - 3]]


def words_of(text: str) -> list[str]:
    return re.findall(r"[a-z]+|[0-9]+|[^\sa-z0-9]", text.lower())


def tokens(text: str, known: dict[str, int]) -> list[int]:
    """0 pads, 1 is an unknown word, the largest number ends the text: there OpenCLIP reads the embedding off."""
    found = [known.get(word, 1) for word in words_of(text)][: CONTEXT - 1]
    return [*found, WORDS - 1, *[0] * (CONTEXT - 1 - len(found))]


# ------------------------------------------------------------------------------------------------------------ training

MODEL = {
    "embed_dim": 128,
    "vision_cfg": {"image_size": SIZE, "layers": [1, 1, 1, 1], "width": 16, "head_width": 32},
    "text_cfg": {"context_length": CONTEXT, "vocab_size": WORDS, "width": 128, "heads": 4, "layers": 2},
}
BATCH = 16
"""Pages, each with all its views."""
RATE = 1e-3
MARGIN = 0.05
SAVE_EVERY = 300.0
"""Seconds."""


class Book:
    """The pages drawn so far, with their descriptions."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        tasks = load_tasks("embedded-frontend:train")
        self.descriptions = [tasks[number].description for number in range(len(tasks))]
        self.words = vocabulary(self.descriptions)
        self.known = {word: at + 2 for at, word in enumerate(self.words)}
        self.look_again()

    def look_again(self) -> None:
        """Takes in what was drawn since."""
        self.numbers = [int(line) for line in (self.folder / "pages.txt").read_text().split()]
        shape = (len(self.numbers), VIEWS, SIZE, SIZE, 3)
        self.pictures = np.memmap(self.folder / "pictures.bin", np.uint8, "r", shape=shape)

    def batch(self, random: np.random.Generator) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Pictures (BATCH x VIEWS, 3, SIZE, SIZE), tokens, and which pages still have the colours that are described.

        All views of a page are mirrored alike or not, and have their colours exchanged alike or not: new pages for
        nothing, with the damage between the views left as it is.
        """
        chosen = random.choice(len(self.numbers), BATCH, replace=False)
        mirrored, recoloured = random.random(BATCH) < 0.5, random.random(BATCH) < 0.5
        views: list[np.ndarray] = []
        for at, mirror, change in zip(chosen, mirrored, recoloured, strict=True):
            pixels = np.asarray(self.pictures[at])
            pixels = pixels[:, :, ::-1] if mirror else pixels
            views.append(pixels[..., random.permutation(3)] if change else pixels)
        text = [tokens(self.descriptions[self.numbers[at]], self.known) for at in chosen]
        return moved(ready(np.concatenate(views)), random), torch.tensor(text), torch.from_numpy(~recoloured)


def ready(pixels: np.ndarray) -> torch.Tensor:
    """uint8 (n, SIZE, SIZE, 3) as the network wants it."""
    values = (torch.from_numpy(pixels).float() / 255 - torch.from_numpy(MEAN)) / torch.from_numpy(STD)
    return values.permute(0, 3, 1, 2).contiguous(memory_format=torch.channels_last)


def moved(pictures: torch.Tensor, random: np.random.Generator) -> torch.Tensor:
    """Each picture by itself stretched and shifted a little: a page whose spacings differ is still the same page."""
    frames = np.zeros((len(pictures), 2, 3), np.float32)
    frames[:, 0, 0] = random.uniform(0.95, 1.05, len(pictures))
    frames[:, 1, 1] = random.uniform(0.85, 1.15, len(pictures))
    frames[:, :, 2] = random.uniform(-0.1, 0.1, (len(pictures), 2))
    grid = functional.affine_grid(torch.from_numpy(frames), list(pictures.shape), align_corners=False)
    return functional.grid_sample(pictures, grid, padding_mode="border", align_corners=False)


def loss_of(model: open_clip.CLIP, pictures: torch.Tensor, text: torch.Tensor, described: torch.Tensor) -> torch.Tensor:
    """Contrast of a page with all views of other pages and with empty ones; order of its views; the description."""
    empty = ready(np.stack([np.full((SIZE, SIZE, 3), value, np.uint8) for value in (255, 0)]))
    found = functional.normalize(model.encode_image(torch.cat([pictures, empty])), dim=-1)
    views = found[:-2].view(BATCH, VIEWS, -1)
    scale = model.logit_scale.exp().clamp(max=50)
    own = torch.eye(BATCH, dtype=torch.bool)
    target = torch.arange(BATCH)

    against = torch.einsum("id,jkd->ijk", views[:, 0], views)
    others = against.masked_fill(own[:, :, None], -10.0).flatten(1)
    void = views[:, 0] @ found[-2:].T
    loss = pictures.new_zeros(())
    for view, weight in zip(range(1, VIEWS), (1.0, 0.7, 0.4), strict=True):
        right = against[target, target, view]
        logits = scale * torch.cat([right[:, None], others, void], dim=1)
        back = scale * (views[:, view] @ views[:, 0].T)
        loss = loss + weight * (functional.cross_entropy(logits, torch.zeros_like(target)))
        loss = loss + weight * functional.cross_entropy(back, target)
    likeness = against[target, target]
    loss = loss + 5 * functional.relu(likeness[:, 1:] - likeness[:, :-1] + MARGIN).mean()

    if int(described.sum()) > 1:
        said = model.encode_text(text[described], normalize=True)
        logits = scale * views[described, 0] @ said.T
        order = torch.arange(len(said))
        pair = functional.cross_entropy(logits, order) + functional.cross_entropy(logits.T, order)
        loss = loss + 0.1 * pair
    return loss


def fit(folder: Path, minutes: float, seed: int) -> None:
    """Trains for this many minutes of wall time on one thread; what is saved is the running mean of the weights."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    book = Book(folder)
    model = open_clip.CLIP(**copy.deepcopy(MODEL)).to(memory_format=torch.channels_last)  # type: ignore[arg-type]
    mean = copy.deepcopy(model).requires_grad_(False)
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.05)
    began = saved = time.monotonic()
    step, images, recent = 0, 0, 0.0
    while (spent := (time.monotonic() - began) / (60 * minutes)) < 1:
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1.0, (step + 1) / 50) * (0.02 + 0.98 * (1 + math.cos(math.pi * spent)) / 2)
        pictures, text, described = book.batch(random)
        loss = loss_of(model, pictures, text, described)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        step, images, recent = step + 1, images + len(pictures), recent + loss.item()
        keep = min(0.995, step / (step + 10))
        with torch.no_grad():
            for held, new in zip(mean.state_dict().values(), model.state_dict().values(), strict=True):
                if held.is_floating_point():
                    held.mul_(keep).add_(new, alpha=1 - keep)
                else:
                    held.copy_(new)
        if step % 50 == 0:
            sys.stderr.write(f"step {step}, {images} pictures of {len(book.numbers)} pages, loss {recent / 50:.3f}\n")
            recent = 0.0
            book.look_again()
        if time.monotonic() - saved > SAVE_EVERY:
            saved = time.monotonic()
            save(folder, mean, book, seed, step, images)
    save(folder, mean, book, seed, step, images)


def save(folder: Path, model: open_clip.CLIP, book: Book, seed: int, step: int, images: int) -> None:
    """Writes `mini.safetensors` (half precision) and `mini.json`."""
    state = {
        name: (value.half() if value.is_floating_point() else value).contiguous()
        for name, value in model.state_dict().items()
    }
    save_file(state, folder / "mini.safetensors")
    training = {"seed": seed, "steps": step, "pictures": images, "pages": len(book.numbers)}
    content = {"model_cfg": MODEL, "training": training, "vocabulary": book.words}
    (folder / "mini.json").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
