"""What all threads of a process share: computed values, and the one thread in which networks run."""

from __future__ import annotations

import os
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Cache(Generic[Value]):
    """The values last used, at most `bound` of them. What several threads want at a time is computed by one of them.

    Args:
        bound: how many values are kept.
    """

    def __init__(self, bound: int) -> None:
        self.bound = bound
        self._values: OrderedDict[Hashable, Value] = OrderedDict()
        self._coming: dict[Hashable, threading.Event] = {}
        self._lock = threading.Lock()
        _caches.add(self)

    def __len__(self) -> int:
        return len(self._values)

    def all(self, keys: Sequence[Hashable], compute: Callable[[list[int]], Sequence[Value]]) -> list[Value]:
        """The values for `keys`.

        Args:
            compute: gets the positions in `keys` whose values are missing, each key once, and gives their values. What
                it raises is raised here, and in no other thread.
        """
        positions: dict[Hashable, int] = {}
        for position, key in enumerate(keys):
            positions.setdefault(key, position)
        found: dict[Hashable, Value] = {}
        while missing := [key for key in positions if key not in found]:
            ours: dict[Hashable, int] = {}
            theirs: list[threading.Event] = []
            with self._lock:
                for key in missing:
                    if key in self._values:
                        self._values.move_to_end(key)
                        found[key] = self._values[key]
                    elif key in self._coming:
                        theirs.append(self._coming[key])
                    else:
                        ours[key] = positions[key]
                        self._coming[key] = threading.Event()
            # Own work first: others may be waiting for it.
            if ours:
                found |= self._computed(ours, compute)
            for event in theirs:
                event.wait()
        return [found[key] for key in keys]

    def _computed(
        self, wanted: dict[Hashable, int], compute: Callable[[list[int]], Sequence[Value]]
    ) -> dict[Hashable, Value]:
        computed: dict[Hashable, Value] = {}
        try:
            computed = dict(zip(wanted, compute(list(wanted.values())), strict=True))
        finally:
            with self._lock:
                self._values |= computed
                while len(self._values) > self.bound:
                    self._values.popitem(last=False)
                for key in wanted:
                    self._coming.pop(key).set()
        return computed

    def _forget(self) -> None:
        """In a fork: the threads that were computing do not exist there."""
        self._lock = threading.Lock()
        self._coming = {}


class OneThread:
    """Runs calls one after another, in a thread that starts at need."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._executor: ThreadPoolExecutor | None = None

    def run(self, call: Callable[[], Value]) -> Value:
        """What `call` returns or raises."""
        with self._lock:
            if self._executor is None:
                self._executor = ThreadPoolExecutor(1, self._name)
            future = self._executor.submit(call)
        return future.result()

    def close(self) -> None:
        """Ends the thread, after what it was given before. The next call starts it anew."""
        with self._lock:
            executor, self._executor = self._executor, None
        if executor is not None:
            executor.shutdown()

    def forget(self) -> None:
        """In a fork, which has no such thread."""
        self._lock = threading.Lock()
        self._executor = None


networks = OneThread("colbench-networks")
"""Where networks are run. OpenMP gives every thread that runs one a team of its own, as large as the machine."""

_caches: weakref.WeakSet[Cache] = weakref.WeakSet()


def _forget_all() -> None:
    networks.forget()
    for cache in list(_caches):
        cache._forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)
