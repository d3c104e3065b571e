"""THE table of environment ids. Entry points are strings, so that registering imports nothing.

An id's behaviour never changes. What moves a score gets a new `-vN` here and a line in CHANGELOG.md that says how far.
"""

from __future__ import annotations

from typing import Any

import gymnasium

IDS: dict[str, dict[str, Any]] = {
    "ColBench-Backend-v0": {
        "entry_point": "colbench_gym.envs.backend:BackendEnv",
        "vector_entry_point": "colbench_gym.vector:backend",
        "kwargs": {"tasks": "embedded-backend:train", "user": "rules", "profile": "strict"},
    },
    "ColBench-Frontend-v0": {
        "entry_point": "colbench_gym.envs.frontend:FrontendEnv",
        "vector_entry_point": "colbench_gym.vector:frontend",
        "kwargs": {"tasks": "embedded-frontend:train", "user": "rules", "similarity": "mini"},
    },
    "ColBench-Backend-Official-v0": {
        "entry_point": "colbench_gym.envs.backend:BackendEnv",
        "vector_entry_point": "colbench_gym.vector:backend",
        "kwargs": {"tasks": "official-backend:test", "profile": "official"},
        # A language model as the user need not repeat itself, not even at temperature 0.
        "nondeterministic": True,
    },
    "ColBench-Frontend-Official-v0": {
        "entry_point": "colbench_gym.envs.frontend:FrontendEnv",
        "vector_entry_point": "colbench_gym.vector:frontend",
        "kwargs": {
            "tasks": "official-frontend:test",
            "similarity": "clip",
            "geometry": "official",
            "profile": "official",
        },
        "nondeterministic": True,
    },
}


def register_all() -> None:
    """Registers every id with Gymnasium. There is no `max_episode_steps`: the environment ends and grades its own
    last turn, and a TimeLimit would cut it off before."""
    for env_id, entry in IDS.items():
        if env_id not in gymnasium.registry:
            gymnasium.register(id=env_id, **entry)
