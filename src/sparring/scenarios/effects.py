"""Expectations on the chatbot's actions: order of tool calls, final state and changes; and the setup.

They are written the same in playbooks and in scenario files, and may have placeholders.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from sparring.core.checks import Expectation
from sparring.core.state import GoldenAction, Path, parse_path, shown, write_path
from sparring.core.value import Json, mapping
from sparring.scenarios.expectations import rule_at
from sparring.scenarios.field_reader import FieldReader
from sparring.scenarios.field_types import (
    ANYTHING,
    MAPPING,
    TEXT,
    TEXTS,
    AnyOf,
    EntriesOf,
    Key,
    ListOf,
    OneOf,
    Record,
    Shared,
)
from sparring.scenarios.placeholders import texts, to_json

_ACTION = Record({"tool": Key(TEXT, "the tool", required=True), "arguments": Key(MAPPING, "what it is given")})
_ACTIONS = ListOf(AnyOf((_ACTION, EntriesOf(MAPPING))))
_STATE = Record(
    {
        "after": Key(
            _ACTIONS, "golden actions: the state at the end must be as after these tool calls on a fresh copy"
        ),
        "ask": Key(
            ListOf(EntriesOf(ANYTHING)),
            "tool calls at the end, of which the chatbot knows nothing, with what they return: `equals`",
        ),
        "ignore": Key(TEXTS, "paths that are not compared with the state after golden actions"),
    },
    open=True,
)
_NONE = OneOf(("none",))
EFFECTS = Record(
    {
        "expect_order": Key(ListOf(TEXT, least=1), "tools of which calls must succeed in this order"),
        "expect_state": Key(
            Shared("state", lambda: _STATE), "values by path that the chatbot's state has at the end, or `unchanged`"
        ),
        "expect_changes": Key(
            AnyOf((_NONE, TEXTS, EntriesOf(ANYTHING))),
            "`none`, or the paths that change, perhaps with their values; nothing else may change",
        ),
    }
)

SETUP = Record(
    {"setup": Key(_ACTIONS, "tool calls before the conversation, of which the chatbot knows nothing: its state then")}
)

Fill = Callable[[Json], Json]
Written = tuple[str, str, tuple[GoldenAction, ...]]
"""The condition, the explanation of a failure, and golden actions, or those that are asked at the end."""


@dataclass(frozen=True, slots=True)
class Effect:
    """An expectation with unfilled placeholders. With `at_end`, it applies only at the end."""

    name: str
    place: Mapping[str, int]
    file: str
    written: Callable[[Fill], Written]
    at_end: bool = True
    asks: bool = False

    def expectation(
        self, fill: Fill, *, name: str = "", about: str = "", after: int | None = None, check: str = ""
    ) -> Expectation:
        """Return the expectation after a step of the script, or at the end."""
        then, yields, actions = self.written(fill)
        rule = rule_at(then, name=name or self.name, yields=yields, about=about, file=self.file, place=self.place)
        golden, asks = ((), actions) if self.asks else (actions, ())
        return Expectation(rule=rule, after=None if self.at_end else after, check=check, golden=golden, asks=asks)


def effects(fields: Mapping[str, FieldReader]) -> Iterator[Effect]:
    """Yield the expectations under the keys of `EFFECTS`; report problems with them."""
    for key, parse in (("expect_order", _order), ("expect_state", _state), ("expect_changes", _changes)):
        if key in fields:
            yield from parse(fields[key])


def effect_phrases(fields: Mapping[str, FieldReader]) -> list[tuple[FieldReader, str]]:
    """Return all texts that may have placeholders, with their places."""
    found = [each for key in (*EFFECTS.keys, *SETUP.keys) if key in fields for each in texts(fields[key])]
    paths = [fields[key] for key in ("expect_state", "expect_changes") if key in fields]
    return found + [(part, name) for each in paths if isinstance(each.data, dict) for name, part in each.entries()]


def setup(fields: Mapping[str, FieldReader]) -> tuple[GoldenAction, ...]:
    """Parse the tool calls under the key of `SETUP`; report problems with them."""
    return tuple([found for item in fields["setup"].items() if (found := _action(item))]) if "setup" in fields else ()


def filled_actions(actions: tuple[GoldenAction, ...], fill: Fill) -> tuple[GoldenAction, ...]:
    """Return tool calls with values in place of the placeholders of their arguments."""
    return tuple([each.changed(arguments=mapping(fill(each.arguments))) for each in actions])


def _effect(part: FieldReader, name: str, written: Callable[[Fill], Written], *, at_end: bool = True) -> Effect:
    return Effect(name, part.place, part.source.file, written, at_end)


def _order(part: FieldReader) -> Iterator[Effect]:
    tools = [item.text() for item in part.items()]
    if not tools:
        part.report("should name at least one tool")
        return
    expected = f"expected these tools in order: {', '.join(tools)}; called were: "
    yields = f"{expected!r} + tools_used()"
    then = f"call_order({', '.join(map(repr, tools))})"
    yield _effect(part, "order of tools", lambda fill: (then, yields, ()), at_end=False)


_MADE = "('; '.join([change.path + ' ' + change.kind for change in changes()]) or 'nothing')"


def _state(part: FieldReader) -> Iterator[Effect]:
    if not isinstance(part.data, dict) or not part.data:
        part.report("should be a mapping of paths to values", "expect_state: {orders.ORD-001.status: cancelled}")
        return
    fields = dict(part.entries())
    ignore = fields.pop("ignore", None)
    beside = [path for item in ignore.listed() if (path := _path(item, item.text()))] if ignore else []
    if "after" in fields:
        yield from _after(fields.pop("after"), beside)
    elif ignore:
        ignore.report("needs golden actions: `after`", key=True)
    if "ask" in fields:
        yield from filter(None, map(_asked, fields.pop("ask").items()))
    for written, value in fields.items():
        if path := _path(value, written):
            yield _value(value, path)


def _value(part: FieldReader, path: Path) -> Effect:
    value = to_json(part.data)

    def written(fill: Fill) -> Written:
        at, wanted = _filled(path, fill), fill(value)
        if value == "unchanged":
            return f"not changed({at!r})", f"{f'expected {at} to be unchanged; changed: '!r} + {_MADE}", ()
        expected = f"expected {at} to be {shown(wanted)} at the end; it is "
        return f"state({at!r}) == {wanted!r}", f"{expected!r} + str(state({at!r}))", ()

    return _effect(part, "state", written)


def _after(part: FieldReader, ignore: list[Path]) -> Iterator[Effect]:
    actions = [action for item in part.items() if (action := _action(item))]
    if not actions and part.data == []:
        part.report("should have at least one tool call", "expect_changes: none")

    def written(fill: Fill) -> Written:
        golden = filled_actions(tuple(actions), fill)
        paths = [_filled(path, fill) for path in ignore]
        found = f"state_differences({[each.model_dump() for each in golden]!r}, {paths!r})"
        return (
            f"{found} == []",
            f"'the state differs from that after the golden actions: ' + '; '.join({found})",
            golden,
        )

    yield _effect(part, "state after golden actions", written)


def _asked(part: FieldReader) -> Effect | None:
    """Return the expectation of `{NAME: {...}, equals: VALUE}`."""
    fields = dict(part.entries()) if isinstance(part.data, dict) else {}
    equals = fields.pop("equals", None)
    if len(fields) != 1:
        part.report("should be one tool call and what it returns", "{is_paid: {order_id: W1}, equals: true}")
        return None
    ((tool, arguments),) = fields.items()
    action = GoldenAction(tool=tool, arguments=_arguments(arguments))
    wanted = True if equals is None else to_json(equals.data)

    def written(fill: Fill) -> Written:
        [asked] = filled_actions((action,), fill)
        found, value = f"tool_answer({asked.tool!r}, {asked.arguments!r})", fill(wanted)
        expected = f"expected {asked.tool} to return {shown(value)} at the end; it returns "
        return f"{found} == {value!r}", f"{expected!r} + str({found})", (asked,)

    return Effect("answer of a tool", part.place, part.source.file, written, asks=True)


def _action(part: FieldReader) -> GoldenAction | None:
    """Return the tool call in `{tool: NAME, arguments: {...}}` or `NAME: {...}`."""
    data = part.data
    if isinstance(data, dict) and len(data) == 1 and "tool" not in data:
        ((tool, arguments),) = part.entries()
        return GoldenAction(tool=tool, arguments=_arguments(arguments))
    fields = part.fields(_ACTION)
    if "tool" not in fields or not (name := fields["tool"].text()):
        return None
    return GoldenAction(tool=name, arguments=_arguments(fields["arguments"]) if "arguments" in fields else {})


def _arguments(part: FieldReader) -> dict[str, Json]:
    return {} if part.data is None else {name: to_json(value.data) for name, value in part.entries()}


def _changes(part: FieldReader) -> Iterator[Effect]:
    if part.data == "none" or part.data == []:
        yield _effect(
            part, "changes", lambda fill: ("changes() == []", f"'expected no change; changed: ' + {_MADE}", ())
        )
        return
    items = part.entries() if isinstance(part.data, dict) else [(item.text(), item) for item in part.listed()]
    paths = [(path, item) for written, item in items if (path := _path(item, written))]
    valued = isinstance(part.data, dict)

    def written(fill: Fill) -> Written:
        at = [_filled(path, fill) for path, _ in paths]
        values = [f"state({path!r}) == {fill(to_json(item.data))!r}" for path, (_, item) in zip(at, paths, strict=True)]
        conditions = [f"changes({', '.join(map(repr, at))}) == []", *(f"changed({path!r})" for path in at)]
        expected = f"expected changes of {', '.join(at)} and of nothing else; changed: "
        return " and ".join([*conditions, *(values if valued else ())]), f"{expected!r} + {_MADE}", ()

    if paths:
        yield _effect(part, "changes", written)


def _path(part: FieldReader, written: str) -> Path:
    try:
        path = parse_path(written)
    except ValueError as error:
        part.report(str(error))
        return ()
    if not path:
        part.report("should be a path into the state, such as orders.ORD-001.status")
    return path


def _filled(path: Path, fill: Fill) -> str:
    return write_path([step if isinstance(step, int) else str(fill(step)) for step in path])
