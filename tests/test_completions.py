"""The door to chat completions servers: what a call costs, how long it may take, and what is left when it is over."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import fault_server
from colbench_gym.accounts import Account, BudgetSpent, GivenUp, Price, Purse, charged_to
from colbench_gym.completions import CompletionError, Endpoint, NoText, encodable, excerpt
from colbench_gym.completions.answers import NO_TEXT, completion_in
from colbench_gym.errors import ConfigError
from colbench_gym.specs import parse_spec
from colbench_gym.types import Usage

pytest.importorskip("openai", reason="the extra 'llm' is not installed")

KEYS = ("COLBENCH_TEST_API_KEY", "OPENAI_API_KEY")
MESSAGES = [{"role": "user", "content": "What is the base fee?"}]


@pytest.fixture(autouse=True)
def key(no_proxy: None, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("COLBENCH_TEST_API_KEY", fault_server.KEY)
    return fault_server.KEY


class Silent:
    """A server that takes requests and says nothing. `closed` is set when a connection is closed from outside."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1"
        self.asked = threading.Event()
        self.closed = threading.Event()
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        connection, _ = self._socket.accept()
        with connection:
            connection.settimeout(10)
            while connection.recv(65536):
                self.asked.set()
        self.closed.set()

    def close(self) -> None:
        self._thread.join(10)
        self._socket.close()


@pytest.fixture
def silent() -> Iterator[Silent]:
    server = Silent()
    yield server
    server.close()


# -- what a call costs


def test_a_call_is_charged_to_whoever_makes_it(url: str) -> None:
    account, other = Account(), Account()
    account.party = "user"
    with charged_to(account):
        completion = Endpoint("none#a", url, KEYS).complete(MESSAGES, {})
    with charged_to(other):
        Endpoint("none#a", url, KEYS).complete(MESSAGES, {})
    assert completion.text == fault_server.GOOD
    assert completion.usage == Usage(100, 10)
    assert not completion.cut_off
    assert account.usage == {"user": {"requests": 1, "prompt_tokens": 100, "completion_tokens": 10}}
    assert other.usage == {"agent": {"requests": 1, "prompt_tokens": 100, "completion_tokens": 10}}


def test_every_request_of_a_call_is_charged(url: str) -> None:
    account = Account()
    with charged_to(account), pytest.raises(CompletionError, match="after 3 requests"):
        Endpoint("429 for ever#a", url, KEYS, retries=2).complete(MESSAGES, {})
    assert account.usage["agent"]["requests"] == 3


def test_a_completion_without_a_text_is_paid_for(url: str) -> None:
    account = Account()
    with charged_to(account), pytest.raises(NoText, match="empty"):
        Endpoint("content empty#a", url, KEYS).complete(MESSAGES, {})
    assert account.usage["agent"]["completion_tokens"] == 10


def test_a_spent_budget_sends_nothing(url: str) -> None:
    with charged_to(Account(Purse(max_requests=0))), pytest.raises(BudgetSpent, match="max_requests"):
        Endpoint("none#budget", url, KEYS).complete(MESSAGES, {})
    assert fault_server.log_of(url, "none#budget") == []


def test_a_budget_ends_a_call_between_two_tries(url: str) -> None:
    account = Account(Purse(max_requests=2))
    with charged_to(account), pytest.raises(BudgetSpent):
        Endpoint("429 for ever#budget", url, KEYS, retries=9).complete(MESSAGES, {})
    assert len(fault_server.log_of(url, "429 for ever#budget")) == 2


def test_a_budget_in_money(url: str) -> None:
    purse = Purse(max_cost=0.001, prices={"agent": Price(1.0, 50.0)})
    with charged_to(Account(purse)):
        for _ in range(2):  # 100 and 10 tokens are 0.0006
            Endpoint("none#money", url, KEYS).complete(MESSAGES, {})
        with pytest.raises(BudgetSpent, match="max_cost"):
            Endpoint("none#money", url, KEYS).complete(MESSAGES, {})


# -- how long it may take


def test_backing_off_counts_against_no_limit(url: str) -> None:
    account = Account()
    endpoint = Endpoint("429 twice, Retry-After#a", url, KEYS, deadline=0.5)
    with charged_to(account):
        call = endpoint.begin()
        began = time.monotonic()
        assert endpoint.complete(MESSAGES, {}, call).text == fault_server.GOOD
    taken = time.monotonic() - began
    assert taken >= 0.8
    assert account.seconds <= taken - 0.75
    assert account.turn_seconds <= taken - 0.75
    assert call.seconds >= 0.1
    assert 600 - call.backoff == pytest.approx(0.8, abs=0.3)


def test_backing_off_has_a_limit_of_its_own(url: str) -> None:
    account = Account()
    began = time.monotonic()
    with charged_to(account), pytest.raises(CompletionError, match=r"within 0\.3 s of backing off .*429.*\?backoff="):
        Endpoint("429, Retry-After past the limit#a", url, KEYS, backoff=0.3).complete(MESSAGES, {})
    assert 0.3 <= time.monotonic() - began < 3
    assert account.seconds < time.monotonic() - began


def test_the_last_failure_leaves_no_clock_standing(url: str) -> None:
    account = Account()
    with charged_to(account), pytest.raises(CompletionError):
        Endpoint("500 for ever#a", url, KEYS, retries=1).complete(MESSAGES, {})
    before = account.seconds
    time.sleep(0.05)
    assert account.seconds >= before + 0.05


def test_a_hung_call_is_cancelled_at_its_deadline(silent: Silent) -> None:
    began = time.monotonic()
    with pytest.raises(CompletionError, match=r"no whole answer within 0\.2 s \(1 request\)"):
        Endpoint("m", silent.url, KEYS, deadline=0.2).complete(MESSAGES, {})
    assert time.monotonic() - began < 3
    assert silent.closed.wait(3), "the connection outlives the call"


def test_completions_of_one_call_share_its_time(url: str) -> None:
    endpoint = Endpoint("none#shared", url, KEYS, deadline=5)
    call = endpoint.begin()
    endpoint.complete(MESSAGES, {}, call)
    first = call.seconds
    endpoint.complete(MESSAGES, {}, call)
    assert call.seconds < first < 5
    assert call.counts == {"requests": 2, "prompt_tokens": 200, "completion_tokens": 20}
    call.seconds = 0.0
    with pytest.raises(CompletionError, match="no whole answer within 5 s"):
        endpoint.complete(MESSAGES, {}, call)


def test_a_call_ends_with_its_episode(silent: Silent) -> None:
    account = Account()

    def give_up() -> None:
        assert silent.asked.wait(10)
        account.give_up()

    thread = threading.Thread(target=give_up)
    thread.start()
    with charged_to(account), pytest.raises(GivenUp):
        Endpoint("m", silent.url, KEYS).complete(MESSAGES, {})
    thread.join()
    assert silent.closed.wait(3), "the connection outlives the episode"
    with charged_to(account), pytest.raises(GivenUp):
        Endpoint("m", silent.url, KEYS).complete(MESSAGES, {})


def test_an_episode_can_end_while_it_backs_off(url: str) -> None:
    account = Account()
    model = "429, Retry-After past the limit#b"
    timer = threading.Timer(0.3, account.give_up)
    timer.start()
    began = time.monotonic()
    with charged_to(account), pytest.raises(GivenUp):
        Endpoint(model, url, KEYS).complete(MESSAGES, {})
    assert time.monotonic() - began < 3
    timer.join()


# -- one loop for all


def test_hundreds_of_calls_in_flight_need_hardly_a_thread(url: str) -> None:
    endpoint = Endpoint("slow", url, KEYS)
    others = threading.active_count()
    began = time.monotonic()
    with ThreadPoolExecutor(200) as pool:
        said = list(pool.map(lambda _: endpoint.complete(MESSAGES, {}).text, range(200)))
        # The loop, and what the client library starts now and then.
        assert threading.active_count() <= others + 200 + 10
    assert said == [fault_server.GOOD] * 200
    assert time.monotonic() - began < 60, "one after the other they take 200 s"


SCRIPT = """
import os, sys, threading, time
from colbench_gym.completions import CompletionError, Endpoint
url, silent = sys.argv[1:]
def ask(model="none#fork"):
    return Endpoint(model, url, ("NO_KEY",)).complete([{"role": "user", "content": "Hi"}], {}).text
"""


def run_script(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", "-c", SCRIPT + code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_a_forked_process_has_a_loop_of_its_own(url: str) -> None:
    code = """
print(ask(), flush=True)
child = os.fork()
if child == 0:
    print(ask(), flush=True)
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
print(ask())
"""
    result = run_script(code, url, "")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [fault_server.GOOD] * 3


def test_the_end_of_the_process_leaves_nothing_open(url: str, silent: Silent) -> None:
    """Neither a connection in use nor an idle one, and no word on standard error."""
    code = """
print(ask())
hung = Endpoint("m", silent, ("NO_KEY",))
def hang():
    try:
        hung.complete([{"role": "user", "content": "Hi"}], {})
    except BaseException:
        pass
threading.Thread(target=hang, daemon=True).start()
time.sleep(0.5)
"""
    result = run_script(code, url, silent.url)
    assert (result.returncode, result.stderr) == (0, "")
    assert silent.closed.wait(3)


# -- keys, options


def test_clients_are_kept_by_server_and_key(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    endpoint = Endpoint("none#keys", url, KEYS)
    for variable in (*KEYS, "NOTHING"):
        monkeypatch.setenv("OPENAI_API_KEY", "sk-general") if variable == KEYS[0] else None
        endpoint.complete(MESSAGES, {})
        monkeypatch.delenv(variable, raising=False)
    sent = [request["key"] for request in fault_server.log_of(url, "none#keys")]
    assert sent == [fault_server.KEY, "sk-general", "no-key"]


@pytest.mark.parametrize("fault", ["401", "403", "malformed JSON", "an error with status 200"])
def test_no_key_in_an_error(fault: str, url: str, key: str) -> None:
    with pytest.raises(CompletionError) as caught:
        Endpoint(f"{fault}#key", url, KEYS, retries=0).complete(MESSAGES, {})
    assert key not in str(caught.value) + repr(caught.value.__cause__)
    assert caught.value.problem
    assert caught.value.mend


def test_the_key_to_set_is_named(url: str) -> None:
    with pytest.raises(CompletionError, match="set COLBENCH_TEST_API_KEY") as caught:
        Endpoint("401#named", url, KEYS, retries=0).complete(MESSAGES, {})
    assert caught.value.status == 401


@pytest.mark.parametrize(
    "options",
    [{"timeout": 0.0}, {"deadline": 0.0}, {"retries": -1}, {"backoff": -1.0}, {"url": "ftp://h"}, {"url": "http://"}],
)
def test_unusable_arguments(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        Endpoint(**{"model": "m", "url": "http://h/v1", "keys": KEYS, **options})


def test_from_a_specification() -> None:
    text = "chat:org/m@v2:8b@https://host:1/v1/?timeout=1.5&retries=0&deadline=9&backoff=0&colour=red"
    endpoint = Endpoint.from_spec(parse_spec(text), "an agent", KEYS)
    expected = Endpoint("org/m@v2:8b", "https://host:1/v1", KEYS, timeout=1.5, retries=0, deadline=9.0, backoff=0.0)
    assert endpoint == expected
    assert (endpoint.host, endpoint.name) == ("host", "chat:org/m@v2:8b at host:1")
    with pytest.raises(ConfigError, match="an agent 'chat' without"):
        Endpoint.from_spec(parse_spec("chat:model"), "an agent", KEYS)


# -- answers, as data


def answer(message: dict[str, Any], **choice: Any) -> dict[str, Any]:
    return json.loads(json.dumps({"choices": [{"message": message, "finish_reason": "stop", **choice}]}))


def test_what_servers_give_beside_the_text() -> None:
    logprobs = {"content": [{"token": "a", "logprob": -0.5}, {"token": "b", "logprob": 0}]}
    data = answer({"content": "ab", "reasoning_content": "Hm."}, logprobs=logprobs, token_ids=[5, 7])
    completion = completion_in(data, excerpt)
    assert (completion.text, completion.reasoning) == ("ab", "Hm.")
    assert completion.token_ids == (5, 7)
    assert completion.logprobs == (-0.5, 0.0)
    assert completion_in(answer({"content": "ab", "reasoning": "Hm."}), excerpt).reasoning == "Hm."
    assert completion_in(answer({"content": "ab", "reasoning": ""}), excerpt).reasoning is None


@pytest.mark.parametrize("logprobs", [None, [], {"content": None}, {"content": [None]}, {"content": [{"token": "a"}]}])
def test_broken_logprobs_are_none(logprobs: Any) -> None:
    completion = completion_in(answer({"content": "a"}, logprobs=logprobs, token_ids=["1"]), excerpt)
    assert completion.logprobs is None
    assert completion.token_ids is None


@pytest.mark.parametrize(
    ("message", "reason", "fault"),
    [
        ({"content": None}, "stop", "empty"),
        ({"content": ""}, "length", "only reasoning"),
        ({"content": None, "reasoning": "Hm."}, "stop", "only reasoning"),
        ({"content": None, "refusal": "No."}, "stop", "refusal"),
        ({"content": None, "tool_calls": [{}]}, "tool_calls", "tool call"),
        ({"content": None}, "content_filter", "content filter"),
        ({"content": 3}, "stop", "an answer of the wrong form"),
    ],
)
def test_answers_without_a_text(message: dict[str, Any], reason: str, fault: str) -> None:
    with pytest.raises(NoText) as caught:
        completion_in(answer(message, finish_reason=reason), excerpt)
    assert caught.value.fault == fault
    assert caught.value.mend == NO_TEXT[fault]


def test_excerpts() -> None:
    assert excerpt(" a\n b ") == "'a b'"
    assert excerpt("") == ""
    assert len(excerpt("x" * 1000)) < 170
    assert excerpt("\u4e16" * 1000).isascii()
    assert encodable("a\ud83d") == "a\ufffd"
    assert encodable("\U0001f468") == "\U0001f468"


def test_a_light_import() -> None:
    code = "import sys, colbench_gym.completions; print(sorted({'openai', 'httpx2', 'anyio'} & set(sys.modules)))"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ}
    )
    assert result.stdout.strip() == "[]"
