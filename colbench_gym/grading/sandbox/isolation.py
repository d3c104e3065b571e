"""Which isolation this machine gives: what there is to choose from, trying it, and saying what is missing.

| name | files | other processes | network | needs |
|---|---|---|---|---|
| `bwrap+landlock+seccomp` | not there, and refused | not there | not there | bubblewrap and namespaces, Linux >= 5.13 |
| `landlock+seccomp` | refused | calls refused | calls refused | Linux >= 5.13, no privilege |
| `bwrap+seccomp` | not there | not there | not there | bubblewrap and namespaces, any Linux >= 5.4 |
| `none` (asked for as `unsafe`) | **open** | **open** | **open** | nothing |

All of them limit memory, processor time and processes, and give every job a process of its own.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from dataclasses import dataclass

from colbench_gym.errors import ConfigError, GraderError, IsolationUnavailable
from colbench_gym.grading.sandbox import bubblewrap, contents, kernel, landlock, seccomp
from colbench_gym.grading.sandbox.process import Walls, Zygote
from colbench_gym.grading.sandbox.wire import FrameReader, Job, Outcome, pack_job

_BY_PREFERENCE = (
    Walls(bubblewrap=True, landlock=True, seccomp=True),
    Walls(bubblewrap=False, landlock=True, seccomp=True),
    Walls(bubblewrap=True, landlock=False, seccomp=True),
)
_UNSAFE = Walls(bubblewrap=False, landlock=False, seccomp=False)

NAMES = tuple(walls.name for walls in _BY_PREFERENCE)
"""What can be demanded by name, the strongest first."""

_INSTALL_BUBBLEWRAP = "apt-get install bubblewrap (as root; or the same with dnf, pacman or apk)"
_ALTERNATIVE = "or, at your own risk and only for code you trust, isolation='unsafe'"
_OLDEST_BUBBLEWRAP = (0, 5)
_PROBE_SECONDS = 5.0


def check_name(name: str) -> None:
    """Raises ConfigError if `name` is neither `auto`, `unsafe` nor one of `NAMES`."""
    if name not in ("auto", "unsafe", *NAMES):
        raise ConfigError(f"unknown isolation {name!r}. Choose from: auto, {', '.join(NAMES)}, unsafe")


def start(wanted: str, packages: frozenset[str] = frozenset(), *, unproven_machine: bool = False) -> Zygote:
    """Start a zygote with the isolation `wanted`, and make sure that it holds.

    Args:
        wanted: `auto`, `unsafe` or one of `NAMES`.
        packages: third-party packages to provide.
        unproven_machine: accept an architecture on which the self-check has not passed yet (to run it there).

    Raises:
        IsolationUnavailable: it does not work here; the text says why and names the mend.
        ConfigError: there is no such name, or a package is not installed.
    """
    check_name(wanted)
    if wanted == "unsafe":
        if not hasattr(os, "fork"):
            raise IsolationUnavailable("this system cannot fork processes. Mend: run under Linux, for example in WSL")
        return Zygote(_UNSAFE, contents.find(packages))
    _require_supported_machine(unproven_machine=unproven_machine)
    files = contents.find(packages)
    if wanted != "auto":
        walls = next(walls for walls in _BY_PREFERENCE if walls.name == wanted)
        try:
            return _start_and_probe(walls, files)
        except IsolationUnavailable as error:
            raise IsolationUnavailable(f"{wanted} does not work here: {error}. {_ALTERNATIVE.capitalize()}") from error
    zygote, reasons = _start_best(files)
    if zygote is None:
        raise IsolationUnavailable(
            f"nothing that isolates untrusted code works here. {'; '.join(reasons)}. "
            f"`colbench doctor` shows the details; {_ALTERNATIVE}"
        )
    return zygote


def _start_best(files: contents.Contents) -> tuple[Zygote | None, list[str]]:
    """A zygote behind the strongest walls that work, if any do, and why stronger ones do not."""
    reasons = []
    for walls in _BY_PREFERENCE:
        try:
            return _start_and_probe(walls, files), reasons
        except IsolationUnavailable as error:
            reasons.append(f"{walls.name}: {error}")
    return None, reasons


def _require_supported_machine(*, unproven_machine: bool) -> None:
    if sys.platform != "linux":
        raise IsolationUnavailable(
            f"untrusted code can only be isolated under Linux, and this is {platform.system()}. "
            f"Mend: run in a Linux container or virtual machine, {_ALTERNATIVE}"
        )
    machine = platform.machine()
    if machine not in seccomp.PROVEN_MACHINES and not unproven_machine:
        raise IsolationUnavailable(
            f"the system-call filter is not proven on {machine}. Mend: run on x86_64; or run "
            "`python -m colbench_gym.grading.sandbox.selfcheck --unproven-machine` here and report its result, "
            f"{_ALTERNATIVE}"
        )


def _start_and_probe(walls: Walls, files: contents.Contents) -> Zygote:
    """A zygote behind `walls` that passed the probe.

    Raises:
        IsolationUnavailable: it does not start, or the probe fails.
    """
    if walls.bubblewrap and (lack := _bubblewrap_lack()):
        raise IsolationUnavailable(lack)
    if walls.landlock and landlock.abi_version() == 0:
        raise IsolationUnavailable("this kernel has no Landlock. Mend: " + _landlock_mend())
    zygote = Zygote(walls, files)
    try:
        probe(zygote)
    except BaseException:
        zygote.close()
        raise
    return zygote


# Every function returns if its wall holds. It is quick and does no harm where there is no wall.
_PROBE = """
def honest():
    import json
    assert json.loads("[3]") == [sum([1, 2])]

def refused(action):
    try:
        action()
    except (OSError, RuntimeError):
        return
    raise AssertionError("not refused")

def files():
    for path in ("/etc/passwd", "/proc/self/status", "/proc/1/cmdline"):
        refused(lambda: open(path))
    refused(lambda: open("/tmp/colbench-probe", "w"))

def network():
    import socket
    refused(socket.socket)

def processes():
    import os
    def fork():
        if os.fork() == 0:
            os._exit(0)
    refused(fork)
    refused(lambda: os.kill(os.getppid() or 1, 0))
    refused(lambda: os.execv("/bin/true", ["true"]))
"""
_PROBE_CALLS = ("honest", "files", "network", "processes")


def probe(zygote: Zygote) -> None:
    """Check in one child that honest code runs and that each wall holds; takes milliseconds.

    Raises:
        IsolationUnavailable: something does not hold; the text says what.
    """
    tests = tuple((index, compile(f"{name}()", "<probe>", "eval")) for index, name in enumerate(_PROBE_CALLS))
    outcomes = _run_alone(zygote, Job("strict", _PROBE, tests, _PROBE_SECONDS))
    for index, name in enumerate(_PROBE_CALLS):
        outcome = outcomes.get(index, Outcome("lost", b"the process ended"))
        if outcome.kind != "value":
            said = outcome.data.replace(b"\0", b": ").decode("utf-8", "replace")
            raise IsolationUnavailable(f"the probe of {name} failed ({outcome.kind} {said})")


def _run_alone(zygote: Zygote, job: Job) -> dict[int, Outcome]:
    """One job, one attempt, waiting for it: what a probe needs, and no more."""
    child = zygote.spawn()
    reader = FrameReader(tuple(index for index, _ in job.tests))
    deadline = time.monotonic() + job.seconds * len(job.tests)
    try:
        child.give(pack_job(job, flush_each=True))
        while not reader.complete and (left := deadline - time.monotonic()) > 0:
            child.socket.settimeout(left)
            data = child.socket.recv(1 << 16)
            if not data:
                break
            reader.feed(data)
    except OSError as error:
        raise IsolationUnavailable(f"a first process did not come up: {error}") from error
    finally:
        child.end()
    return reader.frames


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that isolation needs, and whether this machine has it. `mend` is empty if it does."""

    name: str
    ok: bool
    detail: str
    mend: str = ""


def report() -> list[Finding]:
    """What this machine offers to isolate untrusted code with, and what `auto` makes of it."""
    if sys.platform != "linux":
        mend = f"run in a Linux container or virtual machine, {_ALTERNATIVE}"
        return [Finding("system", False, f"{platform.system()}: no isolation", mend)]
    findings = [check() for check in (_kernel, _machine, _landlock, _seccomp, _pidfd, _namespaces, _bubblewrap)]
    try:
        _require_supported_machine(unproven_machine=False)
        zygote, reasons = _start_best(contents.find())
    except GraderError as error:
        return [*findings, Finding("sandbox", False, str(error), "see the findings above")]
    if zygote is None:
        return [*findings, Finding("sandbox", False, "; ".join(reasons), "see the findings above")]
    zygote.close()
    return [*findings, Finding("sandbox", True, "; ".join([zygote.walls.name, *reasons]))]


def _kernel() -> Finding:
    release = platform.release()
    numbers = tuple(int(part) for part in release.split("-")[0].split(".")[:2] if part.isdigit())
    ok = numbers >= (5, 13)
    return Finding("kernel", ok, f"Linux {release}", "" if ok else "use Linux 5.13 or newer (5.4 with bubblewrap)")


def _machine() -> Finding:
    machine = platform.machine()
    ok = machine in seccomp.PROVEN_MACHINES
    mend = "" if ok else "run on x86_64, or run the self-check here and report its result"
    return Finding("architecture", ok, machine, mend)


def _landlock_mend() -> str:
    return "use Linux 5.13 or newer with landlock among its security modules (boot parameter lsm=landlock,...)"


def _landlock() -> Finding:
    version = landlock.abi_version()
    return Finding(
        "landlock", version > 0, f"version {version}" if version else "none", _landlock_mend() * (not version)
    )


def _seccomp() -> Finding:
    get_seccomp = 21
    ok = kernel.libc().prctl(get_seccomp, 0, 0, 0, 0) >= 0
    mend = "" if ok else "use a kernel with CONFIG_SECCOMP_FILTER"
    return Finding("seccomp", ok, "available" if ok else "none", mend)


def _pidfd() -> Finding:
    try:
        os.close(os.pidfd_open(os.getpid()))
    except OSError as error:
        return Finding("pidfd", False, str(error), "use Linux 5.3 or newer, or a container that allows pidfd_open")
    return Finding("pidfd", True, "available")


def _read_setting(path: str) -> str | None:
    try:
        with open(path) as file:
            return file.read().strip()
    except FileNotFoundError:
        return None


def _namespaces() -> Finding:
    name = "user namespaces"
    if os.geteuid() == 0:
        return Finding(name, True, "not needed by the superuser")
    closed: list[tuple[str, str, str]] = [
        ("/proc/sys/user/max_user_namespaces", "0", "sysctl -w user.max_user_namespaces=15000"),
        ("/proc/sys/kernel/unprivileged_userns_clone", "0", "sysctl -w kernel.unprivileged_userns_clone=1"),
        (
            "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
            "1",
            "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
        ),
    ]
    for path, bad, command in closed:
        if _read_setting(path) == bad:
            return Finding(name, False, f"{path} is {bad}", f"as root: {command}")
    return Finding(name, True, "not switched off")


def _bubblewrap_lack() -> str:
    """Why bubblewrap cannot be used, with the mend; empty if it can."""
    bwrap = bubblewrap.executable()
    if bwrap is None:
        return f"bubblewrap is not installed. Mend: {_INSTALL_BUBBLEWRAP}"
    version = subprocess.run([bwrap, "--version"], capture_output=True, text=True, check=False).stdout.split()
    numbers = tuple(int(part) for part in version[-1].split(".") if part.isdigit()) if version else ()
    if numbers < _OLDEST_BUBBLEWRAP:
        return f"bubblewrap {'.'.join(map(str, numbers))} is too old. Mend: install 0.5 or newer"
    return ""


def _bubblewrap() -> Finding:
    if lack := _bubblewrap_lack():
        detail, _, mend = lack.partition(". Mend: ")
        return Finding("bubblewrap", False, detail, mend)
    bwrap = bubblewrap.executable()
    assert bwrap is not None
    user = [] if os.geteuid() == 0 else ["--unshare-user"]
    trial = [bwrap, *user, "--unshare-pid", "--unshare-net", "--ro-bind", "/", "/", "true"]
    result = subprocess.run(trial, capture_output=True, text=True, check=False)
    if result.returncode:
        mend = "allow namespaces (in a container: docker run --privileged); landlock+seccomp does without"
        return Finding("bubblewrap", False, result.stderr.strip() or "fails", mend)
    return Finding("bubblewrap", True, bwrap)
