"""For the superuser without bubblewrap: keep the interpreter readable when its directory is not for everybody.

The zygote becomes an ordinary user, and an interpreter under the superuser's home (pyenv, uv) is then out of its
reach, with every module it has not imported yet. So, in a mount table that only the zygote sees, the private directory
is covered by an empty one that everybody may enter, in which the needed paths, and nothing else, appear again.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable

from colbench_gym.grading.sandbox import kernel


def unreachable(paths: Iterable[str]) -> dict[str, list[str]]:
    """The highest directories that an ordinary user may not enter, each with those of `paths` that lie in it."""
    blocked: dict[str, list[str]] = {}
    for path in paths:
        parts = os.path.abspath(path).split("/")
        for depth in range(2, len(parts)):
            ancestor = "/".join(parts[:depth])
            if not os.stat(ancestor).st_mode & stat.S_IXOTH:
                blocked.setdefault(ancestor, []).append(path)
                break
    return blocked


def expose(paths: Iterable[str]) -> None:
    """Make `paths` reachable for every user, in this process and its children only. Does nothing if they are.

    Raises:
        OSError: mounting is not allowed here (it needs CAP_SYS_ADMIN, which most containers lack); the text holds the
            mend.
    """
    blocked = unreachable(paths)
    if not blocked:
        return
    try:
        kernel.private_mounts()
    except OSError as error:
        where = " ".join(blocked)
        raise OSError(
            f"Python lies in {where}, which ordinary users may not enter, and {error.strerror}. "
            f"Mend: chmod o+x {where}, or use a Python that is installed for everybody"
        ) from error
    for directory, needed in blocked.items():
        # Held open, because the cover hides them from their names.
        held = {path: os.open(path, os.O_PATH) for path in needed}
        kernel.mount("tmpfs", directory, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "mode=0755,size=1m")
        for path, descriptor in held.items():
            is_directory = stat.S_ISDIR(os.fstat(descriptor).st_mode)
            os.makedirs(path if is_directory else os.path.dirname(path), mode=0o755, exist_ok=True)
            if not is_directory:
                os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o644))
            kernel.mount(f"/proc/self/fd/{descriptor}", path, None, kernel.MS_BIND | kernel.MS_REC)
            os.close(descriptor)
