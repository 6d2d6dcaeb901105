"""Limits of a policy, and the values at and beside each of them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Literal

from sparring.core.value import Json
from sparring.scenarios.expansion import Row

Side = Literal["most", "least", "under", "over"]
SIDES: tuple[Side, ...] = ("most", "least", "under", "over")
_POINTS = {-1: "below ", 0: "", 1: "above "}


@dataclass(frozen=True, slots=True)
class Limit:
    """What is allowed for one field: numbers within bounds, some values only, or the owner.

    A bound is a number or the name of a column. Values of a field differ by `step`. With `after`, the field is a date,
    and its value the number of days after the date in that column. The limit stands in this `line` of the file.
    """

    field: str
    bounds: tuple[tuple[Side, Decimal | str], ...] = ()
    step: Decimal = Decimal(1)
    after: str = ""
    only: tuple[Json, ...] = ()
    never: tuple[Json, ...] = ()
    own: bool = False
    line: int = 1

    def allows(self, record: Row, value: Json) -> bool:
        """Return True if the policy allows a value of the field with a record."""
        if self.own:
            return value == record[self.field]
        if self.only or self.never:
            return value in self.only if self.only else value not in self.never
        number = self.number(record, value)
        return all(_within(side, number, _bound(bound, record)) for side, bound in self.bounds)

    def number(self, record: Row, value: Json) -> Decimal:
        """Return a value as the number that is compared: for dates the days after that of the record."""
        if self.after:
            return Decimal((date.fromisoformat(str(value)) - date.fromisoformat(str(record[self.after]))).days)
        return Decimal(str(value))

    def value(self, record: Row, number: Decimal) -> Json:
        """Return the value of the field for a number."""
        if self.after:
            return (date.fromisoformat(str(record[self.after])) + timedelta(days=int(number))).isoformat()
        return int(number) if number == number.to_integral_value() else float(number)

    def points(self, record: Row) -> Iterator[tuple[str, Decimal]]:
        """Yield the numbers at each bound and beside it, with names, that are within the other bounds."""
        for one in self.bounds:
            others = [(side, _bound(bound, record)) for side, bound in self.bounds if (side, bound) != one]
            for point, name in _POINTS.items():
                number = _bound(one[1], record) + point * self.step
                if all(_within(side, number, bound) for side, bound in others):
                    shown = f"{number.normalize():f}".replace("-", "minus ")
                    yield name + one[1] if isinstance(one[1], str) else shown, number

    def usual(self, record: Row) -> Json:
        """Return an allowed value of a field that the records do not have, in the middle of its bounds."""
        numbers = {side: [_bound(bound, record) for at, bound in self.bounds if at == side] for side in SIDES}
        high = min(numbers["most"] + [each - self.step for each in numbers["under"]], default=None)
        low = max(numbers["least"] + [each + self.step for each in numbers["over"]], default=None)
        low = min(Decimal(0), high or Decimal(0)) if low is None else low
        high = low + 10 * self.step if high is None else high
        return self.value(record, low + (high - low) / self.step // 2 * self.step)


def _bound(bound: Decimal | str, record: Row) -> Decimal:
    return Decimal(str(record[bound])) if isinstance(bound, str) else bound


def _within(side: Side, number: Decimal, bound: Decimal) -> bool:
    return {"most": number <= bound, "least": number >= bound, "under": number < bound, "over": number > bound}[side]


@dataclass(frozen=True, slots=True)
class BoundaryCase:
    """A record with values of fields, the limit that it tries, and the decision that is expected."""

    name: str
    record: Row
    values: Row
    allowed: bool
    limit: Limit | None = None


@dataclass(frozen=True, slots=True)
class Boundaries:
    """The limits of a policy and its records."""

    limits: Sequence[Limit]
    records: Sequence[Row]

    def usual(self) -> tuple[BoundaryCase, ...]:
        """Return the first record that is within all limits, as a case; nothing if there is none."""
        found = (BoundaryCase("allowed", each, self.base(each), True) for each in self.records)
        return tuple(each for each in found if self.violated(each.record, each.values) == [])[:1]

    def base(self, record: Row) -> Row:
        """Return the values of all fields for a record: its own, and else allowed ones."""
        return {each.field: record[each.field] if each.field in record else each.usual(record) for each in self.limits}

    def violated(self, record: Row, values: Mapping[str, Json]) -> list[Limit]:
        """Return the limits that values are beyond."""
        return [each for each in self.limits if not each.allows(record, values[each.field])]

    def cases(self) -> tuple[list[BoundaryCase], list[tuple[Limit, str]]]:
        """Return the cases at all limits, and the values that no record can test."""
        found: list[BoundaryCase] = []
        gaps: list[tuple[Limit, str]] = []
        for limit in self.limits:
            for shown, records in self._wanted(limit):
                made = [case for case in (self._case(limit, shown, *each) for each in records) if case]
                in_records = any(limit.field in each for each in self.records) and not limit.own
                found += made if in_records else made[:1]
                if not made:
                    gaps.append((limit, shown))
        return _named_apart(found), gaps

    def _wanted(self, limit: Limit) -> Iterator[tuple[str, list[tuple[Row, Json]]]]:
        """Yield each value to be tried, as text, with the records and values that try it."""
        if limit.own:
            owners = list(dict.fromkeys(str(each[limit.field]) for each in self.records))
            others = [(each, next((o for o in owners if o != each[limit.field]), "")) for each in self.records]
            yield "other", [(record, owner) for record, owner in others if owner]
        elif limit.bounds:
            yield from self._numbers(limit)
        else:
            seen = dict.fromkeys([*limit.only, *limit.never, *(each[limit.field] for each in self.records)])
            for value in seen:
                yield str(value), [(each, value) for each in self.records if each[limit.field] == value]

    def _numbers(self, limit: Limit) -> Iterator[tuple[str, list[tuple[Row, Json]]]]:
        points: dict[str, list[tuple[Row, Json]]] = {}
        for record in self.records:
            for shown, number in limit.points(record):
                value = limit.value(record, number)
                fits = limit.field not in record or limit.number(record, record[limit.field]) == number
                points.setdefault(shown, []).extend([(record, value)] if fits else [])
        yield from points.items()

    def _case(self, limit: Limit, shown: str, record: Row, value: Json) -> BoundaryCase | None:
        """Return a case with a value of the limit's field, unless the record violates another limit."""
        values = {**self.base(record), limit.field: value}
        violated = self.violated(record, values)
        if any(each is not limit for each in violated):
            return None
        return BoundaryCase(f"{limit.field}-{shown}", record, values, not violated, limit)


def _named_apart(found: Sequence[BoundaryCase]) -> list[BoundaryCase]:
    """Return the cases, numbering those that share a name."""
    times = Counter(each.name for each in found)
    seen = Counter[str]()
    named = []
    for each in found:
        seen[each.name] += 1
        named.append(replace(each, name=f"{each.name}-{seen[each.name]}") if times[each.name] > 1 else each)
    return named
