"""The Backend environment's contract."""

from __future__ import annotations

import ast
import json

import gymnasium
import pytest
from gymnasium.error import ResetNeeded

import colbench_gym
from colbench_gym import load_tasks
from colbench_gym.errors import AgentError, ConfigError, GraderError, SimulatorError, TaskError
from colbench_gym.types import Reply, Task
from colbench_gym.wrappers import ChatMessages, LastMessage, WithInstructions

MARKER = "I WANT TO ANSWER:\n"
RIGHT = MARKER + "def total(net):\n    return round(net * 1.19, 2)"
HALF = MARKER + "def total(net):\n    return net and 3"


class Scripted:
    """A user for tests: says what it is told to, or raises it."""

    identity = {"kind": "scripted-for-tests"}  # noqa: RUF012

    def __init__(self, *replies: str | Exception) -> None:
        self.replies = list(replies)
        self.heard: list = []

    def reply(self, task, messages) -> str:
        return self.respond(task, messages).text

    def respond(self, task, messages) -> Reply:
        self.heard.append(messages)
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return Reply(reply, ("detail",))


def make(task_file, **kwargs) -> gymnasium.Env:
    return gymnasium.make("ColBench-Backend-v0", **{"tasks": task_file, **kwargs})


def test_a_whole_episode(task_file):
    user = Scripted("The rate is 19%.")
    env = make(task_file, user=user)
    obs, info = env.reset(options={"task_id": "tax"})
    description = load_tasks(task_file)[0].description
    assert obs == f"User: {description}"
    assert info == {
        "task_id": "tax",
        "turn": 0,
        "turns_left": 10,
        "messages": [{"role": "user", "content": description}],
    }
    obs, reward, terminated, truncated, info = env.step("The tax matters. OUTPUT: Which rate?")
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert obs.endswith("Assistant:  Which rate?\n\nUser: The rate is 19%.")
    assert (info["turn"], info["turns_left"]) == (1, 9)
    assert user.heard[0][-1] == {"role": "assistant", "content": " Which rate?"}, "the user must not hear the thinking"
    obs, reward, terminated, truncated, info = env.step(RIGHT)
    assert (reward, terminated, truncated) == (1.0, True, False)
    assert info["success"] is True
    assert (info["tests_passed"], info["tests_total"], info["profile"]) == (3, 3, "strict")
    assert info["isolation"]
    assert info["answer"] == RIGHT.removeprefix("I WANT TO ANSWER:")
    assert info["grade"]["tests"] == {f"test{n}": {"kind": "pass"} for n in (1, 2, 3)}
    inner = env.unwrapped
    assert inner.task.id == "tax"
    assert inner.disclosed == [("detail",)]
    assert inner.actions[0].startswith("The tax matters.")
    with pytest.raises(ResetNeeded):
        env.step("more")


def test_rewards(task_file):
    for kind, expected in (("success", 0.0), ("fraction", 1 / 3)):
        env = make(task_file, reward=kind)
        env.reset(options={"task_id": "tax"})
        _, reward, _, _, info = env.step(HALF)
        assert reward == pytest.approx(expected)
        assert (info["tests_passed"], info["success"]) == (1, False)


def test_the_last_message_is_the_answer(task_file):
    env = make(task_file, max_turns=2, user=Scripted("19%."))
    env.reset(options={"task_id": "tax"})
    env.step("Which rate?")
    _, reward, terminated, truncated, info = env.step(RIGHT.removeprefix(MARKER))
    assert (reward, terminated, truncated, info["turns_left"]) == (1.0, True, False, 0)


def test_one_turn_must_answer_at_once(task_file):
    env = make(task_file, max_turns=1)
    env.reset(options={"task_id": "tax"})
    assert env.step("What?")[2] is True


def test_long_replies_are_clipped(task_file):
    env = make(task_file, user=Scripted("x" * 1000))
    env.reset(options={"task_id": "tax"})
    assert env.step("Hm?")[4]["messages"][-1]["content"] == "x" * 400


def test_hostile_and_empty_answers_are_graded(task_file):
    env = make(task_file)
    for answer in (
        "",
        "   ",
        "not python (",
        "import os; os._exit(0)",
        "def total(net):\n    while True: pass",
        "\0",
        "\ud800",
    ):
        env.reset(options={"task_id": "tax"})
        _, reward, terminated, truncated, info = env.step(MARKER + answer)
        assert (reward, terminated, truncated, info["success"]) == (0.0, True, False, False), answer


@pytest.mark.parametrize(
    ("user", "boundary", "kind"),
    [
        (Scripted(SimulatorError("server gone")), "simulator", SimulatorError),
        (Scripted(ZeroDivisionError("a bug")), "simulator", SimulatorError),
    ],
)
def test_a_failing_user(task_file, user, boundary: str, kind):
    user.replies *= 2
    env = make(task_file, user=user)
    env.reset(options={"task_id": "tax"})
    with pytest.raises(kind):
        env.step("Hello?")
    with pytest.raises(ResetNeeded):
        env.step("Hello?")
    env = make(task_file, user=user, on_error="truncate")
    env.reset(options={"task_id": "tax"})
    _, reward, terminated, truncated, info = env.step("Hello?")
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert info["error"] == {"boundary": boundary, "type": kind.__name__}
    assert "success" not in info
    assert isinstance(env.unwrapped.failure, kind)
    env.reset(options={"task_id": "tax"})
    assert env.unwrapped.failure is None


def test_a_failing_grader(task_file, monkeypatch):
    def broken(*args, **kwargs):
        raise OSError("no more processes")

    monkeypatch.setattr("colbench_gym.envs.backend.grade", broken)
    env = make(task_file, on_error="truncate")
    env.reset(options={"task_id": "tax"})
    _, reward, terminated, truncated, info = env.step(RIGHT)
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert info["error"] == {"boundary": "grader", "type": "GraderError"}
    assert env.unwrapped.answer is not None
    env = make(task_file)
    env.reset(options={"task_id": "tax"})
    with pytest.raises(GraderError, match="no more processes"):
        env.step(RIGHT)


def test_infos_share_nothing(task_file):
    env = make(task_file, user=Scripted("a", "b"))
    _, first = env.reset(options={"task_id": "tax"})
    second = env.step("?")[4]
    second["messages"][0]["content"] = "changed"
    assert first["messages"][0]["content"] != "changed"
    assert env.unwrapped.messages[0]["content"] != "changed"


def test_seeds_and_task_ids():
    env = gymnasium.make("ColBench-Backend-v0")
    drawn = [env.reset(seed=11)[1]["task_id"]] + [env.reset()[1]["task_id"] for _ in range(3)]
    again = [env.reset(seed=11)[1]["task_id"]]
    again.append(env.reset(options={"task_id": "embedded-backend:train/00000"})[1]["task_id"])
    again += [env.reset()[1]["task_id"] for _ in range(2)]
    assert len(set(drawn)) == 4
    assert again == [drawn[0], "embedded-backend:train/00000", *drawn[2:]], "picking a task must not shift the draws"


def test_tasks_as_data(task_file):
    task = load_tasks(task_file)[0]
    for given in ([task], [task.to_dict()], load_tasks(task_file)):
        env = gymnasium.make("ColBench-Backend-v0", tasks=given, disable_env_checker=True)
        assert env.reset(seed=0, options={"task_id": "tax"})[1]["task_id"] == "tax"


@pytest.mark.parametrize(
    ("kwargs", "kind", "message"),
    [
        ({"max_turns": 0}, ConfigError, "max_turns=0"),
        ({"max_turns": True}, ConfigError, "max_turns=True"),
        ({"reward": "dense"}, ConfigError, "'success', 'fraction'"),
        ({"on_error": "ignore"}, ConfigError, "'raise', 'truncate'"),
        ({"user": "nobody"}, ConfigError, "nobody"),
        ({"tasks": "nothing"}, TaskError, "neither a task set nor a file"),
        ({"tasks": []}, TaskError, "empty"),
        ({"profile": "lenient"}, ConfigError, "lenient"),
        ({"isolation": "hope"}, ConfigError, "hope"),
    ],
)
def test_bad_arguments_are_named(kwargs: dict, kind, message: str):
    with pytest.raises(kind, match=message):
        gymnasium.make("ColBench-Backend-v0", **kwargs)


def test_bad_calls_are_named(task_file):
    env = make(task_file)
    with pytest.raises(ConfigError, match="unknown reset option 'task'"):
        env.reset(options={"task": "tax"})
    with pytest.raises(TaskError, match="no task 'gone'"):
        env.reset(options={"task_id": "gone"})
    env.reset()
    with pytest.raises(AgentError, match="not int"):
        env.unwrapped.step(3)


def test_other_domains_are_refused(tmp_path):
    path = tmp_path / "pages.jsonl"
    path.write_text(json.dumps({"problem_description": "A page.", "ground_truth": "<html></html>"}) + "\n")
    with pytest.raises(TaskError, match="domain frontend"):
        gymnasium.make("ColBench-Backend-v0", tasks=str(path)).reset(seed=0)


def constants(source: str) -> set[str]:
    """Numbers beyond two digits' triviality and strings of a program, as text."""
    found = {node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)}
    return {
        repr(value) for value in found if isinstance(value, (str, float)) or (isinstance(value, int) and value > 12)
    }


def shown_while_asking_nothing(task) -> str:
    """Everything that an agent gets to see in an episode in which it learns nothing, but for the description."""
    env = gymnasium.make("ColBench-Backend-v0", tasks=[task.to_dict()], user=Scripted("I see."))
    shown = [env.reset(seed=0), env.step("Tell me."), env.step(MARKER + "def f():\n    return 1")]
    env = gymnasium.make("ColBench-Backend-v0", tasks="embedded-backend:test", user="rules")
    text = json.dumps(shown, ensure_ascii=False) + repr(env) + str(env.unwrapped) + str(env.spec)
    return text.replace(json.dumps(task.description, ensure_ascii=False)[1:-1], "")


def test_nothing_hidden_is_seen():
    """No test, no line of the reference, no sentence of a detail and no constant in anything shown."""
    tasks = load_tasks("embedded-backend:test", limit=40)
    # What stands in every episode whatever its task ("user", "turn", ...) gives nothing away.
    furniture = shown_while_asking_nothing(
        Task("none", "backend", "Nothing. def f()", "def f():\n    return 0", {f"test{n}": "f()" for n in range(1, 11)})
    )
    for task in tasks:
        text = shown_while_asking_nothing(task)
        assert task.tests is not None
        hidden = [*task.tests.values(), *(detail.sentence for detail in task.details)]
        hidden += [line.strip() for line in task.reference.splitlines()[1:] if len(line.strip()) > 12]
        assert not [secret for secret in hidden if secret in text]
        assert not [value for value in constants(task.reference) if value in text and value not in furniture]


def test_wrappers(task_file):
    env = make(task_file, user=Scripted("19%."))
    last = LastMessage(env)
    assert last.reset(options={"task_id": "tax"})[0].startswith("Work out the total")
    assert last.step("Rate?")[0] == "19%."
    env = ChatMessages(make(task_file, user=Scripted("19%.")))
    env.reset(options={"task_id": "tax"})
    obs = env.step("Rate?")[0]
    assert [message["role"] for message in obs] == ["user", "assistant", "user"]
    assert obs in env.observation_space
    env = WithInstructions(make(task_file, max_turns=4))
    obs = env.reset(options={"task_id": "tax"})[0]
    assert obs.startswith(colbench_gym.instructions("backend", max_turns=4))
    assert obs.endswith("def total(net)")
    with pytest.raises(TypeError, match="no ColBench environment"):
        WithInstructions(gymnasium.make("CartPole-v1"))


def test_render(task_file):
    env = make(task_file, render_mode="ansi")
    obs, _ = env.reset(options={"task_id": "tax"})
    assert env.render() == obs
