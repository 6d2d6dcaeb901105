import json
from pathlib import Path
from typing import Any

import pytest

import corpus
from command_line import PROFILE, Sparring
from json_schema import errors
from sparring import chatbots, cli, parsing
from sparring.app.file_kinds import schema_of, schemas
from sparring.rules.rule_file import KEYS
from sparring.settings import Settings
from sparring_bots import pizzeria
from tables import table

PRESETS = sorted((Path(chatbots.__file__).parent / "presets").glob("*.yaml"))
OURS = Path(cli.__file__).parent
KINDS = {**schemas(), "settings": lambda: schema_of(Settings)}


def written(kind: str, path: Path) -> list[str]:
    return errors(KINDS[kind](), parsing.load(path).data)


@table("kind", KINDS)
def test_every_schema_says_its_dialect_and_refers_only_to_what_it_defines(kind: str):
    schema = KINDS[kind]()
    text = json.dumps(schema)

    assert schema["$schema"].startswith("https://json-schema.org/")
    assert [name for name in schema.get("$defs", {}) if f"#/$defs/{name}" not in text and name not in schema] == []
    assert errors(schema, {"no such key": 1}) != []
    assert '"written": ' not in text  # as paths are inside


def test_it_is_printed_as_json_and_kinds_are_listed(inside: Sparring):
    assert json.loads(inside("schema", "rule").stdout) == KINDS["rule"]()
    assert inside("schema").stdout.split() == [*KINDS, "json"]


def test_an_unknown_kind_is_one_sentence_and_a_hint(inside: Sparring):
    done = inside("schema", "rules")

    assert (done.returncode, done.stdout) == (2, "")
    assert "no schema for 'rules'" in done.stderr
    assert "did you mean 'rule'?" in done.stderr


@pytest.mark.parametrize(
    ("folder", "kind"), [("profiles", "profile"), ("rules", "rule"), ("personalities", "personality")]
)
def test_everything_that_was_published_fits(folder: str, kind: str):
    files = sorted(path for path in (corpus.folder() / folder).rglob("*.y*ml"))

    assert {path.name: found for path in files if (found := written(kind, path))} == {}
    assert files


@pytest.mark.parametrize("path", PRESETS, ids=lambda path: path.stem)
def test_presets_that_come_along_fit(path: Path):
    assert written("preset", path) == []


@pytest.mark.parametrize(
    "path",
    sorted(each for each in (OURS / "templates").rglob("*.y*ml") if "ci" not in each.relative_to(OURS).parts),
    ids=lambda path: path.name,
)
def test_templates_fit(path: Path):
    kinds = {"sparring": "settings", "chatbot": "preset"}
    kind = kinds.get(path.stem) or path.parent.name.removesuffix("s")

    assert written(kind, path) == []


def test_the_demonstration_the_pizzeria_and_the_personalities_fit():
    assert written("profile", OURS.parent / "app" / "demonstration" / "orders.yml") == []
    assert written("grammar", Path(pizzeria.__file__).parent / "grammar.yaml") == []
    assert [written("personality", path) for path in (OURS.parent / "scenarios" / "personas").iterdir()] == [[]] * 10


FITS: dict[str, list[str]] = {
    "profile": [PROFILE],
    "scenario": [
        "goals: [a]",
        "script: [Hi, {say: Bye, expect: 'True'}]\nuser: rude-user",
        "script: [{inject_reply: a, ends: true}, {inject_tool: {name: a, arguments: {b: 1}, mode: stub}, expect: x}]",
        "scenarios: [{goals: [a]}, {script: [b]}]\ntags: x",
        "goals: [a]\nvariables: {a: 1, b: [1, 2], c: {function: random(), type: int, data: {min: 1, max: 3}}}",
        "goals: [a]\nuser: {styles: [long phrases, {random: [single question, {change language: [Spanish]}]}]}",
        "goals: [a]\noutputs: [{price: money}]\nhistory: [{user: Hi}, {chatbot: Ho}]\nlimits: {turns: 3, cost: 0.5}",
    ],
    "playbook": [
        "steps: [user: hi, expect_tool: a]",
        "[{id: a, steps: [{inject_tool: a, result: 3, mode: stub}, {expect_tool: {name: a, args: {b: 1}}}]}]",
        "customer_id: C\ncases: [{steps: [{inject_bot_response: a, ends: true}, {expect_bot_regex: b, any: true}]}]",
    ],
    "preset": [
        "url: a\nreply: [a, b]\nstart: {url: c}",
        "url: a\nanswer: text\nended: x",
        "url: a\nreply: {each: '[*]', text: b, buttons: {each: c}}\nended: {path: x, equals: 1}",
    ],
    "websocket": ["url: ws://a\nbody: b\nreply: c\nuntil: done\nstart: {reply: d}"],
    "command": ["command: cat", "command: [cat]\nanswer: json\nreply: a"],
    "mcp": ["shop: {command: a b}\ncrm: {url: https://a, only: [b], state: {tool: c}}", "shop: {command: [a]}"],
    "scenarios": ["[{name: a, variables: {ORDER_GOAL: [x]}}]", "scenarios: [{name: a, variables: {x: 1}}]"],
    "settings": ["{}", "chatbot: pizzeria\nseed: 3"],
    "rule": ["name: a\nthen: 'True'\nconversations: all\nat least: 95%", "name: a\nthen: 'True'\nscenarios: [b, c*]"],
}
DOES_NOT = {
    "profile": [PROFILE.replace("role:", "rolle:"), PROFILE.replace("function:", "functon:")],
    "scenario": [
        "goals: a",
        "goal: [a]",
        "goals: [a]\nstarts: nobody",
        "goals: [a]\nlimits: {turns: 0}",
        "script: [{inject_tool: {arguments: {}}}]",
    ],
    "playbook": ["steps: hi", "steps: [{user: hi, expect_tool: a}]", "cases: [{id: a}]", "steps: [{expect_tools: a}]"],
    "preset": ["reply: a", "url: a\nreply: 3", "url: a\nreply: a\nmethod: BREW"],
    "websocket": ["url: ws://a\nreply: c"],
    "command": ["folder: x"],
    "mcp": ["shop: {comand: a}", "shop: cat"],
    "scenarios": ["[{name: a}]", "[{name: a, variables: [], more: 1}]"],
    "settings": ["seed: -1", "sede: 1"],
    "rule": ["name: a", "name: a\nthen: 'True'\nconversations: 9", "name: a\nthen: 'True'\nscenarios: []"],
}


@table(("kind", "text"), [(kind, text) for kind, texts in FITS.items() for text in texts])
def test_what_may_be_written_fits(kind: str, text: str):
    assert errors(KINDS[kind](), parsing.parse(text).data) == []


@table(("kind", "text"), [(kind, text) for kind, texts in DOES_NOT.items() for text in texts])
def test_what_may_not_be_written_does_not_fit(kind: str, text: str):
    assert errors(KINDS[kind](), parsing.parse(text).data) != []


def test_written_schemas_know_the_keys_that_are_read():
    def keys(kind: str) -> Any:
        return set(KINDS[kind]()["properties"])

    assert keys("rule") == set(KEYS)
    assert keys("settings") == set(Settings.model_fields)


def test_personas_are_listed_by_the_names_that_scenarios_use(inside: Sparring, tmp_path: Path):
    told = json.loads(inside("personas", "--json").stdout)["personas"]
    shown = inside("personas").stdout

    for each in told:
        (tmp_path / f"as-{each['name']}.yml").write_text(f"user: {each['name']}\ngoals: [a]\n")
    assert len(told) == 10
    assert all(each["name"] in shown and each["traits"][0] in shown for each in told)
    assert inside("validate").returncode == 0
