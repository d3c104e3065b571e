"""The paper's measure: the cosine of two screenshots' embeddings by OpenAI's CLIP ViT-B/32.

The network runs through OpenCLIP; what goes into it is what HF's `CLIPProcessor` for `openai/clip-vit-base-patch32`
made of a picture when the paper was written (its PIL version): RGB, the short side to 224 pixels (bicubic, the long
side rounded down), the centre 224x224 (an odd remainder's larger half below and to the right), CLIP's mean and standard
deviation. OpenCLIP's own transform rounds the crop's offset otherwise, and is not used.

The value is the cosine, clipped to [0, 1]. Officially nothing is clipped; between pages CLIP's cosine is never negative
in practice.
"""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import open_clip
import torch
from PIL import Image

from colbench_gym.errors import ConfigError
from colbench_gym.grading.likeness.pictures import DIGITS, digest, no_answer, picture
from colbench_gym.grading.render import Render
from colbench_gym.grading.sharing import Cache, networks
from colbench_gym.grading.similarity import Likeness

MODEL = "ViT-B-32-quickgelu"
"""OpenAI's weights want the approximated GELU; `ViT-B-32` alone would give other embeddings."""

OPENAI_FILE = "40d365715913c9da98579312b702a82c18be219cc2a73407c4526f58beba950af"
"""sha256 of `ViT-B-32.pt` as OpenAI published it."""

SIZE = 224
MEAN = np.array([0.48145466, 0.4578275, 0.40821073], np.float32)
STD = np.array([0.26862954, 0.26130258, 0.27577711], np.float32)

MOST_EMBEDDINGS = 4096
"""Kept in memory, of pages seen before: 2 kB each."""

BATCH = 32


class Clip:
    """The measure `clip`.

    Args:
        path: a checkpoint; None for OpenAI's weights from the hub.
        device: where the network runs, as torch names it; by default `COLBENCH_DEVICE`, else a GPU if there is one.

    Raises:
        ConfigError: no usable weights there, or no such device.
    """

    needs_boxes = False

    def __init__(self, path: str | None = None, *, device: str | None = None) -> None:
        source = Path(path).expanduser() if path else _from_hub()
        file, state = _read(source)
        self.device = _device(device)
        self.tower = _tower(state, source).to(self.device)
        checksum = _file_checksum(file)
        self.identity: Mapping[str, Any] = {
            "kind": "clip",
            "version": 1,
            "model": MODEL,
            "weights": _tower_checksum(self.tower),
            "file": checksum,
            "official": "yes" if path is None or checksum == OPENAI_FILE else "unknown",
        }
        self._embeddings: Cache[np.ndarray] = Cache(MOST_EMBEDDINGS)
        self._no_answer = no_answer()

    def compare(self, answers: Sequence[Render | None], references: Sequence[Render]) -> list[Likeness]:
        """See `Similarity.compare`."""
        shown = [self._no_answer if answer is None else answer for answer in answers]
        embeddings = self.embed([render.png for render in [*shown, *references]])
        ours, wanted = embeddings[: len(shown)], embeddings[len(shown) :]
        cosines = [
            1.0 if answer.png == reference.png else float(one @ other)
            for answer, reference, one, other in zip(shown, references, ours, wanted, strict=True)
        ]
        values = [round(min(max(cosine, 0.0), 1.0), DIGITS) for cosine in cosines]
        return [Likeness(value, {"clip": value}) for value in values]

    def embed(self, pngs: Sequence[bytes]) -> np.ndarray:
        """The pictures' embeddings, of unit length: float64, one row of 512 each."""

        def compute(positions: list[int]) -> list[np.ndarray]:
            found: list[np.ndarray] = []
            for start in range(0, len(positions), BATCH):
                batch = np.stack([preprocess(picture(pngs[at])) for at in positions[start : start + BATCH]])
                found.extend(embed(self.tower, batch, self.device))
            return found

        return np.stack(self._embeddings.all([digest(png) for png in pngs], compute))


def preprocess(image: Image.Image) -> np.ndarray:
    """A picture (RGB) as the network wants it (see the module): float32 of shape (3, 224, 224)."""
    width, height = image.size
    scale = SIZE / min(width, height)
    # int(), not round(): the length that the official pipeline has.
    size = (SIZE, int(SIZE * height / width)) if width <= height else (int(SIZE * width / height), SIZE)
    image = image.resize(size, Image.Resampling.BICUBIC) if scale != 1 else image
    left, top = (image.width - SIZE) // 2, (image.height - SIZE) // 2
    return normalized(image.crop((left, top, left + SIZE, top + SIZE)))


def normalized(image: Image.Image) -> np.ndarray:
    """A picture (RGB) less CLIP's mean, over its standard deviation: float32 of shape (3, height, width)."""
    values = np.asarray(image, np.float32) / np.float32(255)
    return ((values - MEAN) / STD).transpose(2, 0, 1)


def embed(tower: torch.nn.Module, batch: np.ndarray, device: torch.device | str = "cpu") -> np.ndarray:
    """Embeddings of unit length, float64, for a batch of shape (n, 3, height, width)."""

    def run() -> np.ndarray:
        with torch.inference_mode():
            return tower(torch.from_numpy(np.ascontiguousarray(batch)).to(device)).double().cpu().numpy()

    found = networks.run(run)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


# ------------------------------------------------------------------------------------------------------------- weights

_MEND = (
    "Mend: similarity='clip' on a machine with a network (it is fetched once, into the Hugging Face cache), or "
    "similarity='clip:PATH' with a copy of OpenAI's ViT-B-32.pt, of timm/vit_base_patch32_clip_224.openai or of "
    "openai/clip-vit-base-patch32"
)


def _device(name: str | None) -> torch.device:
    chosen = name or os.environ.get("COLBENCH_DEVICE") or ("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(chosen)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:
        raise ConfigError(f"no device {chosen!r} here ({error}). Mend: COLBENCH_DEVICE=cpu") from None
    return device


def _from_hub() -> Path:
    known = open_clip.get_pretrained_cfg(MODEL, "openai")
    try:
        return Path(open_clip.download_pretrained(known))
    except Exception as error:  # The hub's client lets through whatever its network library raises.
        raise ConfigError(
            f"OpenAI's CLIP weights cannot be fetched ({type(error).__name__}: {error}). {_MEND}"
        ) from error


def _read(source: Path) -> tuple[Path, dict[str, torch.Tensor]]:
    """The file that holds the weights, and its tensors."""
    file = source
    if source.is_dir():
        names = ("model.safetensors", "pytorch_model.bin", "open_clip_model.safetensors", "open_clip_pytorch_model.bin")
        files = [source / name for name in names if (source / name).is_file()]
        if not files:
            raise ConfigError(f"{source} holds none of {', '.join(names)}. {_MEND}")
        file = files[0]
        _check_activation(source / "config.json")
    if not file.is_file():
        raise ConfigError(f"no CLIP weights at {file}. {_MEND}")
    try:
        if _is_script(file):
            return file, dict(torch.jit.load(str(file), map_location="cpu").state_dict())
        state: Any = open_clip.factory.load_state_dict(str(file), device="cpu", weights_only=True)
        return file, dict(state)
    except Exception as error:  # Four formats, each with errors of its own.
        raise ConfigError(f"{file} is no checkpoint ({type(error).__name__}: {error}). {_MEND}") from error


def _is_script(file: Path) -> bool:
    """Whether this is TorchScript, as OpenAI published it."""
    if not zipfile.is_zipfile(file):
        return False
    with zipfile.ZipFile(file) as archive:
        return any("/code/" in name for name in archive.namelist())


def _check_activation(config: Path) -> None:
    """The weights do not tell the activation they were trained with; a `transformers` folder does."""
    if not config.is_file():
        return
    vision = json.loads(config.read_text(encoding="utf-8")).get("vision_config", {})
    activation = vision.get("hidden_act", "quick_gelu")
    if activation != "quick_gelu":
        raise ConfigError(f"{config}: hidden_act is {activation!r}, but {MODEL} has 'quick_gelu'. {_MEND}")


def _tower(state: dict[str, torch.Tensor], source: Path) -> torch.nn.Module:
    """The image tower with these weights, all of them and no others."""
    if "vision_model.class_embedding" in state or "vision_model.embeddings.class_embedding" in state:
        state = _from_transformers(state)
    weights = {name.removeprefix("visual."): value for name, value in state.items() if name.startswith("visual.")}
    if not weights:
        raise ConfigError(f"{source} holds no image tower of CLIP. {_MEND}")
    settings = open_clip.get_model_config(MODEL)
    if settings is None:
        raise ConfigError(f"this open_clip knows no {MODEL}. Mend: pip install 'open_clip_torch>=2.24'")
    with torch.device("meta"):  # Shapes only: every weight comes from the checkpoint.
        tower = open_clip.CLIP(**settings).visual
    try:
        tower.load_state_dict({name: value.float() for name, value in weights.items()}, strict=True, assign=True)
    except RuntimeError as error:
        raise ConfigError(f"{source} is not CLIP ViT-B/32: {str(error)[:300]}. {_MEND}") from error
    return tower.eval().requires_grad_(False)


def _from_transformers(state: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The image tower of HF's `CLIPModel` by OpenCLIP's names."""
    renamed = {
        "class_embedding": state["vision_model.embeddings.class_embedding"],
        "conv1.weight": state["vision_model.embeddings.patch_embedding.weight"],
        "positional_embedding": state["vision_model.embeddings.position_embedding.weight"],
        "proj": state["visual_projection.weight"].T.contiguous(),
    }
    for ours, theirs in (("ln_pre", "pre_layrnorm"), ("ln_post", "post_layernorm")):
        for kind in ("weight", "bias"):
            renamed[f"{ours}.{kind}"] = state[f"vision_model.{theirs}.{kind}"]
    layer = 0
    while f"vision_model.encoder.layers.{layer}.layer_norm1.weight" in state:
        block, source = f"transformer.resblocks.{layer}", f"vision_model.encoder.layers.{layer}"
        for kind in ("weight", "bias"):
            for ours, theirs in (
                ("ln_1", "layer_norm1"),
                ("ln_2", "layer_norm2"),
                ("attn.out_proj", "self_attn.out_proj"),
                ("mlp.c_fc", "mlp.fc1"),
                ("mlp.c_proj", "mlp.fc2"),
            ):
                renamed[f"{block}.{ours}.{kind}"] = state[f"{source}.{theirs}.{kind}"]
            renamed[f"{block}.attn.in_proj_{kind}"] = torch.cat(
                [state[f"{source}.self_attn.{name}_proj.{kind}"] for name in "qkv"]
            )
        layer += 1
    return {f"visual.{name}": value for name, value in renamed.items()}


def _tower_checksum(tower: torch.nn.Module) -> str:
    """sha256 of the weights themselves as float32: the same whichever kind of file they came in."""
    found = hashlib.sha256()
    for name, value in sorted(tower.state_dict().items()):
        found.update(name.encode())
        found.update(value.detach().float().cpu().contiguous().numpy().tobytes())
    return found.hexdigest()


def _file_checksum(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
