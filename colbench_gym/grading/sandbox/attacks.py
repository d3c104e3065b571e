"""The attacks of the self-check, one function body each.

Every attack returns True only if it got what it wanted, and does no harm if it does. `$name` in a body stands for the
Python literal of what `Stage` calls so.
"""

from __future__ import annotations

import os
import platform
import socket
import string
import tempfile
import textwrap
from collections.abc import Iterator
from contextlib import ExitStack
from typing import NamedTuple


class Attack(NamedTuple):
    """Programs that are run one after another, each in a process of its own; what the last one returns counts.

    Attributes:
        name: what is attacked.
        programs: each with a function `attack()`.
        real: succeeds where there are no walls but limits. The tests see to it, lest an attack fail by a typing error.
    """

    name: str
    programs: tuple[str, ...]
    real: bool


class Stage:
    """What the attacks aim at on this machine, set up for one run of the suite and taken down with `stack`.

    Attributes:
        directory: a directory in which everybody may do everything.
        secret: a file there that everybody may read and write.
        new: a path there at which there is nothing.
        port: of a TCP server on this machine.
        datagrams: path of a datagram socket that everybody may send to.
        grader: number of this process.
    """

    def __init__(self, stack: ExitStack) -> None:
        self.directory = stack.enter_context(tempfile.TemporaryDirectory())
        os.chmod(self.directory, 0o777)
        self.secret = os.path.join(self.directory, "secret")
        self.new = os.path.join(self.directory, "new")
        with open(self.secret, "w") as file:
            file.write("secret")
        os.chmod(self.secret, 0o666)
        server = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        self.port: int = server.getsockname()[1]
        self.datagrams = os.path.join(self.directory, "datagrams")
        receiver = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
        receiver.bind(self.datagrams)
        os.chmod(self.datagrams, 0o777)
        self.grader = os.getpid()

    def attacks(self) -> Iterator[Attack]:
        """Every attack, aimed at this stage."""
        literals = {name: repr(value) for name, value in vars(self).items()}
        for attack in ATTACKS:
            programs = tuple(string.Template(program).safe_substitute(literals) for program in attack.programs)
            yield attack._replace(programs=programs)


def _attack(name: str, *bodies: str, real: bool = False) -> Attack:
    programs = ("def attack():\n" + textwrap.indent(textwrap.dedent(body).strip("\n"), "    ") for body in bodies)
    return Attack(name, tuple(programs), real)


# The numbers of calls that no answer needs.
# fmt: off
_CALLS_X86_64 = {
    "ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311, "kill": 62, "tkill": 200, "tgkill": 234,
    "rt_sigqueueinfo": 129, "pidfd_open": 434, "pidfd_send_signal": 424, "pidfd_getfd": 438, "execve": 59,
    "execveat": 322, "socket": 41, "connect": 42, "bind": 49, "sendmsg": 46, "mount": 165, "unshare": 272,
    "setns": 308, "chroot": 161, "pivot_root": 155, "bpf": 321, "io_uring_setup": 425, "userfaultfd": 323,
    "keyctl": 250, "add_key": 248, "perf_event_open": 298, "memfd_create": 319, "open_by_handle_at": 304,
    "openat2": 437, "creat": 85, "mkdir": 83, "unlink": 87, "rename": 82, "link": 86, "symlink": 88, "chmod": 90,
    "truncate": 76, "utimensat": 280, "chdir": 80, "personality": 135, "shmget": 29, "msgget": 68, "semget": 64,
    "mq_open": 240, "inotify_init1": 294, "timer_create": 222, "setuid": 105, "setrlimit": 160, "reboot": 169,
    "syslog": 103, "finit_module": 313, "splice": 275, "sched_setaffinity": 203,
}
_CALLS_AARCH64 = {
    "ptrace": 117, "process_vm_readv": 270, "process_vm_writev": 271, "kill": 129, "tkill": 130, "tgkill": 131,
    "rt_sigqueueinfo": 138, "pidfd_open": 434, "pidfd_send_signal": 424, "pidfd_getfd": 438, "execve": 221,
    "execveat": 281, "socket": 198, "connect": 203, "bind": 200, "sendmsg": 211, "mount": 40, "unshare": 97,
    "setns": 268, "chroot": 51, "pivot_root": 41, "bpf": 280, "io_uring_setup": 425, "userfaultfd": 282,
    "keyctl": 219, "add_key": 217, "perf_event_open": 241, "memfd_create": 279, "open_by_handle_at": 265,
    "openat2": 437, "mkdirat": 34, "unlinkat": 35, "symlinkat": 36, "linkat": 37, "fchmodat": 53, "truncate": 45,
    "utimensat": 88, "chdir": 49, "personality": 92, "shmget": 194, "msgget": 186, "semget": 190, "mq_open": 180,
    "inotify_init1": 26, "timer_create": 107, "setuid": 146, "setrlimit": 164, "reboot": 142, "syslog": 116,
    "finit_module": 273, "splice": 76, "sched_setaffinity": 122,
}
# fmt: on


def _call(name: str, number: int) -> Attack:
    # -1 for every argument is refused by each of these calls itself, with another error than the filter's.
    body = f"""
        import ctypes
        libc = ctypes.CDLL(None, use_errno=True)
        arguments = [ctypes.c_long(-1)] * 6
        return libc.syscall(ctypes.c_long({number}), *arguments) >= 0 or ctypes.get_errno() not in (1, 38)
        """
    return _attack(f"system call {name}", body)


def _opening(path: str) -> Attack:
    body = f"""
        import os
        os.close(os.open({path!r}, os.O_RDONLY))
        return True
        """
    return _attack(f"opening {path}", body, real=os.path.exists(path))


_OWN_SOCKET = """
        import os, stat, struct, time
        own = next(fd for fd in range(3, 64) if stat.S_ISSOCK(os.fstat(fd).st_mode))
"""


def _forgery(name: str, index: int, kind: str, length: int) -> Attack:
    body = f"""
        os.write(own, struct.pack("<HcI", {index}, {kind.encode()!r}, {length}) + b"forged")
        os._exit(0)
        """
    return _attack(f"forging {name}", _OWN_SOCKET + body)


_FILES = (
    _attack("reading a file", "return open($secret).read() == 'secret'", real=True),
    _attack("listing a directory", "import os; return 'secret' in os.listdir($directory)", real=True),
    _attack("reading by a relative path", "return open('..' + '/..' * 20 + $secret).read() == 'secret'", real=True),
    _attack("creating a file", "open($new, 'x'); import os; os.unlink($new); return True", real=True),
    _attack("writing to a file", "return open($secret, 'r+').write('secret') == 6", real=True),
    _attack("changing a file's mode", "import os; os.chmod($secret, 0o666); return True", real=True),
    _attack("moving a file", "import os; os.rename($secret, $secret); return True", real=True),
    _attack("linking a file", "import os; os.link($secret, $new); os.unlink($new); return True", real=True),
    _attack("making a directory", "import os; os.mkdir($new); os.rmdir($new); return True", real=True),
    *map(_opening, ("/etc/passwd", "/proc/self/maps", "/proc/1/cmdline", "/proc/self/mem", "/sys/kernel", "/dev/null")),
    _attack(
        "reading a directory somebody left open",
        """
        import os
        for fd in range(64):
            try:
                os.listdir(fd)
            except OSError:
                continue
            return True
        """,
    ),
)

_OTHERS = (
    _attack(
        "connecting by TCP", "import socket; socket.create_connection(('127.0.0.1', $port)); return True", real=True
    ),
    _attack(
        "opening a UDP socket",
        "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM); return True",
        real=True,
    ),
    _attack(
        "sending a datagram to a local service",
        """
        import socket
        a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        return a.sendto(b"x", $datagrams) == 1
        """,
        real=True,
    ),
    _attack(
        "sending to an address through one's own socket",
        """
        import ctypes, socket
        a, b = socket.socketpair()
        address = ctypes.create_string_buffer(2)
        sent = ctypes.CDLL(None, use_errno=True).sendto(a.fileno(), b"x", 1, 0, address, 2)
        return sent >= 0 or ctypes.get_errno() != 1
        """,
        real=True,
    ),
    _attack("forking", "import os; os.fork() or os._exit(0); return True", real=True),
    _attack(
        "forking, after raising the limit",
        """
        import os, resource
        resource.setrlimit(resource.RLIMIT_NPROC, (99, 99))
        os.fork() or os._exit(0)
        return True
        """,
    ),
    _attack("executing a program", "import os; os.execv('/bin/true', ['true'])"),
    _attack("spawning a program", "import subprocess; return subprocess.call(['/bin/true']) == 0"),
    _attack("signalling the grader", "import os; os.kill($grader, 0); return True", real=True),
    _attack("signalling the zygote", "import os; os.kill(os.getppid(), 0); return True", real=True),
    _attack("signalling everybody", "import os; os.kill(-1, 0); return True", real=True),
    _attack(
        "signalling through the owner of a socket",
        """
        import fcntl, os, socket
        a, b = socket.socketpair()
        fcntl.fcntl(a, fcntl.F_SETOWN, os.getppid())
        return True
        """,
        real=True,
    ),
    _attack("outliving the zygote", "import ctypes; return ctypes.CDLL(None).prctl(1, 0, 0, 0, 0) == 0", real=True),
    _attack(
        "reading the zygote's memory", "import os; open(f'/proc/{os.getppid()}/mem', 'rb'); return True", real=True
    ),
    _attack(
        "reading the environment",
        """
        import os
        known = {"PATH", "PYTHONHASHSEED", "LD_BIND_NOW", "LC_ALL", "LC_CTYPE", "TZ", "PWD"}
        known |= {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"}
        return bool(set(os.environ) - known)
        """,
    ),
    _attack(
        "finding sockets besides one's own",
        """
        import os, stat
        found = 0
        for fd in range(64):
            try:
                found += stat.S_ISSOCK(os.fstat(fd).st_mode)
            except OSError:
                pass
        return found != 1
        """,
    ),
    _attack(
        "finding another job in memory",
        """
        global kept
        kept = ["marker" + "-of-another-job"]
        """,
        """
        import gc
        wanted, decoy = ("marker" + ending for ending in ("-of-another-job", "-of-this-job"))
        global kept
        kept = ["marker" + "-of-this-job"]
        seen = [item for owner in gc.get_objects() for item in gc.get_referents(owner) if type(item) is str]
        assert any(item == decoy and item is not decoy for item in seen), "the search does not work"
        return any(item == wanted and item is not wanted for item in seen)
        """,
    ),
)

_CALLS = {"x86_64": _CALLS_X86_64, "aarch64": _CALLS_AARCH64}.get(platform.machine(), {})

_OTHER_CALLS = (
    _attack("x32 system calls", "import ctypes; return ctypes.CDLL(None).syscall(0x40000000 + 39) > 0"),
    _attack(
        "32-bit system calls",
        """
        import ctypes, mmap
        page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        page.write(bytes.fromhex("b814000000" "cd80" "c3"))  # mov eax, 20 (getpid); int 0x80; ret
        start = ctypes.addressof(ctypes.c_char.from_buffer(page))
        return ctypes.CFUNCTYPE(ctypes.c_int)(start)() > 0
        """,
    ),
)

_USING_UP = (
    _attack("allocating at once", "return len(bytearray(2 << 30)) > 0"),
    _attack("allocating bit by bit", "return len([bytearray(32 << 20) for _ in range(64)]) == 64"),
    _attack("mapping memory", "import mmap; return len([mmap.mmap(-1, 1 << 28) for _ in range(16)]) == 16"),
    _attack(
        "raising the memory limit", "import resource as r; r.setrlimit(r.RLIMIT_AS, (1 << 40, 1 << 40)); return True"
    ),
    _attack(
        "a fork bomb",
        """
        import os
        made = 0
        for _ in range(50):
            try:
                if os.fork() == 0:
                    os._exit(0)
                made += 1
            except OSError:
                pass
        return made > 0
        """,
        real=True,
    ),
    _attack(
        "a thread bomb",
        """
        import threading, time
        for _ in range(500):
            threading.Thread(target=time.sleep, args=(0.2,)).start()
        return True
        """,
    ),
    _attack("opening many descriptors", "import os; return len([os.dup(0) for _ in range(500)]) == 500"),
    _attack("looping for ever", "while True: pass"),
    _attack(
        "looping for ever, catching all",
        """
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass
        """,
    ),
    _attack(
        "ignoring signals",
        """
        import signal
        for number in range(1, 32):
            try:
                signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError):
                pass
        while True:
            pass
        """,
    ),
    _attack(
        "sleeping with signals blocked",
        """
        import signal, time
        signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))
        time.sleep(60)
        """,
    ),
    _attack("a long computation in C", "return len(str(10 ** (10 ** 8))) > 0"),
    _attack("a regular expression without end", "import re; return bool(re.match('(a*)*b', 'a' * 40))"),
)

_DYING = (
    _attack("ending by os._exit", "import os; os._exit(0)"),
    _attack("ending by sys.exit", "import sys; sys.exit(0)"),
    _attack("ending by abort", "import os; os.abort()"),
    _attack("ending by a segmentation fault", "import ctypes; ctypes.string_at(0)"),
    _attack(
        "ending by a stack overflow",
        """
        import sys
        sys.setrecursionlimit(1 << 30)
        def deeper(): return repr(Nested())
        class Nested:
            def __repr__(self): return deeper()
        deeper()
        """,
    ),
    _attack(
        "an exception that cannot be shown",
        """
        class Unshowable(BaseException):
            def __str__(self): raise self
        raise Unshowable
        """,
    ),
    _attack("closing all descriptors", "import os; os.closerange(0, 64); return True"),
)

_LYING = (
    _attack("flooding the grader", _OWN_SOCKET + "        while True: os.write(own, b'V' * 65536)"),
    _attack(
        "flooding the grader with a frame that is due",
        _OWN_SOCKET
        + """
        os.write(own, struct.pack("<HcI", 0, b"V", 1 << 20))
        while True:
            os.write(own, b"V" * 65536)
        """,
    ),
    _attack(
        "dribbling",
        _OWN_SOCKET
        + """
        os.write(own, struct.pack("<HcI", 0, b"V", 1 << 20))
        while True:
            os.write(own, b"V")
        """,
    ),
    _forgery("a frame", 0, "V", 6),
    _forgery("a frame of another test", 7, "V", 6),
    _forgery("a frame of unknown kind", 0, "?", 6),
    _forgery("a frame that claims 4 GB", 0, "V", 0xFFFFFFFF),
    _forgery("a frame with more after it", 0, "V", 1),
    _attack("returning a huge value", "return 'x' * (3 << 20)"),
    _attack("returning a deep value", "value = []\nfor _ in range(100_000): value = [value]\nreturn value"),
    _attack("returning a value without end", "import itertools; return itertools.count()"),
    _attack(
        "returning something equal to everything",
        """
        class Equal:
            def __eq__(self, other): return True
            def __hash__(self): return hash(True)
        return Equal()
        """,
    ),
    _attack("returning a liar about its type", "return type('bool', (), {'__class__': property(lambda self: bool)})()"),
    _attack("printing without end", "for _ in range(200): print('x' * 1_000_000)"),
)

_STAYING = (
    _attack(
        "poisoning builtins for later jobs",
        """
        import builtins, json
        builtins.sum = builtins.len = builtins.sorted = lambda *arguments: 0
        json.loads = None
        builtins.POISON = 1
        """,
        "import builtins; return hasattr(builtins, 'POISON')",
    ),
    _attack(
        "poisoning modules for later jobs",
        """
        import sys
        sys.modules["json"] = sys.modules["math"] = None
        sys.path[:] = []
        sys.POISON = 1
        """,
        "import sys; return hasattr(sys, 'POISON')",
    ),
    _attack(
        "poisoning what evaluates",
        """
        import sys
        for name, module in list(sys.modules.items()):
            if "sandbox" in name or name in ("os", "marshal", "signal"):
                for key in list(vars(module)):
                    if not key.startswith("__"):
                        setattr(module, key, None)
        """,
        "import os; return os.write is None",
    ),
    _attack(
        "poisoning constants in memory",
        """
        import ctypes
        ctypes.memset(id(7) + 24, 9, 1)  # the digit of the integer 7
        """,
        "return [7][0] + 1 != int('8')",
    ),
)

ATTACKS: tuple[Attack, ...] = (
    *_FILES,
    *_OTHERS,
    *(_call(name, number) for name, number in _CALLS.items()),
    *(_OTHER_CALLS if platform.machine() == "x86_64" else ()),
    *_USING_UP,
    *_DYING,
    *_LYING,
    *_STAYING,
)
