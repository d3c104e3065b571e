"""Runs: every party may fail, and a run can be stopped at any moment."""

from __future__ import annotations

import json

import pytest

from colbench_gym.errors import ConfigError, SimulatorError
from colbench_gym.rollouts import RunConfig, collect, make_agent, read_episodes
from colbench_gym.types import AgentReply, Reply, Usage

ANSWER = "I WANT TO ANSWER:\ndef total(net):\n    return round(net * 1.19, 2)"


class Talker:
    """Thinks, asks once, answers; counts tokens."""

    identity = {"name": "talker"}  # noqa: RUF012

    def act(self, messages):
        if len(messages) == 1:
            return AgentReply("Which? OUTPUT: What rate?", Usage(10, 3), token_ids=(1, 2), logprobs=(-0.5, -0.1))
        return AgentReply(ANSWER, Usage(20, 5))


class Broken(Talker):
    def act(self, messages):
        if len(messages) > 1:
            raise RuntimeError("out of memory")
        return "What rate?"


class Interrupted(Talker):
    def act(self, messages):
        if "Greet" in messages[0]["content"]:
            raise KeyboardInterrupt
        return super().act(messages)


class FailingUser:
    identity = {"kind": "failing"}  # noqa: RUF012

    def reply(self, task, messages):
        raise SimulatorError("server gone. Mend: start it")

    def respond(self, task, messages) -> Reply:
        return Reply(self.reply(task, messages))


@pytest.fixture
def config(task_file):
    return RunConfig("ColBench-Backend-v0", "talker", tasks=task_file, seed=3)


def test_an_episode_line(config, tmp_path):
    assert collect(config, tmp_path / "run", agent=Talker(), concurrency=1).played == 2
    first, second = read_episodes(tmp_path / "run")
    assert first["key"] == {
        "env_id": "ColBench-Backend-v0",
        "task_id": "tax",
        "sample": 0,
        "agent": "talker",
        "user": first["identities"]["user"],
        "seed": 3,
    }
    assert first["status"] == "ok"
    assert first["reward"] == 1.0
    assert first["answer"] == ANSWER.removeprefix("I WANT TO ANSWER:")
    assert first["usage"] == {"agent": {"requests": 0, "prompt_tokens": 30, "completion_tokens": 8}}
    assert first["messages"][1] == {
        "role": "assistant",
        "content": " What rate?",
        "raw": "Which? OUTPUT: What rate?",
        "token_ids": [1, 2],
        "logprobs": [-0.5, -0.1],
    }
    assert first["grade"]["tests_passed"] == 3
    assert len(first["timings"]["agent_s"]) == len(first["timings"]["step_s"]) == 2
    assert first["identities"]["tasks"]["size"] == 2
    assert len(first["identities"]["tasks"]["fingerprint"]) == 64
    assert first["identities"]["grader"] == {"kind": "unit-tests", "profile": "strict", "version": 1}
    assert second["reward"] == 0.0


def test_whole_blocks_of_samples(config, tmp_path):
    collect(config, tmp_path / "run", agent=Talker(), episodes=5, concurrency=1)
    keys = [(record["key"]["task_id"], record["key"]["sample"]) for record in read_episodes(tmp_path / "run")]
    assert keys == [("tax", 0), ("greet", 0), ("tax", 1), ("greet", 1), ("tax", 2)]


def test_a_failing_agent_is_a_failed_episode(config, tmp_path):
    collect(config, tmp_path / "run", agent=Broken(), episodes=1)
    (record,) = read_episodes(tmp_path / "run")
    assert record["status"] == "failed"
    assert (record["reward"], record["grade"], record["answer"]) == (None, None, None)
    assert record["error"]["boundary"] == "agent"
    assert "out of memory" in record["error"]["message"]
    assert [message["role"] for message in record["messages"]] == ["user", "assistant", "user"]
    assert len(record["disclosed"]) == 1


def test_an_agent_that_returns_nonsense(config, tmp_path):
    agent = Talker()
    agent.act = lambda messages: 3  # type: ignore[method-assign]
    collect(config, tmp_path / "run", agent=agent, episodes=1)
    (record,) = read_episodes(tmp_path / "run")
    assert record["error"]["message"].startswith("act() returned a int")


def test_a_failing_user_is_a_failed_episode(task_file, tmp_path, monkeypatch):
    monkeypatch.setattr("colbench_gym.envs.base.make_user", lambda spec, domain: FailingUser())
    config = RunConfig("ColBench-Backend-v0", "talker", tasks=task_file)
    collect(config, tmp_path / "run", agent=Talker(), episodes=1)
    (record,) = read_episodes(tmp_path / "run")
    assert record["status"] == "failed"
    assert record["error"] == {
        "boundary": "simulator",
        "type": "SimulatorError",
        "message": "server gone. Mend: start it",
    }
    assert record["reward"] is None


def test_resuming_redoes_and_duplicates_nothing(config, tmp_path):
    def without_times(directory):
        return [{k: v for k, v in record.items() if k != "timings"} for record in read_episodes(directory)]

    collect(config, tmp_path / "straight", agent=Talker(), concurrency=1)
    with pytest.raises(KeyboardInterrupt):
        collect(config, tmp_path / "stopped", agent=Interrupted(), concurrency=1)
    assert len(without_times(tmp_path / "stopped")) == 1
    assert collect(config, tmp_path / "stopped", agent=Talker()).played == 1
    assert collect(config, tmp_path / "stopped", agent=Talker()).played == 0
    assert without_times(tmp_path / "stopped") == without_times(tmp_path / "straight")


def test_other_agents_and_changed_tasks_are_refused(config, task_file, tmp_path):
    collect(config, tmp_path / "run", agent=Talker(), episodes=1)
    agent = Talker()
    agent.identity = {"name": "another"}
    with pytest.raises(ConfigError, match="identities="):
        collect(config, tmp_path / "run", agent=agent)
    with open(task_file, encoding="utf-8") as stream:
        lines = stream.readlines()
    with open(task_file, "w", encoding="utf-8") as stream:
        stream.writelines(line.replace("1.19", "1.21") for line in lines)
    with pytest.raises(ConfigError, match="fingerprint"):
        collect(config, tmp_path / "run", agent=Talker())


def test_bad_arguments(config, tmp_path):
    for bad in (
        RunConfig("ColBench-Backend-v99", "talker"),
        RunConfig("NoSuchThing-v0", "talker"),
        RunConfig("CartPole-v1", "talker"),
    ):
        with pytest.raises(ConfigError, match="ColBench-Backend-v0"):
            collect(bad, tmp_path / "run", agent=Talker())
    with pytest.raises(ConfigError, match="episodes=0"):
        collect(config, tmp_path / "run", episodes=0, agent=Talker())


def test_agents_by_name(tmp_path, monkeypatch):
    (tmp_path / "own_agents.py").write_text(
        "class Mine:\n    identity = {'name': 'mine'}\n    def act(self, messages):\n        return 'hi'\n"
        "ready = Mine()\nclass NoAgent:\n    pass\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    for spec in ("own_agents:Mine", "own_agents:ready"):
        assert make_agent(spec).identity == {"name": "mine"}
    with pytest.raises(ConfigError, match="is no agent"):
        make_agent("own_agents:NoAgent")
    with pytest.raises(ConfigError, match=r"one of .*scripted"):
        make_agent("nobody")
    assert json.dumps(make_agent("scripted:guess").identity)
