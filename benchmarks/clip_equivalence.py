"""Does our `clip` compute what the official pipeline computes? The same weights in both, cosines side by side.

    python benchmarks/clip_equivalence.py [FILE.jsonl] [--pages N] [--weights FOLDER]

The official side is `transformers`: `CLIPModel` and `CLIPProcessor` (its PIL version, as of the paper). FOLDER holds a
checkpoint of CLIP ViT-B/32 as `transformers` writes it; without one, random weights are made from a seed: the
computation is the same. Ours reads them in that layout, and again in OpenCLIP's. Each page is compared with the next.
Ends with one line of JSON; `torchvision_processor` is how far the newer processor lies from the official one.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import save_file
from transformers import CLIPConfig, CLIPImageProcessor, CLIPModel
from transformers.models.clip import CLIPImageProcessorPil

from colbench_gym.errors import ColbenchError
from colbench_gym.grading.likeness.clip import Clip
from colbench_gym.grading.likeness.pictures import no_answer, picture
from colbench_gym.grading.render import Render, close, render_many
from colbench_gym.tasks import load_tasks

BATCH = 16


def main() -> int:
    """Runs the comparison; 0 done, 1 the file or the renderer failed."""
    parser = argparse.ArgumentParser(description="Ours against the official CLIP pipeline.")
    parser.add_argument("file", nargs="?", default="embedded-frontend:test", metavar="FILE", help="tasks")
    parser.add_argument("--pages", type=int, default=50, metavar="N", help="only the first N (default: 50)")
    parser.add_argument("--weights", type=Path, metavar="FOLDER", help="a checkpoint; else random weights")
    arguments = parser.parse_args()
    try:
        tasks = load_tasks(arguments.file)
        pages = [tasks[number].reference for number in range(min(arguments.pages, len(tasks)))]
        shown = [page for page in render_many(pages, geometry="official") if isinstance(page, Render)]
        with tempfile.TemporaryDirectory() as folder:
            print(json.dumps(compare([*shown, no_answer()], arguments.weights, Path(folder))))
    except ColbenchError as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        close()
    return 0


def compare(pages: Sequence[Render], weights: Path | None, scratch: Path) -> dict[str, Any]:
    """How far the cosines of neighbouring pages differ at most.

    Args:
        pages: at least two.
        weights: a folder as `transformers` writes it; None for random weights.
        scratch: an empty folder, for checkpoints.
    """
    if weights is None:
        weights = scratch / "random"
        write_random_model(weights)
    model = CLIPModel.from_pretrained(weights).eval()
    official = cosines(official_embeddings(model, CLIPImageProcessorPil(), pages))
    newer = cosines(official_embeddings(model, CLIPImageProcessor(), pages))
    ours = Clip(str(weights))
    found = ours_cosines(ours, pages)
    converted = scratch / "openclip.safetensors"
    save_file({f"visual.{name}": value.contiguous() for name, value in ours.tower.state_dict().items()}, converted)
    again = Clip(str(converted))
    return {
        "pages": len(pages),
        "difference": float(np.abs(official - found).max()),
        "difference_openclip_layout": float(np.abs(official - ours_cosines(again, pages)).max()),
        "torchvision_processor": float(np.abs(official - newer).max()),
        "cosines": [round(float(official.min()), 4), round(float(official.max()), 4)],
        "same_weights": ours.identity["weights"] == again.identity["weights"],
    }


def write_random_model(folder: Path, seed: int = 0) -> None:
    """CLIP ViT-B/32 with weights from a seed, in the layout of `transformers`. As wide as trained ones, so that
    embeddings differ between pages."""
    torch.manual_seed(seed)
    model = CLIPModel(CLIPConfig())
    with torch.no_grad():
        for parameter in model.vision_model.parameters():
            if parameter.ndim > 1:
                parameter.mul_(3)
    model.save_pretrained(folder)


def official_embeddings(model: CLIPModel, processor: Any, pages: Sequence[Render]) -> np.ndarray:
    """What the official code's calls give."""
    found = []
    for start in range(0, len(pages), BATCH):
        images = [picture(page.png) for page in pages[start : start + BATCH]]
        with torch.inference_mode():
            # The two calls of `get_image_features`, whose return type differs between versions of transformers.
            pooled = model.vision_model(**processor(images=images, return_tensors="pt")).pooler_output
            found.append(model.visual_projection(pooled).double().numpy())
    return np.concatenate(found)


def cosines(embeddings: np.ndarray) -> np.ndarray:
    """Of each with the next one."""
    unit = embeddings / np.linalg.norm(embeddings, axis=1, keepdims=True)
    return (unit[:-1] * unit[1:]).sum(axis=1)


def ours_cosines(ours: Clip, pages: Sequence[Render]) -> np.ndarray:
    """Of each with the next one, from the embeddings (`compare` would round and clip them)."""
    return cosines(ours.embed([page.png for page in pages]))


if __name__ == "__main__":
    sys.exit(main())
