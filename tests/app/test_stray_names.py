"""Misspelt variables and keys in scenario files of all kinds."""

from pathlib import Path

import pytest

from sparring.api.files import SETTINGS_CHECKS
from sparring.app.validate import check_file

PROFILE = """
user:
  role: a customer who likes {text}
  goals: ["a {{drink}}", drink: {{function: default(), type: string, data: [coke]}}]
chatbot: {{is_starter: false}}
"""
CALLS = '[{"name": "a",\n "variables": {"%s": "calm", "ORDER_GOAL": ["flour"], "note": "%s"}}]'


def reported(folder: Path, name: str, text: str) -> list[tuple[int | None, str, str]]:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    checked = check_file(file, SETTINGS_CHECKS)
    found = (*checked.problems, *checked.warnings)
    return [(each.line, each.message, each.hint) for each in found if "user." not in each.message]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.yaml", PROFILE.format(text="'{{drnk}}'"), (3, "{{drnk}} is not a variable", "did you mean 'drink'?")),
        ("a.yaml", PROFILE.format(text="'{drnk}'"), (3, "{drnk} is said as it is written", "did you mean {{drink}}?")),
        (
            "a.yaml",
            "user: you are {PERSONALTY}\ngoals: ['{{PERSONALITY}}']\nvariables: {PERSONALITY: calm}\n",
            (1, "{PERSONALTY} is said as it is written", "did you mean {{PERSONALITY}}?"),
        ),
        (
            "a.yaml",
            "user: you are {{PERSONALTY}}\ngoals: ['{{PERSONALITY}}']\nvariables: {PERSONALITY: calm}\n",
            (1, "{{PERSONALTY}} is not a variable", "did you mean 'PERSONALITY'?"),
        ),
        (
            "a.json",
            CALLS % ("PERSONALTY", ""),
            (2, "'PERSONALTY' is not a documented variable", "did you mean 'PERSONALITY'?"),
        ),
        (
            "a.json",
            CALLS % ("PERSONALITY", "{{LOCATON}}"),
            (2, "{{LOCATON}} is not a variable", "did you mean 'LOCATION'?"),
        ),
        ("a.yaml", "user: you are calm\ngoal: [a pizza]\n", (2, "unknown key", "did you mean 'goals'?")),
        (
            "a.yaml",
            "user: {role: calm, styles: [single question]}\ngoal: [a pizza]\n",
            (2, "unknown key", "did you mean 'goals'?"),
        ),
        (
            "a.yaml",
            "user: {role: calm}\ngoal: [a pizza]\nvariables: {a: 1}\n",
            (2, "unknown key", "did you mean 'goals'?"),
        ),
        ("a.yaml", "step: [user: hi]\n", (1, "unknown key", "did you mean 'steps'?")),
        (
            "a.yaml",
            "goals: [x]\nvariable: {a: 1}\n",
            (2, "unknown key", "did you mean 'variables'?"),
        ),
        ("a.yaml", "role: x\nask_abut: [y]\nfallback: z\n", (2, "unknown key", "did you mean 'ask_about'?")),
    ],
)
def test_a_misspelled_name_is_reported_with_the_nearest_one(
    tmp_path: Path, name: str, text: str, expected: tuple[int, str, str]
) -> None:
    assert expected in reported(tmp_path, name, text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "a.yaml",
            "goals: ['a {{size}} pizza {or not}']\nvariables: {size: big}\nexpect: [\"{'big': 1}[size] == 1\"]\n",
        ),
        ("a.json", CALLS % ("personality", "anything {goes} here")),
        ("a.json", CALLS % ("my_own", "x")),
    ],
)
def test_other_names_are_no_mistakes(tmp_path: Path, name: str, text: str) -> None:
    assert reported(tmp_path, name, text) == []
