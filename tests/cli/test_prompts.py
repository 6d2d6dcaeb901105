import json
from pathlib import Path

import pytest

from sparring.cli import call

SPEC = "entry: a\nagents:\n  a: {prompt: a.md, tools: [add], handoffs: {b: later}}\n  b: {prompt: b.md}\n"
TOOLS = 'class Tools:\n    def add(self) -> int:\n        "Count on."\n        return 1\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    here = tmp_path / "desk"
    here.mkdir()
    for name, text in {"spec.yaml": SPEC, "a.md": "Hello.\n", "b.md": "Bye.\n", "tools.py": TOOLS}.items():
        (here / name).write_text(text)
    return here


def test_everything_that_comes_along_is_valid_and_listed(capsys: pytest.CaptureFixture[str]):
    assert call(["prompts", "validate", "--json"]) == 0
    checked = json.loads(capsys.readouterr().out)
    assert call(["prompts", "list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)

    assert {each["which"] for each in checked} >= {
        "phone_orders",
        "phone_orders:spec=stages",
        "pizzeria",
        "service",
        "user",
        "judge",
    }
    assert {version["hash"] for each in checked for version in each["prompts"]} == {each["hash"] for each in listed}


def test_a_folder_is_validated_and_what_is_wrong_told_with_its_place(folder: Path, capsys: pytest.CaptureFixture[str]):
    assert call(["prompts", "validate", "desk"]) == 0
    (folder / "a.md").write_text("Hello {{nobody}}.\n")
    (folder / "tools.py").unlink()
    capsys.readouterr()

    assert call(["prompts", "validate", "desk", "--json"]) == 2

    (told,) = json.loads(capsys.readouterr().out)
    places = [(error["file"], error["line"], error["column"], error["message"]) for error in told["errors"]]
    assert places == [
        ("desk/spec.yaml", 3, 29, "unknown tool 'add'"),
        ("desk/a.md", 1, 7, "unknown variable 'nobody'"),
    ]


def test_two_versions_are_compared_file_by_file(folder: Path, capsys: pytest.CaptureFixture[str]):
    other = folder.parent / "other"
    other.mkdir()
    for file in folder.iterdir():
        if file.is_file():
            (other / file.name).write_text(file.read_text().replace("Bye.", "Goodbye."))

    assert call(["prompts", "diff", "desk", "other"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert lines[2:] == ["@@ -1 +1 @@", "-Bye.", "+Goodbye."]
    assert (lines[0].startswith("--- desk@"), lines[1].startswith("+++ other@")) == (True, True)
    assert lines[0].endswith("/b.md")


def test_a_version_is_shown_as_text_and_as_openai_takes_it(folder: Path, capsys: pytest.CaptureFixture[str]):
    assert call(["prompts", "show", "desk"]) == 0
    text = capsys.readouterr().out
    assert call(["prompts", "show", "desk", "--format", "openai"]) == 0
    (told,) = json.loads(capsys.readouterr().out)

    assert "## a (entry)\ntools: add\nhands over to b: later\n\nHello.\n" in text
    assert told["agents"]["a"]["messages"] == [{"role": "system", "content": "Hello."}]
    assert [tool["function"]["name"] for tool in told["agents"]["a"]["tools"]] == ["add", "hand_off"]
    assert told["agents"]["b"]["tools"] == []


@pytest.mark.parametrize(
    ("which", "said"),
    [
        ("pizeria", "did you mean 'pizzeria'?"),
        ("agenda:x", "there are no prompts called 'agenda:x'"),
        ("python:a:b", "a"),
    ],
)
def test_what_is_not_there_is_one_sentence_and_a_hint(which: str, said: str, capsys: pytest.CaptureFixture[str]):
    assert call(["prompts", "show", which]) == 2
    assert said in capsys.readouterr().err
