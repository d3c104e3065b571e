"""Gymnasium's own vector environments."""

from __future__ import annotations

import gymnasium
import pytest
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

import colbench_gym

ACTIONS = (
    "Grüße 世界 🌍: what about rounding?",
    "I WANT TO ANSWER:\ndef greet(name):\n    return 'Grüße, ' + (name or 'Fremder') + '!'",
)


def make(task_file):
    def thunk() -> gymnasium.Env:
        import colbench_gym  # noqa: F401  (a spawned worker knows no ids yet)

        return gymnasium.make("ColBench-Backend-v0", tasks=task_file)

    return thunk


def alone(task_file, seed: int) -> list:
    env = make(task_file)()
    return [env.reset(seed=seed)[0], *(env.step(action)[:4] for action in ACTIONS)]


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_equal_to_single_environments(task_file, kind: str):
    thunks = [make(task_file)] * 3
    envs = SyncVectorEnv(thunks) if kind == "sync" else AsyncVectorEnv(thunks, shared_memory=False)
    try:
        observations, _ = envs.reset(seed=[1, 2, 3])
        stepped = [envs.step([action] * 3) for action in ACTIONS]
        for slot, seed in enumerate((1, 2, 3)):
            first, *steps = alone(task_file, seed)
            assert observations[slot] == first
            for (obs, rewards, terminated, truncated, _), expected in zip(stepped, steps, strict=True):
                assert (obs[slot], rewards[slot], terminated[slot], truncated[slot]) == expected
        assert any("世界" in observation for observation in stepped[0][0])
    finally:
        envs.close()


def test_shared_memory_fails_loudly_with_the_mend(task_file):
    with pytest.raises(ValueError, match="shared_memory=False"):
        AsyncVectorEnv([make(task_file)] * 2)


def test_make_vec(task_file):
    envs = gymnasium.make_vec("ColBench-Backend-v0", num_envs=2, vectorization_mode="sync", tasks=task_file)
    observations, infos = envs.reset(seed=0)
    assert len(observations) == 2
    assert set(infos["task_id"]) <= {"tax", "greet"}
    envs.close()
    assert colbench_gym.__version__


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sync", "async"])
def test_frontend_equal_to_single_environments(page_file, kind: str):
    def thunk() -> gymnasium.Env:
        import colbench_gym  # noqa: F401  (a spawned worker knows no ids yet)

        return gymnasium.make("ColBench-Frontend-v0", tasks=page_file, similarity="visual")

    actions = ("<html><body><h1>Müller</h1></body></html>", "I WANT TO ANSWER: <html><body><p>Open</p></body></html>")
    envs = SyncVectorEnv([thunk] * 2) if kind == "sync" else AsyncVectorEnv([thunk] * 2, shared_memory=False)
    try:
        observations, _ = envs.reset(seed=[1, 2])
        stepped = [envs.step([action] * 2) for action in actions]
        for slot, seed in enumerate((1, 2)):
            env = thunk()
            assert observations[slot] == env.reset(seed=seed)[0]
            for action, (obs, rewards, terminated, truncated, _) in zip(actions, stepped, strict=True):
                assert (obs[slot], rewards[slot], terminated[slot], truncated[slot]) == env.step(action)[:4]
        assert all(0 < reward < 1 for reward in stepped[-1][1])
    finally:
        envs.close()
