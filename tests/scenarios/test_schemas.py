"""The hand-written JSON Schemas have the keys and values that the parsers accept, all over the documents below."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sparring.app.schema import schemas
from sparring.scenarios import loading
from sparring.scenarios.field_reader import FieldReader

SCENARIO = """
name: all
user: {role: a, personality: rude-user, traits: [b], language: Spanish, styles: [default, {random: [single question]}]}
goals: ["a {{n}} {{d}}"]
variables:
  n: {function: random(), type: int, data: {min: 1, max: 3, step: 1}}
  d: {function: random(), type: string, data: [x, y]}
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
"""
DOCUMENTS = {"scenario": SCENARIO, "profile": PROFILE, "playbook": PLAYBOOK}
DOCUMENT = "document.yml"
Step = str | int


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, tuple[Step, ...], set[str]]]:
    """Every question of a parser: `keys` or `values`, the place, and what it accepts there."""
    found: list[tuple[str, tuple[Step, ...], set[str]]] = []
    fields, one_of = FieldReader.fields, FieldReader.one_of

    def noted_fields(self: FieldReader, names: Any, *, also: Any = None, required: Any = ()) -> Any:
        names = tuple(names)
        if DOCUMENT in self.source.file:
            found.append(("keys", self.path, set(names)))
        return fields(self, names, also=also, required=required)

    def noted_one_of(self: FieldReader, names: Any, *, also: Any = None) -> Any:
        names = tuple(names)
        if DOCUMENT in self.source.file:
            found.append(("values", self.path, set(names)))
        return one_of(self, names, also=also)

    monkeypatch.setattr(FieldReader, "fields", noted_fields)
    monkeypatch.setattr(FieldReader, "one_of", noted_one_of)
    return found


def at(root: Any, schema: Any, path: tuple[Step, ...]) -> Iterator[Any]:
    """The schemas that a value at this path may fit."""
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


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_a_schema_has_the_keys_and_values_that_the_parser_accepts(kind: str, asked: list[Any], tmp_path: Path):
    schema, path = schemas()[kind](), tmp_path / DOCUMENT
    path.write_text(DOCUMENTS[kind])

    (checked,) = loading.check([path])

    lacking = []
    for what, place, accepted in asked:
        found = list(at(schema, schema, place))
        known = {key for each in found for key in each.get("properties", {})}
        values = {value for each in found for value in each.get("enum", ())}
        if what == "keys" and found and not accepted <= known:
            lacking.append((place, "keys", accepted - known))
        if what == "values" and values and not accepted <= values | known:  # a style may be a key with its languages
            lacking.append((place, "values", accepted - values - known))
    assert (checked.kind, checked.problems) == (kind, ())
    assert len(asked) > 10
    assert lacking == []
