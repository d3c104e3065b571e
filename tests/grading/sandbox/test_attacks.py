"""Every attack of the self-check, in every mode that works here, with honest jobs around it in the same zygote."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from colbench_gym.grading.sandbox import Sandbox
from colbench_gym.grading.sandbox.attacks import ATTACKS, Stage
from colbench_gym.grading.sandbox.selfcheck import FEATURES, check_attack, check_feature


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with ExitStack() as stack:
        yield Stage(stack)


@pytest.fixture(scope="module")
def unsafe_sandbox() -> Iterator[Sandbox]:
    with Sandbox("unsafe") as unsafe:
        yield unsafe


@pytest.mark.parametrize("name", [attack.name for attack in ATTACKS])
def test_attack_gets_nothing_and_harms_nobody(sandbox: Sandbox, stage: Stage, name: str) -> None:
    attack = next(attack for attack in stage.attacks() if attack.name == name)
    check = check_attack(sandbox, attack)
    assert check.ok, check.detail


@pytest.mark.parametrize("name", [attack.name for attack in ATTACKS if attack.real])
def test_attack_is_real(unsafe_sandbox: Sandbox, stage: Stage, name: str) -> None:
    """It succeeds where there are no walls, so what stops it elsewhere is a wall and not a mistake in the attack."""
    attack = next(attack for attack in stage.attacks() if attack.name == name)
    if "fork" in name and not _is_superuser():
        pytest.skip("the limit on processes stops an ordinary user even without walls")
    if "memory" in name and not _is_superuser():
        pytest.skip("the system may forbid ordinary users to look into each other's memory")
    assert not check_attack(unsafe_sandbox, attack).ok


def _is_superuser() -> bool:
    import os

    return os.geteuid() == 0


@pytest.mark.parametrize("feature", FEATURES, ids=lambda feature: feature.name)
def test_honest_code_runs(sandbox: Sandbox, feature) -> None:
    check = check_feature(sandbox, feature)
    assert check.ok, check.detail
