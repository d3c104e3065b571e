"""A causal language model of `transformers` as the agent, in this process: `local:FOLDER`.

In Frontend Design the same: the agent writes HTML and is told in words what to change, so it needs no eyes.
"""

from __future__ import annotations

import os
import random
from collections.abc import Mapping, Sequence
from typing import Any

from colbench_agents.prompted import AgentPrompt, split_thinking
from colbench_gym.errors import AgentError, ConfigError
from colbench_gym.local_models import LoadedModel, chosen_dtype, load_model, model_digest, model_folder
from colbench_gym.specs import Spec
from colbench_gym.types import AgentReply, Domain, Message, Usage

VERSION = 1
"""Raised whenever other tokens would be asked for or drawn from the same model."""

OPTIONS = ("temperature", "top_p", "max_new_tokens", "seed", "device", "dtype", "max_batch", "prompt")

_PROBE = "colbench"


def make(spec: Spec, *, domain: Domain, max_turns: int) -> Local:
    """The agent that `local:FOLDER?OPTIONS` names. Options: those of `Local`, and `prompt`, a file.

    Raises:
        MissingExtra: the extra `local` is not installed.
        ConfigError: the specification is no such thing.
    """
    if not spec.rest:
        raise ConfigError(f"{spec.text!r} names no model. Mend: local:FOLDER, with options such as ?device=cuda")
    spec.only_options(*OPTIONS)
    return Local(
        spec.rest,
        AgentPrompt.read(domain, max_turns=max_turns, file=spec.options.get("prompt")),
        temperature=spec.take_number("temperature", 1.0),
        top_p=spec.take_number("top_p", 1.0),
        max_new_tokens=spec.take("max_new_tokens", 2048, least=1),
        seed=spec.take("seed", 0),
        device=spec.options.get("device", "cpu"),
        dtype=spec.options.get("dtype"),
        max_batch=spec.take("max_batch", 16, least=1),
    )


class Local:
    """A model that writes the agent's messages, for several dialogues at a time.

    Every dialogue draws from its own seed, so what it is answered does not depend on what else is in the batch (up to
    rounding: sums of another shape are added up in another order). Of the checkpoint's own generation settings only
    the stop tokens are used. Nothing is loaded, and `torch` not imported, before the first action; agents and users
    that name one folder share the model. Any thread may call it.

    Args:
        folder: the model with its tokenizer, as `save_pretrained` writes them, with a chat template.
        prompt: what the model is told. It is the system message; where the template has none, it stands before the
            first message.
        temperature: of sampling; 0 takes the most likely token.
        top_p: only the most likely tokens that together have this probability are drawn from (at that temperature).
        max_new_tokens: longest action, thinking included.
        seed: another one draws other actions for the same seeds of a run.
        device: where it computes, as `torch` names devices.
        dtype: type of its numbers: `float32`, `bfloat16` or `float16`; by default `float32` on a CPU, the checkpoint's
            elsewhere.
        max_batch: most dialogues at a time. What does not fit into a GPU's memory is halved until it does.

    Raises:
        MissingExtra: the extra `local` is not installed.
        ConfigError: an argument is unusable.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        prompt: AgentPrompt,
        *,
        temperature: float = 1.0,
        top_p: float = 1.0,
        max_new_tokens: int = 2048,
        seed: int = 0,
        device: str = "cpu",
        dtype: str | None = None,
        max_batch: int = 16,
    ) -> None:
        self.folder = model_folder(folder, who="the agent 'local'")
        for name, value, usable in (
            ("temperature", temperature, temperature >= 0),
            ("top_p", top_p, 0 < top_p <= 1),
            ("max_new_tokens", max_new_tokens, max_new_tokens >= 1),
            ("max_batch", max_batch, max_batch >= 1),
        ):
            if not usable:
                raise ConfigError(
                    f"the agent 'local': {name}={value}. Mend: temperature at least 0, top_p above 0 and at most 1, "
                    "max_new_tokens and max_batch at least 1"
                )
        self.prompt = prompt
        self.temperature = temperature
        self.top_p = top_p
        self.max_new_tokens = max_new_tokens
        self.seed = seed
        self.device = device
        self.dtype = chosen_dtype(dtype, device)
        self.max_batch = max_batch
        self._writer: _Writer | None = None

    @property
    def identity(self) -> Mapping[str, Any]:
        """What two agents must share for their scores to be comparable. Reads all weights the first time.

        The device is no part of it: it moves no probability by more than rounding does, and its numbers' type is named.
        """
        return {
            "kind": "local",
            "version": VERSION,
            "model": self.folder.resolve().name,
            "model_sha256": model_digest(self.folder.resolve()),
            "dtype": self.dtype,
            "temperature": self.temperature,
            "top_p": self.top_p,
            "max_new_tokens": self.max_new_tokens,
            "seed": self.seed,
            **self.prompt.identity,
        }

    def act(self, messages: Sequence[Message]) -> AgentReply:
        return self.act_seeded(messages, 0)

    def act_seeded(self, messages: Sequence[Message], seed: int) -> AgentReply:
        return self.act_batch([messages], [seed])[0]

    def act_batch(self, dialogues: Sequence[Sequence[Message]], seeds: Sequence[int]) -> list[AgentReply]:
        """See `types.BatchAgent`.

        Raises:
            AgentError: a dialogue does not fit into the model's context or the device's memory, or the chat template
                refuses it.
            ConfigError: the folder's model cannot be loaded.
        """
        if self._writer is None:
            self._writer = _Writer(load_model(self.folder, "causal language", device=self.device, dtype=self.dtype))
        writer = self._writer
        prompts = [writer.tokens(self.prompt.request(messages)) for messages in dialogues]
        for tokens in prompts:
            if writer.context is not None and len(tokens) + self.max_new_tokens > writer.context:
                raise AgentError(
                    f"the dialogue has {len(tokens)} tokens and max_new_tokens={self.max_new_tokens} may follow, but "
                    f"{self.folder.name} takes {writer.context}. Mend: a smaller max_new_tokens, or another model"
                )
        with writer.loaded.turn():
            written = self._written(writer, prompts, seeds)
        replies = []
        for tokens, (token_ids, logprobs) in zip(prompts, written, strict=True):
            text, thinking = split_thinking(writer.text(token_ids))
            usage = Usage(prompt_tokens=len(tokens), completion_tokens=len(token_ids))
            replies.append(AgentReply(text, usage, tuple(token_ids), tuple(logprobs), thinking))
        return replies

    def _written(
        self, writer: _Writer, prompts: Sequence[list[int]], seeds: Sequence[int]
    ) -> list[tuple[list[int], list[float]]]:
        """For each prompt the tokens that follow it, with their log-probabilities."""
        import torch

        draws = [random.Random(f"{self.seed}/{seed}") for seed in seeds]
        try:
            return writer.write(prompts, _Sampler(draws, self.temperature, self.top_p), self.max_new_tokens)
        except torch.cuda.OutOfMemoryError:
            if len(prompts) == 1:
                raise AgentError(
                    f"a dialogue of {len(prompts[0])} tokens does not fit into the memory of {self.device!r}. Mend: a "
                    "smaller max_new_tokens, a shorter dtype, another device, or another model"
                ) from None
        # Out here what the failed batch held is free; it begins anew, in two parts.
        torch.cuda.empty_cache()
        half = len(prompts) // 2
        first = self._written(writer, prompts[:half], seeds[:half])
        return first + self._written(writer, prompts[half:], seeds[half:])


class _Writer:
    """A loaded model with what its tokenizer, template and settings say about dialogues.

    Attributes:
        context: the most tokens it takes, prompt and action together; None if its settings name no limit.
        stops: the tokens that end an action.
    """

    def __init__(self, loaded: LoadedModel) -> None:
        self.loaded = loaded
        self._tokenizer = loaded.processor
        settings = loaded.model.config.get_text_config()
        self.context: int | None = getattr(settings, "max_position_embeddings", None)
        self._has_system = self._renders_system()
        self.stops = self._stop_tokens()

    def tokens(self, request: list[dict[str, str]]) -> list[int]:
        """A request, from its system message on, as the tokens that the model is to continue.

        Raises:
            AgentError: the chat template refuses it.
        """
        from jinja2.exceptions import TemplateError

        if request[0]["role"] == "system" and not self._has_system:
            system, first, *others = request
            request = [{**first, "content": f"{system['content']}\n\n{first['content']}"}, *others]
        try:
            text = self._rendered(request, add_generation_prompt=True)
        except TemplateError as error:
            raise AgentError(
                f"the chat template of the agent's model refuses the dialogue: {error}. Mend: a chat_template.jinja "
                "for dialogues in the model's folder"
            ) from error
        return self._encoded(text)

    def text(self, token_ids: Sequence[int]) -> str:
        """The text of an action, byte for byte as written, special tokens left out."""
        return self._tokenizer.decode(token_ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)

    def write(
        self, prompts: Sequence[list[int]], sampler: _Sampler, max_new_tokens: int
    ) -> list[tuple[list[int], list[float]]]:
        """What `sampler` draws after each prompt, up to and with the first stop token.

        Raises:
            torch.cuda.OutOfMemoryError: the batch is too large for the device.
        """
        import torch
        from transformers import GenerationConfig, LogitsProcessorList

        model = self.loaded.model
        longest = max(map(len, prompts))
        padding = self._tokenizer.pad_token_id or 0  # Masked, so any token will do.
        # Padding stands on the left: the model goes on where the prompt ends.
        padded = [[padding] * (longest - len(tokens)) + tokens for tokens in prompts]
        mask = [[0] * (longest - len(tokens)) + [1] * len(tokens) for tokens in prompts]
        with torch.inference_mode():
            output = model.generate(
                torch.tensor(padded, device=model.device),
                attention_mask=torch.tensor(mask, device=model.device),
                generation_config=GenerationConfig(
                    max_new_tokens=max_new_tokens,
                    do_sample=False,  # `sampler` leaves one token to choose from.
                    eos_token_id=sorted(self.stops) or None,
                    pad_token_id=padding,
                ),
                logits_processor=LogitsProcessorList([sampler]),
            )
        rows = output[:, longest:].tolist()
        logprobs = torch.stack(sampler.logprobs, dim=1).tolist()
        ends = [next((at + 1 for at, token in enumerate(row) if token in self.stops), len(row)) for row in rows]
        return [(row[:end], values[:end]) for row, values, end in zip(rows, logprobs, ends, strict=True)]

    def _renders_system(self) -> bool:
        """Whether the template has a place for a system message: some refuse one, others drop it without a word."""
        from jinja2.exceptions import TemplateError

        request = [{"role": "system", "content": _PROBE}, {"role": "user", "content": "?"}]
        try:
            return _PROBE in self._rendered(request, add_generation_prompt=True)
        except TemplateError:
            return False

    def _stop_tokens(self) -> frozenset[int]:
        """The end of text, by the checkpoint's settings and the tokenizer, and the end of a turn, by the template."""
        stops: set[int | None] = {self._tokenizer.eos_token_id}
        configured = self.loaded.generation_config.eos_token_id
        stops.update(configured if isinstance(configured, list) else [configured])
        turns = [{"role": "user", "content": "?"}, {"role": "assistant", "content": _PROBE}]
        after = self._encoded(self._rendered(turns, add_generation_prompt=False).rpartition(_PROBE)[2].strip())
        special = {token for token, kind in self._tokenizer.added_tokens_decoder.items() if kind.special}
        stops.update(token for token in after[:1] if token in special)
        return frozenset(token for token in stops if token is not None)

    def _rendered(self, request: list[dict[str, str]], *, add_generation_prompt: bool) -> str:
        return self._tokenizer.apply_chat_template(request, tokenize=False, add_generation_prompt=add_generation_prompt)

    def _encoded(self, text: str) -> list[int]:
        # A template writes every special token itself.
        return self._tokenizer(text, add_special_tokens=False)["input_ids"]


class _Sampler:
    """Chooses the next token of every row of a batch, and keeps its log-probability; a `LogitsProcessor` in kind.

    A row's draw is one number from its own generator, looked up in the cumulative probabilities in the order of the
    vocabulary: the same token whatever the other rows are, and on whatever device.

    Attributes:
        logprobs: for each step those of the chosen tokens, shape `(rows,)`, at temperature 1 and with nothing cut off.
    """

    def __init__(self, draws: Sequence[random.Random], temperature: float, top_p: float) -> None:
        self._draws = draws
        self._temperature = temperature
        self._top_p = top_p
        self.logprobs: list[Any] = []

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """`scores` (rows, vocabulary), with all but the chosen token of each row ruled out."""
        chosen = scores.argmax(-1, keepdim=True) if self._temperature == 0 else self._drawn(scores)
        self.logprobs.append(scores.log_softmax(-1).gather(1, chosen).squeeze(1))
        return scores.new_full(scores.shape, float("-inf")).scatter(1, chosen, 0.0)

    def _drawn(self, scores: Any) -> Any:
        import torch

        probabilities = (scores / self._temperature).softmax(-1)
        if self._top_p < 1:
            ordered = probabilities.sort(-1, descending=True).values
            before = ordered.cumsum(-1) - ordered  # that of all tokens more likely
            least = ordered.masked_fill(before >= self._top_p, 1.0).amin(-1, keepdim=True)
            probabilities = probabilities.masked_fill(probabilities < least, 0.0)
        cumulative = probabilities.double().cumsum(-1)
        total = cumulative[:, -1:]
        draws = torch.tensor([[draw.random()] for draw in self._draws], dtype=total.dtype, device=total.device)
        # Strictly below the total, so that there is always a token beyond it, and one of probability above 0.
        below = torch.nextafter(draws * total, torch.zeros_like(total))
        return torch.searchsorted(cumulative, below, right=True)
