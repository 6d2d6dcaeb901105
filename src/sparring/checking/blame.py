"""Which conversations are behind the violations of a rule, and why it could not be decided elsewhere."""

from collections.abc import Iterator
from itertools import islice

import numpy as np

from sparring.checking.causes import Causes
from sparring.checking.deciding import Where
from sparring.checking.examples import Telling, first_tuples
from sparring.checking.plan import Plan
from sparring.checking.predicates import Signed
from sparring.checking.tally import Tally
from sparring.checking.undecided import Failure
from sparring.core.verdict import Cause, Culprit


def culprits(laid_out: Plan, tally: Tally, ids: list[str], shown: int) -> Iterator[Culprit]:
    """The conversations of which the largest share of tuples violates the rule."""
    violated, applicable = tally.anywhere("violated"), tally.anywhere("applicable")
    rate = violated / np.maximum(applicable, 1)
    of_row = laid_out.groups.of_row
    order = np.lexsort((-violated[of_row], -rate[of_row]))
    for row in order[:shown].tolist():
        group = of_row[row]
        if violated[group] > 0:
            yield Culprit(conversation=ids[row], violated=int(violated[group]), applicable=int(applicable[group]))


def used(laid_out: Plan, tally: Tally) -> int:
    """How many conversations the rule applies to in some tuple."""
    return int(laid_out.groups.sizes[tally.anywhere("applicable") > 0].sum())


def causes(laid_out: Plan, tally: Tally, telling: Telling) -> tuple[Cause, ...]:
    """Why tuples could not be decided: values that conversations do not have, else what the first such tuple says."""
    found = Causes()
    clauses: tuple[Where, ...] = ("when", "if", "then")
    for clause in clauses:
        undecided = [*laid_out.events.errors[clause], *laid_out.events.no_model[clause]]
        if undecided and not _of_columns(clause, laid_out, telling, found):
            _of_first_tuple(clause, undecided, laid_out, tally, telling, found)
    return found.most_frequent()


def _of_columns(clause: Where, laid_out: Plan, telling: Telling, found: Causes) -> bool:
    """Note each conversation that lacks a value; whether there is any."""
    failed = False
    for column in laid_out.columns_of(clause):
        for group in np.flatnonzero(~column.decided).tolist():
            failed = True
            error = column.values[column.codes[group]].error
            times = int(laid_out.groups.sizes[group])
            found.note(clause, error, telling.ids[laid_out.groups.first[group]], times)
    return failed


def _of_first_tuple(
    clause: Where, undecided: Signed, laid_out: Plan, tally: Tally, telling: Telling, found: Causes
) -> None:
    for rows in islice(first_tuples(undecided, tally.people, laid_out.groups.of_row), 1):
        values = [telling.value(part.node, rows) for part in laid_out.conditions if part.clause == clause]
        for failure in (value for value in values if isinstance(value, Failure)):
            found.note(clause, failure.error, " and ".join(telling.ids[row] for row in rows))
            return
