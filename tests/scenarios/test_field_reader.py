"""What asks for too much is refused at once, however it is written."""

import json
from pathlib import Path

import pytest

from sparring.scenarios.loading import check

BLANKS = " " * 100_000


def problems(folder: Path, file: str, text: str) -> list[str]:
    (folder / file).write_text(text)
    (checked,) = check([folder / file])
    return [str(problem).removeprefix(f"{folder}/")[:150] for problem in checked.problems]


@pytest.mark.parametrize(
    ("file", "text", "complaint"),
    [
        ("a.yaml", "goals: [" + "a, " * 201 + "]", "1:8: goals: expected at most 200 goals, got 201 (split the file)"),
        (
            "a.yml",
            "user: {role: r, goals: [" + "a, " * 201 + "]}",
            "1:24: user.goals: expected at most 200 goals, got 201 (split the file)",
        ),
        (
            "a.yaml",
            f"goals: [a]\nvariables: {json.dumps({f'v{n}': n for n in range(501)})}",
            "2:12: variables: expected at most 500 variables, got 501 (split the file)",
        ),
        (
            "a.yml",
            f"user: {{role: r, goals: {json.dumps(['a', *({f'v{n}': [n]} for n in range(501))])}}}",
            "1:24: user.goals: expected at most 500 variables, got 501 (split the file)",
        ),
        (
            "a.json",
            json.dumps([{"name": "n", "variables": {"ORDER_GOAL": ["milk"] * 201}}]),
            "1:44: [0].variables.ORDER_GOAL: expected at most 200 things to order, got 201 (split the file)",
        ),
        (
            "a.json",
            json.dumps([{"name": "n", "variables": {"ORDER_GOAL": "milk"} | {f"v{n}": n for n in range(500)}}]),
            "1:29: [0].variables: expected at most 500 variables, got 501 (split the file)",
        ),
        (
            "a.json",
            "[" + "{}," * 100_000 + "{}]",
            "1:1: expected at most 100,000 scenarios, got 100,001 (split the file)",
        ),
        (
            "a.yaml",
            "number: 60000\ngoals: [a]\nscenarios: [{tags: x}, {tags: y}]",
            "1:1: expected at most 100,000 conversations, got 120,000 (split the file)",
        ),
        ("a.yaml", "number: 100001\ngoals: [a]", "1:9: number: should be at most 100,000"),
    ],
)
def test_an_excessive_number_is_refused(tmp_path: Path, file: str, text: str, complaint: str):
    assert problems(tmp_path, file, text) == [f"{file}:{complaint}"]


@pytest.mark.parametrize("wrong", [{"nam": 1, "variables": {"ORDER_GOAL": "x"}}, {"name": "n", "variables": [1]}, 3])
@pytest.mark.slow
def test_only_the_first_hundred_problems_are_reported(tmp_path: Path, wrong: object):
    told = problems(tmp_path, "a.json", json.dumps([wrong] * 3000))

    assert (len(told), told[-1].partition(": ")[::2]) in [
        (101, ("a.json", "and 2,900 more")),
        (101, ("a.json", "and 5,900 more")),
    ]


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("keys.yaml", "goals: [a]\n" + "".join(f"k{n}: 1\n" for n in range(300))),
        ("twice.yaml", "goals: [a]\n" * 301),
        ("twice.json", "[" + ",".join(['{"name": 1, "name": 2}'] * 300) + "]"),
    ],
)
def test_that_holds_for_every_kind_of_problem(tmp_path: Path, file: str, text: str):
    told = problems(tmp_path, file, text)

    assert (len(told), told[-1]) == (101, f"{file}: and 200 more")


def test_a_problem_that_is_met_in_every_scenario_is_one(tmp_path: Path):
    assert problems(tmp_path, "a.yaml", "starts: me\ngoals: [a]\nscenarios:\n" + "- {tags: x}\n" * 300) == [
        "a.yaml:1:9: starts: unknown value 'me' (there are: user, chatbot, either)"
    ]


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "text",
    [
        f"goals: ['{{{{{BLANKS}x']",
        f"goals: ['{'{{' * 50_000}{BLANKS}']",
        f"user: {{role: r, goals: ['{{{{{BLANKS}x']}}",
        f"user: {{role: r, goals: [x]}}\nconversation: {{number: 'sample({BLANKS}x'}}",
        f"goals: [x]\nvariables: {{x: {{function: 'random({BLANKS}x', data: [1]}}}}",
    ],
    ids=["goal", "braces", "profile", "number", "function"],
)
def test_long_blanks_do_not_take_for_ever(tmp_path: Path, text: str):
    assert len(problems(tmp_path, "a.yml", text)) == 1
