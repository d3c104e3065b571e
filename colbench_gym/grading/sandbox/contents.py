"""What a jail contains: which files of this machine untrusted code may read, found out before there is a jail."""

from __future__ import annotations

import glob
import importlib.metadata
import importlib.util
import os
import re
import sys
import sysconfig
from collections.abc import Iterable
from dataclasses import dataclass

from colbench_gym.errors import ConfigError, IsolationUnavailable

HIDDEN_NAMES = frozenset({"site-packages", "dist-packages", "test"})
"""Entries of a standard library's directory that are not part of what answers may use."""

_SYSTEM_LIBRARY_DIRECTORIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64")


@dataclass(frozen=True, slots=True)
class Contents:
    """Files and directories by their path on this machine, which is also their path in the jail.

    Attributes:
        interpreter: the Python executable itself, not a virtual environment's link to it.
        standard_library: directory of the interpreter's `os.py`.
        shared_libraries: the files beside which C extensions find what they are linked to.
        data: time zones and the loader's cache, as far as they are here.
        code: the directory of this package's own part that runs in the jail.
        packages: files and directories of the third-party packages asked for and of what they need.
        package_roots: the directories those lie in.
        preloaded: names of the packages to import before the jail closes.
    """

    interpreter: str
    standard_library: str
    shared_libraries: tuple[str, ...]
    data: tuple[str, ...]
    code: str
    packages: tuple[str, ...]
    package_roots: tuple[str, ...]
    preloaded: tuple[str, ...]

    def readable(self) -> list[str]:
        """Every path Landlock shall let the child read."""
        library = self.standard_library
        modules = [
            os.path.join(library, name)
            for name in os.listdir(library)
            if name not in HIDDEN_NAMES and not name.startswith("config-")
        ]
        # A link that leads elsewhere (Debian's sitecustomize.py leads to /etc) has no target in the jail.
        modules = [path for path in modules if os.path.realpath(path).startswith(library + "/")]
        return [*modules, *self.shared_libraries, *self.data, *self.packages]

    def listable(self) -> list[str]:
        """Directories whose entries' names the import system must see."""
        return [self.standard_library, *self.package_roots]

    def needed(self) -> list[str]:
        """The paths that must stay readable when the zygote has become an ordinary user."""
        return [self.standard_library, *self.shared_libraries, *self.packages]


def find(packages: frozenset[str] = frozenset()) -> Contents:
    """What a jail for this interpreter, with those third-party packages, has to contain.

    Raises:
        ConfigError: a package is not installed here.
        IsolationUnavailable: the real interpreter behind this process cannot be found.
    """
    # Inside a virtual environment `sys.executable` is a link whose surroundings (pyvenv.cfg) would be needed too.
    executable = getattr(sys, "_base_executable", None) or sys.executable
    if not executable or not os.path.exists(executable):
        raise IsolationUnavailable(
            "the Python executable behind this process cannot be found, so no sandbox can be started from it. "
            "Mend: run under a regular Python installation."
        )
    interpreter = os.path.realpath(executable)
    library = os.path.dirname(os.path.realpath(os.__file__))
    entries, roots = _package_files(packages)
    return Contents(
        interpreter=interpreter,
        standard_library=library,
        shared_libraries=tuple(_shared_libraries(library)),
        data=tuple(path for path in ("/usr/share/zoneinfo", "/etc/ld.so.cache") if os.path.exists(path)),
        code=os.path.dirname(os.path.realpath(__file__)),
        packages=tuple(sorted(entries)),
        package_roots=tuple(sorted(roots)),
        preloaded=tuple(sorted(packages)),
    )


def _shared_libraries(library: str) -> Iterable[str]:
    """The system's directories of shared libraries, and the shared libraries the interpreter brought along."""
    multiarch = sysconfig.get_config_var("MULTIARCH")
    if multiarch and os.path.isdir(f"/usr/lib/{multiarch}"):
        yield f"/usr/lib/{multiarch}"
    else:
        yield from (path for path in ("/usr/lib", "/lib") if os.path.isdir(path))
    yield from (path for path in ("/usr/lib64", "/lib64") if os.path.isdir(path))
    prefix_libraries = os.path.dirname(library)
    if prefix_libraries not in _SYSTEM_LIBRARY_DIRECTORIES:
        # One by one: the directory itself also holds site-packages, and a rule for it would open those as well.
        yield from sorted(glob.glob(os.path.join(glob.escape(prefix_libraries), "*.so*")))


def _package_files(packages: frozenset[str]) -> tuple[set[str], set[str]]:
    """The files and directories of the packages and of all that they require, and the directories those lie in."""
    entries: set[str] = set()
    roots: set[str] = set()
    if not packages:
        return entries, roots
    distributions_of = importlib.metadata.packages_distributions()
    waiting: list[str] = []
    for name in sorted(packages):
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            raise ConfigError(f"the package {name} is not installed. Mend: pip install {name}")
        path = os.path.dirname(spec.origin) if spec.submodule_search_locations else spec.origin
        entries.add(os.path.abspath(path))
        roots.add(os.path.dirname(os.path.abspath(path)))
        waiting += distributions_of.get(name, ())
    seen: set[str] = set()
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in seen:
            continue
        seen.add(name)
        try:
            distribution = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue  # a requirement for another system or Python version: the package works here without it
        for file in distribution.files or ():
            top = file.parts[0]
            if top == ".." or top == "__pycache__" or top.endswith((".dist-info", ".egg-info", ".pth")):
                continue
            path = os.path.abspath(str(distribution.locate_file(top)))
            entries.add(path)
            roots.add(os.path.dirname(path))
        for requirement in distribution.requires or ():
            if "extra ==" not in requirement and (match := re.match(r"[A-Za-z0-9._-]+", requirement)):
                waiting.append(match[0])
    return {path for path in entries if os.path.exists(path)}, roots
