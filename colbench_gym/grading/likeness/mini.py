"""The small CLIP of the measure `mini`: trained by tools/train_mini.py, on pages of our own generator only.

An OpenCLIP model (a residual network of four blocks that sees the whole page squashed to 96x96 pixels, and a text
tower that was only of use in training); its weights lie beside the measure, in half precision.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import open_clip
import torch
from PIL import Image
from safetensors.torch import load

from colbench_gym.errors import ConfigError
from colbench_gym.grading.likeness.clip import embed, normalized
from colbench_gym.grading.likeness.pictures import AVERAGED

WEIGHTS = Path(__file__).parents[1] / "weights"


class MiniClip:
    """The image tower.

    Args:
        folder: holds `mini.json` and `mini.safetensors`.

    Attributes:
        checksum: sha256 of the weights' file.

    Raises:
        ConfigError: they are not there, or do not belong together.
    """

    def __init__(self, folder: Path = WEIGHTS) -> None:
        try:
            settings = json.loads((folder / "mini.json").read_text(encoding="utf-8"))
            content = (folder / "mini.safetensors").read_bytes()
        except OSError as error:
            raise ConfigError(
                f"the weights of 'mini' cannot be read ({error}). Mend: install colbench-gym again"
            ) from None
        self.checksum = hashlib.sha256(content).hexdigest()
        self.size = int(settings["model_cfg"]["vision_cfg"]["image_size"])
        with torch.device("meta"):  # Shapes only: every weight comes from the file.
            model = open_clip.CLIP(**settings["model_cfg"])
        state = load(content)
        try:
            model.load_state_dict(
                {name: value.float() if value.is_floating_point() else value for name, value in state.items()},
                strict=True,
                assign=True,
            )
        except RuntimeError as error:
            raise ConfigError(
                f"{folder}: mini.safetensors does not fit mini.json ({str(error)[:300]}). "
                "Mend: install colbench-gym again"
            ) from None
        self.tower = model.visual.eval().requires_grad_(False)

    def embed(self, images: Sequence[Image.Image]) -> list[np.ndarray]:
        """Embeddings of `squashed` pictures (RGB), of unit length.

        One by one: a batch's size must not move a digit of a reward.
        """
        shape = (self.size, self.size)
        return [embed(self.tower, normalized(image.resize(shape, AVERAGED))[None])[0] for image in images]
