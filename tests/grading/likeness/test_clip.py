"""The paper's measure: what goes into the network, what comes out beside the official pipeline, and bad weights."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path

import numpy as np
import open_clip
import pytest
import torch
from PIL import Image, ImageDraw
from safetensors.torch import load_file, save_file

from colbench_gym.errors import ConfigError
from colbench_gym.grading.likeness import clip
from colbench_gym.grading.likeness.clip import SIZE, Clip, preprocess
from colbench_gym.grading.likeness.pictures import picture
from colbench_gym.grading.render import Render
from colbench_gym.grading.similarity import make_similarity


def drawn(width: int, height: int, seed: int) -> Render:
    """Something like a page: bars of colour and lines of text."""
    random = np.random.default_rng(seed)
    image = Image.new("RGB", (width, height), "white")
    pen = ImageDraw.Draw(image)
    for top in range(0, height, 90):
        colour = tuple(int(value) for value in random.integers(0, 255, 3))
        pen.rectangle((int(random.integers(0, width // 2)), top, width, top + 50), fill=colour)
        pen.text((20, top + 55), "Welcome to our bakery " * int(random.integers(1, 8)), fill="black")
    png = BytesIO()
    image.save(png, "PNG")
    return Render(png.getvalue(), width, height, (), "official", "by hand")


# Sides whose rounding or whose odd remainder separates the official preprocessing from others.
SIZES = [
    (1366, 768),
    (1366, 771),
    (1366, 1367),
    (1366, 3001),
    (1366, 9999),
    (225, 224),
    (224, 227),
    (300, 10),
    (224, 224),
]


@pytest.mark.parametrize("size", SIZES, ids=lambda size: "x".join(map(str, size)))
def test_pictures_are_prepared_as_officially(size):
    transformers = pytest.importorskip("transformers.models.clip")
    official = transformers.CLIPImageProcessorPil()
    image = picture(drawn(*size, seed=1).png)
    wanted = official(images=image, return_tensors="np")["pixel_values"][0]
    found = preprocess(image)
    assert found.shape == wanted.shape == (3, SIZE, SIZE)
    assert np.abs(found - wanted).max() < 1e-5


# ---------------------------------------------------------------------------------------------------- unusable weights


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("nothing.pt", None, "no CLIP weights at"),
        ("text.pt", b"hello", "is no checkpoint"),
        ("cut.safetensors", b"\x10\0\0\0\0\0\0\0{", "is no checkpoint"),
    ],
)
def test_a_path_without_weights_is_named_with_the_mend(tmp_path: Path, name, content, said):
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigError, match=said) as error:
        make_similarity(f"clip:{path}")
    assert str(path) in str(error.value)
    assert "Mend: similarity='clip' on a machine with a network" in str(error.value)


def test_a_folder_without_weights(tmp_path: Path):
    with pytest.raises(ConfigError, match=r"holds none of model\.safetensors"):
        Clip(str(tmp_path))


@pytest.mark.parametrize(
    "state",
    [
        {"something": torch.zeros(3)},
        {"visual.proj": torch.zeros(768, 512)},
        {"visual.conv1.weight": torch.zeros(768, 3, 16, 16)},
    ],
    ids=["no CLIP", "a part of it", "another CLIP"],
)
def test_other_weights_are_never_taken(tmp_path: Path, state):
    save_file(state, tmp_path / "model.safetensors")
    with pytest.raises(ConfigError, match=r"holds no image tower|is not CLIP ViT-B/32"):
        Clip(str(tmp_path / "model.safetensors"))


def test_another_activation_is_refused(tmp_path: Path):
    (tmp_path / "config.json").write_text(json.dumps({"vision_config": {"hidden_act": "gelu"}}), encoding="utf-8")
    save_file({"visual.proj": torch.zeros(1)}, tmp_path / "model.safetensors")
    with pytest.raises(ConfigError, match="hidden_act is 'gelu'"):
        Clip(str(tmp_path))


def test_an_unreachable_hub_is_an_error_and_nothing_stands_in(monkeypatch):
    def unreachable(known):
        raise OSError("no route to host")

    monkeypatch.setattr(open_clip, "download_pretrained", unreachable)
    with pytest.raises(ConfigError, match=r"cannot be fetched \(OSError: no route to host\)\. Mend"):
        Clip()


def test_an_unknown_device_is_refused(monkeypatch):
    monkeypatch.setenv("COLBENCH_DEVICE", "abacus")
    with pytest.raises(ConfigError, match="Mend: COLBENCH_DEVICE=cpu"):
        clip._device(None)
    assert clip._device("cpu").type == "cpu"


# ------------------------------------------------------------------------------------- the network, with random weights


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A checkpoint as `transformers` writes it."""
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    path = tmp_path_factory.mktemp("clip")
    model = transformers.CLIPModel(transformers.CLIPConfig())
    with torch.no_grad():
        for parameter in model.vision_model.parameters():
            if parameter.ndim > 1:
                parameter.mul_(3)  # As wide as trained ones, so that pages differ.
    model.save_pretrained(path)
    return path


@pytest.fixture(scope="module")
def measure(folder: Path) -> Clip:
    return Clip(str(folder), device="cpu")


PAGES = [drawn(1366, height, seed) for seed, height in enumerate((768, 901, 1500, 771, 3000))]


@pytest.mark.slow
def test_cosines_are_the_official_ones(measure: Clip, folder: Path):
    from transformers import CLIPModel
    from transformers.models.clip import CLIPImageProcessorPil

    model = CLIPModel.from_pretrained(folder).eval()
    inputs = CLIPImageProcessorPil()(images=[picture(page.png) for page in PAGES], return_tensors="pt")
    with torch.inference_mode():
        pooled = model.vision_model(**inputs).pooler_output
        official = torch.nn.functional.normalize(model.visual_projection(pooled).double()).numpy()
    ours = measure.embed([page.png for page in PAGES])
    assert np.abs(official @ official.T - ours @ ours.T).max() < 1e-4
    assert (ours @ ours.T).min() < 0.99


@pytest.mark.slow
def test_a_checkpoint_is_the_same_in_every_layout(measure: Clip, tmp_path: Path):
    state = {f"visual.{name}": value for name, value in measure.tower.state_dict().items()}
    save_file(state, tmp_path / "weights.safetensors")
    torch.save({"state_dict": {f"module.{name}": value for name, value in state.items()}}, tmp_path / "weights.pt")
    for name in ("weights.safetensors", "weights.pt"):
        other = Clip(str(tmp_path / name), device="cpu")
        assert other.identity["weights"] == measure.identity["weights"]
        assert other.compare(PAGES[:1], PAGES[1:2]) == measure.compare(PAGES[:1], PAGES[1:2])
    state["visual.ln_post.bias"] = state["visual.ln_post.bias"] + 0.01
    save_file(state, tmp_path / "other.safetensors")
    assert Clip(str(tmp_path / "other.safetensors"), device="cpu").identity["weights"] != measure.identity["weights"]
    assert measure.identity["official"] == "unknown"


@pytest.mark.slow
def test_pairs(measure: Clip):
    found = measure.compare([PAGES[0], None, PAGES[2]], [PAGES[0], PAGES[1], PAGES[3]])
    assert found[0].value == 1.0
    assert all(0 <= one.value <= 1 and one.parts == {"clip": one.value} for one in found)
    black = Image.new("RGB", (224, 224))
    png = BytesIO()
    black.save(png, "PNG")
    assert found[1] == measure.compare([Render(png.getvalue(), 224, 224, (), "official", "x")], [PAGES[1]])[0]


@pytest.mark.slow
def test_a_batch_gives_what_single_calls_give(folder: Path, measure: Clip):
    fresh = Clip(str(folder), device="cpu")
    singly = np.concatenate([fresh.embed([page.png]) for page in PAGES])
    assert np.abs(singly - measure.embed([page.png for page in PAGES])).max() < 1e-5


@pytest.mark.slow
def test_a_reference_is_embedded_once(measure: Clip, monkeypatch):
    measure.compare([PAGES[4]], [PAGES[0]])
    monkeypatch.setattr(clip, "embed", lambda *rest: pytest.fail("embedded again"))
    measure.compare([PAGES[4], PAGES[0]], [PAGES[0], PAGES[0]])


@pytest.mark.slow
def test_the_weights_of_transformers_are_all_used(folder: Path):
    """Every tensor of the image tower lands somewhere: none is lost in renaming."""
    theirs = {
        name: value
        for name, value in load_file(folder / "model.safetensors").items()
        if "vision" in name or "visual" in name
    }
    ours = clip._from_transformers(theirs)
    assert sum(value.numel() for value in ours.values()) == sum(
        value.numel() for name, value in theirs.items() if "position_ids" not in name
    )
