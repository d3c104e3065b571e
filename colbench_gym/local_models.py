"""Models of `transformers` in this process: each loaded once, shared by all that name it, freed when nobody does."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal
from weakref import WeakValueDictionary

from colbench_gym.accounts import current_account
from colbench_gym.errors import ConfigError, MissingExtra

Kind = Literal["causal language", "image-text-to-text"]

DTYPES = ("float32", "bfloat16", "float16")

_MODEL_FILES = (".safetensors", ".bin", ".json", ".jinja", ".txt", ".model")
_EXCERPT = 300


class LoadedModel:
    """A model, ready to write.

    Attributes:
        processor: of texts and pictures; for a causal language model its tokenizer.
        model: on its device, in evaluation mode. `generate` takes no settings from its checkpoint.
        generation_config: the checkpoint's settings, for who wants them.
    """

    def __init__(self, processor: Any, model: Any) -> None:
        from transformers import GenerationConfig

        self.processor = processor
        self.model = model
        self.generation_config = model.generation_config
        # `generate` fills every setting that its caller leaves open from this one.
        model.generation_config = GenerationConfig()
        self._turn = threading.Lock()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """One at a time computes: two would share the cores and need twice the memory."""
        with current_account().waiting():
            self._turn.acquire()
        try:
            yield
        finally:
            self._turn.release()


_loaded: WeakValueDictionary[tuple[Path, Kind, str, str], LoadedModel] = WeakValueDictionary()
_loading = threading.Lock()


def model_folder(folder: str | os.PathLike[str], *, who: str) -> Path:
    """The folder of a model, once it is seen to be one.

    Args:
        folder: as a person gave it.
        who: what needs the model, for errors.

    Raises:
        MissingExtra: the extra `local` is not installed.
        ConfigError: there is no `config.json` in it.
    """
    for module in ("torch", "transformers"):
        if importlib.util.find_spec(module) is None:
            raise MissingExtra("local", who)
    if not (Path(folder) / "config.json").is_file():
        raise ConfigError(
            f"{who}: {os.fspath(folder)!r} is no folder with a config.json. Mend: a folder with a model as "
            "`save_pretrained` writes it"
        )
    return Path(folder)


def chosen_dtype(dtype: str | None, device: str) -> str:
    """The type of numbers that a model computes in: what was asked for, else `float32` on a CPU, where the shorter ones
    are many times slower, and `checkpoint`, the type in which the weights are stored, elsewhere.

    Raises:
        ConfigError: no such type.
    """
    if dtype is None:
        return "float32" if device.partition(":")[0] == "cpu" else "checkpoint"
    if dtype not in DTYPES:
        raise ConfigError(f"dtype={dtype}. Mend: one of {', '.join(DTYPES)}")
    return dtype


def load_model(folder: Path, kind: Kind, *, device: str, dtype: str) -> LoadedModel:
    """A model with its processor and chat template; the same object as long as somebody holds it.

    Args:
        folder: the model, as `save_pretrained` writes it. Code in it is never run, and nothing is downloaded.
        kind: what it is loaded as.
        device: where it computes, as `torch` names devices.
        dtype: see `chosen_dtype`.

    Raises:
        ConfigError: the folder holds no such model, or the device does not take it.
    """
    key = (folder.resolve(), kind, device, dtype)
    with current_account().waiting(), _loading:
        found = _loaded.get(key)
        if found is None:
            found = _loaded[key] = _load(*key)
        return found


def _load(folder: Path, kind: Kind, device: str, dtype: str) -> LoadedModel:
    import transformers

    try:
        if kind == "causal language":
            processor: Any = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
            maker: Any = transformers.AutoModelForCausalLM
        else:
            processor = transformers.AutoProcessor.from_pretrained(folder, local_files_only=True)
            maker = transformers.AutoModelForImageTextToText
        stored = "auto" if dtype == "checkpoint" else dtype
        model: Any = maker.from_pretrained(folder, local_files_only=True, dtype=stored)
        model = model.to(device).eval()
    except Exception as error:  # of the library and of what it stands on, in whatever version
        told = " ".join(str(error).split())[:_EXCERPT]
        raise ConfigError(
            f"{folder.name!r} cannot be loaded on {device!r} as a model of the kind {kind}: {type(error).__name__} "
            f"{told!a}. Mend: another folder or device (?device=cpu)"
        ) from error
    if getattr(processor, "chat_template", None) is None:
        raise ConfigError(
            f"{folder.name!r} has no chat template. Mend: a model tuned for dialogue, or a chat_template.jinja in that "
            "folder"
        )
    return LoadedModel(processor, model)


@functools.cache
def model_digest(folder: Path) -> str:
    """sha256 over the names and contents of what makes a model: its settings, vocabulary, template and weights."""
    whole = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        if path.suffix in _MODEL_FILES:
            with path.open("rb") as file:
                whole.update(f"{path.name} {hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
    return whole.hexdigest()
