"""The renderer `blitz`: for machines that cannot have a browser. Only used when asked for by name.

Blitz is an HTML and CSS engine of its own. Its pictures are near a browser's, not equal to them, so scores on them are
scores of another benchmark: the renderer's name goes into every grade. It runs no scripts (pages that compile Tailwind
in the browser stay unstyled), gives no boxes, and takes a window as 800 pixels high. It can hang or panic on a page, so
each page gets a process of its own.
"""

from __future__ import annotations

import importlib.util
import os
import struct
import subprocess
import sys
from io import BytesIO

from colbench_gym import assets
from colbench_gym.errors import MissingExtra
from colbench_gym.grading.browser.chromium import MAX_HEIGHT, VIEWS
from colbench_gym.grading.browser.prepare import prepare
from colbench_gym.grading.browser.purge import tailwind_2
from colbench_gym.grading.render import Geometry, Render, Unrenderable

IDENTITY = "blitz-py 0.5.0"
SECONDS = 10.0
MEMORY = 2 << 30
"""Bytes of address space of a page's process."""

_HEADER = struct.Struct("!II")
_CHILD = """
import resource, struct, sys
from pathlib import Path

width, least, most, memory, seconds = map(int, sys.argv[1:6])
resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
import blitz_py

html = sys.stdin.buffer.read().decode()
fonts = [path.read_bytes() for path in sorted(Path(sys.argv[6]).glob("*.ttf"))]
options = dict(width=width, base_url="http://page.test/", fonts=fonts, default_font_family="ColBench Sans")
try:
    _, height, pixels = blitz_py.render_rgba(html, **options)
except ValueError as error:
    if "exceeds output limits" not in str(error):
        raise
    _, _, pixels = blitz_py.render_rgba(html, height=most, **options)
    height = most + 1
if height < least:
    _, height, pixels = blitz_py.render_rgba(html, height=least, **options)
sys.stdout.buffer.write(struct.pack("!II", width, height))
sys.stdout.buffer.write(pixels[: width * min(height, most) * 4])
"""


def render_page(html: str, geometry: Geometry = "default") -> Render:
    """Renders one page, in a process of its own. The result has no boxes, and the flag `no_boxes`.

    Raises:
        Unrenderable: the page took too long or too much memory, or the engine failed on it.
        ConfigError: Tailwind is not here.
        MissingExtra: the extra `blitz` or `frontend` is not installed.
    """
    if importlib.util.find_spec("blitz_py") is None:
        raise MissingExtra("blitz", "The renderer 'blitz'")
    try:
        from PIL import Image
    except ImportError:
        raise MissingExtra("frontend", "Rendering a page") from None
    view = VIEWS[geometry]
    page = prepare(html, lambda text: tailwind_2().purged(text))
    width, height, pixels = _in_a_process(page.html(), view.width, view.height if view.padded else 1)
    shown = min(height, MAX_HEIGHT)
    png = BytesIO()
    Image.frombuffer("RGBA", (width, shown), pixels).convert("RGB").save(png, "PNG", compress_level=1)
    flags = [
        "no_boxes",
        *(["height_capped"] if height > MAX_HEIGHT else []),
        *(["tailwind_not_compiled"] if page.play_cdn is not None else []),
    ]
    return Render(png.getvalue(), width, shown, (), geometry, IDENTITY, tuple(flags))


def _in_a_process(html: str, width: int, least: int) -> tuple[int, int, bytes]:
    """Width and height of the picture, and its RGBA pixels down to `MAX_HEIGHT`."""
    limits = [str(number) for number in (width, least, MAX_HEIGHT, MEMORY, round(SECONDS))]
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-c", _CHILD, *limits, str(assets.FONTS)],
            input=html.encode("utf-8", "replace"),
            capture_output=True,
            timeout=SECONDS,
            # It would use the system's fonts for families that a page names.
            env={"PATH": os.defpath, "FONTCONFIG_FILE": str(assets.font_folder() / "fonts.conf")},
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Unrenderable("timeout", f"blitz took more than {SECONDS:g} s over the page") from None
    if done.returncode != 0 or len(done.stdout) < _HEADER.size:
        said = done.stderr.decode(errors="replace").strip()
        reason = "memory" if "memory allocation" in said or "MemoryError" in said else "crash"
        last = said.splitlines()[-1] if said else f"exit code {done.returncode}"
        raise Unrenderable(reason, f"blitz failed on the page: {last[:200]}")
    return *_HEADER.unpack_from(done.stdout), done.stdout[_HEADER.size :]
