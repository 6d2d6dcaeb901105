"""Policies: limits of a tool's act, and conversations that try each limit at its bound and beside it.

A policy file names the tool that acts, the user's words, the records that the chatbot knows, and the limits. Every case
has the expected decision. It also requires that checking tools run before the act, and that the user says yes if the
chatbot has to ask.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from pathlib import Path

from sparring.core.case import Case, Say
from sparring.core.checks import Expectation
from sparring.core.errors import Problem
from sparring.core.value import Json, is_number
from sparring.extraction.stated_answers import FLAGS
from sparring.scenarios.boundaries import SIDES, Boundaries, BoundaryCase, Limit
from sparring.scenarios.expansion import Expansion, LoadOptions, Row
from sparring.scenarios.expectations import is_sound, rule_at
from sparring.scenarios.field_reader import FieldReader, ProblemList
from sparring.scenarios.field_types import (
    AMOUNT,
    BOOLEAN,
    MAPPING,
    SINGLE,
    TAGS,
    TEXT,
    TEXTS,
    AnyOf,
    EntriesOf,
    Key,
    ListOf,
    Record,
    Shared,
    schema_of_file,
)
from sparring.scenarios.file_names import slug, stem
from sparring.scenarios.kinds import ScenarioKind, SourceDocument, has_key
from sparring.scenarios.placeholders import check_placeholders, fill, fill_json, texts, to_json

CHECK = "policy"
_VALUES = AnyOf((SINGLE, ListOf(SINGLE)))
_BOUND = AnyOf((AMOUNT, ListOf(AMOUNT)))
_LIMIT = Record(
    {
        "most": Key(_BOUND, "allowed up to this number, or to that in this column of the records; or several"),
        "least": Key(_BOUND, "allowed from this number on"),
        "under": Key(_BOUND, "allowed below this number"),
        "over": Key(_BOUND, "allowed above this number"),
        "step": Key(AMOUNT, "difference between neighbouring values"),
        "after": Key(TEXT, "the field is a date, and the numbers are days after the date in this column"),
        "only": Key(_VALUES, "values that are allowed"),
        "never": Key(_VALUES, "values that are not allowed"),
        "own": Key(BOOLEAN, "the user has to be the one in this column"),
    },
    least=1,
)
_TEXTS = ("policy", "tool", "done", "refused")
_PHRASES = ("says", "confirms", "declines", "asks")
KEYS = Record(
    {
        "policy": Key(TEXT, "what the policy is called", required=True),
        "tool": Key(TEXT, "the tool that acts", required=True),
        "args": Key(MAPPING, "what it must be given, among others"),
        "says": Key(TEXT, "what the user says to have it done", required=True),
        "confirms": Key(TEXT, "what the user says when the chatbot asks for a yes, without which it must not act"),
        "declines": Key(TEXT, "what the user says instead, so that it must not act"),
        "asks": Key(TEXT, "a question of the user about the act, after which it must not act"),
        "checks": Key(TEXTS, "tools that must succeed before, for the same arguments"),
        "done": Key(TEXT, "a pattern of replies that say that it is done"),
        "refused": Key(TEXT, "a pattern of replies that refuse it"),
        "changes": Key(TEXTS, "paths of the chatbot's state that the act changes; nothing else may change"),
        "variables": Key(MAPPING, "values for all cases"),
        "unknown": Key(MAPPING, "a record that the chatbot does not know"),
        "records": Key(ListOf(EntriesOf(SINGLE), least=1), "records that the chatbot knows", required=True),
        "limits": Key(EntriesOf(Shared("limit", lambda: _LIMIT)), "what is allowed, by field", required=True),
        "tags": TAGS,
    }
)
Fields = Mapping[str, FieldReader]


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy as it was read; `texts` are its keys with a text."""

    id: str
    file: str
    texts: Mapping[str, str]
    args: Row
    checks: tuple[str, ...]
    changes: tuple[str, ...]
    variables: Row
    unknown: Row
    boundaries: Boundaries
    tags: tuple[str, ...] = ()
    line: int = 1


def cases(document: SourceDocument, options: LoadOptions) -> Expansion:
    """Return the cases at the limits of a policy; raise an `InputError` with all problems."""
    policy = _policy(document)
    return Expansion(tuple(each.case(policy, options) for each in _scripts(policy)))


def gaps(document: SourceDocument) -> tuple[Problem, ...]:
    """Return a warning for each value at a limit that no record can test."""
    policy = _policy(document)
    return tuple(
        Problem(
            file=policy.file,
            line=limit.line,
            path=f"limits.{limit.field}",
            message=f"{shown} is not tried: no record has it and is within the other limits",
            hint="add such a record, if the chatbot can have one",
        )
        for limit, shown in policy.boundaries.cases()[1]
    )


def _policy(document: SourceDocument) -> Policy:
    root = FieldReader(document.data, document, ProblemList())
    fields = root.fields(KEYS)
    records = _records(fields)
    limits = _limits(fields, records)
    variables = _mapping(fields, "variables")
    policy = Policy(
        id=stem(Path(document.file)),
        file=document.file,
        texts={name: fields[name].text() for name in (*_TEXTS, *_PHRASES) if name in fields},
        args=_mapping(fields, "args"),
        checks=fields["checks"].texts() if "checks" in fields else (),
        changes=fields["changes"].texts() if "changes" in fields else (),
        variables=variables,
        unknown=_mapping(fields, "unknown"),
        boundaries=Boundaries(limits, records),
        tags=fields["tags"].texts() if "tags" in fields else (),
        line=root.place["line"],
    )
    _check(fields, policy)
    root.problems.require_none()
    if not policy.boundaries.usual():
        fields["records"].report("no record is within all limits, so nothing that is allowed is tried", "add one")
        root.problems.require_none()
    return policy


def _mapping(fields: Fields, name: str) -> Row:
    return {key: to_json(part.data) for key, part in fields[name].entries()} if name in fields else {}


def _records(fields: Fields) -> list[Row]:
    found: list[Row] = []
    parts = fields["records"].items() if "records" in fields else []
    for part in parts:
        record = {name: to_json(each.data) for name, each in part.entries()}
        first = found[0] if found else record
        for name in (name for name in first if name not in record):
            part.report(f"has no {name!r}, which the first record has")
        for name in (name for name in record if name not in first):
            part.at(name, None).report("the first record does not have it", part.suggestion(name, first), key=True)
        found.append(record)
    return found


def _limits(fields: Fields, records: Sequence[Row]) -> list[Limit]:
    columns = records[0] if records else {}
    entries = fields["limits"].entries() if "limits" in fields else []
    if "limits" in fields and fields["limits"].data == {}:
        fields["limits"].report("there is no limit")
    return [limit for name, part in entries if (limit := _limit(name, part, columns, records))]


def _limit(name: str, part: FieldReader, columns: Row, records: Sequence[Row]) -> Limit | None:
    fields = part.fields(_LIMIT)
    sides = [side for side in SIDES if side in fields]
    listed = [key for key in ("only", "never") if key in fields]
    own = fields["own"].boolean() if "own" in fields else False
    if bool(sides) + len(listed) + own != 1:
        part.report("a limit has bounds (most, least, under, over), or `only`, or `never`, or `own: true`")
        return None
    if not sides and name not in columns:
        part.report("is no column of the records", part.suggestion(name, columns), key=True)
        return None
    after = fields["after"].text() if "after" in fields else ""
    if after and after not in columns:
        fields["after"].report("is no column of the records", part.suggestion(after, columns))
        return None
    written = [(side, each) for side in sides for each in fields[side].listed()]
    bounds = tuple((side, bound) for side, each in written if (bound := _bound(each, columns)) is not None)
    only, never = (
        tuple(to_json(each.data) for each in fields[key].listed()) if key in fields else () for key in ("only", "never")
    )
    line, step = part.place["line"], _step(fields, [bound for _, bound in bounds])
    limit = Limit(name, bounds, step, after, only=only, never=never, own=own, line=line)
    return limit if len(bounds) == len(written) and _fits(limit, part, records) else None


def _bound(part: FieldReader, columns: Row) -> Decimal | str | None:
    if isinstance(part.data, str) and part.data in columns:
        return part.data
    if isinstance(part.data, str):
        part.report("should be a number, or a column of the records", part.suggestion(part.data, columns))
        return None
    number = part.number()
    return None if number is None else Decimal(str(number))


def _step(fields: Fields, bounds: Sequence[Decimal | str]) -> Decimal:
    if "step" in fields:
        given = fields["step"].positive()
        return Decimal(str(given)) if given else Decimal(1)
    exponents = [int(each.as_tuple().exponent) for each in bounds if isinstance(each, Decimal)]
    return Decimal(1).scaleb(min([0, *exponents]))


def _fits(limit: Limit, part: FieldReader, records: Sequence[Row]) -> bool:
    """Report values of records that a limit cannot compare; return True if there are none."""
    numbers = {limit.field} if limit.bounds and not limit.after else set()
    numbers |= {bound for _, bound in limit.bounds if isinstance(bound, str)}
    wrong = [(name, each[name]) for each in records for name in numbers if name in each and not is_number(each[name])]
    dates = [each[limit.after] for each in records if limit.after in each and not _is_date(each[limit.after])]
    for name, value in wrong[:1]:
        part.report(f"compares {name}, and {value!r} in a record is no number")
    for value in dates[:1]:
        part.report(f"counts days after {limit.after}, and {value!r} in a record is no date such as 2026-01-15")
    return not wrong and not dates


def _is_date(value: Json) -> bool:
    try:
        date.fromisoformat(str(value))
    except ValueError:
        return False
    return True


def _check(fields: Fields, policy: Policy) -> None:
    """Report placeholders that have no value, and patterns that cannot be used."""
    names = [*policy.variables, *(name for name, _ in fields["limits"].entries())] if "limits" in fields else []
    names += policy.boundaries.records[0] if policy.boundaries.records else []
    for key in (*_PHRASES, "args", "changes"):
        if key in fields:
            check_placeholders(texts(fields[key]), names)
    for key in ("done", "refused"):
        if pattern := policy.texts.get(key):
            is_sound(FLAGS + pattern, fields[key])
    if "declines" in fields and "confirms" not in fields:
        fields["declines"].report("needs `confirms`: the chatbot asks for a yes", key=True)


@dataclass(frozen=True, slots=True)
class _Script:
    """The conversation of a case: the user's words, and if the act must be done in the end."""

    name: str
    says: tuple[str, ...]
    at: BoundaryCase
    done: bool

    @property
    def _refuses(self) -> bool:
        """True if a right chatbot says no: the user neither asks nor takes it back."""
        return not (self.done or "asks" in self.says or "declines" in self.says)

    def case(self, policy: Policy, options: LoadOptions) -> Case:
        """Return the case with its expectations."""
        values = {**policy.variables, **self.at.record, **self.at.values}
        said = [fill(policy.texts[key], values) for key in self.says]
        return Case(
            id=f"{policy.id}/{slug(self.name)}",
            script=tuple(Say(text=text) for text in said),
            variables=values,
            expectations=tuple(self._expected(policy, values)),
            right="refuse" if self._refuses else "act",
            tags=tuple(dict.fromkeys(("policy", *policy.tags))),
            seed=options.seed,
            limits=options.limits.changed(turns=max(options.limits.turns, len(said))),
        )

    def _expected(self, policy: Policy, values: Row) -> Iterator[Expectation]:
        tool, args = policy.texts["tool"], fill_json(policy.args, values, lambda text: fill(text, values))
        asked = [n for n, key in enumerate(self.says, 1) if key == "says" and "confirms" in self.says[n:]]
        for step in asked:
            yield self._rule(policy, f"not_called({tool!r})", f"{tool} comes before the user's yes", step)
        if self.done:
            yield self._rule(policy, f"calls({tool!r}, {args!r}) == 1", f"expected one {tool} that succeeds")
        elif policy.checks or self.says == ("asks",):
            yield self._rule(policy, f"not_called({tool!r})", f"expected no {tool}")
        else:
            yield self._rule(policy, f"calls({tool!r}) == 0", f"expected no {tool} that succeeds")
        if policy.checks:
            names = ", ".join(map(repr, (tool, *policy.checks)))
            yield self._rule(policy, f"checked_first({names})", f"expected {' and '.join(policy.checks)} before {tool}")
        if self.done and "confirms" in self.says:
            yield self._rule(policy, f"confirmed_first({tool!r})", f"expected a yes before {tool}")
        yield from self._of_words(policy)
        if policy.changes:
            paths = ", ".join(repr(fill(each, values)) for each in policy.changes)
            then = [f"changes({paths}) == []", *(f"changed({path})" for path in paths.split(", "))]
            changed = " and ".join(then) if self.done else "changes() == []"
            yield self._rule(policy, changed, "the state is not as expected")

    def _of_words(self, policy: Policy) -> Iterator[Expectation]:
        done, refused = (FLAGS + policy.texts[key] if key in policy.texts else "" for key in ("done", "refused"))
        if self.done and done:
            yield self._rule(policy, f"last_reply_says({done!r})", "expected that the reply says it is done")
        if self.done and refused:
            yield self._rule(policy, f"not last_reply_says({refused!r})", "expected that the reply does not refuse it")
        if self._refuses and refused:
            says = f"last_reply_says({refused!r})" if policy.checks else f"chatbot_says({refused!r})"
            after = self.says.index("says") + 1 if policy.checks else None
            yield self._rule(policy, says, "expected that the reply refuses it", after)

    def _rule(self, policy: Policy, then: str, about: str, after: int | None = None) -> Expectation:
        line = self.at.limit.line if self.at.limit else policy.line
        yields = f"{about + '; called were: '!r} + tools_used() + {'; the reply: '!r} + last_reply()"
        place = {"line": line, "column": 1}
        rule = rule_at(then, name=self.name, yields=yields, about=about, file=policy.file, place=place)
        return Expectation(rule=rule, after=after, check=CHECK)


def _scripts(policy: Policy) -> Iterator[_Script]:
    """Yield the conversations of a policy: each limit, a record that is unknown, a question, and a no."""
    act = ("says", "confirms") if "confirms" in policy.texts else ("says",)
    (usual,) = policy.boundaries.usual()
    unknown = replace(usual, record={**usual.record, **policy.unknown}, values={**usual.values, **policy.unknown})
    found = policy.boundaries.cases()[0]
    yield _Script("allowed", act, usual, True)
    yield from (_Script(each.name, act, each, each.allowed) for each in found)
    if policy.unknown:
        yield _Script("unknown", act, unknown, False)
    if "declines" in policy.texts:
        yield _Script("declined", ("says", "declines"), usual, False)
    if "asks" in policy.texts:
        refused = next((each for each in found if not each.allowed), None)
        yield _Script("asked", ("asks",), usual, False)
        yield from [_Script("asked-refused", ("asks",), refused, False)] if refused else []


KIND = ScenarioKind(
    label="policy",
    schema=lambda: schema_of_file("A policy: what a tool may do, and the cases at its limits", KEYS),
    signature="the keys policy and limits",
    precedence=25,
    keys=frozenset({"policy"}),
    recognises=has_key({"policy"}),
    cases=cases,
)
"""The plug-in `policy`."""
