"""Tailwind 3 and 4 as pages load them from a script: compiled once, in a page of our own, before the real one.

The page that is rendered runs no script. What its Tailwind script would have made of its class names is made in a page
that holds nothing of it but those names, its `text/tailwindcss` and its inline `tailwind.config`. That last is the
agent's JavaScript, so this page is locked as the other one is, but for scripts, and is watched by the same clock and
the same scales.
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass

from colbench_gym import assets
from colbench_gym.grading.browser.prepare import PlayCdn
from colbench_gym.grading.browser.purge import words

POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; form-action 'none'; "
    "base-uri 'none'; frame-ancestors 'none'; webrtc 'block'; sandbox allow-scripts"
)
MAX_CSS = 2_000_000
"""Characters of compiled CSS; a page that makes Tailwind write more is `too_large`."""


@dataclass(frozen=True, slots=True)
class Compilation:
    """A page that compiles, and the expression that gives the CSS once the page is loaded."""

    html: str
    expression: str


def compilation(play_cdn: PlayCdn, html: str) -> Compilation:
    """How to compile what a page asks for.

    Args:
        play_cdn: what it asks for.
        html: the whole page, for its class names.

    Raises:
        ConfigError: the script is not here.
    """
    styles = "".join(f'<style type="text/tailwindcss">{css}</style>' for css in play_cdn.css)
    configs = "".join(f"<script>{config}</script>" for config in play_cdn.configs)
    page = f"<!doctype html><html><head>{styles}</head><body><script>{_script(play_cdn.version)}</script>{configs}"
    return Compilation(page, _COMPILE % json.dumps(" ".join(sorted(words(html)))))


# Both versions compile in answer to a change of the document, in promises, so before any later timer.
_COMPILE = """(async () => {
  const names = document.createElement("div");
  names.className = %s;
  document.body.append(names);
  for (let turn = 0; turn < 3; turn++) await new Promise(resolve => setTimeout(resolve, 0));
  return [...document.head.querySelectorAll("style:not([type])")].map(style => style.textContent).join("\\n");
})()"""


@functools.cache
def _script(version: assets.TailwindVersion) -> str:
    return assets.tailwind_file(version).read_text(encoding="utf-8").replace("</script", "<\\/script")
