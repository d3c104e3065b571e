"""A model behind a server."""

from __future__ import annotations

import concurrent.futures
import importlib.util
import os
import re
import socket
import ssl
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict
from urllib.parse import SplitResult, urlsplit

from colbench_gym.accounts import GivenUp
from colbench_gym.completions.answers import Completion, CompletionError, completion_in, excerpt, parsed, usage_in
from colbench_gym.completions.loop import Background, Call, current_call
from colbench_gym.errors import ColbenchError, ConfigError, MissingExtra
from colbench_gym.specs import Spec

ENDPOINT_OPTIONS = ("timeout", "retries", "deadline", "backoff")

_ACCEPTED = "chat:MODEL@http://HOST:PORT/v1, with options such as ?temperature=0&timeout=60"
_SPEC = re.compile(r"(?P<model>.+)@(?P<url>https?://.+)", re.DOTALL)
_NO_KEY = "no-key"
"""Sent when no key is set: servers of one's own ask for none, the client library asks for something."""


@dataclass(frozen=True)
class Endpoint:
    """A model behind a server, and how it is asked. Plain data; holds no key.

    Args:
        model: the model's name, as its server knows it.
        url: the server's address up to and including `/v1`.
        keys: names of the environment variables that may hold the API key; the first one set counts.
        timeout: seconds a server may be silent before a request counts as failed.
        retries: how often a request is repeated after 429, 408, 409, 5xx, a timeout or a broken connection. The client
            library waits in between: as long as `Retry-After` says (up to its own limit), else 0.5 s, doubling up to
            8 s.
        deadline: seconds that one call may take, back-off aside.
        backoff: seconds that one call may back off in all.

    Raises:
        ConfigError: an argument is unusable.
    """

    model: str
    url: str
    keys: tuple[str, ...]
    timeout: float = 60.0
    retries: int = 4
    deadline: float = 600.0
    backoff: float = 600.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "url", _checked_url(self.url, self.keys[0]).geturl())
        if self.timeout <= 0 or self.deadline <= 0 or self.backoff < 0 or self.retries < 0:
            raise ConfigError("chat: timeout and deadline must be greater than 0, retries and backoff at least 0")

    @classmethod
    def from_spec(cls, spec: Spec, party: str, keys: tuple[str, ...]) -> Endpoint:
        """The endpoint in `KIND:MODEL@URL?OPTIONS`. MODEL may hold any character, `@`, `/` and `:` included.

        Args:
            spec: its other options are the caller's business.
            party: who is made of it, for an error's text.
            keys: as above.

        Raises:
            ConfigError: the specification holds none.
        """
        found = _SPEC.fullmatch(spec.rest)
        if not found:
            # The text is not quoted: it may be a URL that holds a password.
            raise ConfigError(f"{party} {spec.kind!r} without a model or a server. Mend: {_ACCEPTED}")
        _checked_url(found["url"], keys[0])  # before an error that quotes the specification
        return cls(
            found["model"],
            found["url"],
            keys,
            timeout=spec.take_number("timeout", cls.timeout),
            retries=spec.take("retries", cls.retries),
            deadline=spec.take_number("deadline", cls.deadline),
            backoff=spec.take_number("backoff", cls.backoff),
        )

    @property
    def host(self) -> str:
        """Without the port: it may change between a run and its continuation."""
        return urlsplit(self.url).hostname or ""

    @property
    def name(self) -> str:
        """For an error's text."""
        return f"chat:{self.model} at {urlsplit(self.url).netloc}"

    def begin(self) -> Call:
        """A call, to be charged to the account of whoever begins it."""
        return Call(self.deadline, self.backoff)

    def body(self, messages: Sequence[Mapping[str, Any]], parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The JSON data of a request."""
        return {"model": self.model, "messages": list(messages), "stream": False, **parameters}

    def complete(
        self, messages: Sequence[Mapping[str, Any]], parameters: Mapping[str, Any], call: Call | None = None
    ) -> Completion:
        """What the model says next.

        Args:
            messages: in OpenAI's form, encodable as UTF-8 (see `encodable`).
            parameters: further fields of the request, such as `temperature`.
            call: what the request belongs to, if it is one of several; by default one of its own.

        Raises:
            NoText: the server answered with something else.
            CompletionError: there was no answer in time, or the server refused or failed.
            GivenUp: the caller's episode was given up; the connection is closed.
            BudgetSpent: the caller's account may send no request.
            MissingExtra: the extra `llm` is not installed.
        """
        needs_client("a model behind a server")
        call = self.begin() if call is None else call
        data = parsed(self._ask(self.body(messages, parameters), call), self.excerpt)
        if usage := usage_in(data):
            call.used(usage)
        return completion_in(data, self.excerpt)

    def excerpt(self, text: str) -> str:
        """The beginning of what a server sent, quoted, on one line, without the key should it have been repeated."""
        for secret in {os.environ.get(variable, "").strip() for variable in self.keys} - {""}:
            text = text.replace(secret, "[key]")
        return excerpt(text)

    # -- the request

    def _ask(self, body: Mapping[str, Any], call: Call) -> bytes:
        """The body of the server's answer."""
        key = self._key()
        background = Background.running()
        future = background.start(self._exchange(background, key, body, call))
        try:
            with call.account.on_given_up(future.cancel):
                return future.result()
        except concurrent.futures.CancelledError:
            raise GivenUp("this episode was given up") from None
        except BaseException:
            future.cancel()
            raise

    async def _exchange(self, background: Background, key: str, body: Mapping[str, Any], call: Call) -> bytes:
        import httpx2
        import openai

        current_call.set(call)
        try:
            with background.client(self.url, key, self.timeout, self.retries) as client:
                async with call.timed():
                    # Parsed by us: the library's models differ between versions, and raise no error for a broken body.
                    answer = await client.post("/chat/completions", cast_to=httpx2.Response, body=body)
                    return answer.content
        except openai.APIStatusError as error:
            raise self._status_error(error.status_code, error.response, call) from None
        except openai.APIConnectionError as error:
            # `from None`: what the library chains to it may hold the request, and with it the key.
            raise self._connection_error(error, call) from None
        except TimeoutError:
            raise self._late(call) from None
        except Exception as error:
            if isinstance(error.__cause__, ColbenchError):
                raise error.__cause__ from None
            # Of the library and of what it stands on, in whatever version: an address or a text that cannot be sent.
            raise CompletionError(
                f"could not be asked: {type(error).__name__} {self.excerpt(str(error))}",
                "the specification's model, URL and options",
            ) from None

    def _key(self) -> str:
        """The API key. Read when it is needed and kept in no object of ours."""
        for variable in self.keys:
            key = os.environ.get(variable, "").strip()
            if key:
                if not (key.isascii() and key.isprintable()):
                    raise CompletionError(
                        f"cannot be sent the key in {variable}: it is no plain ASCII text", f"set {variable} anew"
                    )
                return key
        return _NO_KEY

    # -- what is told of failures

    def _late(self, call: Call) -> CompletionError:
        if call.is_waiting:
            return CompletionError(
                f"could not be asked again within {self.backoff:g} s of backing off ({call})",
                "fewer dialogues at once, the account's limits, or a greater ?backoff=SECONDS",
            )
        return CompletionError(
            f"gave no whole answer within {self.deadline:g} s ({call})",
            "a faster server, fewer dialogues at once, or a greater ?deadline=SECONDS",
        )

    def _status_error(self, status: int, response: Any, call: Call) -> CompletionError:
        said = self.excerpt(response.text[:4000])
        said = f": {said}" if said else ""
        if status in (401, 403):
            problem = f"refuses the API key ({status}){said}"
            mend = f"set {self.keys[0]} to a key of that server"
        elif status == 404:
            problem = f"knows no such model or path (404){said}"
            mend = f"a model that {self.url}/models lists, and a URL that ends in /v1"
        elif status == 429:
            wait = response.headers.get("retry-after")
            wait = f" and asks to wait {self.excerpt(wait)} s" if wait else ""
            problem = f"still has too many requests (429) after {call.counted}{wait}{said}"
            mend = "fewer dialogues at once, more ?retries=N, or the account's limits"
        elif status >= 500:
            problem = f"fails ({status}) after {call.counted}{said}"
            mend = "see the server's log, or more ?retries=N"
        else:
            problem = f"refuses the request ({status}){said}"
            mend = "what it says; parameters can be left out by ?temperature=none, seed=none or max_tokens=none"
        return CompletionError(problem, mend, status)

    def _connection_error(self, error: Exception, call: Call) -> CompletionError:
        causes = list(_causes(error))
        names = {type(cause).__name__ for cause in causes}
        if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
            return CompletionError(f"refuses the connection ({call})", "start the server there, or correct the URL")
        if any(isinstance(cause, socket.gaierror) for cause in causes):
            return CompletionError("has an address that DNS does not know", "correct the host in the URL")
        if any(isinstance(cause, ssl.SSLError) for cause in causes):
            return CompletionError(
                "has no usable TLS certificate", "https:// or http:// in the URL, or the certificate"
            )
        if "ConnectTimeout" in names:
            return CompletionError(f"cannot be reached within {self.timeout:g} s ({call})", "the URL, or the network")
        if "Timeout" in "".join(names):
            return CompletionError(
                f"was silent for {self.timeout:g} s ({call})", "a faster server, or a greater ?timeout=SECONDS"
            )
        cause = self.excerpt(" ".join(str(cause) for cause in causes[1:2]))
        return CompletionError(f"broke the connection off ({call}): {cause}", "see the server's log")


def needs_client(what: str) -> None:
    """Raises MissingExtra if the client library is not installed."""
    if importlib.util.find_spec("openai") is None:
        raise MissingExtra("llm", what)


class Sampling(TypedDict, total=False):
    """Fields of a request."""

    temperature: float
    top_p: float
    max_tokens: int


def sampling_options(spec: Spec, *, temperature: float, max_tokens: int) -> Sampling:
    """The options `temperature`, `top_p` and `max_tokens` as fields of a request; `none` leaves one out.

    Args:
        spec: where they stand.
        temperature, max_tokens: the defaults; without `top_p` none is sent.

    Raises:
        ConfigError: one of them is no such number.
    """
    sampling: Sampling = {}
    for name, default in (("temperature", temperature), ("top_p", None)):
        given = spec.options.get(name)
        if given != "none" and (given is not None or default is not None):
            sampling[name] = spec.take_number(name, default or 0.0)
    if spec.options.get("max_tokens") != "none":
        sampling["max_tokens"] = spec.take("max_tokens", max_tokens, least=1)
    return sampling


def _checked_url(url: str, key_variable: str) -> SplitResult:
    """The address of a server.

    Raises:
        ConfigError: it is none, or holds a password, which would go into every record.
    """
    try:
        parts = urlsplit(url.rstrip("/"))
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise ConfigError(f"chat: {url!r} is no address of a server. Mend: {_ACCEPTED}") from None
    if parts.username is not None or parts.password is not None:
        raise ConfigError(f"chat: the URL holds a user name or password. Mend: put the key into {key_variable}")
    if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment:
        raise ConfigError(f"chat: {url!r} is no address of a server. Mend: {_ACCEPTED}")
    return parts


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An exception, and those that led to it."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__
