import json
from pathlib import Path
from typing import Any

import pytest

import corpus
from command_line import PROFILE, Sparring
from sparring.app.validate import Checked, check_file, check_files
from sparring.cli.commands.validate import SETTINGS_CHECKS

GOOD = {
    "order.yml": ("profile", PROFILE),
    "hello.yml": ("scenario", "goals: [a pizza]\nexpect: [len(chatbot_phrases) > 0]\n"),
    "book.yml": ("playbook", "cases: [{id: a, steps: [user: hi, expect_bot_regex: hello]}]\n"),
    "list.json": ("scenarios", '[{"name": "a", "variables": {"ORDER_GOAL": ["flour"]}}]'),
    "rule.yml": ("rule", "name: a\nthen: size == 'big'\n"),
    "rule_of_scenarios.yml": ("rule", "name: a\nscenarios: [orders]\nthen: size == 'big'\n"),
    "kind.yml": ("personality", "name: kind\ncontext: [You are kind.]\n"),
    "bot.yaml": (
        "preset",
        'url: "https://${HOST}/say"\nheaders: {a: "${KEY}"}\nbody: {text: "{{message}}"}\nreply: text\n',
    ),
    "socket.yaml": ("preset", 'url: "${SOCKET}"\nbody: {text: "{{message}}"}\nreply: text\nquiet: 1\n'),
    "program.yaml": ("preset", "command: cat\n"),
    "mcp.yaml": ("mcp", "shop: {command: cat}\n"),
    "grammar.yaml": ("grammar", "fallback: What?\nintents: [{name: hi, patterns: [hi], reply: Hi!}]\n"),
    "said.yml": ("conversation", "ask_about: []\n---\ninteraction: [{User: Hi}]\n"),
    "report.yml": ("report", "Global report: {}\n---\nTest name: a\n"),
    "sparring.yaml": ("settings", "chatbot: pizzeria\nmodel: http://127.0.0.1:1/v1#m\nuser: agenda\n"),
}

BAD = {
    "order.yml": ("profile", PROFILE.replace("forward()", "forwrd()"), ["7: forward"]),
    "hello.yml": ("scenario", "goals: [a pizza]\nexpect: [len(]\n", ["2: never closed"]),
    "book.yml": ("playbook", "steps:\n- user: hi\n- expect_bot_regex: (?=a)\n", ["3: lookahead"]),
    "list.json": ("scenarios", '[{"name": "a", "variables": 3}]', ["1: mapping"]),
    "broken.json": ("scenarios", "[{", ["1: not JSON"]),
    "rule.yml": ("rule", "name: a\nthn: 1\noracle: size = 1\n", ["2: unknown key", "3: expression"]),
    "broken.yml": ("rule", "name: a\nthen: {{\n", ["2: "]),
    "kind.yml": ("personality", "name: 3\ncontext: 4\n", ["1: text", "2: list"]),
    "mcp.yaml": ("mcp", "shop:\n  comand: cat\n", ["2: command"]),
    "bot.yaml": ("preset", "url: https://bot\nreply: text\ntimout: 3\n", ["3: timeout"]),
    "socket.yaml": ("preset", "url: ws://bot\nbody: hello\nreply: text\n", ["1: is not sent"]),
    "program.yaml": ("preset", "command: 3\n", ["1: "]),
    "grammar.yaml": ("grammar", "fallback: What?\nintents: [{name: hi, reply: Hi!}]\n", ["2: patterns"]),
    "sparring.yaml": (
        "settings",
        "chatbot: pizzaria\nmodel: opnai:x\nsede: 3\n",
        ["1: 'pizzeria'", "2: 'openai'", "3: 'seed'"],
    ),
    "other.yml": ("", "a: b\n", ["1: any known kind"]),
}


@pytest.mark.parametrize(("name", "kind", "text"), [(name, *of) for name, of in GOOD.items()], ids=list(GOOD))
def test_a_file_that_is_right_has_its_kind_and_no_errors(tmp_path: Path, name: str, kind: str, text: str):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")

    assert check_file(path, SETTINGS_CHECKS) == Checked(path, kind)


@pytest.mark.parametrize(("name", "kind", "text", "errors"), [(name, *of) for name, of in BAD.items()], ids=list(BAD))
def test_all_problems_of_a_file_are_reported_with_their_lines(
    tmp_path: Path, name: str, kind: str, text: str, errors: list[str]
):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")

    checked = check_file(path, SETTINGS_CHECKS)

    assert (checked.kind, [problem.line for problem in checked.problems]) == (
        kind,
        [int(error.partition(":")[0]) for error in errors],
    )
    for problem, error in zip(checked.problems, errors, strict=True):
        assert error.partition(": ")[2] in str(problem)


def write(folder: Path, files: dict[str, Any]) -> None:
    for name, of in files.items():
        (folder / name).write_text(of[1], encoding="utf-8")


def test_json_lists_every_file_of_every_folder_once(inside: Sparring, tmp_path: Path):
    write(tmp_path, GOOD)
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "bad.yml").write_text("a: b")

    done = inside("validate", "order.yml", ".", "--json")

    files = json.loads(done.stdout)["files"]
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted((file["path"], file["kind"], file["ok"], file["errors"]) for file in files) == sorted(
        (name, kind, True, []) for name, (kind, _) in GOOD.items()
    )


def test_one_bad_file_among_good_ones_is_exit_2_and_an_error_with_its_place(inside: Sparring, tmp_path: Path):
    write(tmp_path, GOOD | {"rule.yml": BAD["rule.yml"]})

    done = inside("validate", "--json")

    (bad,) = [file for file in json.loads(done.stdout)["files"] if not file["ok"]]
    assert done.returncode == 2
    assert (bad["path"], bad["kind"]) == ("rule.yml", "rule")
    assert [(error["line"], error["path"]) for error in bad["errors"]] == [(2, "thn"), (3, "then")]


def test_what_people_read_says_what_is_wrong_and_how_many_files_are(inside: Sparring, tmp_path: Path):
    write(tmp_path, {"a.yml": GOOD["rule.yml"], "b.yml": BAD["other.yml"]})

    done = inside("validate", ".", "nowhere.yml")

    assert (done.returncode, done.stderr) == (2, "")
    assert done.stdout.splitlines()[0] == "ok     rule  a.yml"
    assert "b.yml:1:1: this is not a scenario of any known kind" in done.stdout
    assert "nowhere.yml: there is no such file or folder" in done.stdout
    assert done.stdout.splitlines()[-1] == "3 files, 2 with errors"


def test_a_file_that_cannot_be_read_is_an_error_of_its_own(tmp_path: Path):
    (tmp_path / "good.yml").write_text(GOOD["rule.yml"][1])

    bad, good = check_files([tmp_path / f"{'x' * 300}.yml", tmp_path], SETTINGS_CHECKS)

    assert [problem.message for problem in bad.problems] == ["cannot be read: File name too long"]
    assert good == Checked(tmp_path / "good.yml", "rule")


def test_a_folder_without_anything_is_an_error(tmp_path: Path):
    (checked,) = check_files([tmp_path], SETTINGS_CHECKS)

    assert str(checked.problems[0]) == f"{tmp_path}: there is nothing to check in this folder"


def test_everything_that_was_published_is_what_it_is_and_has_no_errors():
    kinds = {"profiles": "profile", "rules": "rule", "personalities": "personality"}

    found = {
        name: {(each.kind, each.problems) for each in check_files([corpus.folder() / name], SETTINGS_CHECKS)}
        for name in kinds
    }

    assert found == {name: {(kind, ())} for name, kind in kinds.items()}


def test_a_playbook_that_nothing_can_fail_is_a_warning(inside: Sparring, tmp_path: Path):
    steps = "cases: [{id: idle, steps: [user: hi]}, {id: busy, steps: [user: hi, expect_tool: greet]}]\n"
    (tmp_path / "book.yml").write_text(steps, encoding="utf-8")

    done, told = inside("validate"), json.loads(inside("validate", "--json").stdout)["files"]

    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "warn   playbook  book.yml",
        "       book.yml: book/idle: has no expectation, so it cannot fail (expect_tool, expect_bot_regex, or a judge)",
        "1 file, 0 with errors, 1 with warnings",
    ]
    assert [(each["ok"], [warning["path"] for warning in each["warnings"]]) for each in told] == [(True, ["book/idle"])]


WEAK = "user: you are a customer\ngoals: ['a {{size}} pizza']\nvariables: {size: big}\n"
RULE = "name: order\nthen: called('place_order')\n"


def test_styles_without_effect_are_reported_once_for_all_cases(inside: Sparring, tmp_path: Path):
    scenario = (
        "goals: ['a {{size}} pizza']\nvariables: {size: [small]}\nnumber: 3\nuser: {styles: [change your mind]}\n"
    )
    (tmp_path / "order.yml").write_text(scenario, encoding="utf-8")

    told = json.loads(inside("validate", "--json").stdout)["files"]
    planned = json.loads(inside("plan", "order.yml", "--user=agenda", "--chatbot=pizzeria", "--json").stdout)

    idle = "user.style_idle: the style `change your mind` has no effect: no variable has another value"
    for (warning,) in (told[0]["warnings"], planned["warnings"]):
        assert (warning["path"], warning["message"].startswith(idle)) == ("order/1 and 2 other cases", True)


def test_sentences_without_effect_are_reported_once_in_the_role_sheet(inside: Sparring, tmp_path: Path):
    scenario = (
        "user: You are Ann Lee. You hate tea. You are in a hurry.\ngoals: ['a {{size}} pizza']\n"
        "variables: {size: [small, big], total: 40}\nhidden: [total]\n"
    )
    (tmp_path / "order.yml").write_text(scenario, encoding="utf-8")

    (told,) = json.loads(inside("validate", "--json").stdout)["files"]
    planned = json.loads(inside("plan", "order.yml", "--user=agenda", "--chatbot=pizzeria", "--json").stdout)

    unread = "user.unread: has no effect on a user without a model: 'You hate tea.'"
    for (warning,) in (told["warnings"], planned["warnings"]):
        assert (warning["path"], warning["message"]) == ("order/1 and 1 other case", unread)
    assert "2 of 3 sentences about the user used" in planned["notes"]
    (sheet,) = told["role_sheet"]
    assert (sheet["scenario"], sheet["unread"], sheet["hidden"]) == ("order", ["You hate tea."], ["total"])
    assert [each["name"] for each in sheet["manners"]] == ["impatient"]
    assert [fact["slot"] for fact in sheet["facts"]] == ["size", "name"]


def test_a_weak_case_is_a_warning_and_no_error(inside: Sparring, tmp_path: Path):
    write(tmp_path, {"pizza.yml": ("scenario", WEAK)})

    done = inside("validate", env={"SPARRING_NULL_BOTS": "true"})

    assert done.returncode == 0
    warning, total = done.stdout.splitlines()[1:]
    assert warning.startswith("       pizza.yml: pizza/1: is weak, so that passing stays undecided: a bot that ")
    assert warning.endswith("would have passed (say what the answer is, or expect a tool call)")
    assert total == "1 file, 0 with errors, 1 with warnings"


@pytest.mark.parametrize(
    "more",
    [
        {"rule.yml": ("rule", RULE)},
        {"sparring.yaml": ("settings", "null_bots: false\n")},
        {"sparring.yaml": ("settings", "judge: openai:gpt-4o-mini\n")},
        {"sparring.yaml": ("settings", "webhook: {url: https://example.com}\n")},
    ],
    ids=["a rule", "off", "a model judges", "a webhook"],
)
def test_a_case_is_not_weak_by_rules_beside_it_or_by_what_is_not_tried(
    inside: Sparring, tmp_path: Path, more: dict[str, tuple[str, str]]
):
    write(tmp_path, {"pizza.yml": ("scenario", WEAK), **more})
    env = {} if "null_bots" in more.get("sparring.yaml", ("", ""))[1] else {"SPARRING_NULL_BOTS": "true"}

    assert "weak" not in inside("validate", env=env).stdout
