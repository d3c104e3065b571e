"""The embedded backend tasks: a seeded generator that needs no files and no network.

Task `i` of a split is a pure function of the split's name and `i`: a family, the values of its details, a vague request
in somebody's voice, and ten calls such that every single wrong guess of a detail shows in at least one of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from random import Random
from typing import Any

from colbench_gym.tasks.embedded import EmbeddedTasks, embedded_id
from colbench_gym.tasks.families import all_families
from colbench_gym.tasks.family import Arguments, Family, Value, expand
from colbench_gym.types import Detail, Task

NAME = "embedded-backend"
TESTS = 10
SIZES = {"train": 10_000, "test": 1_000, "test_ood": 1_000}

# What the named sets were at their first release. A test recomputes them: a change here changes scores and needs `-v1`.
FINGERPRINTS: dict[str, str] = {
    "train": "e82e53c25bfa7042eab97da90727bd0b38dc4032988ef9686b9db28da3730320",
    "test": "210a13368666f1573fad70624c77ae71055f61d64dbf36ffca7172c5e1180dc6",
    "test_ood": "974ad98d40210b12db74ef6309e143a6b085a8dd14f9bda9960ae548bc1d6b3d",
}

_POOL = 24
_WIDE_POOL = 192
_SIGNATURE_LINES = ("Signature: {}", "It should look like this: {}", "The signature: {}", "Function header: {}")


class EmbeddedBackendTasks(EmbeddedTasks):
    """One split; recent tasks are kept. `test_ood`: families that the other two do not have.

    See `EmbeddedTasks` for the arguments.
    """

    set_name = NAME
    sizes = SIZES
    fingerprints = FINGERPRINTS

    def generate(self, index: int) -> Task:
        return generate(self.split, index)


@cache
def families_of(split: str) -> tuple[Family, ...]:
    return tuple(family for family in all_families() if family.held_out == (split == "test_ood"))


@lru_cache(maxsize=2048)
def generate(split: str, index: int) -> Task:
    """Task `index` of a split. Seeded by their names alone, so ids mean the same task in every process."""
    rng = Random(f"{NAME}-v0/{split}/{index}")
    family = rng.choice(families_of(split))
    values = family.draw(rng)
    name = rng.choice(family.names)
    request = expand(rng.choice(family.requests), rng)
    calls = choose_calls(family, values, rng)
    return Task(
        id=embedded_id(f"{NAME}:{split}", index),
        domain="backend",
        description=f"{request}\n\n{rng.choice(_SIGNATURE_LINES).format(family.signature(name))}",
        reference=family.source(values, name),
        tests={
            f"test{number}": f"{name}({', '.join(map(repr, arguments))})"
            for number, arguments in enumerate(calls, start=1)
        },
        details=tuple(
            Detail(
                name=spec.name,
                topics=spec.topics,
                sentence=rng.choice(spec.sentences(values[spec.name])),
                value=_as_json(values[spec.name]),
                careless=_as_json(spec.careless),
            )
            for spec in family.details
        ),
        source=f"{NAME}:{split}",
        family=family.name,
    )


def choose_calls(family: Family, values: Mapping[str, Value], rng: Random) -> list[Arguments]:
    """Ten calls of which at least one tells each single wrong guess from the right values.

    Raises:
        AssertionError: the family's inputs do not bring every detail to light (a fault of the family, not of the user).
    """
    chosen, alive = _first_fit(family, values, rng)
    if alive or len(chosen) > TESTS:
        chosen, alive = _greedy_cover(family, values, rng)
    assert not alive, f"{family.name} with {values}: no call shows {alive[0]}"
    assert len(chosen) <= TESTS, f"{family.name} with {values}: {len(chosen)} calls are needed"
    outcomes = {repr(family.function(*call, **values)) for call in chosen}
    spare: list[Arguments] = []
    for call in family.calls(rng, values, _WIDE_POOL):
        if len(chosen) == TESTS:
            break
        if call in chosen or call in spare:
            continue
        outcome = repr(family.function(*call, **values))
        # New results first: ten tests with one result would pass an answer that returns a constant.
        if outcome in outcomes:
            spare.append(call)
        else:
            outcomes.add(outcome)
            chosen.append(call)
    chosen.extend(spare[: TESTS - len(chosen)])
    assert len(chosen) == TESTS, f"{family.name}: fewer than {TESTS} different calls"
    rng.shuffle(chosen)
    return chosen


_Guess = tuple[str, dict[str, Value]]


def _first_fit(family: Family, values: Mapping[str, Value], rng: Random) -> tuple[list[Arguments], list[_Guess]]:
    """Calls taken in the order drawn as long as each tells one more wrong guess: fast, and nearly always enough."""
    alive = list(family.wrong_guesses(values))
    chosen: list[Arguments] = []
    for call in family.calls(rng, values, _POOL):
        expected = family.function(*call, **values)
        survivors = [guess for guess in alive if not _shows(family, call, expected, guess[1])]
        if len(survivors) < len(alive):
            chosen.append(call)
            alive = survivors
        if not alive:
            break
    return chosen, alive


def _greedy_cover(family: Family, values: Mapping[str, Value], rng: Random) -> tuple[list[Arguments], list[_Guess]]:
    """From a wide pool, always the call that tells most of the wrong guesses still alive."""
    guesses = list(family.wrong_guesses(values))
    pool = list(family.calls(rng, values, _WIDE_POOL))
    shown: list[set[int]] = []
    for call in pool:
        expected = family.function(*call, **values)
        shown.append({n for n, (_, guess) in enumerate(guesses) if _shows(family, call, expected, guess)})
    alive = set(range(len(guesses)))
    chosen: list[Arguments] = []
    while alive:
        best = max(range(len(pool)), key=lambda position: len(shown[position] & alive))
        if not shown[best] & alive:
            break
        chosen.append(pool[best])
        alive -= shown[best]
    return chosen, [guesses[n] for n in sorted(alive)]


def _shows(family: Family, call: Arguments, expected: Any, guess: Mapping[str, Value]) -> bool:
    """Whether a function with these values gives another result, or fails."""
    try:
        return family.function(*call, **guess) != expected
    except Exception:  # a wrong guess may well fail on this call, which shows it too
        return True


def _as_json(value: Value) -> Any:
    return list(value) if isinstance(value, tuple) else value
