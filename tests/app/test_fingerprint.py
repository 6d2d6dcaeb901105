from pathlib import Path

import pytest

from sparring.app import fingerprint as module
from sparring.app.fingerprint import THE_PROMPT, besides, changed_inputs, fingerprint
from sparring.core.batch import BatchInputs, PlayerNames

CHOICE = PlayerNames("pizzeria", "openai:m", "ollama:m", judge="http://127.0.0.1:9/v1#m")


def origin(environment: dict[str, str]) -> BatchInputs:
    return BatchInputs(choice=CHOICE, contents=fingerprint(CHOICE, (), environment))


def test_another_prompt_of_simulated_users_is_a_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "user.md").write_text("You play a person.", encoding="utf-8")
    monkeypatch.setattr(module, "files", lambda package: tmp_path)
    then = origin({})

    (tmp_path / "prompts" / "user.md").write_text("You play a person in a hurry.", encoding="utf-8")

    assert changed_inputs(then, fingerprint(CHOICE, (), {})) == [THE_PROMPT]


def test_only_an_address_that_can_be_another_is_one():
    moved = fingerprint(CHOICE, (), {"OPENAI_BASE_URL": "http://127.0.0.1:7/v1"})

    assert changed_inputs(origin({}), moved) == ["the address of openai:m"]
    assert changed_inputs(origin({}), fingerprint(CHOICE, (), {"OPENAI_BASE_URL": "https://api.openai.com/v1"})) == []
    assert "127.0.0.1:7" not in str(moved), "an address is compared, and not kept"


def test_what_lies_in_a_source_or_comes_along_is_not_named_again(tmp_path: Path):
    ours = Path(module.__file__).parents[1] / "scenarios" / "personas" / "rude.yaml"
    read = [tmp_path / "profiles" / "a.yml", tmp_path / "rules" / "short.yml", tmp_path / "b.yml", ours]

    found = besides([str(tmp_path / "profiles"), str(tmp_path / "b.yml")], read)

    assert found == (str(tmp_path / "rules" / "short.yml"),)
