"""What travels between the grader and a jailed child: one job in, one frame per test out.

The grader trusts nothing that comes back. A job is marshalled (the child may trust the grader); a frame is a fixed
header and raw bytes that the grader compares or shows and never decodes.

This module is imported on both sides of the jail, so it imports nothing but the standard library.
"""

from __future__ import annotations

import marshal
import struct
from types import CodeType
from typing import Literal, NamedTuple

MAX_VALUE_BYTES = 1 << 20
"""The longest body a frame may have."""

Kind = Literal["value", "raised", "timed_out", "unencodable", "not_compiled", "lost"]

_CODE_OF_KIND: dict[Kind, bytes] = {
    "value": b"V",
    "raised": b"E",
    "timed_out": b"T",
    "unencodable": b"U",
    "not_compiled": b"C",
}
_KIND_OF_CODE: dict[bytes, Kind] = {code: kind for kind, code in _CODE_OF_KIND.items()}
_HEADER = struct.Struct("<HcI")
_LENGTH = struct.Struct("<I")


class Job(NamedTuple):
    """One program and the calls to make on it.

    Attributes:
        mode: the evaluation rules (`strict` or `official`).
        source: the untrusted program.
        tests: `(index, code)` of each call, compiled by the grader in `eval` mode.
        seconds: wall-clock limit of each test.
    """

    mode: str
    source: str
    tests: tuple[tuple[int, CodeType], ...]
    seconds: float


class Outcome(NamedTuple):
    """What became of one test.

    `data` holds the canonical bytes of a `value`; of a `raised` or `not_compiled` the exception's type and text,
    parted by a NUL; of a `lost` or `unencodable` the reason. It is written by untrusted code.
    """

    kind: Kind
    data: bytes = b""


def pack_job(job: Job, *, flush_each: bool) -> bytes:
    """The bytes of a job, length first. `flush_each` makes the child send each frame as soon as it has it."""
    body = marshal.dumps((*job, flush_each))
    return _LENGTH.pack(len(body)) + body


def job_length(head: bytes) -> int:
    """The number of bytes that follow the 4-byte head of a job."""
    return _LENGTH.unpack(head)[0]


def unpack_job(body: bytes) -> tuple[Job, bool]:
    *fields, flush_each = marshal.loads(body)
    return Job(*fields), flush_each


def pack_frame(index: int, outcome: Outcome) -> bytes:
    return _HEADER.pack(index, _CODE_OF_KIND[outcome.kind], len(outcome.data)) + outcome.data


class GarbledFrames(Exception):
    """The child sent bytes that are no frames of its job."""


class FrameReader:
    """Takes a child's bytes in, in whatever portions they come, and gives complete frames out.

    The frames must come in the order of the job's tests with nothing else around them.
    """

    def __init__(self, indices: tuple[int, ...]) -> None:
        self.frames: dict[int, Outcome] = {}
        self._due = indices
        self._buffer = bytearray()

    @property
    def complete(self) -> bool:
        """Whether there is a frame for every test."""
        return len(self.frames) == len(self._due)

    def feed(self, data: bytes) -> None:
        """Take in what was received. Costs time in proportion to `data`, however small the portions are.

        Raises:
            GarbledFrames: a frame out of turn, an unknown kind, an oversized body, or bytes after the last frame.
        """
        buffer = self._buffer
        buffer += data
        position = 0
        while len(self.frames) < len(self._due) and position + _HEADER.size <= len(buffer):
            index, code, length = _HEADER.unpack_from(buffer, position)
            expected = self._due[len(self.frames)]
            if index != expected or code not in _KIND_OF_CODE or length > MAX_VALUE_BYTES:
                raise GarbledFrames(f"frame for test {index} where test {expected} was due")
            end = position + _HEADER.size + length
            if end > len(buffer):
                break
            self.frames[index] = Outcome(_KIND_OF_CODE[code], bytes(buffer[position + _HEADER.size : end]))
            position = end
        del buffer[:position]
        if self.complete and buffer:
            raise GarbledFrames("bytes after the last frame")
