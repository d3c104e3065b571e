from __future__ import annotations

import pytest

from colbench_gym import assets, doctor, provision
from colbench_gym.grading import render


def findings() -> dict[str, doctor.Finding]:
    return {finding.name: finding for finding in doctor.examine()}


def test_a_machine_without_a_browser(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("COLBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    monkeypatch.delenv("COLBENCH_CHROMIUM", raising=False)
    render.close()  # one that an earlier test has started would go on
    found = findings()
    for name in ("browser", "pages", "Tailwind 2.2.19", "Tailwind 3", "Tailwind 4"):
        assert not found[name].ok, name
        assert found[name].mend == "colbench setup"
        assert not found[name].needed, "Backend Programming works without it"
    assert found["fonts"].ok


def test_a_browser_that_does_not_start(tmp_path, monkeypatch):
    broken = tmp_path / "chromium"
    broken.write_text("#!/bin/sh\necho 'libnss3.so: cannot open shared object file: error' >&2; exit 127\n")
    broken.chmod(0o755)
    monkeypatch.setenv("COLBENCH_CHROMIUM", str(broken))
    found = findings()["browser"]
    assert not found.ok
    assert "libnss3.so" in found.detail
    assert found.mend


def test_missing_packages(monkeypatch):
    monkeypatch.setattr(provision, "FRONTEND_MODULES", ("no_such_module",))
    found = findings()["Frontend Design"]
    assert (found.ok, found.needed) == (False, False)
    assert "colbench-gym[frontend]" in found.mend


def test_clip_weights(tmp_path, monkeypatch):
    hub = pytest.importorskip("huggingface_hub.constants")
    monkeypatch.setattr(hub, "HF_HUB_CACHE", str(tmp_path))
    missing = findings()["CLIP weights"]
    assert not missing.ok
    assert "clip:PATH" in missing.mend
    repository = tmp_path / f"models--{doctor.CLIP_REPOSITORY.replace('/', '--')}"
    (repository / "refs").mkdir(parents=True)
    (repository / "refs" / "main").write_text("abc")
    weights = repository / "snapshots" / "abc" / doctor.CLIP_FILES[1]
    weights.parent.mkdir(parents=True)
    weights.touch()
    assert findings()["CLIP weights"] == ("CLIP weights", True, str(weights), "", False)


@pytest.mark.browser
def test_a_page_is_rendered():
    found = findings()
    assert found["browser"].ok
    assert str(assets.find_chromium().path) in found["browser"].detail
    assert found["pages"].ok
    assert "one was rendered by chrom" in found["pages"].detail
