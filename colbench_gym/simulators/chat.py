"""A language model as the user, over any server that speaks OpenAI's chat completions protocol.

The model's own words or an error: a failing server, a refusal or a reply out of the part is a SimulatorError, never
words put into the person's mouth and never another user's reply.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import socket
import ssl
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

from colbench_gym.errors import ConfigError, MissingExtra, SimulatorError
from colbench_gym.simulators.chat_replies import (
    FAULTS,
    clean,
    disclosed,
    fault_in,
    finished,
    fit,
    shingles,
    without_reasoning,
)
from colbench_gym.specs import Spec
from colbench_gym.types import Domain, Message, Reply, Task

VERSION = 1
"""Raised whenever the checks or the cut of a reply change: scores against other versions are not comparable."""

PROMPT = "user_backend_v1"
PLACEHOLDERS = ("problem_description", "hidden_information", "dialogue_history")
OPTIONS = ("temperature", "seed", "max_tokens", "timeout", "retries", "deadline", "prompt")
KEY_VARIABLES = ("COLBENCH_USER_API_KEY", "OPENAI_API_KEY")

ACCEPTED = "chat:MODEL@http://HOST:PORT/v1, with options such as ?temperature=0&timeout=60"

_SPEC = re.compile(r"(?P<model>.+)@(?P<url>https?://.+)", re.DOTALL)
_PLACEHOLDER = re.compile(r"\{([A-Za-z_]\w*)\}")
_NO_KEY = "no-key"
"""Sent when no key is set: servers of one's own ask for none, the client library asks for something."""

_ATTEMPTS = 2
_LONGEST_MESSAGE = 8000
"""Characters of one message of the dialogue that the model is shown; of a longer one the middle is left out."""

_EXCERPT = 160


@dataclass(frozen=True, slots=True)
class ChatUsage:
    """What a user has cost so far, over all dialogues and threads.

    Attributes:
        requests: HTTP requests sent, the client library's retries included.
        replies: replies handed out.
        repeats: replies asked for a second time because the first was faulty.
        prompt_tokens, completion_tokens: as the server counted them (0 if it does not count).
    """

    requests: int = 0
    replies: int = 0
    repeats: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


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


class _Faulty(Exception):
    """The server answered, but with nothing that may be said."""

    def __init__(self, fault: str, excerpt: str, reminder: str | None = None) -> None:
        super().__init__(f"{fault} ({excerpt})" if excerpt else fault)
        self.fault = fault
        self.reminder = reminder


class ChatUser:
    """The person, played by a language model.

    Keeps no dialogue between calls, so one object may serve any number of dialogues and threads. Nothing is sent, and
    the `openai` package is not imported, before the first reply.

    Args:
        model: the model's name, as its server knows it.
        base_url: the server's address up to and including `/v1`.
        domain: `backend`.
        prompt: file with a prompt of one's own (see `read_prompt`); by default the newest of ours.
        temperature: sampling temperature; None sends none, for models that refuse the parameter.
        seed: sent with every request; None sends none.
        max_tokens: longest completion, reasoning included, in tokens; None sends no limit.
        timeout: seconds a server may be silent before a request counts as failed.
        retries: how often a request is repeated after 429, 408, 409, 5xx, a timeout or a broken connection. The client
            library waits in between: as long as `Retry-After` says, else 0.5 s, doubling up to 8 s.
        deadline: seconds that one reply may take, everything included.

    Raises:
        MissingExtra: the extra `llm` is not installed.
        ConfigError: an argument, or the prompt, is unusable.
    """

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
    ) -> None:
        if domain != "backend":
            raise ConfigError(f"no user 'chat' for the domain {domain!r} in this version. Mend: domain='backend'")
        if importlib.util.find_spec("openai") is None:
            raise MissingExtra("llm", "the user 'chat'")
        if timeout <= 0 or deadline <= 0 or retries < 0:
            raise ConfigError("chat: timeout and deadline must be greater than 0, retries at least 0")
        self.model = model
        self._url = _checked_url(base_url)
        self.prompt_name, self._template = read_prompt(prompt)
        self._prompt_words = shingles(_PLACEHOLDER.sub(" ", self._template))
        self._domain = domain
        self._sampling = {
            name: value
            for name, value in (("temperature", temperature), ("seed", seed), ("max_tokens", max_tokens))
            if value is not None
        }
        self._timeout, self._retries, self._deadline = timeout, retries, deadline
        self._start()

    def _start(self) -> None:
        """What does not travel between processes."""
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()
        self._faults: Counter[str] = Counter()
        self._client: Any = None
        self._client_process = 0
        self._here = threading.local()

    def __getstate__(self) -> dict[str, Any]:
        started = ("_lock", "_counts", "_faults", "_client", "_client_process", "_here")
        return {name: value for name, value in self.__dict__.items() if name not in started}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._start()

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
        )

    @property
    def identity(self) -> Mapping[str, Any]:
        """What two users must share for their scores to be comparable. Holds no key."""
        return {
            "kind": "chat",
            "domain": self._domain,
            "version": VERSION,
            "model": self.model,
            "endpoint": self._url.hostname,
            "prompt": self.prompt_name,
            "prompt_sha256": hashlib.sha256(self._template.encode()).hexdigest(),
            "sampling": dict(self._sampling),
        }

    @property
    def usage(self) -> ChatUsage:
        """What it has cost until now."""
        with self._lock:
            return ChatUsage(**self._counts)

    @property
    def faults(self) -> Mapping[str, int]:
        """Fault -> how many replies had it until now, those that were asked for again included."""
        with self._lock:
            return dict(self._faults)

    def close(self) -> None:
        """Closes the connections. The user may be used again."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def reply(self, task: Task, messages: Sequence[Message]) -> str:
        """The next thing the person says: at most two sentences and 400 characters, never code.

        Raises:
            SimulatorError: the server failed, or the model twice said what the person would not say.
        """
        return self.respond(task, messages).text

    def respond(self, task: Task, messages: Sequence[Message]) -> Reply:
        """As `reply`, with the names of the details that evidently stand in it (see `chat_replies.disclosed`)."""
        call = _Call(time.monotonic() + self._deadline)
        faults: list[str] = []
        reminder: str | None = None
        for attempt in range(_ATTEMPTS):
            self._count(repeats=int(attempt > 0))
            try:
                text = self._attempt(task, messages, reminder, call)
            except _Faulty as faulty:
                faults.append(str(faulty))
                reminder = faulty.reminder
                with self._lock:
                    self._faults[faulty.fault] += 1
                continue
            self._count(replies=1)
            return Reply(text, disclosed(text, task.details))
        again = "the same twice" if len(set(faults)) == 1 else f"then {faults[1]}"
        raise self._error(
            f"gave no usable reply: {faults[0]}, {again}",
            "a model that follows instructions better, another prompt (?prompt=FILE), or the server's settings",
        )

    def _attempt(self, task: Task, messages: Sequence[Message], reminder: str | None, call: _Call) -> str:
        """One answer of the server, checked.

        Raises:
            _Faulty: it may not be said.
            SimulatorError: there was none.
        """
        body = self._within(call, lambda: self._ask(self._rendered(task, messages, reminder), call))
        content, cut_off = self._content(body)
        said = without_reasoning(content)
        if said is None or (not said.strip() and content.strip()):
            raise self._faulty("only reasoning", content)
        text = clean(finished(said) if cut_off else said)
        if cut_off and not text:
            fault = fault_in(clean(said), task, messages, self._prompt_words, raw=said)
            raise self._faulty(fault or "unfinished", content)
        text = fit(text)
        fault = fault_in(text, task, messages, self._prompt_words, raw=said)
        if fault:
            raise self._faulty(fault, content)
        return text

    def _faulty(self, fault: str, content: str) -> _Faulty:
        reminder = (
            f"Your last try could not be used: {FAULTS[fault]}. Say it again as the person you are playing, in one or "
            "two short sentences of plain spoken English, without any code."
        )
        return _Faulty(fault, self._excerpt(content), reminder)

    # -- the request

    def _rendered(self, task: Task, messages: Sequence[Message], reminder: str | None) -> list[dict[str, str]]:
        """The request's messages.

        The prompt is the system message, and the dialogue follows in turns: the programmer as `user`, the person, whom
        the model plays, as `assistant`. Nobody can forge a turn, and small models keep to the part much better than
        when they read a dialogue as text. A prompt with {dialogue_history} is sent the other way, whole and as one user
        message, as the benchmark's published scores were made; that form also suits templates without a system role.
        """
        # The description has its own place in a prompt that asks for it; else it is the dialogue's first message.
        whole, described = "{dialogue_history}" in self._template, "{problem_description}" in self._template
        shown = messages[1:] if described else messages
        hidden = task.reference
        if task.details:
            hidden += "\n\nIn words:\n" + "\n".join(f"- {detail.sentence}" for detail in task.details)
        values = {
            "problem_description": task.description,
            "hidden_information": hidden,
            "dialogue_history": "\n".join(_history(shown)),
        }
        # One pass: what a value holds is text, whatever it looks like.
        text = _PLACEHOLDER.sub(lambda match: values[match[1]], self._template).strip()
        roles = {"assistant": "user", "user": "assistant"}
        turns = [{"role": roles[message["role"]], "content": _shortened(message["content"])} for message in shown]
        rendered = [{"role": "user", "content": text}] if whole else [{"role": "system", "content": text}, *turns]
        if reminder:
            # Last of all, where it weighs most; a second system message is more than many chat templates allow.
            rendered[-1]["content"] += f"\n\n[{reminder}]"
        return [{**message, "content": _encodable(message["content"])} for message in rendered]

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

    def _ask(self, messages: list[dict[str, str]], call: _Call) -> bytes:
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

    def _count(self, **amounts: int) -> None:
        with self._lock:
            self._counts.update(amounts)

    # -- the answer

    def _content(self, body: bytes) -> tuple[str, bool]:
        """The reply in the body of an answer, and whether it ran into `max_tokens`.

        Raises:
            _Faulty: there is none.
        """
        try:
            data = json.loads(body)
        except (ValueError, RecursionError):
            raise _Faulty("malformed JSON", self._excerpt(body.decode("utf-8", "replace"))) from None
        excerpt = self._excerpt(json.dumps(data))
        if not isinstance(data, dict):
            raise _Faulty("an answer of the wrong form", excerpt)
        usage = data.get("usage")
        if isinstance(usage, dict):
            for name in ("prompt_tokens", "completion_tokens"):
                tokens = usage.get(name)
                self._count(**{name: tokens if type(tokens) is int and tokens > 0 else 0})
        choices = data.get("choices")
        if data.get("error") and not choices:
            raise _Faulty("an error in place of a reply", excerpt)
        if not isinstance(choices, list) or not choices:
            raise _Faulty("an answer without choices", excerpt)
        choice = choices[0]
        message = choice.get("message") if isinstance(choice, dict) else None
        if not isinstance(message, dict):
            raise _Faulty("an answer of the wrong form", excerpt)
        reason = choice.get("finish_reason")
        content = message.get("content")
        if isinstance(content, list):
            parts = [part.get("text") for part in content if isinstance(part, dict)]
            content = "".join(part for part in parts if isinstance(part, str))
        if content is not None and not isinstance(content, str):
            raise _Faulty("an answer of the wrong form", excerpt)
        if not content:
            if isinstance(message.get("refusal"), str) and message["refusal"]:
                raise self._faulty("refusal", message["refusal"])
            if message.get("tool_calls") or message.get("function_call"):
                raise self._faulty("tool call", json.dumps(message))
            if reason == "content_filter":
                raise self._faulty("content filter", "")
            if reason == "length" or message.get("reasoning_content") or message.get("reasoning"):
                raise self._faulty("only reasoning", "")
            raise self._faulty("empty", "")
        return content, reason == "length"

    # -- what is told of failures

    def _error(self, problem: str, mend: str) -> SimulatorError:
        return SimulatorError(f"the user chat:{self.model} at {self._url.netloc} {problem}. Mend: {mend}")

    def _excerpt(self, text: str) -> str:
        """The beginning of what a server sent, quoted, on one line, without the key should it have been repeated."""
        secrets = {os.environ.get(variable, "").strip() for variable in KEY_VARIABLES} - {""}
        for secret in secrets:
            text = text.replace(secret, "[key]")
        text = " ".join(text.split())
        # As ASCII: every terminal and log takes it, whatever the server sent.
        longest = _EXCERPT if text.isascii() else _EXCERPT // 4
        return ascii(text[:longest] + ("..." if len(text) > longest else "")) if text else ""

    def _status_error(self, status: int, response: Any, call: _Call) -> SimulatorError:
        said = self._excerpt(response.text[:4000])
        said = f": {said}" if said else ""
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
                f"fails ({status}) after {call.counted}{said}", "see the server's log, or more ?retries=N"
            )
        return self._error(
            f"refuses the request ({status}){said}",
            "what it says; parameters can be left out by ?temperature=none, seed=none or max_tokens=none",
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


def read_prompt(file: str | os.PathLike[str] | None = None) -> tuple[str, str]:
    """Name and text of a prompt: ours, or a file of one's own.

    {hidden_information} must stand in it; {problem_description} and {dialogue_history} may. Other braces than those
    around a single word are text.

    Raises:
        ConfigError: the file cannot be read, or holds another placeholder or lacks {hidden_information}.
    """
    if file is None:
        packaged = resources.files("colbench_gym.prompts") / f"{PROMPT}.txt"
        return PROMPT, packaged.read_text(encoding="utf-8")
    try:
        text = Path(file).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is no UTF-8 text"
        raise ConfigError(f"the user prompt {os.fspath(file)!r} cannot be read: {reason}. Mend: a text file") from None
    found = set(_PLACEHOLDER.findall(text))
    unknown = sorted(found - set(PLACEHOLDERS))
    known = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
    if unknown:
        raise ConfigError(
            f"the user prompt {os.fspath(file)!r} holds {{{unknown[0]}}}, which stands for nothing. Mend: {known}"
        )
    if "hidden_information" not in found:
        raise ConfigError(
            f"the user prompt {os.fspath(file)!r} lacks {{hidden_information}}: its person would know nothing. "
            f"Mend: put it where the reference belongs ({known})"
        )
    return Path(file).name, text


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


def _history(messages: Sequence[Message]) -> Iterator[str]:
    """The dialogue as lines. Later lines of a message are indented, so that none can pass for somebody's next turn."""
    names = {"user": "User", "assistant": "Agent"}
    for message in messages:
        lines = _shortened(message["content"]).splitlines() or [""]
        yield f"{names[message['role']]}: {lines[0]}".rstrip()
        yield from (f"    {line}".rstrip() for line in lines[1:])


def _shortened(text: str) -> str:
    """A message as a person would skim it: an endless one would fill the model's context and fail the episode."""
    if len(text) <= _LONGEST_MESSAGE:
        return text
    half = _LONGEST_MESSAGE // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half} characters left out ...]\n{text[-half:]}"


def _encodable(text: str) -> str:
    """`text` with halves of characters, which no request can carry, replaced by the mark for unknown ones."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
