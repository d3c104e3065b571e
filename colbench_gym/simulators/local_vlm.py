"""A model of `transformers` as the user, in this process: no server. In Frontend Design it has to take pictures."""

from __future__ import annotations

import base64
import functools
import hashlib
import importlib.util
import os
import threading
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any, ClassVar

from colbench_gym.errors import ConfigError, MissingExtra
from colbench_gym.simulators.model_user import ChatMessage, ModelUser, make_part
from colbench_gym.specs import Spec
from colbench_gym.types import Domain

OPTIONS = ("device", "max_new_tokens", "prompt", "geometry", "profile")
ACCEPTED = "local:FOLDER, a folder with a model and its processor, with options such as ?device=cuda&max_new_tokens=512"

_MODEL_FILES = (".safetensors", ".bin", ".json", ".jinja", ".txt", ".model")


class LocalUser(ModelUser):
    """The person, played by a model that `transformers` loads from a folder.

    Backend takes a causal language model with its tokenizer, Frontend an image-text-to-text model with its processor;
    either needs a chat template. Greedy, so the same words for the same dialogue. Keeps no dialogue between calls;
    threads take turns. Nothing is loaded, and `torch` not imported, before the first reply.

    Args:
        folder: the model, as `save_pretrained` writes it. Code in it is never run.
        domain: `backend` or `frontend`.
        prompt: file with a prompt of one's own (see `model_user.read_prompt`); by default the newest of ours.
        device: where it computes, as `torch` names devices.
        max_new_tokens: longest completion, reasoning included.
        geometry, profile: Frontend only: how pages are rendered (`default`, `official`), and cut out of messages
            (`strict`, `official`).

    Raises:
        MissingExtra: the extra `local` is not installed.
        ConfigError: an argument, or the prompt, is unusable.
    """

    kind = "local"
    mend = "a model that follows instructions better, or another prompt (?prompt=FILE)"
    _not_carried: ClassVar = (*ModelUser._not_carried, "_turn", "_loaded")

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        domain: Domain = "backend",
        prompt: str | os.PathLike[str] | None = None,
        device: str = "cpu",
        max_new_tokens: int = 512,
        geometry: str | None = None,
        profile: str | None = None,
    ) -> None:
        for module in ("torch", "transformers"):
            if importlib.util.find_spec(module) is None:
                raise MissingExtra("local", "the user 'local'")
        self.folder = Path(folder)
        if not (self.folder / "config.json").is_file():
            raise ConfigError(f"local: {os.fspath(folder)!r} is no folder with a config.json. Mend: {ACCEPTED}")
        if max_new_tokens < 1:
            raise ConfigError("local: max_new_tokens must be at least 1")
        self.device = device
        self.max_new_tokens = max_new_tokens
        super().__init__(make_part(domain, prompt=prompt, geometry=geometry, profile=profile))

    def _start(self) -> None:
        super()._start()
        self._turn = threading.Lock()
        self._loaded: tuple[Any, Any] | None = None

    def __repr__(self) -> str:
        return f"LocalUser({os.fspath(self.folder)!r})"

    @classmethod
    def from_spec(cls, spec: Spec, domain: Domain = "backend") -> LocalUser:
        """The user that `local:FOLDER?OPTIONS` names. Options: those of the class but `domain`.

        Raises:
            MissingExtra: the extra `local` is not installed.
            ConfigError: the specification is no such thing.
        """
        if not spec.rest:
            raise ConfigError(f"a user 'local' without a model. Mend: {ACCEPTED}")
        spec.only_options(*OPTIONS)
        return cls(
            spec.rest,
            domain=domain,
            prompt=spec.options.get("prompt"),
            device=spec.options.get("device", "cpu"),
            max_new_tokens=spec.take("max_new_tokens", 512, least=1),
            geometry=spec.options.get("geometry"),
            profile=spec.options.get("profile"),
        )

    @property
    def identity(self) -> Mapping[str, Any]:
        """What two users must share for their scores to be comparable. Reads all weights the first time."""
        return {
            "kind": self.kind,
            "model": self.folder.resolve().name,
            "model_sha256": _digest(self.folder.resolve()),
            "device": self.device,
            "max_new_tokens": self.max_new_tokens,
            **self._part.identity,
        }

    def _complete(self, request: Callable[[], list[ChatMessage]], call: None) -> tuple[str, bool]:
        messages = request()
        with self._turn:
            if self._loaded is None:
                self._loaded = self._load()
            processor, model = self._loaded
            try:
                tokens, reply = self._generate(processor, model, messages)
            except Exception as error:  # of whatever model's code, and of the device
                raise self._error(
                    f"failed: {type(error).__name__} {self._excerpt(str(error))}",
                    "what it says; or a model and chat template for system messages and (Frontend) two pictures",
                ) from error
        content = processor.decode(reply, skip_special_tokens=True)
        self._count(requests=1, prompt_tokens=tokens, completion_tokens=len(reply))
        return content, len(reply) >= self.max_new_tokens

    def _generate(self, processor: Any, model: Any, messages: list[ChatMessage]) -> tuple[int, list[int]]:
        """Number of tokens of the request, and the completion's tokens."""
        import torch

        asked = _with_images(messages) if self._part.domain == "frontend" else messages
        inputs = processor.apply_chat_template(
            asked, add_generation_prompt=True, tokenize=True, return_dict=True, return_tensors="pt"
        ).to(model.device)
        length = inputs["input_ids"].shape[1]
        with torch.inference_mode():
            output = model.generate(
                **inputs,
                max_new_tokens=self.max_new_tokens,
                do_sample=False,
                num_beams=1,
                # A model's own defaults for sampling, of which greedy search warns that it has no use for them.
                temperature=None,
                top_p=None,
                top_k=None,
            )
        return length, output[0, length:].tolist()

    def _load(self) -> tuple[Any, Any]:
        """Processor (Backend: tokenizer) and model.

        Raises:
            ConfigError: the folder holds no such thing.
        """
        import transformers

        if self._part.domain == "frontend":
            kinds, what = (transformers.AutoProcessor, transformers.AutoModelForImageTextToText), "image-text-to-text"
        else:
            kinds, what = (transformers.AutoTokenizer, transformers.AutoModelForCausalLM), "causal language"
        try:
            processor = kinds[0].from_pretrained(self.folder, local_files_only=True)
            model: Any = kinds[1].from_pretrained(self.folder, local_files_only=True, dtype="auto")
            model = model.to(self.device).eval()
        except Exception as error:  # of the library and of what it stands on, in whatever version
            raise ConfigError(
                f"local: {os.fspath(self.folder)!r} cannot be loaded on {self.device!r} as a model of the kind {what}: "
                f"{type(error).__name__} {self._excerpt(str(error))}. Mend: {ACCEPTED}"
            ) from error
        if getattr(processor, "chat_template", None) is None:
            raise ConfigError(
                f"local: {os.fspath(self.folder)!r} has no chat template. Mend: a model tuned for dialogue, or a "
                "chat_template.jinja in that folder"
            )
        return processor, model

    def _name(self) -> str:
        return f"local:{self.folder.name}"


def _with_images(messages: list[ChatMessage]) -> list[ChatMessage]:
    """Messages in OpenAI's form in that of `transformers`: every content a list of parts, pictures as images."""
    from PIL import Image

    def converted(part: dict[str, Any]) -> dict[str, Any]:
        if part["type"] == "text":
            return part
        png = base64.b64decode(part["image_url"]["url"].partition(",")[2])
        return {"type": "image", "image": Image.open(BytesIO(png)).convert("RGB")}

    return [
        {
            **message,
            "content": [{"type": "text", "text": message["content"]}]
            if isinstance(message["content"], str)
            else [converted(part) for part in message["content"]],
        }
        for message in messages
    ]


@functools.cache
def _digest(folder: Path) -> str:
    """sha256 over the names and contents of what makes a model: its settings, vocabulary, template and weights."""
    whole = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        if path.suffix in _MODEL_FILES:
            with path.open("rb") as file:
                whole.update(f"{path.name} {hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
    return whole.hexdigest()
