"""What every registered id must hold to; a new id is tested the day it is registered."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import warnings

import gymnasium
import pytest
from gymnasium.envs.registration import EnvSpec, load_env_creator
from gymnasium.utils.env_checker import check_env

import colbench_gym
from colbench_gym.registration import IDS

ids = pytest.mark.parametrize(
    "env_id", [pytest.param(env_id, marks=pytest.mark.browser if "Frontend" in env_id else ()) for env_id in IDS]
)


@pytest.fixture
def make(task_file, page_file):
    """Makes an id; the official ones on a local task file with the rule-based user (and without CLIP's weights)."""

    def make(env_id: str, **kwargs) -> gymnasium.Env:
        if "Official" in env_id:
            frontend = "Frontend" in env_id
            given = {"tasks": page_file, "similarity": "visual"} if frontend else {"tasks": task_file}
            kwargs = {**given, "user": "rules", **kwargs}
        return gymnasium.make(env_id, **kwargs)

    return make


@ids
def test_check_env(env_id: str, make):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(make(env_id).unwrapped)


@ids
def test_spec_survives_pickle_and_json(env_id: str, make):
    spec = make(env_id, max_turns=4).spec
    assert spec is not None
    for copy in (pickle.loads(pickle.dumps(spec)), EnvSpec.from_json(spec.to_json())):
        env = gymnasium.make(copy)
        assert env.unwrapped.max_turns == 4
        assert env.reset(seed=1)[0] == make(env_id, max_turns=4).reset(seed=1)[0]


@ids
def test_no_time_limit_cuts_before_grading(env_id: str):
    assert gymnasium.spec(env_id).max_episode_steps is None


def episode(env: gymnasium.Env, seed: int) -> str:
    """Everything an agent gets to see in an episode, as text."""
    seen: list = [env.reset(seed=seed)]
    for action in (
        "What is the rule on rounding?",
        "hm OUTPUT: And otherwise?",
        "I WANT TO ANSWER:\n<html><body>def f(x):\n  return 1/0</body></html>",
    ):
        seen.append(env.step(action))
    assert seen[-1][2] is True
    return json.dumps(seen, sort_keys=True, ensure_ascii=False)


@ids
def test_equal_seeds_give_equal_bytes(env_id: str, make):
    one, other = make(env_id), make(env_id)
    for seed in range(3):
        assert episode(one, seed) == episode(other, seed)
    assert episode(one, 0) == episode(one, 0), "an episode must not depend on the one before"


@ids
def test_equal_over_processes(env_id: str, make):
    env = make(env_id)
    kwargs = dict(env.spec.kwargs)
    code = (
        "import json, gymnasium, colbench_gym\n"
        f"env = gymnasium.make({env_id!r}, **json.loads({json.dumps(json.dumps(kwargs))}))\n"
        "print(json.dumps([env.reset(seed=5), env.step('What about rounding?')], sort_keys=True))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": hash_seed}, capture_output=True, text=True, check=True
        ).stdout
        for hash_seed in ("1", "2")
    }
    expected = json.dumps([env.reset(seed=5), env.step("What about rounding?")], sort_keys=True)
    assert {output.strip() for output in outputs} == {expected}


def test_the_official_backend_id_wants_a_user(task_file):
    with pytest.raises(colbench_gym.errors.ConfigError, match='user="chat:'):
        gymnasium.make("ColBench-Backend-Official-v0", tasks=task_file)


def test_module_prefix_registers_too():
    code = "import gymnasium; print(gymnasium.make('colbench_gym:ColBench-Backend-v0').reset(seed=0)[1]['task_id'])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.startswith("embedded-backend:train/")


@ids
def test_docstring_has_the_headings(env_id: str):
    maker = load_env_creator(IDS[env_id]["entry_point"])
    for heading in (
        "Description",
        "Action Space",
        "Observation Space",
        "Rewards",
        "Starting State",
        "Episode End",
        "Arguments",
        "Version History",
    ):
        assert f"## {heading}\n" in (maker.__doc__ or "")
