"""The vector environment that `gymnasium.make_vec` gives for this package's ids: a thread for every slot."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from functools import partial
from typing import Any, NamedTuple, TypeVar

import gymnasium
import numpy as np
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array

from colbench_gym import grading
from colbench_gym.envs.backend import BackendEnv
from colbench_gym.envs.base import ColbenchEnv
from colbench_gym.envs.frontend import FrontendEnv
from colbench_gym.errors import AgentError, ConfigError

Result = TypeVar("Result")

_open: weakref.WeakSet[ThreadedVectorEnv] = weakref.WeakSet()
_opening = threading.Lock()


class _Turn(NamedTuple):
    """What a slot's step came to. `final`: the `final_obs` and `final_info` of an episode that ended in this step."""

    reward: float
    terminated: bool
    truncated: bool
    info: dict[str, Any]
    final: dict[str, Any]


class ThreadedVectorEnv(VectorEnv[Any, Any, np.ndarray]):
    """Environments that step side by side, each in a thread of its own.

    Spaces, observations, rewards and infos are those of gymnasium's `SyncVectorEnv` over the same environments, for
    the same seeds and actions. What is different: slots do not wait for one another's users and graders, each slot can
    have a task of its own, and what goes wrong in one slot stops no other: a step or reset returns, or raises the error
    of a slot, when all slots are done. A slot that raised needs a `reset` before the next step; the others go on.

    Args:
        env_fns: make the slots' environments, one each. They must have equal spaces.
        autoreset_mode: when a slot whose episode is over starts the next one: `NEXT_STEP` (in the next step, which
            ignores its action), `SAME_STEP` (at once; `final_obs` and `final_info` hold the end) or `DISABLED` (by
            `reset` with `options={"reset_mask": ...}`); an `AutoresetMode` or its value, such as `"SameStep"`.

    Raises:
        ConfigError: no slots, unequal spaces, or no such mode.
    """

    def __init__(
        self,
        env_fns: Sequence[Callable[[], gymnasium.Env]],
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    ) -> None:
        if not env_fns:
            raise ConfigError("a vector environment without slots. Mend: num_envs of at least 1")
        try:
            self._mode = AutoresetMode(autoreset_mode)
        except ValueError:
            known = ", ".join(repr(mode.value) for mode in AutoresetMode)
            raise ConfigError(f"autoreset_mode={autoreset_mode!r}. Mend: one of {known}") from None
        self.envs = [make() for make in env_fns]
        self.num_envs = len(self.envs)
        first = self.envs[0]
        for slot, env in enumerate(self.envs):
            if (env.observation_space, env.action_space) != (first.observation_space, first.action_space):
                raise ConfigError(
                    f"slot {slot} has other spaces than slot 0. Mend: the same kind of environment in each"
                )
        self.single_observation_space = first.observation_space
        self.single_action_space = first.action_space
        self.observation_space = batch_space(first.observation_space, self.num_envs)
        self.action_space = batch_space(first.action_space, self.num_envs)
        self.metadata = {**first.metadata, "autoreset_mode": self._mode}
        self.render_mode = first.render_mode
        self._observations: list[Any] = [None] * self.num_envs
        self._usable = [False] * self.num_envs
        self._over = [False] * self.num_envs
        self._running: Sequence[Future] = ()
        self._threads = ThreadPoolExecutor(self.num_envs, "colbench-slot")
        with _opening:
            _open.add(self)

    @property
    def np_random(self) -> tuple[np.random.Generator, ...]:
        """The slots' generators."""
        return self.get_attr("np_random")

    @property
    def np_random_seed(self) -> tuple[int, ...]:
        """The slots' seeds."""
        return self.get_attr("np_random_seed")

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Starts an episode in every slot, or in some.

        Args:
            seed: an int gives slot `i` the seed `seed + i`; a list holds one a slot, None for no new one.
            options: as the environments take them; a list as a value holds one value a slot, None for none:
                `{"task_id": ["tax", None, "greet"]}`. `reset_mask`, an array of `num_envs` bools, says which slots
                start an episode; the others keep theirs.

        Returns:
            The observations of all slots, and the infos of those that were reset.

        Raises:
            ConfigError: a list or mask does not fit the slots, or an unknown option.
            TaskError: no such task. No other slot is kept from its reset.
            ResetNeeded: the very first reset leaves out slots.
        """
        self._check_open()
        given = dict(options or {})
        slots = self._chosen(given.pop("reset_mask", None))
        if isinstance(seed, int | np.integer):
            seed = [int(seed) + slot for slot in range(self.num_envs)]
        seeds = self._spread("seed", seed)
        spread = {name: self._spread(f"options[{name!r}]", value) for name, value in given.items()}

        def start(slot: int) -> dict[str, Any]:
            own = {name: values[slot] for name, values in spread.items() if values[slot] is not None}
            return self._start(slot, seed=seeds[slot], options=own or None)

        infos: dict[str, Any] = {}
        for slot, info in self._each(slots, start).items():
            infos = self._add_info(infos, info, slot)
        return self._batched(), infos

    def step(self, actions: Iterable[Any]) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """One turn in every slot.

        Args:
            actions: one a slot. That of a slot whose episode is over is ignored (`NEXT_STEP`).

        Returns:
            Observations (a tuple of strings), rewards (float64), terminations and truncations (bool), each array of
            shape `(num_envs,)`, and infos: arrays by key, each with a mask `_key`.

        Raises:
            AgentError: not one action a slot, or one outside the action space. No slot has stepped then.
            ResetNeeded: slots have no episode: never reset, over (`DISABLED`), or failed.
            Exception: whatever a slot raised, with a note that names the slot.
        """
        self._check_open()
        over_too = self._mode is AutoresetMode.DISABLED
        idle = [slot for slot in range(self.num_envs) if not self._usable[slot] or (over_too and self._over[slot])]
        if idle:
            raise ResetNeeded(f"no episode in slots {idle}. Mend: reset(), for these alone with options['reset_mask']")
        given = self._checked(actions)
        infos: dict[str, Any] = {}
        turns = self._each(range(self.num_envs), lambda slot: self._turn(slot, given[slot]))
        for slot, turn in turns.items():
            infos = self._add_info(infos, turn.final, slot)
            infos = self._add_info(infos, turn.info, slot)
        rewards = np.array([turn.reward for turn in turns.values()], np.float64)
        terminations = np.array([turn.terminated for turn in turns.values()], np.bool_)
        truncations = np.array([turn.truncated for turn in turns.values()], np.bool_)
        return self._batched(), rewards, terminations, truncations, infos

    def render(self) -> tuple[Any, ...]:
        """What each slot renders."""
        return self.call("render")

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """What the method of that name returns in each slot, called in the slots' threads; or the attribute's values.

        Raises what a slot raises, with a note that names the slot.
        """
        self._check_open()

        def ask(slot: int) -> Any:
            found = self.envs[slot].get_wrapper_attr(name)
            return found(*args, **kwargs) if callable(found) else found

        return tuple(self._each(range(self.num_envs), ask).values())

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """An attribute of each slot's environment; `task` is what a critic may know."""
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Sets an attribute in each slot: a list or tuple holds one value a slot, anything else is for all.

        Raises:
            ConfigError: as many values as there are no slots.
        """
        self._check_open()
        given = self._spread(name, values) if isinstance(values, list | tuple) else [values] * self.num_envs
        for env, value in zip(self.envs, given, strict=True):
            env.set_wrapper_attr(name, value)

    def close_extras(self, **kwargs: Any) -> None:
        """Waits for what the slots are doing, and ends the threads and environments. The last vector environment of the
        process to close ends the sandbox and the browser too (`grading.rest`)."""
        self._threads.shutdown()
        for env in self.envs:
            env.close()
        with _opening:
            _open.discard(self)
            is_last = not _open
        if is_last:
            grading.rest()

    # -- what a slot's thread does

    def _turn(self, slot: int, action: Any) -> _Turn:
        if self._over[slot] and self._mode is AutoresetMode.NEXT_STEP:
            return _Turn(0.0, False, False, self._start(slot), {})
        self._usable[slot] = False
        observation, reward, terminated, truncated, info = self.envs[slot].step(action)
        self._observations[slot] = observation
        self._over[slot] = bool(terminated or truncated)
        final = {}
        if self._over[slot] and self._mode is AutoresetMode.SAME_STEP:
            final = {"final_obs": observation, "final_info": info}
            info = self._start(slot)
        self._usable[slot] = True
        return _Turn(float(reward), terminated, truncated, info, final)

    def _start(self, slot: int, *, seed: int | None = None, options: dict[str, Any] | None = None) -> dict[str, Any]:
        self._usable[slot] = False
        self._observations[slot], info = self.envs[slot].reset(seed=seed, options=options)
        self._over[slot] = False
        self._usable[slot] = True
        return info

    # -- what the caller's thread does

    def _each(self, slots: Iterable[int], work: Callable[[int], Result]) -> dict[int, Result]:
        """What `work` gives for these slots, when all are done. Each works in a copy of the caller's context."""
        wait(self._running)  # There is something if the last call was interrupted.
        futures = {slot: self._threads.submit(copy_context().run, work, slot) for slot in slots}
        self._running = tuple(futures.values())
        wait(self._running)
        self._running = ()
        failures = [(slot, error) for slot, future in futures.items() if (error := future.exception()) is not None]
        if failures:
            slot, error = failures[0]
            others = f"; so did slots {[slot for slot, _ in failures[1:]]}" if len(failures) > 1 else ""
            error.add_note(f"slot {slot} of {self.num_envs} raised this{others}")
            raise error
        return {slot: future.result() for slot, future in futures.items()}

    def _checked(self, actions: Iterable[Any]) -> list[Any]:
        given = [] if isinstance(actions, str) else list(actions)
        if len(given) != self.num_envs:
            what = "one string" if isinstance(actions, str) else f"{len(given)} actions"
            raise AgentError(f"{what} for {self.num_envs} slots. Mend: a list with one action a slot")
        for slot, action in enumerate(given):
            if not self._over[slot] and not self.single_action_space.contains(action):
                raise AgentError(
                    f"slot {slot}: {type(action).__name__} is no action of {self.single_action_space}. Mend: pass the "
                    "agent's text"
                )
        return given

    def _chosen(self, mask: Any) -> list[int]:
        if mask is None:
            return list(range(self.num_envs))
        array = np.asarray(mask)
        if array.shape != (self.num_envs,) or array.dtype != np.bool_ or not array.any():
            raise ConfigError(
                f"reset_mask={mask!r}. Mend: an array of {self.num_envs} bools, at least one of them true"
            )
        chosen = np.flatnonzero(array).tolist()
        never = [slot for slot in range(self.num_envs) if slot not in chosen and self._observations[slot] is None]
        if never:
            raise ResetNeeded(f"slots {never} were never reset. Mend: the first reset without a reset_mask")
        return chosen

    def _spread(self, name: str, value: Any) -> Sequence[Any]:
        """One value a slot."""
        if isinstance(value, np.ndarray):
            value = value.tolist()
        if not isinstance(value, list | tuple):
            return [value] * self.num_envs
        if len(value) != self.num_envs:
            raise ConfigError(f"{name} holds {len(value)} values for {self.num_envs} slots. Mend: one a slot")
        return value

    def _batched(self) -> Any:
        space = self.single_observation_space
        return concatenate(space, self._observations, create_empty_array(space, n=self.num_envs))

    def _check_open(self) -> None:
        if self.closed:
            raise ClosedEnvironmentError("this vector environment is closed. Mend: make a new one")


def backend(num_envs: int = 1, **kwargs: Any) -> ThreadedVectorEnv:
    """The vector entry point of the Backend ids; see `_vector_of`."""
    return _vector_of(BackendEnv, num_envs, **kwargs)


def frontend(num_envs: int = 1, **kwargs: Any) -> ThreadedVectorEnv:
    """The vector entry point of the Frontend ids; see `_vector_of`."""
    return _vector_of(FrontendEnv, num_envs, **kwargs)


def _vector_of(
    kind: Callable[..., ColbenchEnv],
    num_envs: int,
    *,
    autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    on_error: str = "truncate",
    **kwargs: Any,
) -> ThreadedVectorEnv:
    """`num_envs` environments of a kind, with one task set and one user for all.

    Args:
        autoreset_mode: see `ThreadedVectorEnv`.
        on_error: as the environment has it, but a failing user or grader truncates its slot's episode by default.
        kwargs: the environment's.

    Raises:
        ConfigError, TaskError, MissingExtra: an argument is unusable, or lacks what it needs.
    """
    if isinstance(num_envs, bool) or not isinstance(num_envs, int) or num_envs < 1:
        raise ConfigError(f"num_envs={num_envs!r}. Mend: a whole number of at least 1")
    first = kind(on_error=on_error, **kwargs)
    another = partial(kind, on_error=on_error, **{**kwargs, "tasks": first.tasks, "user": first.user})
    return ThreadedVectorEnv([lambda: first, *[another] * (num_envs - 1)], autoreset_mode=autoreset_mode)
