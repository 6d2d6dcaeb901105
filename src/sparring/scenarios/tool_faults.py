"""Faults of tools in a scenario or playbook: `{tool: place_order, fails: timeout, when: first}`."""

from collections.abc import Mapping
from typing import get_args

from sparring.core.case import FaultKind, ToolFault
from sparring.core.value import Json
from sparring.scenarios.field_reader import FieldReader
from sparring.scenarios.field_types import AMOUNT, COUNT, MAPPING, TEXT, AnyOf, Key, ListOf, OneOf, Record, Shared
from sparring.scenarios.placeholders import fill, fill_json, texts, to_json

_KINDS = OneOf(get_args(FaultKind))
_OFTEN = OneOf(("first", "always"))
_SOME = Record(
    {
        "nth": Key(COUNT, "the number of the call, from 1"),
        "share": Key(AMOUNT, "share of the calls, from 0 to 1, drawn by the seed"),
    },
    least=1,
    most=1,
)
_FAULT = Record(
    {
        "tool": Key(TEXT, "the tool that is broken", required=True),
        "fails": Key(_KINDS, "how it fails", required=True),
        "when": Key(AnyOf((_OFTEN, _SOME)), "calls that fail: the first, unless it says otherwise"),
        "args": Key(MAPPING, "arguments that such a call has, among others"),
    }
)
FAULTS = Record({"faults": Key(ListOf(Shared("fault", lambda: _FAULT)), "tools of the chatbot that fail, and how")})


def tool_faults(fields: Mapping[str, FieldReader]) -> tuple[ToolFault, ...]:
    """Parse the faults under the key of `FAULTS`; report problems with them."""
    return tuple(found for item in fields["faults"].items() if (found := _fault(item))) if "faults" in fields else ()


def fault_phrases(fields: Mapping[str, FieldReader]) -> list[tuple[FieldReader, str]]:
    """Return all texts of faults, which may have placeholders, with their places."""
    return list(texts(fields["faults"])) if "faults" in fields else []


def filled_faults(faults: tuple[ToolFault, ...], values: Mapping[str, Json]) -> tuple[ToolFault, ...]:
    """Return the faults with values in place of the placeholders of their arguments."""
    return tuple(
        each.changed(arguments=fill_json(each.arguments, values, lambda text: fill(text, values))) for each in faults
    )


def _fault(part: FieldReader) -> ToolFault | None:
    fields = part.fields(_FAULT)
    tool = fields["tool"].text() if "tool" in fields else ""
    fails = fields["fails"].one_of(_KINDS) if "fails" in fields else ""
    found: dict[str, Json] = {"tool": tool, "fails": fails, **(_when(fields["when"]) if "when" in fields else {})}
    if "args" in fields:
        found["arguments"] = {name: to_json(value.data) for name, value in fields["args"].entries()}
    return ToolFault.model_validate(found) if tool and fails else None


def _when(part: FieldReader) -> dict[str, Json]:
    if isinstance(part.data, str):
        return {"when": part.one_of(_OFTEN) or "first"}
    fields = part.fields(_SOME)
    if len(fields) != 1:
        part.report("should be first, always, {nth: 2} or {share: 0.3}")
        return {}
    if "nth" in fields:
        return {"nth": fields["nth"].integer()}
    share = fields["share"].number()
    if share is None or not 0 < share <= 1:
        fields["share"].report("should be a share, more than 0 and at most 1")
        return {}
    return {"share": share}
