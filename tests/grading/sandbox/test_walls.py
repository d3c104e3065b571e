"""The parts of the wall by themselves: the filter's program, frames, the report, other systems."""

from __future__ import annotations

import struct
import subprocess
import sys
from pathlib import Path

import pytest

from colbench_gym.errors import IsolationUnavailable
from colbench_gym.grading.sandbox import isolation, seccomp
from colbench_gym.grading.sandbox.wire import FrameReader, GarbledFrames, Outcome, pack_frame

PACKAGE = Path(__file__).resolve().parents[3] / "colbench_gym"

_WITHOUT_THE_PACKAGE = f"""
import sys, types
for name, path in (("colbench_gym", {str(PACKAGE)!r}), ("colbench_gym.grading", {str(PACKAGE / "grading")!r})):
    module = types.ModuleType(name)
    module.__path__ = [path]
    sys.modules[name] = module
import importlib.metadata, importlib.util, subprocess, tempfile, selectors, threading, sysconfig, colbench_gym.errors
"""

ALLOW, KILL = 0x7FFF0000, 0x80000000


def _verdict(program: bytes, number: int, arguments: tuple[int, ...] = (), audit_tag: int = 0xC000003E) -> int:
    """Run the filter the way the kernel does."""
    padded = (*arguments, *[0] * (6 - len(arguments)))
    data = struct.pack("=IIQ6Q", number, audit_tag, 0, *padded)
    steps = list(struct.iter_unpack("=HBBI", program))
    position = accumulator = 0
    while True:
        code, if_true, if_false, operand = steps[position]
        position += 1
        match code:
            case 0x20:
                accumulator = struct.unpack_from("=I", data, operand)[0]
            case 0x54:
                accumulator &= operand
            case 0x06:
                return operand
            case 0x15:
                position += if_true if accumulator == operand else if_false
            case 0x25:
                position += if_true if accumulator > operand else if_false
            case 0x35:
                position += if_true if accumulator >= operand else if_false
            case _:
                raise AssertionError(f"unknown instruction {code:#x}")


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_allows_its_list_and_nothing_else(machine: str) -> None:
    program = seccomp.program(machine)
    table = seccomp._MACHINES[machine]
    assert len(program) // 8 < 4096
    conditional = {table.numbers[name] for name in (*seccomp._RULES, *seccomp._REFUSED) if name in table.numbers}
    allowed = set(table.numbers.values()) - conditional
    for number in range(600):
        if number not in conditional:
            assert (_verdict(program, number, audit_tag=table.audit_tag) == ALLOW) == (number in allowed), number
    assert _verdict(program, 0, audit_tag=0x40000003) == KILL


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
@pytest.mark.parametrize(
    ("name", "arguments", "allowed"),
    [
        ("openat", (0, 0, 0o2000000), True),
        ("openat", (0, 0, 1), False),
        ("openat", (0, 0, 2), False),
        ("openat", (0, 0, 0o100), False),
        ("clone", (0x01200011,), True),
        ("clone", (0x003D0F00,), False),
        ("clone", (0x01200011 | 0x10000000,), False),
        ("clone3", (), False),
        ("prlimit64", (0,), True),
        ("prlimit64", (1,), False),
        ("ioctl", (0, 0x5401), True),
        ("ioctl", (0, 0x5412), False),
        ("fcntl", (0, 4), True),
        ("fcntl", (0, 8), False),
        ("fcntl", (0, 10), False),
        ("prctl", (1, 9), True),
        ("prctl", (1, 0), False),
        ("prctl", (4, 9), False),
        ("socketpair", (1, 1 | 0o2000000 | 0o4000), True),
        ("socketpair", (1, 2), False),
        ("socketpair", (2, 1), False),
        ("sendto", (3, 0, 0, 0, 0), True),
        ("sendto", (3, 0, 0, 0, 1), False),
        ("sendto", (3, 0, 0, 0, 1 << 40), False),
    ],
)
def test_the_filter_looks_at_arguments(machine: str, name: str, arguments: tuple[int, ...], allowed: bool) -> None:
    table = seccomp._MACHINES[machine]
    verdict = _verdict(seccomp.program(machine), table.numbers[name], arguments, table.audit_tag)
    assert (verdict == ALLOW) == allowed


def test_x32_calls_kill() -> None:
    assert _verdict(seccomp.program("x86_64"), 0x40000000) == KILL


def test_frames_in_any_portions() -> None:
    frames = {3: Outcome("value", b"abc"), 5: Outcome("raised", b""), 9: Outcome("timed_out", b"x" * 1000)}
    stream = b"".join(pack_frame(index, outcome) for index, outcome in frames.items())
    for size in (1, 2, 7, len(stream)):
        reader = FrameReader((3, 5, 9))
        for start in range(0, len(stream), size):
            reader.feed(stream[start : start + size])
        assert reader.complete
        assert reader.frames == frames


@pytest.mark.parametrize(
    "stream",
    [
        pack_frame(2, Outcome("value", b"")),
        b"\x01\x00?\x00\x00\x00\x00",
        b"\x01\x00V\xff\xff\xff\xff",
        pack_frame(1, Outcome("value", b"")) + b"x",
    ],
    ids=["out of turn", "unknown kind", "oversized", "more than asked for"],
)
def test_garbled_frames(stream: bytes) -> None:
    with pytest.raises(GarbledFrames):
        FrameReader((1,)).feed(stream)


def test_the_report_has_a_mend_for_every_lack() -> None:
    findings = isolation.report()
    assert [finding.name for finding in findings][-1] == "sandbox"
    assert all(finding.ok or finding.mend for finding in findings)


def test_no_bubblewrap_is_reported_with_the_mend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    finding = next(finding for finding in isolation.report() if finding.name == "bubblewrap")
    assert not finding.ok
    assert "apt-get install bubblewrap" in finding.mend
    with pytest.raises(IsolationUnavailable, match="apt-get install bubblewrap"):
        isolation.start("bwrap+landlock+seccomp")
    zygote = isolation.start("auto")
    zygote.close()
    assert zygote.walls.name == "landlock+seccomp"


def test_other_systems_are_refused_unless_unsafe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(IsolationUnavailable, match=r"Linux.*unsafe"):
        isolation.start("auto")


def test_importable_where_there_is_neither_fork_nor_signal_kill() -> None:
    program = """
import os, select, signal, socket, sys
sys.modules["resource"] = sys.modules["fcntl"] = None
sys.platform = "win32"
for module, name in ((os, "fork"), (os, "pidfd_open"), (os, "register_at_fork"), (os, "sched_getaffinity"),
                     (signal, "SIGKILL"), (signal, "SIGALRM"), (socket, "AF_UNIX"), (select, "poll")):
    delattr(module, name)
from colbench_gym.errors import IsolationUnavailable
from colbench_gym.grading.sandbox import Sandbox, isolation, selfcheck
for name in ("auto", "unsafe"):
    try:
        Sandbox(name).isolation
    except IsolationUnavailable as error:
        assert "Mend: " in str(error)
    else:
        raise AssertionError(name)
assert not isolation.report()[0].ok
"""
    subprocess.run([sys.executable, "-c", _WITHOUT_THE_PACKAGE + program], check=True, timeout=60)


def test_an_unproven_machine_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    with pytest.raises(IsolationUnavailable, match="not proven on aarch64"):
        isolation.start("auto")


def test_nothing_left_means_an_error_and_not_less(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setattr("colbench_gym.grading.sandbox.landlock.abi_version", lambda: 0)
    with pytest.raises(IsolationUnavailable, match=r"bubblewrap.*Landlock.*unsafe"):
        isolation.start("auto")
