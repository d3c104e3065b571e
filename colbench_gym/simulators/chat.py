"""A language model as the user, over any server that speaks OpenAI's chat completions protocol.

In Frontend Design it has to take pictures, too. A failing server is a SimulatorError, never words put into the person's
mouth; what becomes of a reply is the business of `model_user`.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, ClassVar
from urllib.parse import SplitResult, urlsplit

from colbench_gym.errors import ConfigError, MissingExtra, SimulatorError
from colbench_gym.simulators.model_user import ChatMessage, Faulty, ModelUser, make_part
from colbench_gym.specs import Spec
from colbench_gym.types import Domain

OPTIONS = ("temperature", "seed", "max_tokens", "timeout", "retries", "deadline", "prompt", "geometry", "profile")
KEY_VARIABLES = ("COLBENCH_USER_API_KEY", "OPENAI_API_KEY")

ACCEPTED = "chat:MODEL@http://HOST:PORT/v1, with options such as ?temperature=0&timeout=60"

_SPEC = re.compile(r"(?P<model>.+)@(?P<url>https?://.+)", re.DOTALL)
_NO_KEY = "no-key"
"""Sent when no key is set: servers of one's own ask for none, the client library asks for something."""


@dataclass(slots=True)
class _Call:
    """One reply on its way.

    Attributes:
        deadline: the moment (monotonic seconds) at which nobody waits for it any more.
        requests: HTTP requests sent for it.
        status: HTTP status of the last answer; 0 before the first.
    """

    deadline: float
    requests: int = 0
    status: int = 0

    @property
    def counted(self) -> str:
        return "1 request" if self.requests == 1 else f"{self.requests} requests"

    def __str__(self) -> str:
        return f"{self.counted}, the last answered by {self.status}" if self.status else self.counted


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
        timeout: seconds a server may be silent before a request counts as failed.
        retries: how often a request is repeated after 429, 408, 409, 5xx, a timeout or a broken connection. The client
            library waits in between: as long as `Retry-After` says, else 0.5 s, doubling up to 8 s.
        deadline: seconds that one reply may take, everything included.
        geometry, profile: Frontend only: how pages are rendered (`default`, `official`), and cut out of messages
            (`strict`, `official`).

    Raises:
        MissingExtra: the extra `llm` is not installed.
        ConfigError: an argument, or the prompt, is unusable.
    """

    kind = "chat"
    mend = "a model that follows instructions better, another prompt (?prompt=FILE), or the server's settings"
    _not_carried: ClassVar = (*ModelUser._not_carried, "_client", "_client_process", "_here")

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
        timeout: float = 60.0,
        retries: int = 4,
        deadline: float = 600.0,
        geometry: str | None = None,
        profile: str | None = None,
    ) -> None:
        if importlib.util.find_spec("openai") is None:
            raise MissingExtra("llm", "the user 'chat'")
        if timeout <= 0 or deadline <= 0 or retries < 0:
            raise ConfigError("chat: timeout and deadline must be greater than 0, retries at least 0")
        self.model = model
        self._url = _checked_url(base_url)
        self._sampling = {
            name: value
            for name, value in (("temperature", temperature), ("seed", seed), ("max_tokens", max_tokens))
            if value is not None
        }
        self._timeout, self._retries, self._deadline = timeout, retries, deadline
        super().__init__(make_part(domain, prompt=prompt, geometry=geometry, profile=profile))

    def _start(self) -> None:
        super()._start()
        self._client: Any = None
        self._client_process = 0
        self._here = threading.local()

    def __repr__(self) -> str:
        return f"ChatUser({self.model!r}, {self._url.geturl()!r})"

    @classmethod
    def from_spec(cls, spec: Spec, domain: Domain = "backend") -> ChatUser:
        """The user that `chat:MODEL@URL?OPTIONS` names.

        Options: those of the class but `domain`; `temperature`, `seed` and `max_tokens` may be `none`. MODEL may hold
        any character, `@`, `/` and `:` included.

        Raises:
            MissingExtra: the extra `llm` is not installed.
            ConfigError: the specification is no such thing.
        """
        found = _SPEC.fullmatch(spec.rest)
        if not found:
            # The text is not quoted: it may be a URL that holds a password.
            raise ConfigError(f"a user 'chat' without a model or a server. Mend: {ACCEPTED}")
        _checked_url(found["url"])
        spec.only_options(*OPTIONS)
        temperature = _number(spec, "temperature", 0.0)
        return cls(
            found["model"],
            found["url"],
            domain=domain,
            prompt=spec.options.get("prompt"),
            temperature=temperature,
            seed=None if spec.options.get("seed") == "none" else spec.take("seed", 0),
            max_tokens=None if spec.options.get("max_tokens") == "none" else spec.take("max_tokens", 512, least=1),
            timeout=_number(spec, "timeout", 60.0) or 0.0,
            retries=spec.take("retries", 4),
            deadline=_number(spec, "deadline", 600.0) or 0.0,
            geometry=spec.options.get("geometry"),
            profile=spec.options.get("profile"),
        )

    @property
    def identity(self) -> Mapping[str, Any]:
        """What two users must share for their scores to be comparable. Holds no key."""
        return {
            "kind": self.kind,
            "model": self.model,
            "endpoint": self._url.hostname,
            "sampling": dict(self._sampling),
            **self._part.identity,
        }

    def close(self) -> None:
        """Closes the connections. The user may be used again."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    # -- the request

    def _begun(self) -> _Call:
        return _Call(time.monotonic() + self._deadline)

    def _complete(self, request: Callable[[], list[ChatMessage]], call: _Call) -> tuple[str, bool]:
        return self._content(self._within(call, lambda: self._ask(request(), call)))

    def _within(self, call: _Call, function: Callable[[], bytes]) -> bytes:
        """`function()` in a thread of its own, given up at the deadline.

        The client library's timeout starts anew with every byte, and it sleeps for as long as a server tells it to;
        only somebody else can look at the clock. A thread that was given up sends no further request and ends with the
        one it is waiting for.
        """
        future: Future[bytes] = Future()

        def run() -> None:
            self._here.call = call
            try:
                future.set_result(function())
            except BaseException as error:
                future.set_exception(error)

        thread = threading.Thread(target=run, daemon=True, name="colbench-chat-user")
        thread.start()
        thread.join(max(0.0, call.deadline - time.monotonic()))
        if thread.is_alive():
            raise self._error(
                f"gave no whole answer within {self._deadline:g} s ({call})",
                "a faster server, fewer dialogues at once, or a greater ?deadline=SECONDS",
            )
        return future.result()

    def _ask(self, messages: list[ChatMessage], call: _Call) -> bytes:
        """The body of the server's answer.

        Raises:
            SimulatorError: there was none.
        """
        import openai

        try:
            client = self._connected()
            # Parsed by us: the library's models differ between versions, and raise no error for a broken body.
            answer = client.chat.completions.with_raw_response.create(
                model=self.model, messages=messages, stream=False, **self._sampling
            )
            return answer.http_response.content
        except SimulatorError:
            raise
        except openai.APIStatusError as error:
            raise self._status_error(error.status_code, error.response, call) from None
        except openai.APIConnectionError as error:
            # `from None`: what the library chains to it may hold the request, and with it the key.
            raise self._connection_error(error, call) from None
        except Exception as error:
            # Of the library and of what it stands on, in whatever version: an address or a text that cannot be sent.
            problem = f"could not be asked: {type(error).__name__} {self._excerpt(str(error))}"
            raise self._error(problem, "the specification's model, URL and options") from None

    def _connected(self) -> Any:
        """The client of this process (connections must not be shared with a forked one)."""
        import openai

        with self._lock:
            if self._client is None or self._client_process != os.getpid():
                http_client = openai.DefaultHttpxClient(
                    event_hooks={"request": [self._before_request], "response": [self._after_answer]}
                )
                self._client = openai.OpenAI(
                    api_key=self._key(),
                    base_url=self._url.geturl(),
                    timeout=self._timeout,
                    max_retries=self._retries,
                    http_client=http_client,
                )
                self._client_process = os.getpid()
            return self._client

    def _before_request(self, _request: object) -> None:
        import openai

        call: _Call = self._here.call
        if time.monotonic() > call.deadline:
            # The one kind of error that the library does not answer with another request.
            raise openai.OpenAIError("nobody waits for this reply any more")
        call.requests += 1
        self._count(requests=1)

    def _after_answer(self, response: Any) -> None:
        self._here.call.status = response.status_code

    def _key(self) -> str:
        """The API key. Read when it is needed and kept nowhere."""
        for variable in KEY_VARIABLES:
            key = os.environ.get(variable, "").strip()
            if key:
                if not (key.isascii() and key.isprintable()):
                    raise self._error(
                        f"cannot be sent the key in {variable}: it is no plain ASCII text", f"set {variable} anew"
                    )
                return key
        return _NO_KEY

    # -- the answer

    def _content(self, body: bytes) -> tuple[str, bool]:
        """The reply in the body of an answer, and whether it ran into `max_tokens`.

        Raises:
            Faulty: there is none.
        """
        try:
            data = json.loads(body)
        except (ValueError, RecursionError):
            raise Faulty("malformed JSON", self._excerpt(body.decode("utf-8", "replace"))) from None
        excerpt = self._excerpt(json.dumps(data))
        if not isinstance(data, dict):
            raise Faulty("an answer of the wrong form", excerpt)
        usage = data.get("usage")
        if isinstance(usage, dict):
            for name in ("prompt_tokens", "completion_tokens"):
                tokens = usage.get(name)
                self._count(**{name: tokens if type(tokens) is int and tokens > 0 else 0})
        choices = data.get("choices")
        if data.get("error") and not choices:
            raise Faulty("an error in place of a reply", excerpt)
        if not isinstance(choices, list) or not choices:
            raise Faulty("an answer without choices", excerpt)
        choice = choices[0]
        message = choice.get("message") if isinstance(choice, dict) else None
        if not isinstance(message, dict):
            raise Faulty("an answer of the wrong form", excerpt)
        reason = choice.get("finish_reason")
        content = message.get("content")
        if isinstance(content, list):
            parts = [part.get("text") for part in content if isinstance(part, dict)]
            content = "".join(part for part in parts if isinstance(part, str))
        if content is not None and not isinstance(content, str):
            raise Faulty("an answer of the wrong form", excerpt)
        if not content:
            if isinstance(message.get("refusal"), str) and message["refusal"]:
                raise self._part.faulty("refusal", self._excerpt(message["refusal"]))
            if message.get("tool_calls") or message.get("function_call"):
                raise self._part.faulty("tool call", self._excerpt(json.dumps(message)))
            if reason == "content_filter":
                raise self._part.faulty("content filter")
            if reason == "length" or message.get("reasoning_content") or message.get("reasoning"):
                raise self._part.faulty("only reasoning")
            raise self._part.faulty("empty")
        return content, reason == "length"

    # -- what is told of failures

    def _name(self) -> str:
        return f"chat:{self.model} at {self._url.netloc}"

    def _excerpt(self, text: str) -> str:
        """As ever, without the key should the server have repeated it."""
        secrets = {os.environ.get(variable, "").strip() for variable in KEY_VARIABLES} - {""}
        for secret in secrets:
            text = text.replace(secret, "[key]")
        return super()._excerpt(text)

    def _status_error(self, status: int, response: Any, call: _Call) -> SimulatorError:
        said = self._excerpt(response.text[:4000])
        said = f": {said}" if said else ""
        takes = "a model that takes pictures; " if self._part.domain == "frontend" else ""
        if status in (401, 403):
            return self._error(
                f"refuses the API key ({status}){said}", f"set {KEY_VARIABLES[0]} to a key of that server"
            )
        if status == 404:
            return self._error(
                f"knows no such model or path (404){said}",
                f"a model that {self._url.geturl()}/models lists, and a URL that ends in /v1",
            )
        if status == 429:
            wait = response.headers.get("retry-after")
            wait = f" and asks to wait {self._excerpt(wait)} s" if wait else ""
            return self._error(
                f"still has too many requests (429) after {call.counted}{wait}{said}",
                "fewer dialogues at once, more ?retries=N, or the account's limits",
            )
        if status >= 500:
            return self._error(
                f"fails ({status}) after {call.counted}{said}", f"{takes}see the server's log, or more ?retries=N"
            )
        return self._error(
            f"refuses the request ({status}){said}",
            f"{takes}what it says; parameters can be left out by ?temperature=none, seed=none or max_tokens=none",
        )

    def _connection_error(self, error: Exception, call: _Call) -> SimulatorError:
        causes = list(_causes(error))
        names = {type(cause).__name__ for cause in causes}
        if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
            return self._error(f"refuses the connection ({call})", "start the server there, or correct the URL")
        if any(isinstance(cause, socket.gaierror) for cause in causes):
            return self._error("has an address that DNS does not know", "correct the host in the URL")
        if any(isinstance(cause, ssl.SSLError) for cause in causes):
            return self._error("has no usable TLS certificate", "https:// or http:// in the URL, or the certificate")
        if "ConnectTimeout" in names:
            return self._error(f"cannot be reached within {self._timeout:g} s ({call})", "the URL, or the network")
        if "Timeout" in "".join(names):
            return self._error(
                f"was silent for {self._timeout:g} s ({call})", "a faster server, or a greater ?timeout=SECONDS"
            )
        cause = self._excerpt(" ".join(str(cause) for cause in causes[1:2]))
        return self._error(f"broke the connection off ({call}): {cause}", "see the server's log")


def _number(spec: Spec, name: str, default: float) -> float | None:
    """The option `name` as a number; None for `none` (of the temperature)."""
    value = spec.options.get(name)
    if value is None:
        return default
    if value == "none" and name == "temperature":
        return None
    if not re.fullmatch(r"[0-9]+(\.[0-9]+)?", value) or (name != "temperature" and not float(value)):
        wanted = "number, or none" if name == "temperature" else "number of seconds greater than 0"
        raise ConfigError(f"{spec.text!r}: {name}={value} is no {wanted}")
    return float(value)


def _checked_url(url: str) -> SplitResult:
    """The address of a server.

    Raises:
        ConfigError: it is none, or holds a password, which would go into every record.
    """
    try:
        parts = urlsplit(url.rstrip("/"))
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise ConfigError(f"chat: {url!r} is no address of a server. Mend: {ACCEPTED}") from None
    if parts.username is not None or parts.password is not None:
        raise ConfigError(f"chat: the URL holds a user name or password. Mend: put the key into {KEY_VARIABLES[0]}")
    if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment:
        raise ConfigError(f"chat: {url!r} is no address of a server. Mend: {ACCEPTED}")
    return parts


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An exception, and those that led to it."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__
