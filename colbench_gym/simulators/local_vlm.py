"""A model of `transformers` as the user, in this process: no server. In Frontend Design it has to take pictures."""

from __future__ import annotations

import base64
import copy
import os
from collections.abc import Callable, Mapping
from io import BytesIO
from typing import Any, ClassVar

from colbench_gym.accounts import current_account
from colbench_gym.errors import ConfigError
from colbench_gym.local_models import LoadedModel, chosen_dtype, load_model, model_digest, model_folder
from colbench_gym.simulators.model_user import ChatMessage, ModelUser, make_part
from colbench_gym.specs import Spec
from colbench_gym.types import Domain

OPTIONS = ("device", "dtype", "max_new_tokens", "prompt", "geometry", "profile")
ACCEPTED = "local:FOLDER, a folder with a model and its processor, with options such as ?device=cuda&max_new_tokens=512"


class LocalUser(ModelUser):
    """The person, played by a model that `transformers` loads from a folder.

    Backend takes a causal language model with its tokenizer, Frontend an image-text-to-text model with its processor;
    either needs a chat template. Greedy, so the same words for the same dialogue. Keeps no dialogue between calls;
    threads take turns, and users of one folder share the model. Nothing is loaded, and `torch` not imported, before the
    first reply.

    Args:
        folder: the model, as `save_pretrained` writes it. Code in it is never run.
        domain: `backend` or `frontend`.
        prompt: file with a prompt of one's own (see `model_user.read_prompt`); by default the newest of ours.
        device: where it computes, as `torch` names devices.
        dtype: type of its numbers: `float32`, `bfloat16` or `float16`; by default `float32` on a CPU, the checkpoint's
            elsewhere.
        max_new_tokens: longest completion, reasoning included.
        geometry, profile: Frontend only: how pages are rendered (`default`, `official`), and cut out of messages
            (`strict`, `official`).

    Raises:
        MissingExtra: the extra `local` is not installed.
        ConfigError: an argument, or the prompt, is unusable.
    """

    kind = "local"
    mend = "a model that follows instructions better, or another prompt (?prompt=FILE)"
    _not_carried: ClassVar = (*ModelUser._not_carried, "_loaded")

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        domain: Domain = "backend",
        prompt: str | os.PathLike[str] | None = None,
        device: str = "cpu",
        dtype: str | None = None,
        max_new_tokens: int = 512,
        geometry: str | None = None,
        profile: str | None = None,
    ) -> None:
        self.folder = model_folder(folder, who="the user 'local'")
        if max_new_tokens < 1:
            raise ConfigError("local: max_new_tokens must be at least 1")
        self.device = device
        self.dtype = chosen_dtype(dtype, device)
        self.max_new_tokens = max_new_tokens
        super().__init__(make_part(domain, prompt=prompt, geometry=geometry, profile=profile))

    def _start(self) -> None:
        super()._start()
        self._loaded: LoadedModel | None = None

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
            dtype=spec.options.get("dtype"),
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
            "model_sha256": model_digest(self.folder.resolve()),
            "device": self.device,
            "dtype": self.dtype,
            "max_new_tokens": self.max_new_tokens,
            **self._part.identity,
        }

    def _complete(self, request: Callable[[], list[ChatMessage]], call: None) -> tuple[str, bool]:
        account = current_account()
        account.before_request()
        messages = request()
        if self._loaded is None:
            kind = "image-text-to-text" if self._part.domain == "frontend" else "causal language"
            self._loaded = load_model(self.folder, kind, device=self.device, dtype=self.dtype)
        with self._loaded.turn():
            try:
                tokens, reply = self._generate(self._loaded, messages)
            except Exception as error:  # of whatever model's code, and of the device
                raise self._error(
                    f"failed: {type(error).__name__} {self._excerpt(str(error))}",
                    "what it says; or a model and chat template for system messages and (Frontend) two pictures",
                ) from error
        counts = {"requests": 1, "prompt_tokens": tokens, "completion_tokens": len(reply)}
        self._count(**counts)
        account.charge(**counts)
        content = self._loaded.processor.decode(reply, skip_special_tokens=True)
        return content, len(reply) >= self.max_new_tokens

    def _generate(self, loaded: LoadedModel, messages: list[ChatMessage]) -> tuple[int, list[int]]:
        """Number of tokens of the request, and the completion's tokens."""
        import torch

        asked = _with_images(messages) if self._part.domain == "frontend" else messages
        inputs = loaded.processor.apply_chat_template(
            asked, add_generation_prompt=True, tokenize=True, return_dict=True, return_tensors="pt"
        ).to(loaded.model.device)
        length = inputs["input_ids"].shape[1]
        settings = copy.deepcopy(loaded.generation_config)
        settings.update(
            max_new_tokens=self.max_new_tokens,
            do_sample=False,
            num_beams=1,
            # A model's own defaults for sampling, of which greedy search warns that it has no use for them.
            temperature=None,
            top_p=None,
            top_k=None,
        )
        with torch.inference_mode():
            output = loaded.model.generate(**inputs, generation_config=settings)
        return length, output[0, length:].tolist()

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
