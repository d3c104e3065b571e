"""A language model as the user, over any server that speaks OpenAI's chat completions protocol.

In Frontend Design it has to take pictures, too. A failing server is a SimulatorError, never words put into the person's
mouth; what becomes of a reply is the business of `model_user`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from colbench_gym.completions import (
    ENDPOINT_OPTIONS,
    Call,
    Completion,
    CompletionError,
    Endpoint,
    NoText,
    needs_client,
    sampling_options,
)
from colbench_gym.simulators.model_user import ChatMessage, Faulty, ModelUser, make_part, without_pictures
from colbench_gym.specs import Spec
from colbench_gym.types import Domain, Message, Task

OPTIONS = ("temperature", "seed", "max_tokens", *ENDPOINT_OPTIONS, "prompt", "geometry", "profile")
KEY_VARIABLES = ("COLBENCH_USER_API_KEY", "OPENAI_API_KEY")


class ChatUser(ModelUser):
    """The person, played by a language model.

    Keeps no dialogue between calls, so one object may serve any number of dialogues and threads. Nothing is sent, and
    the `openai` package is not imported, before the first reply.

    Args:
        model: the model's name, as its server knows it.
        base_url: the server's address up to and including `/v1`.
        domain: `backend` or `frontend`.
        prompt: file with a prompt of one's own (see `model_user.read_prompt`); by default the newest of ours.
        temperature: sampling temperature; None sends none, for models that refuse the parameter.
        seed: sent with every request; None sends none.
        max_tokens: longest completion, reasoning included, in tokens; None sends no limit.
        timeout, retries, backoff: see `completions.Endpoint`.
        deadline: seconds that the completions of one reply may take, back-off aside.
        geometry, profile: Frontend only: how pages are rendered (`default`, `official`), and cut out of messages
            (`strict`, `official`).

    Raises:
        MissingExtra: the extra `llm` is not installed.
        ConfigError: an argument, or the prompt, is unusable.
    """

    kind = "chat"
    mend = "a model that follows instructions better, another prompt (?prompt=FILE), or the server's settings"

    def __init__(
        self,
        model: str,
        base_url: str,
        *,
        domain: Domain = "backend",
        prompt: str | os.PathLike[str] | None = None,
        temperature: float | None = 0.0,
        seed: int | None = 0,
        max_tokens: int | None = 512,
        timeout: float = Endpoint.timeout,
        retries: int = Endpoint.retries,
        deadline: float = Endpoint.deadline,
        backoff: float = Endpoint.backoff,
        geometry: str | None = None,
        profile: str | None = None,
    ) -> None:
        needs_client("the user 'chat'")
        self.model = model
        self._endpoint = Endpoint(
            model, base_url, KEY_VARIABLES, timeout=timeout, retries=retries, deadline=deadline, backoff=backoff
        )
        self._sampling = {
            name: value
            for name, value in (("temperature", temperature), ("seed", seed), ("max_tokens", max_tokens))
            if value is not None
        }
        super().__init__(make_part(domain, prompt=prompt, geometry=geometry, profile=profile))
        self._sees = domain == "backend"

    def __repr__(self) -> str:
        return f"ChatUser({self._endpoint.model!r}, {self._endpoint.url!r})"

    @classmethod
    def from_spec(cls, spec: Spec, domain: Domain = "backend") -> ChatUser:
        """The user that `chat:MODEL@URL?OPTIONS` names.

        Options: those of the class but `domain`; `temperature`, `seed` and `max_tokens` may be `none`. MODEL may hold
        any character, `@`, `/` and `:` included.

        Raises:
            MissingExtra: the extra `llm` is not installed.
            ConfigError: the specification is no such thing.
        """
        endpoint = Endpoint.from_spec(spec, "a user", KEY_VARIABLES)
        spec.only_options(*OPTIONS)
        sampling = sampling_options(spec, temperature=0.0, max_tokens=512)
        return cls(
            endpoint.model,
            endpoint.url,
            domain=domain,
            prompt=spec.options.get("prompt"),
            temperature=sampling.get("temperature"),
            seed=None if spec.options.get("seed") == "none" else spec.take("seed", 0),
            max_tokens=sampling.get("max_tokens"),
            timeout=endpoint.timeout,
            retries=endpoint.retries,
            deadline=endpoint.deadline,
            backoff=endpoint.backoff,
            geometry=spec.options.get("geometry"),
            profile=spec.options.get("profile"),
        )

    @property
    def identity(self) -> Mapping[str, Any]:
        """What two users must share for their scores to be comparable. Holds no key."""
        return {
            "kind": self.kind,
            "model": self._endpoint.model,
            "endpoint": self._endpoint.host,
            "sampling": dict(self._sampling),
            **self._part.identity,
        }

    def preview(self, task: Task, messages: Sequence[Message]) -> dict[str, Any]:
        """The JSON data of the request that `respond` would send first. Frontend: renders the pages.

        Raises:
            SimulatorError, TaskError, MissingExtra: see `respond`.
        """
        return self._endpoint.body(self._part.request(task, messages), self._sampling)

    def _begun(self) -> Call:
        return self._endpoint.begin()

    def _complete(self, request: Callable[[], list[ChatMessage]], call: Call) -> tuple[str, bool]:
        before = call.counts
        try:
            messages = request()
            completion = self._endpoint.complete(messages, self._sampling, call)
            if not self._sees:
                self._check_eyes(messages, completion, call)
        except NoText as nothing:
            if nothing.fault in self._part.faults:
                raise self._part.faulty(nothing.fault, nothing.excerpt) from None
            raise Faulty(nothing.fault, nothing.excerpt) from None
        except CompletionError as error:
            blind = self._part.domain == "frontend" and error.status not in (0, 401, 403, 404, 429)
            takes = "a model that takes pictures; " if blind else ""
            raise self._error(error.problem, takes + error.mend) from None
        finally:
            self._count(**{name: count - before[name] for name, count in call.counts.items()})
        return completion.text, completion.cut_off

    def _check_eyes(self, messages: list[ChatMessage], completion: Completion, call: Call) -> None:
        """Asks once more without the pictures: some servers drop them without a word if their model takes none.

        Servers that count no tokens are taken at their word.

        Raises:
            SimulatorError: the pictures took no tokens and changed nothing.
            CompletionError: the server failed.
        """
        if completion.usage is not None:
            try:
                blind = self._endpoint.complete(without_pictures(messages), self._sampling, call)
            except NoText:
                blind = None
            if (
                blind is not None
                and blind.usage is not None
                and (blind.usage.prompt_tokens, blind.text) == (completion.usage.prompt_tokens, completion.text)
            ):
                raise self._error(
                    "does not see the pictures: they took no tokens, and without them it says the same",
                    "a model that takes pictures, on a server that hands them on",
                )
        self._sees = True

    # -- what is told of failures

    def _name(self) -> str:
        return self._endpoint.name

    def _excerpt(self, text: str) -> str:
        """As ever, without the key should the server have repeated it."""
        return self._endpoint.excerpt(text)
