"""The state that a chatbot's tools work on: paths into it, and what changed between two readings.

A path is written `orders.ORD-001.status`: names with dots, `["a name"]` for a name with dots or blanks, `[0]` for an
item of a list. An item of a list whose items have unique ids is named by its id.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import not_
from typing import Literal

import orjson
from pydantic import Field
from pydantic_core import to_jsonable_python

from sparring.core.value import MAX_DEPTH, Json, JsonValue, Value, is_deeper

_STEP = re.compile(r"""\[(\d{1,6})\]|\[("(?:[^"\\]|\\.)*")\]|(?:^|\.)([^\s.\[\]"']+)""")
_PLAIN = re.compile(r"""[^\s.\[\]"']+""")

Step = str | int
Path = tuple[Step, ...]


class StateChange(Value):
    """A difference between two readings of the state."""

    path: str
    kind: Literal["added", "removed", "changed"]
    before: JsonValue = None
    after: JsonValue = None

    def __str__(self) -> str:
        before, after = shown(self.before), shown(self.after)
        return {
            "added": f"{self.path} added: {after}",
            "removed": f"{self.path} removed: {before}",
            "changed": f"{self.path}: {before} → {after}",
        }[self.kind]


class GoldenAction(Value):
    """A tool call that a correct chatbot would make. If it `may_fail`, its failure is passed over."""

    tool: str
    arguments: dict[str, JsonValue] = {}
    may_fail: bool = Field(False, exclude_if=not_)


class GoldenRun(Value):
    """What golden actions changed on a fresh copy of the state, or the `error` that stopped them.

    If they ran `late`, they were not done in time, which says nothing about the case.
    """

    actions: tuple[GoldenAction, ...]
    changes: tuple[StateChange, ...] = ()
    error: str = ""
    late: bool = Field(False, exclude_if=not_)


class ToolAnswer(Value):
    """The result, or `error`, of a tool that was called at the end, without the chatbot."""

    action: GoldenAction
    result: JsonValue = None
    error: str = ""


class StateRecord(Value):
    """The state of a chatbot at the start and at the end of a conversation.

    `end` is None where nothing changed. `unread` has the reason for each reading that failed. The readings of a large
    state are not `stored`, only its changes.
    """

    start: JsonValue = None
    end: JsonValue = None
    changes: tuple[StateChange, ...] = ()
    unread: dict[Literal["start", "end"], str] = {}
    golden: tuple[GoldenRun, ...] = ()
    answers: tuple[ToolAnswer, ...] = Field((), exclude_if=not_)
    stored: bool = True

    @property
    def now(self) -> Json:
        """The state at the end."""
        return self.end if self.changes or "start" in self.unread else self.start

    def for_storage(self, most: int) -> "StateRecord":
        """Return the record without readings that have more than `most` characters as JSON."""
        if len(json.dumps(self.start)) + len(json.dumps(self.end)) <= most:
            return self
        return self.model_copy(update={"start": None, "end": None, "stored": False})


def state_record(
    start: Json,
    end: Json,
    unread: Mapping[Literal["start", "end"], str],
    golden: tuple[GoldenRun, ...] = (),
    answers: tuple[ToolAnswer, ...] = (),
) -> StateRecord:
    """Return the record of two valid readings; an unread one is None and has its reason."""
    changes = () if unread else changes_between(start, end)
    kept = end if changes or "start" in unread else None
    fields = {"start": start, "end": kept, "changes": changes, "unread": dict(unread), "golden": golden}
    return StateRecord.unchecked({**fields, "answers": answers, "stored": True})


_PLAIN_ONLY = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_SUBCLASS


def as_state(value: object) -> Json:
    """Return a copy of a state as JSON. Raise ValueError or TypeError if it cannot be stored as JSON."""
    found: Json
    try:
        found = orjson.loads(orjson.dumps(value, option=_PLAIN_ONLY))  # six times as fast where it is JSON already
    except (TypeError, orjson.JSONDecodeError):
        found = to_jsonable_python(value, inf_nan_mode="null")
        orjson.dumps(found)  # refuses what could be written and not be read again, such as huge numbers
    if is_deeper(found, MAX_DEPTH):
        raise ValueError(f"the state is nested in more than {MAX_DEPTH} levels")
    return found


def parse_path(written: str) -> Path:
    """Parse a path. Raise ValueError with the syntax of paths."""
    steps: list[Step] = []
    at = 0
    while at < len(written):
        match = _STEP.match(written, at)
        if match is None:
            raise ValueError(f"{written[:100]!r} is no path into the state; a path looks like orders.ORD-001.status")
        index, quoted, name = match.groups()
        steps.append(int(index) if index else json.loads(quoted) if quoted else name)
        at = match.end()
    return tuple(steps)


def write_path(path: Iterable[Step]) -> str:
    """Return a path as it is written."""
    written = ""
    for step in path:
        if isinstance(step, int):
            written += f"[{step}]"
        elif _PLAIN.fullmatch(step):
            written += f".{step}" if written else step
        else:
            written += f"[{json.dumps(step, ensure_ascii=False)}]"
    return written


def values_at(state: Json, path: Path) -> list[Json]:
    """Return the value at a path in a list, which is empty if there is none."""
    found = state
    for step in path:
        inside = found if isinstance(found, dict) else _by_id(found) if isinstance(found, list) else {}
        if isinstance(step, str) and step in inside:
            found = inside[step]
        elif isinstance(found, list) and str(step).isdecimal() and int(step) < len(found):
            found = found[int(step)]
        else:
            return []
    return [found]


def changes_between(before: Json, after: Json) -> tuple[StateChange, ...]:
    """Return all differences, in the order of the earlier state; numbers are equal by value."""
    return tuple(_changes(before, after, ()))


def _is_same(before: Json, after: Json) -> bool:
    """Return True for values that are written the same, which most parts of two readings are."""
    try:
        return orjson.dumps(before) == orjson.dumps(after)
    except TypeError:
        return False


def _changes(before: Json, after: Json, at: Path) -> Iterator[StateChange]:
    if before is after or (isinstance(before, dict | list) and _is_same(before, after)):
        return
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _in_mappings(before, after, at)
    elif isinstance(before, list) and isinstance(after, list):
        old, new = _by_id(before), _by_id(after)
        if (old or not before) and (new or not after) and (old or new):
            yield from _in_mappings(old, new, at)
        else:
            yield from _in_lists(before, after, at)
    elif before != after or isinstance(before, bool) is not isinstance(after, bool):
        yield StateChange(path=write_path(at), kind="changed", before=before, after=after)


def _in_mappings(before: Mapping[str, Json], after: Mapping[str, Json], at: Path) -> Iterator[StateChange]:
    for name, value in before.items():
        if name in after:
            yield from _changes(value, after[name], (*at, name))
        else:
            yield StateChange(path=write_path((*at, name)), kind="removed", before=value)
    for name, value in after.items():
        if name not in before:
            yield StateChange(path=write_path((*at, name)), kind="added", after=value)


def _in_lists(before: list[Json], after: list[Json], at: Path) -> Iterator[StateChange]:
    for index, (old, new) in enumerate(zip(before, after, strict=False)):
        yield from _changes(old, new, (*at, index))
    for index, old in enumerate(before[len(after) :], len(after)):
        yield StateChange(path=write_path((*at, index)), kind="removed", before=old)
    for index, new in enumerate(after[len(before) :], len(before)):
        yield StateChange(path=write_path((*at, index)), kind="added", after=new)


def _by_id(items: list[Json]) -> dict[str, Json]:
    """Return the items of a list by their ids, or nothing unless every item has one of its own."""
    first = items[0] if items else None
    names = [name for name in first if name == "id" or name.endswith("_id")] if isinstance(first, dict) else []
    for name in sorted(names, key=lambda name: name != "id"):
        ids = [item.get(name) if isinstance(item, dict) else None for item in items]
        if all(isinstance(id, str | int) for id in ids) and len({str(id) for id in ids}) == len(items):
            return {str(id): item for id, item in zip(ids, items, strict=True)}
    return {}


def covers(pattern: Path, path: Path) -> bool:
    """Return True if a path is at or below a pattern: `*` is any step, `**` any number of steps."""
    if not pattern:
        return True
    if pattern[0] == "**":
        return any(covers(pattern[1:], path[at:]) for at in range(len(path) + 1))
    return bool(path) and pattern[0] in ("*", path[0], str(path[0])) and covers(pattern[1:], path[1:])


def without(changes: Iterable[StateChange], patterns: Sequence[str]) -> tuple[StateChange, ...]:
    """Return the changes at other places than these patterns cover."""
    parsed = [parse_path(pattern) for pattern in patterns]
    return tuple(
        change for change in changes if not any(covers(pattern, parse_path(change.path)) for pattern in parsed)
    )


def without_paths(state: Json, patterns: Sequence[Path], at: Path = ()) -> Json:
    """Return a state without what is at or below these patterns."""
    if not patterns or not isinstance(state, dict | list):
        return state
    if isinstance(state, dict):
        steps: list[tuple[Step, Json]] = list(state.items())
    else:
        ids = _by_id(state)
        steps = list(ids.items()) if ids else list(enumerate(state))
    kept = [
        (step, without_paths(value, patterns, (*at, step)))
        for step, value in steps
        if not any(covers(pattern, (*at, step)) for pattern in patterns)
    ]
    return {str(step): value for step, value in kept} if isinstance(state, dict) else [value for _, value in kept]


def differences(wanted: Iterable[StateChange], made: Iterable[StateChange]) -> list[str]:
    """Return a sentence for each change that was wanted and not made, or made and not wanted."""
    expected, found = {each.path: each for each in wanted}, {each.path: each for each in made}
    missing = [each for path, each in expected.items() if path not in found or _differs(each, found[path])]
    sentences = [_missing(each, found.get(each.path)) for each in missing]
    return sentences + [f"{each} (should not have changed)" for path, each in found.items() if path not in expected]


def _differs(one: StateChange, other: StateChange) -> bool:
    return one.kind != other.kind or bool(changes_between(one.after, other.after))


def _missing(wanted: StateChange, made: StateChange | None) -> str:
    if wanted.kind == "removed":
        return f"{wanted.path}: expected to be removed, is {shown(made.after if made else wanted.before)}"
    if made is None:
        is_now = "missing" if wanted.kind == "added" else shown(wanted.before)
    else:
        is_now = "removed" if made.kind == "removed" else shown(made.after)
    return f"{wanted.path}: expected {shown(wanted.after)}, is {is_now}"


_LONGEST = 100


def shown(value: Json) -> str:
    """Return the beginning of a value as JSON."""
    written = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return written if len(written) <= _LONGEST else written[: _LONGEST - 1] + "…"
