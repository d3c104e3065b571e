"""The vector environment of this package, and Gymnasium's own over the same environments."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, cast

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from colbench_gym.accounts import Account, charged_to, current_account
from colbench_gym.errors import AgentError, ConfigError, SimulatorError, TaskError
from colbench_gym.registration import IDS
from colbench_gym.types import Reply
from colbench_gym.vector import ThreadedVectorEnv
from colbench_gym.wrappers import ChatMessages

ROOT = Path(__file__).parents[1]
QUESTION = "Grüße 世界 🌍: what about rounding?"
ANSWER = "I WANT TO ANSWER:\ndef greet(name):\n    return 'Grüße, ' + (name or 'Fremder') + '!'"
PAGE = "<html><body><h1>Müller</h1></body></html>"
PAGE_ANSWER = "I WANT TO ANSWER: <html><body><p>Open</p></body></html>"

modes = pytest.mark.parametrize("mode", AutoresetMode)


@pytest.fixture
def make_vec(task_file):
    """Makes a vector environment of an id on a small task file, and closes it."""
    made: list[ThreadedVectorEnv] = []

    def make(num_envs: int = 3, env_id: str = "ColBench-Backend-v0", **kwargs) -> ThreadedVectorEnv:
        envs = gymnasium.make_vec(env_id, num_envs=num_envs, **{"tasks": task_file, **kwargs})
        made.append(cast(ThreadedVectorEnv, envs))
        return made[-1]

    yield make
    for envs in made:
        envs.close()


class Scripted:
    """A user that does what a function of the task and the turn says."""

    def __init__(self, does) -> None:
        self.identity = {"kind": "test"}
        self.does = does

    def respond(self, task, messages) -> Reply:
        return Reply(self.does(task, sum(message["role"] == "assistant" for message in messages)) or "Yes.")

    def reply(self, task, messages) -> str:
        return self.respond(task, messages).text


def assert_same(one: Any, other: Any) -> None:
    """Equal in type, layout and value."""
    assert type(one) is type(other)
    if isinstance(one, tuple):
        for value, twin in zip(one, other, strict=True):
            assert_same(value, twin)
    elif isinstance(one, dict):
        assert list(one) == list(other)
        for key, value in one.items():
            assert_same(value, other[key])
    elif isinstance(one, np.ndarray):
        assert one.dtype == other.dtype
        assert one.tolist() == other.tolist()
    else:
        assert one == other


def play_both(env_id: str, mode: AutoresetMode, turns: list[list[str]], **kwargs) -> None:
    """The same actions in our vector environment and in Gymnasium's, which must not differ in anything."""
    slots = len(turns[0])
    ours = gymnasium.make_vec(env_id, slots, autoreset_mode=mode, **kwargs)
    theirs = gymnasium.make_vec(
        env_id, slots, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode}, on_error="truncate", **kwargs
    )
    both = (ours, theirs)
    try:
        assert isinstance(ours, ThreadedVectorEnv)
        assert ours.metadata == theirs.metadata
        for name in ("observation_space", "action_space", "single_observation_space", "single_action_space"):
            assert getattr(ours, name) == getattr(theirs, name)
        assert_same(*(envs.reset(seed=7) for envs in both))
        for actions in turns:
            one, other = (envs.step(actions) for envs in both)
            assert_same(one, other)
            over = one[2] | one[3]
            if mode is AutoresetMode.DISABLED and over.any():
                # Gymnasium's takes the mask out of the options.
                assert_same(*(envs.reset(options={"reset_mask": over.copy()}) for envs in both))
        assert_same(ours.np_random_seed, theirs.np_random_seed)
    finally:
        for envs in both:
            envs.close()


actions_backend = st.sampled_from(
    (QUESTION, ANSWER, "", "hm OUTPUT: And if it is empty?", "I WANT TO ANSWER:\ndef total(net):\n    return net", "?")
)


@modes
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(turns=st.lists(st.lists(actions_backend, min_size=3, max_size=3), min_size=3, max_size=8))
def test_equal_to_gymnasiums_own(mode: AutoresetMode, turns: list[list[str]], task_file):
    play_both("ColBench-Backend-v0", mode, turns, tasks=task_file, max_turns=3)


@modes
@pytest.mark.browser
@pytest.mark.slow
def test_frontend_equal_to_gymnasiums_own(mode: AutoresetMode, page_file):
    turns = [[PAGE, "What colours?"], ["And the text?", PAGE_ANSWER], [PAGE_ANSWER, "Hm."], [PAGE, PAGE]]
    play_both("ColBench-Frontend-v0", mode, turns, tasks=page_file, similarity="visual")


@modes
def test_a_failing_user_truncates_as_in_gymnasiums_own(mode: AutoresetMode, task_file):
    user = Scripted(lambda task, turn: 1 / (task.id == "tax" or turn < 2) and "Yes.")
    play_both("ColBench-Backend-v0", mode, [[QUESTION] * 4] * 6, tasks=task_file, user=user)


@pytest.mark.parametrize("env_id", IDS)
def test_every_id_has_it(env_id: str, make_vec, task_file, page_file):
    given = {"tasks": page_file, "similarity": "visual"} if "Frontend" in env_id else {"tasks": task_file}
    envs = make_vec(2, env_id, user="rules", **given)
    assert isinstance(envs, ThreadedVectorEnv)
    observations, infos = envs.reset(seed=0)
    single = gymnasium.make(env_id, user="rules", **given)
    assert observations == tuple(single.reset(seed=seed)[0] for seed in (0, 1))
    assert infos["turns_left"].tolist() == [10, 10]
    assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP


def test_the_spec_survives_json(make_vec):
    envs = make_vec(2, autoreset_mode="SameStep", max_turns=4)
    assert envs.spec is not None
    again = gymnasium.make_vec(EnvSpec.from_json(envs.spec.to_json()))
    assert (again.num_envs, again.metadata["autoreset_mode"]) == (2, AutoresetMode.SAME_STEP)
    assert cast(ThreadedVectorEnv, again).get_attr("max_turns") == (4, 4)
    again.close()


def test_tasks_and_seeds_by_slot(make_vec):
    envs = make_vec(3, tasks="embedded-backend:train")
    ids = [f"embedded-backend:train/{number:05d}" for number in (5, 17)]
    _, infos = envs.reset(seed=[1, 2, None], options={"task_id": [ids[0], None, ids[1]]})
    assert infos["task_id"].tolist()[::2] == ids
    single = gymnasium.make("ColBench-Backend-v0")
    assert infos["task_id"][1] == single.reset(seed=2)[1]["task_id"]
    assert set(envs.reset(options={"task_id": ids[0]})[1]["task_id"]) == {ids[0]}
    by_number, by_list = (envs.reset(seed=seed)[0] for seed in (np.int64(3), np.array([3, 4, 5])))
    assert by_number == by_list
    assert len(set(by_number)) == 3


def test_a_critic_reads_each_slots_task(make_vec):
    envs = make_vec(2, render_mode="ansi")
    envs.reset(options={"task_id": ["tax", "greet"]})
    assert [task.reference[:9] for task in envs.get_attr("task")] == ["def total", "def greet"]
    assert envs.call("submission", "x") == ("x", "x")
    assert ["tax" in text for text in envs.render()] == [True, False]
    envs.set_attr("max_turns", [3, 4])
    assert envs.get_attr("max_turns") == (3, 4)
    with pytest.raises(ConfigError, match="3 values for 2 slots"):
        envs.set_attr("max_turns", [1, 2, 3])


# -- side by side, and apart


def test_slots_step_at_the_same_time(make_vec):
    all_here = threading.Barrier(5)
    envs = make_vec(5, user=Scripted(lambda task, turn: str(all_here.wait(timeout=20))))
    envs.reset(seed=0)
    _, _, _, truncated, _ = envs.step([QUESTION] * 5)
    assert not truncated.any()


def test_a_slots_failure_is_its_own(make_vec):
    envs = make_vec(3, user=Scripted(lambda task, turn: 1 / (task.id != "tax") and "Yes."))
    envs.reset(seed=0, options={"task_id": ["greet", "tax", "greet"]})
    observations, rewards, terminated, truncated, infos = envs.step([QUESTION, QUESTION, ANSWER])
    assert (terminated.tolist(), truncated.tolist()) == ([False, False, True], [False, True, False])
    assert rewards.tolist() == [0.0, 0.0, 1.0]
    assert infos["error"]["boundary"].tolist() == [None, "simulator", None]
    assert observations[0].endswith("Yes.")
    assert isinstance(envs.envs[1].unwrapped.failure, SimulatorError)


@pytest.mark.parametrize("kind", ["simulator", "bug"])
def test_what_is_raised_names_its_slot_and_stops_no_other(kind: str, make_vec, monkeypatch):
    fails = Scripted(lambda task, turn: 1 / (task.id != "tax" or turn > 1) and "Yes.")
    envs = make_vec(3, on_error="raise", user=fails if kind == "simulator" else "rules")
    envs.reset(seed=0, options={"task_id": ["greet", "tax", "greet"]})
    if kind == "bug":
        monkeypatch.setattr(envs.envs[1], "step", lambda action: action.no_such_thing)
    with pytest.raises(SimulatorError if kind == "simulator" else AttributeError) as caught:
        envs.step([QUESTION] * 3)
    assert caught.value.__notes__ == ["slot 1 of 3 raised this"]
    assert [len(actions) for actions in envs.get_attr("actions")][::2] == [1, 1]
    monkeypatch.undo()
    with pytest.raises(ResetNeeded, match=r"slots \[1\]"):
        envs.step([QUESTION] * 3)
    envs.reset(options={"reset_mask": np.array([False, True, False]), "task_id": "greet"})
    _, _, _, _, infos = envs.step([QUESTION] * 3)
    assert infos["turn"].tolist() == [2, 1, 2]


def test_no_slot_steps_if_an_action_is_none(make_vec):
    envs = make_vec(3)
    envs.reset(seed=0)
    for actions, fault in (
        ([QUESTION] * 2, "2 actions"),
        ("abc", "one string"),
        ([QUESTION, QUESTION, 3], "slot 2: int"),
    ):
        with pytest.raises(AgentError, match=fault):
            envs.step(actions)
    assert envs.get_attr("actions") == ([], [], [])
    envs.step([ANSWER, QUESTION, QUESTION])
    envs.step(np.array([None, QUESTION, QUESTION], dtype=object))  # the first slot only starts anew


def test_what_does_not_fit_the_slots(make_vec):
    envs = make_vec(2)
    with pytest.raises(ResetNeeded, match=r"slots \[0, 1\]"):
        envs.step([QUESTION] * 2)
    with pytest.raises(ResetNeeded, match=r"slots \[1\] were never reset"):
        envs.reset(options={"reset_mask": np.array([True, False])})
    for fault, seed, options in (
        ("seed holds 3 values", [1, 2, 3], None),
        ("holds 1 values", None, {"task_id": ["tax"]}),
        ("reset_mask", None, {"reset_mask": [True]}),
        ("reset_mask", None, {"reset_mask": [False, False]}),
        ("reset_mask", None, {"reset_mask": [0, 1]}),
        ("unknown reset option 'colour'", None, {"colour": "red"}),
    ):
        with pytest.raises(ConfigError, match=fault):
            envs.reset(seed=seed, options=options)
    with pytest.raises(TaskError, match="no task 'none'") as caught:
        envs.reset(options={"task_id": ["tax", "none"]})
    assert caught.value.__notes__ == ["slot 1 of 2 raised this"]
    assert envs.envs[0].unwrapped.task.id == "tax"
    for kwargs in ({"num_envs": 0}, {"num_envs": True}, {"autoreset_mode": "Never"}):
        with pytest.raises(ConfigError, match=next(iter(kwargs))):
            make_vec(**kwargs)


def test_disabled_autoreset_waits_for_a_reset(make_vec):
    envs = make_vec(2, autoreset_mode="Disabled")
    envs.reset(seed=0)
    envs.step([ANSWER, QUESTION])
    with pytest.raises(ResetNeeded, match=r"slots \[0\]"):
        envs.step([QUESTION] * 2)


def test_threads_work_for_the_callers_account(make_vec):
    envs = make_vec(2, user=Scripted(lambda task, turn: current_account().charge(requests=1)))
    envs.reset(seed=0)
    with charged_to(Account()) as account:
        envs.step([QUESTION] * 2)
    assert account.usage["user"]["requests"] == 2


def test_wrappers_are_for_the_slots(task_file):
    def make() -> gymnasium.Env:
        return ChatMessages(gymnasium.make("ColBench-Backend-v0", tasks=task_file))

    ours, theirs = ThreadedVectorEnv([make] * 2), SyncVectorEnv([make] * 2)
    for envs in (ours, theirs):
        envs.reset(seed=0)
    assert_same(ours.step([QUESTION] * 2), theirs.step([QUESTION] * 2))
    ours.close()
    theirs.close()
    with pytest.raises(ConfigError, match="slot 1 has other spaces"):
        ThreadedVectorEnv([make, lambda: gymnasium.make("ColBench-Backend-v0", tasks=task_file)])


# -- one of what one is enough of


def test_slots_share_tasks_user_and_measure(make_vec, page_file):
    envs = make_vec(4, "ColBench-Frontend-v0", tasks=page_file, similarity="visual")
    for name in ("tasks", "user"):
        assert len(set(map(id, envs.get_attr(name)))) == 1
    assert len({id(grader.measure) for grader in envs.get_attr("grader")}) == 1


# -- the end

LEFTOVERS = """
import json, sys, threading
import gymnasium, psutil
import colbench_gym

def held():
    me = psutil.Process()
    children = [child.name() for child in me.children(recursive=True)]
    ours = [thread.name for thread in threading.enumerate() if thread.name.startswith("colbench")]
    return [len(children), len(ours), me.num_fds()]

env_id, tasks, action, kwargs = sys.argv[1], sys.argv[2], sys.argv[3], json.loads(sys.argv[4])
seen = [held()]
def play(envs):
    envs.reset(seed=0)
    _, rewards, terminated, _, _ = envs.step([action] * 3)
    assert terminated.all() and rewards.max() > 0
    return envs
one, other = (play(gymnasium.make_vec(env_id, num_envs=3, tasks=tasks, **kwargs)) for _ in range(2))
one.close()
seen.append(held())
other.close()
seen.append(held())
single = gymnasium.make(env_id, tasks=tasks, **kwargs)
single.reset(seed=0)
assert single.step(action)[2]
play(gymnasium.make_vec(env_id, num_envs=3, tasks=tasks, **kwargs)).close()
seen.append(held())
print(json.dumps(seen))
"""


def leftovers(env_id: str, tasks: str, action: str, **kwargs) -> list[list[int]]:
    """Children, threads and open files: before; with one of two closed; with both closed; after a later use."""
    command = [sys.executable, "-c", LEFTOVERS, env_id, tasks, action, json.dumps(kwargs)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def test_close_leaves_nothing(task_file):
    before, half, closed, later = leftovers("ColBench-Backend-v0", task_file, ANSWER)
    assert half[:2] > [0, 0], "the other one's sandbox and threads"
    assert closed == later == before


@pytest.mark.browser
@pytest.mark.slow
def test_close_leaves_no_browser(page_file):
    before, half, closed, later = leftovers("ColBench-Frontend-v0", page_file, PAGE_ANSWER)
    assert half[:2] > [0, 0]
    assert closed[:2] == later[:2] == before[:2] == [0, 0]
    assert later[2] <= closed[2], "files that torch keeps open, but no more each time"


def test_closed_is_closed(make_vec):
    envs = make_vec(2)
    envs.reset(seed=0)
    envs.close()
    envs.close()
    for use in (envs.reset, envs.render, lambda: envs.step([QUESTION] * 2), lambda: envs.get_attr("task")):
        with pytest.raises(ClosedEnvironmentError, match="is closed"):
            use()


@pytest.mark.slow
def test_soak():
    command = [sys.executable, str(ROOT / "benchmarks" / "vector_soak.py"), "--steps", "2000", "--num-envs", "16"]
    told = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[-1])
    assert told["steps"] == 2000
    assert (told["threads"], told["fds"], told["children"]) == (0, 0, 0)


# -- Gymnasium's own


def own(kind: str, thunks: list) -> SyncVectorEnv | AsyncVectorEnv:
    return SyncVectorEnv(thunks) if kind == "sync" else AsyncVectorEnv(thunks, shared_memory=False)


def check_gymnasiums_own(kind: str, thunk, actions: tuple[str, ...]) -> list:
    envs = own(kind, [thunk] * 2)
    try:
        observations, _ = envs.reset(seed=[1, 2])
        stepped = [envs.step([action] * 2) for action in actions]
        for slot, seed in enumerate((1, 2)):
            env = thunk()
            assert observations[slot] == env.reset(seed=seed)[0]
            for action, (obs, rewards, terminated, truncated, _) in zip(actions, stepped, strict=True):
                assert (obs[slot], rewards[slot], terminated[slot], truncated[slot]) == env.step(action)[:4]
        return stepped
    finally:
        envs.close()


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_gymnasiums_own_equal_to_single_environments(task_file, kind: str):
    def thunk() -> gymnasium.Env:
        import colbench_gym  # noqa: F401  (a spawned worker knows no ids yet)

        return gymnasium.make("ColBench-Backend-v0", tasks=task_file)

    stepped = check_gymnasiums_own(kind, thunk, (QUESTION, ANSWER))
    assert any("世界" in observation for observation in stepped[0][0])


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sync", "async"])
def test_frontend_gymnasiums_own_equal_to_single_environments(page_file, kind: str):
    def thunk() -> gymnasium.Env:
        import colbench_gym  # noqa: F401  (a spawned worker knows no ids yet)

        return gymnasium.make("ColBench-Frontend-v0", tasks=page_file, similarity="visual")

    stepped = check_gymnasiums_own(kind, thunk, (PAGE, PAGE_ANSWER))
    assert all(0 < reward < 1 for reward in stepped[-1][1])


def test_shared_memory_fails_loudly_with_the_mend(task_file):
    with pytest.raises(ValueError, match="shared_memory=False"):
        AsyncVectorEnv([lambda: gymnasium.make("ColBench-Backend-v0", tasks=task_file)] * 2)
