"""A language model behind a server as the agent."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import colbench_gym
from colbench_agents import chat
from colbench_agents.prompted import AgentPrompt, split_thinking
from colbench_gym.accounts import Account, charged_to
from colbench_gym.errors import AgentError, ConfigError, MissingExtra
from colbench_gym.specs import parse_spec
from colbench_gym.types import Agent, Message, SamplingAgent, Usage

pytest.importorskip("openai", reason="the extra 'llm' is not installed")

KEY = "sk-very-secret-0123456789"
DIALOGUE: list[Message] = [
    {"role": "user", "content": "Work out a fee. Signature: def fee(weight)"},
    {"role": "assistant", "content": "What is the base fee?"},
    {"role": "user", "content": "15 euros \ud83d."},
]
ANSWER = "I WANT TO ANSWER:\ndef fee(weight):\n    return 15"


def agent(spec: str, **environment: Any) -> chat.ChatAgent:
    return chat.make(parse_spec(spec), **{"domain": "backend", "max_turns": 10, **environment})


def thing(message: Mapping[str, Any], reason: str = "stop", **beside: Any) -> dict[str, Any]:
    return {"message": {"role": "assistant", **message}, "finish_reason": reason, **beside}


# -- what is sent


def test_the_request(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLBENCH_AGENT_API_KEY", KEY)
    server.choice = lambda request: ANSWER
    account = Account()
    with charged_to(account):
        reply = agent(f"chat:org/m@{server.url}").act_seeded(DIALOGUE, 77)
    assert reply.text == ANSWER
    assert (reply.usage, reply.token_ids, reply.logprobs, reply.thinking) == (Usage(100, 10), None, None, None)
    assert account.usage == {"agent": {"requests": 1, "prompt_tokens": 100, "completion_tokens": 10}}
    (sent,) = server.requests
    assert sent.pop("key") == KEY
    system, *dialogue = sent.pop("messages")
    assert sent == {"model": "org/m", "stream": False, "temperature": 1.0, "max_tokens": 4096, "seed": 77}
    assert system == {"role": "system", "content": colbench_gym.instructions("backend", max_turns=10)}
    assert dialogue == [*DIALOGUE[:2], {"role": "user", "content": "15 euros \ufffd."}]


def test_a_preview_is_what_is_sent(server: Any) -> None:
    one = agent(f"chat:m@{server.url}?temperature=0.5&top_p=0.9&logprobs=true")
    preview = one.preview(DIALOGUE, 5)
    assert not server.requests
    server.choice = lambda request: thing({"content": "Hi?"}, logprobs={"content": [{"token": "Hi?", "logprob": -1}]})
    one.act_seeded(DIALOGUE, 5)
    (sent,) = server.requests
    assert sent.pop("key") == "no-key"
    assert sent == json.loads(json.dumps(preview))
    assert (sent["temperature"], sent["top_p"], sent["logprobs"]) == (0.5, 0.9, True)


def test_parameters_can_be_left_out(server: Any) -> None:
    one = agent(f"chat:m@{server.url}?temperature=none&seed=none&max_tokens=none")
    one.act_seeded(DIALOGUE, 1)
    assert set(server.requests[0]) == {"key", "messages", "model", "stream"}
    agent(f"chat:m@{server.url}").act(DIALOGUE)
    assert "seed" not in server.requests[1], "nobody gave one"


def test_which_key_is_sent(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLBENCH_USER_API_KEY", "sk-of-the-user")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-general")
    monkeypatch.setenv("COLBENCH_AGENT_API_KEY", KEY)
    for variable in ("COLBENCH_AGENT_API_KEY", "OPENAI_API_KEY", "NOTHING"):
        agent(f"chat:m@{server.url}").act(DIALOGUE)
        monkeypatch.delenv(variable, raising=False)
    assert [sent["key"] for sent in server.requests] == [KEY, "sk-general", "no-key"]


def test_the_single_turn_mode(server: Any) -> None:
    agent(f"chat:m@{server.url}", max_turns=1).act(DIALOGUE[:1])
    told = server.requests[0]["messages"][0]["content"]
    assert told == colbench_gym.instructions("backend", max_turns=1)
    assert "cannot ask" in told


def test_a_prompt_of_ones_own(server: Any, tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text('Ask {max_turns} times at most. JSON: {"a": {}}\n', "utf-8")
    one = agent(f"chat:m@{server.url}?prompt={file}", max_turns=3)
    one.act(DIALOGUE)
    assert server.requests[0]["messages"][0]["content"] == 'Ask 3 times at most. JSON: {"a": {}}'
    assert one.identity["prompt"] == "mine.txt"
    assert one.identity["prompt_sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
    assert str(tmp_path) not in json.dumps(one.identity)


def test_a_prompt_that_holds_the_dialogue_is_one_message(tmp_path: Path) -> None:
    file = tmp_path / "whole.txt"
    file.write_text("You may ask {max_turns} times.\n{dialogue_history}\nAgent:", "utf-8")
    prompt = AgentPrompt.read("backend", max_turns=3, file=file)
    dialogue: list[Message] = [
        {"role": "user", "content": "Work out a fee.\ndef f(x)"},
        {"role": "assistant", "content": "Which {dialogue_history}?"},
        {"role": "user", "content": "A flat one."},
    ]
    (asked,) = prompt.request(dialogue)
    assert asked["role"] == "user"
    assert asked["content"] == (
        "You may ask 3 times.\nUser: Work out a fee.\n    def f(x)\nAgent: Which {dialogue_history}?\nUser: A flat one."
        "\nAgent:"
    )


@pytest.mark.parametrize(("content", "says"), [(b"\xff\xfe", "no UTF-8"), (b" \n", "is empty"), (None, "No such file")])
def test_an_unusable_prompt(content: bytes | None, says: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ConfigError, match=rf"mine\.txt.*{says}.*Mend: "):
        AgentPrompt.read("backend", max_turns=10, file=file)


# -- what comes back


def test_thoughts_are_kept_apart(server: Any) -> None:
    one = agent(f"chat:m@{server.url}")
    server.choice = lambda request: thing({"content": ANSWER, "reasoning_content": "Fifteen."})
    reply = one.act(DIALOGUE)
    assert (reply.text, reply.thinking) == (ANSWER, "Fifteen.")
    server.choice = lambda request: f"<think>\nFifteen.\n</think>\n\n{ANSWER}"
    reply = one.act(DIALOGUE)
    assert (reply.text, reply.thinking) == (ANSWER, "Fifteen.")
    server.choice = lambda request: thing({"content": f"Then: fifteen.</think>{ANSWER}", "reasoning": "First: ten."})
    assert one.act(DIALOGUE).thinking == "First: ten.\n\nThen: fifteen."


@pytest.mark.parametrize(
    ("content", "text", "thinking"),
    [
        ("plain", "plain", None),
        ("<think>a</think>\n\nb\n", "b\n", "a"),
        ("  <Think>a</Think>b", "  <Think>a</Think>b", None),
        ("<reasoning>a</reasoning>b", "b", "a"),
        ("<think>a</think>b</think>c", "b</think>c", "a"),
        ("<think>without end", "", "without end"),
        ("opened in the prompt</think>b", "b", "opened in the prompt"),
        ("Use a <think>tag</think> there.", "Use a <think>tag</think> there.", None),
        ("<think></think>b", "b", ""),
    ],
)
def test_splitting_thoughts(content: str, text: str, thinking: str | None) -> None:
    assert split_thinking(content) == (text, thinking)


def test_a_cut_off_text_is_still_the_agents(server: Any) -> None:
    server.choice = lambda request: thing({"content": "<html><body><h1>Harb"}, "length")
    assert agent(f"chat:m@{server.url}", domain="frontend").act(DIALOGUE).text == "<html><body><h1>Harb"


def test_tokens(server: Any) -> None:
    logprobs = {"content": [{"token": "a", "logprob": -0.5}, {"token": "b", "logprob": -2}]}
    server.choice = lambda request: thing({"content": "ab"}, logprobs=logprobs, token_ids=[5, 7])
    one = agent(f"chat:m@{server.url}?logprobs=true&token_ids=true")
    reply = one.act(DIALOGUE)
    assert (reply.token_ids, reply.logprobs) == ((5, 7), (-0.5, -2.0))
    assert (server.requests[0]["logprobs"], server.requests[0]["return_token_ids"]) == (True, True)
    server.choice = lambda request: thing({"content": "ab"}, logprobs=logprobs)
    with pytest.raises(AgentError, match=r"gave no token_ids\. Mend: .*leave out token_ids=true"):
        one.act(DIALOGUE)
    server.choice = lambda request: thing({"content": "ab"}, logprobs=logprobs, token_ids=[5])
    with pytest.raises(AgentError, match="gave 2 logprobs for 1 token_ids"):
        one.act(DIALOGUE)


@pytest.mark.parametrize(
    ("choice", "says"),
    [
        (thing({"content": None}, "content_filter"), "content filter"),
        (thing({"content": None, "tool_calls": [{"id": "1"}]}), "tool call"),
        ({"message": None}, "wrong form"),
    ],
)
def test_what_is_no_action(choice: dict[str, Any], says: str, server: Any) -> None:
    server.choice = lambda request: choice
    with pytest.raises(AgentError, match=says) as caught:
        agent(f"chat:m@{server.url}").act(DIALOGUE)
    assert str(caught.value).startswith("the agent chat:m at 127.0.0.1:")
    assert "Mend: " in str(caught.value)


@pytest.mark.parametrize(
    ("choice", "text", "thinking"),
    [
        (thing({"content": ""}), "", None),
        (thing({"content": None, "refusal": "I won't."}), "I won't.", None),
        (thing({"content": None, "reasoning_content": "Hm"}, "length"), "", "Hm"),
        (thing({"content": "<think>And then"}, "length"), "", "And then"),
        (thing({"content": "<think>All of it</think>"}), "", "All of it"),
    ],
)
def test_silence_is_a_move(choice: dict[str, Any], text: str, thinking: str | None, server: Any) -> None:
    server.choice = lambda request: choice
    reply = agent(f"chat:m@{server.url}").act(DIALOGUE)
    assert (reply.text.strip(), reply.thinking) == (text, thinking)


def test_a_failing_server_is_the_agents_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with pytest.raises(AgentError, match="refuses the connection"):
        agent("chat:m@http://127.0.0.1:9/v1?retries=0").act(DIALOGUE)


# -- what it is


def test_identity(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLBENCH_AGENT_API_KEY", KEY)
    one = agent("chat:org/m:8b@https://host:8000/v1?top_p=0.9")
    assert isinstance(one, Agent)
    assert isinstance(one, SamplingAgent)
    text = colbench_gym.prompts.read("agent_backend_v1")
    assert one.identity == {
        "kind": "chat",
        "version": 1,
        "model": "org/m:8b",
        "endpoint": "host",
        "sampling": {"temperature": 1.0, "top_p": 0.9, "max_tokens": 4096, "seed": "turn"},
        "prompt": "agent_backend_v1",
        "prompt_sha256": hashlib.sha256(text.encode()).hexdigest(),
        "max_turns": 10,
    }
    assert json.loads(json.dumps(one.identity)) == one.identity
    assert KEY not in repr(one) + json.dumps(one.identity) + repr(vars(one))


def test_agents_that_may_differ_are_told_apart(tmp_path: Path) -> None:
    file = tmp_path / "p.txt"
    file.write_text("Ask.", "utf-8")
    base = "chat:m@http://h/v1"
    agents = [
        *(agent(base + options) for options in ("", "?temperature=0", "?seed=none", f"?prompt={file}")),
        agent("chat:other@http://h/v1"),
        agent("chat:m@http://other/v1"),
        agent(base, max_turns=5),
        agent(base, max_turns=1),
        agent(base, domain="frontend"),
    ]
    assert len({json.dumps(one.identity, sort_keys=True) for one in agents}) == len(agents)


@pytest.mark.parametrize(
    "spec",
    [
        "chat",
        "chat:model",
        "chat:m@http://h/v1?colour=red",
        "chat:m@http://h/v1?temperature=hot",
        "chat:m@http://h/v1?top_p=-1",
        "chat:m@http://h/v1?seed=7",
        "chat:m@http://h/v1?logprobs=1",
        "chat:m@http://h/v1?max_tokens=0",
        "chat:m@http://h/v1?timeout=0",
        "chat:m@http://user:secret@h/v1",
    ],
)
def test_an_unusable_specification(spec: str) -> None:
    with pytest.raises(ConfigError) as caught:
        agent(spec)
    assert "secret" not in str(caught.value)


def test_every_option_is_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "agents.md").read_text(encoding="utf-8")
    assert all(f"`{option}`" in page for option in chat.OPTIONS)


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(MissingExtra, match=r"colbench-gym\[llm\]"):
        agent("chat:m@http://h/v1")


def test_making_one_imports_no_client() -> None:
    code = (
        "import sys; from colbench_agents import chat; from colbench_gym.specs import parse_spec;"
        "chat.make(parse_spec('chat:m@http://h/v1'), domain='backend', max_turns=10).identity;"
        "print(sorted({'openai', 'pydantic', 'httpx2', 'torch'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
