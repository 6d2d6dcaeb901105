"""The parsers read every key of the JSON Schemas made from their tables, where the schema has it, and no other key."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from json_schema import errors
from sparring import parsing
from sparring.app.file_kinds import schemas
from sparring.scenarios import loading
from sparring.scenarios.field_reader import FieldReader, ProblemList
from sparring.scenarios.field_types import Key, Record, Shared, WholeNumber, schema_of_file
from sparring.scenarios.personas import read_personality
from tables import table

SCENARIO = """
name: all
user: {role: a, personality: rude-user, traits: [b], language: Spanish, styles: [default, {random: [single question]}]}
goals: ["a {{n}} {{d}}", {asks: b, answer: [c, 3], done: "True", never: d}]
right: act
variables:
  n: {function: random(), type: int, data: {min: 1, max: 3, step: 1}}
  d: {function: random(), type: string, data: [x, y]}
  e: {function: random(), type: date, data: {min: 01/02/2026, max: 03/02/2026, step: day(1), random: 1}}
  f: {data: {date: {custom: 01/02/2026, random: 1, set: '>today(1)', range: {min: 1/2/2026, max: 3/2/2026}, fake: 1}}}
  g: {type: int, data: {file: values.py, function_name: values, args: [1]}}
number: 2
never: []
answers: {a: b}
script:
  - {say: Hi, expect: 'True'}
  - {inject_reply: a, ends: true}
  - {inject_tool: {name: a, arguments: {b: 1}, result: 1, mode: stub}, expect: x}
history: [{user: Hi}, {chatbot: Ho}]
starts: either
outputs: [{price: {type: money, description: p}}]
fallbacks: [sorry]
expect: [{name: a, description: b, when: c, if: d, then: e, yields: f, after: 1}]
tags: [a]
faults:
  - {tool: a, fails: error, when: first, args: {b: 1}}
  - {tool: a, fails: error, when: {nth: 2}}
limits: {turns: 3, steps: 1, fallbacks: 1, reply_seconds: 1, seconds: 2, cost: 0.5}
seed: 1
"""
PROFILE = """
test_name: order
llm: {model: m, temperature: 0.5, model_prov: openai, format: {type: text}}
user:
  language: English
  role: you
  context: [personality: rude-user]
  goals: ["a {{s}}", s: {function: forward(), type: string, data: [a]}]
chatbot: {is_starter: false, fallback: sorry, output: [{id: {type: string, description: the id}}]}
conversation:
  number: 3
  max_cost: 1
  goal_style: {all_answered: {export: true, limit: 10}, max_cost: 1}
  interaction_style: [long phrases, {change language: [Spanish]}, {random: [default]}]
"""
FLAT = """
temperature: 0.1
isstarter: false
role: you
context: {personality: rude-user}
ask_about: [a]
conversations: [{number: 1}]
"""
PLAYBOOK = """
name: all
cases:
  - id: a
    history: [{user: Hi}, {chatbot: Ho}]
    limits: {turns: 3}
    steps:
      - {user: {text: hi}}
      - {inject_bot_response: {text: a, ends: false}}
      - {inject_tool: {name: a, args: {}, result: 3, mode: stub}}
      - {expect_tool: {name: a, args: {b: 1}, since: start, times: 1}}
      - {expect_bot_regex: {pattern: b, any: true, not: true}}
      - {expect_order: [a]}
      - {expect_state: {a.b: 1, after: [{tool: a, arguments: {b: 1}}, {a: {b: 1}}], ignore: c}}
      - {expect_changes: none}
"""
STEPS = """
steps: [user: hi]
"""
PERSONALITY = "name: a\ncontext: [b]\n"
SEVERAL = "scenarios: [{goals: [a]}]"
CALLS = """
{"scenarios": [{"name": "a", "variables": {"ORDER_GOAL": [{"name": "milk", "qty": 1}]}, "webhook": false}]}
"""
POLICY = """
policy: p
tool: t
args: {a: 1}
says: a
confirms: b
declines: c
asks: d
checks: [e]
done: f
refused: g
changes: [h]
variables: {i: 1}
unknown: {j: X}
records: [{j: A, k: 1, l: 2026-01-01}]
limits:
  k: {most: 1, least: 1, step: 1}
  m: {after: l, under: 3, over: 1}
  j: {only: [A]}
tags: [a]
"""
DOCUMENTS = {
    "scenario": [SCENARIO, SEVERAL],
    "profile": [PROFILE, FLAT],
    "playbook": [PLAYBOOK, STEPS],
    "personality": [PERSONALITY],
    "scenarios": [CALLS],
    "policy": [POLICY],
}
NOT_READ_AS_KEYS = {"change language", "all_answered", "ORDER_GOAL", "ignore"}
"""One key of each mapping that its parser reads as a list of names with values."""

Step = str | int
Asked = tuple[tuple[Step, ...], Record]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Asked]:
    """Every table that a parser reads, with the place in the document."""
    found: list[Asked] = []
    fields = FieldReader.fields

    def noted(self: FieldReader, record: Record) -> dict[str, FieldReader]:
        if "document." in self.source.file:
            found.append((self.path, record))
        return fields(self, record)

    monkeypatch.setattr(FieldReader, "fields", noted)
    return found


def records(schema: Any) -> Iterator[frozenset[str]]:
    """Yield the keys of every mapping with known keys in a schema."""
    if isinstance(schema, dict):
        if schema.get("type") == "object" and "properties" in schema:
            yield frozenset(schema["properties"])
        schema = list(schema.values())
    for each in schema if isinstance(schema, list) else ():
        yield from records(each)


def at(root: Any, schema: Any, path: tuple[Step, ...]) -> Iterator[Any]:
    """Yield the schemas that a value at this path may fit."""
    if "$ref" in schema:
        yield from at(root, root["$defs"][schema["$ref"].rpartition("/")[2]], path)
        return
    for each in schema.get("anyOf", ()):
        yield from at(root, each, path)
    if not path:
        yield schema
        return
    step, rest = path[0], path[1:]
    inner = schema.get("items") if isinstance(step, int) else schema.get("properties", {}).get(step)
    if inner is None and isinstance(step, str) and isinstance(schema.get("additionalProperties"), dict):
        inner = schema["additionalProperties"]
    if isinstance(inner, dict):
        yield from at(root, inner, rest)


def read(kind: str, text: str, folder: Path) -> None:
    path = folder / ("document.json" if kind == "scenarios" else "document.yml")
    path.write_text(text)
    if kind == "personality":
        read_personality(path, ProblemList())
        return
    (checked,) = loading.check([path])
    assert (checked.kind, checked.problems) == (kind, ())


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_a_schema_has_the_keys_that_the_parser_reads(kind: str, asked: list[Asked], tmp_path: Path):
    schema = schemas()[kind]()

    for text in DOCUMENTS[kind]:
        read(kind, text, tmp_path)

    unknown = [
        (path, set(record.spellings) - known)
        for path, record in asked
        if not set(record.spellings)
        <= (known := {key for each in at(schema, schema, path) for key in each.get("properties", ())})
    ]
    assert asked
    assert unknown == []


@table(("kind", "text"), [(kind, text) for kind, texts in DOCUMENTS.items() for text in texts])
def test_what_a_parser_reads_fits_the_schema(kind: str, text: str):
    assert errors(schemas()[kind](), parsing.parse(text).data) == []


def test_the_parsers_read_the_keys_that_a_schema_has(asked: list[Asked], tmp_path: Path):
    for kind, texts in DOCUMENTS.items():
        for text in texts:
            read(kind, text, tmp_path)

    accepted = {frozenset(record.spellings) for _, record in asked}
    in_schemas = {keys for kind in DOCUMENTS for keys in records(schemas()[kind]())}
    left = [keys for keys in in_schemas if not any(keys <= each for each in accepted)]
    assert [keys for keys in left if not keys & NOT_READ_AS_KEYS] == []


def test_limits_spellings_and_shared_types_are_in_the_schema():
    chain = Shared("chain", lambda: LINK)
    LINK = Record({"next": Key(chain, "the rest", required=True), "size": Key(WholeNumber(2, 5), also=("length",))})

    assert schema_of_file("A chain", chain) == {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A chain",
        "$ref": "#/$defs/chain",
        "$defs": {
            "chain": {
                "type": "object",
                "properties": {
                    "next": {"$ref": "#/$defs/chain", "description": "the rest"},
                    "size": {"type": "integer", "minimum": 2, "maximum": 5},
                    "length": {"type": "integer", "minimum": 2, "maximum": 5, "description": "the same as `size`"},
                },
                "additionalProperties": False,
                "required": ["next"],
            }
        },
    }
