from __future__ import annotations

import pytest

from colbench_gym.errors import ConfigError
from colbench_gym.specs import load_attribute, names_attribute, parse_spec


def test_parts():
    spec = parse_spec("chat:org/model:7b@http://localhost:8000/v1?temperature=0&stop=a%26b")
    assert (spec.kind, spec.rest) == ("chat", "org/model:7b@http://localhost:8000/v1")
    assert spec.options == {"temperature": "0", "stop": "a&b"}
    assert parse_spec("rules").rest == ""


@pytest.mark.parametrize("text", ["", ":x", "kind?", "kind?novalue", "kind?a=1&a=2"])
def test_bad_specs(text: str):
    with pytest.raises(ConfigError):
        parse_spec(text)


@pytest.mark.parametrize("value", ["-1", "x", "1.5", "", "٣"])
def test_whole_numbers(value: str):
    with pytest.raises(ConfigError, match="questions="):
        parse_spec(f"scripted:ask?questions={value}").take("questions", 3)


def test_unknown_option_names_the_known():
    with pytest.raises(ConfigError, match="takes questions"):
        parse_spec("scripted:ask?question=3").only_options("questions")


def test_attributes():
    assert load_attribute("os.path:join") is __import__("os").path.join
    assert not names_attribute("http://host:80")
    for text, reason in (
        ("no_such_module:x", "no module 'no_such_module'"),
        ("os.no_such:x", "no module 'os.no_such'"),
        ("os:no_such", "no attribute 'no_such'"),
        ("just words", "no MODULE:ATTRIBUTE"),
    ):
        with pytest.raises(ConfigError, match=reason):
            load_attribute(text)


def test_an_error_inside_the_module_comes_through(tmp_path, monkeypatch):
    (tmp_path / "broken_agent.py").write_text("import no_such_dependency\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="no_such_dependency"):
        load_attribute("broken_agent:Agent")


def test_numbers():
    spec = parse_spec("chat:x?a=0.5&b=2&c=-1&d=1e3&e=")
    assert (spec.take_number("a", 1.0), spec.take_number("b", 1.0), spec.take_number("z", 1.5)) == (0.5, 2.0, 1.5)
    for name in "cde":
        with pytest.raises(ConfigError, match=f"{name}=.* is no number of at least 0"):
            spec.take_number(name, 1.0)
