"""Runs untrusted Python in isolated processes, as fast as running it unisolated.

`host.py` is the grader's side and the place to start reading. `process.py` starts a zygote, `zygote.py` is the zygote,
`evaluate.py` what its children do. The walls: `bubblewrap.py`, `landlock.py`, `seccomp.py`, `limits.py`, with
`mounts.py`, `contents.py` (what is inside) and `kernel.py` (system calls). `isolation.py` chooses among them,
`selfcheck.py` attacks them with `attacks.py`. `wire.py` is what travels through the wall.
"""

from __future__ import annotations

from colbench_gym.grading.sandbox.host import Sandbox, rest, shared_sandbox
from colbench_gym.grading.sandbox.wire import Job, Outcome

__all__ = ["Job", "Outcome", "Sandbox", "rest", "shared_sandbox"]
