"""A space of Unicode strings."""

from __future__ import annotations

from typing import Any

from gymnasium import Space


class UnicodeText(Space[str]):
    """Every `str`, without an upper bound on length.

    Why not `gymnasium.spaces.Text`: its default alphabet has no blank, an alphabet of all Unicode takes seconds and
    hundreds of megabytes to build, and under `AsyncVectorEnv`'s shared memory it silently returns "000...", subclasses
    included. This space is not flattenable and has no shared-memory form, so that mode raises instead; the mend is
    `shared_memory=False`, or `gymnasium.make_vec` of this package's ids.
    """

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(shape=None, dtype=None, seed=seed)

    @property
    def is_np_flattenable(self) -> bool:
        return False

    def sample(self, mask: Any | None = None, probability: Any | None = None) -> str:
        """A short random string of printable ASCII characters (a sample is for smoke tests, not for talking)."""
        length = int(self.np_random.integers(1, 40))
        return "".join(chr(code) for code in self.np_random.integers(32, 127, size=length))

    def contains(self, x: Any) -> bool:
        return isinstance(x, str)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UnicodeText)

    def __hash__(self) -> int:
        return hash(UnicodeText)

    def __repr__(self) -> str:
        return "UnicodeText()"


class ChatMessageList(Space[list]):
    """Every list of chat messages, each a dict of `role` ("user" or "assistant") and `content` (a str)."""

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(shape=None, dtype=None, seed=seed)

    @property
    def is_np_flattenable(self) -> bool:
        return False

    def sample(self, mask: Any | None = None, probability: Any | None = None) -> list[dict[str, str]]:
        return [{"role": "user", "content": "".join(chr(c) for c in self.np_random.integers(32, 127, size=20))}]

    def contains(self, x: Any) -> bool:
        return isinstance(x, list) and all(
            isinstance(message, dict)
            and message.get("role") in ("user", "assistant")
            and isinstance(message.get("content"), str)
            for message in x
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ChatMessageList)

    def __hash__(self) -> int:
        return hash(ChatMessageList)

    def __repr__(self) -> str:
        return "ChatMessageList()"
