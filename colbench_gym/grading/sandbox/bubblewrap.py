"""Bubblewrap: the zygote gets namespaces of its own, in which other processes, the network and other files are not.

Landlock and seccomp refuse what they know of; a namespace has nothing to refuse. The two together mean that one
mistake is not enough.
"""

from __future__ import annotations

import os
import shutil

from colbench_gym.grading.sandbox.contents import HIDDEN_NAMES, Contents


def executable() -> str | None:
    """Path of `bwrap`, or None if it is not installed."""
    return shutil.which("bwrap")


def command(bwrap: str, contents: Contents, program: list[str]) -> list[str]:
    """The command line that runs `program` in namespaces that show `contents`, read-only, and nothing else.

    There is no /proc, no /dev, no /etc, no home and no temporary directory in it. `--die-with-parent` is left out on
    purpose: it follows the *thread* that started bwrap. The zygote ends by itself when its control socket closes, and
    as process 1 it takes its whole process namespace along.
    """
    arguments = [bwrap, "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--hostname", "sandbox"]
    arguments += ["--as-pid-1", "--cap-drop", "ALL"]
    if os.geteuid() == 0:
        # The zygote reads its code while it is root still and then becomes nobody, so it needs these two until then.
        arguments += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        arguments += ["--unshare-user"]
    return [*arguments, *_FileSystem(contents).arguments, "--chdir", "/", "--", *program]


class _FileSystem:
    """Collects the arguments that build the jail's tree. Later ones cover earlier ones."""

    def __init__(self, contents: Contents) -> None:
        self.arguments: list[str] = []
        self._empty = ["/"]
        self._shown: set[str] = set()
        self._made: set[str] = set()

        library_parent = os.path.dirname(contents.standard_library)
        for directory in ("/usr/lib", "/usr/lib64", "/lib", "/lib64", library_parent):
            if os.path.islink(directory):
                self.arguments += ["--symlink", os.readlink(directory), directory]
            elif os.path.isdir(directory):
                self._show(directory)
        # What came along with those directories and is none of the answers' business.
        for directory in (
            *(os.path.join(contents.standard_library, name) for name in sorted(HIDDEN_NAMES)),
            os.path.join(library_parent, "site-packages"),
            "/usr/lib/python3/dist-packages",
        ):
            if os.path.isdir(directory):
                self._hide(directory)
        for path in (contents.interpreter, *contents.data, contents.code, *contents.packages):
            self._show(path)
        for directory in self._empty:
            self.arguments += ["--remount-ro", directory]

    def _hide(self, directory: str) -> None:
        self.arguments += ["--perms", "0755", "--tmpfs", directory]
        self._empty.append(directory)

    def _show(self, path: str) -> None:
        if self._is_shown(path):
            return
        # bwrap would make missing parents by itself, but closed to everybody except root.
        parents = []
        parent = os.path.dirname(path)
        while parent != "/" and not self._is_shown(parent) and parent not in (*self._made, *self._empty):
            parents.append(parent)
            parent = os.path.dirname(parent)
        for directory in reversed(parents):
            self.arguments += ["--perms", "0755", "--dir", directory]
        self._made.update(parents)
        self._shown.add(path)
        self.arguments += ["--ro-bind", path, path]

    def _is_shown(self, path: str) -> bool:
        """Whether the nearest thing above (or at) `path` is a directory shown with all that is in it."""
        while path != "/":
            if path in self._empty:
                return False
            if path in self._shown:
                return True
            path = os.path.dirname(path)
        return False
