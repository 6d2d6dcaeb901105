"""Rules too entangled to be counted: every tuple is looked at if they are few, else a sample is, and says so."""

from collections.abc import Iterator, Mapping
from math import perm

from sparring.checking.deciding import Where
from sparring.checking.estimate import rows_of, sample
from sparring.checking.examples import Telling
from sparring.checking.exhaustive import Seen, look_at_all
from sparring.checking.limits import Limits
from sparring.checking.plan import Plan
from sparring.checking.quantifiers import ONE_FOR_EACH
from sparring.checking.shares import with_outcome
from sparring.core.verdict import Cause, Culprit, Finding, Outcome

_CLAUSES: tuple[Where, ...] = ("when", "if", "then")


def with_counts(
    laid_out: Plan,
    conversations: int,
    satisfied: int,
    violated: int,
    errors: Mapping[Where, int],
    no_model: Mapping[Where, int],
) -> Finding:
    """A finding with these numbers of tuples, and those that follow from them."""
    rule = laid_out.compiled.rule
    total = perm(conversations, laid_out.positions)
    applicable = satisfied + violated + errors["then"] + no_model["then"]
    left_out = max(total - applicable - sum(errors[c] + no_model[c] for c in ("when", "if")), 0)
    return Finding(
        rule=rule.name,
        file=rule.file,
        description=rule.description,
        conversations=rule.conversations,
        total=total,
        filtered=left_out,
        applicable=applicable,
        satisfied=satisfied,
        violated=violated,
        not_applicable=left_out,
        errors=dict(errors),
        needs_model=sum(no_model.values()),
    )


def uncounted(laid_out: Plan, telling: Telling, limits: Limits) -> Finding:
    """What a rule finds when counting it would take too long."""
    few = perm(len(telling.ids), laid_out.positions) <= limits.samples
    found = _all(laid_out, telling, limits) if few else _sampled(laid_out, telling, limits)
    rule = laid_out.compiled.rule
    if rule.quantifier in ONE_FOR_EACH:
        why = f"too many tuples to look at for 'quantifier: {rule.quantifier}'"
        cause = Cause(clause="then", reason=why, conversations=len(telling.ids), first=telling.ids[0])
        return found.model_copy(update={"judged": Outcome.ERROR, "causes": (cause,)})
    return with_outcome(rule, found, len(telling.ids))


def _all(laid_out: Plan, telling: Telling, limits: Limits) -> Finding:
    seen = look_at_all(laid_out, telling.answers, len(telling.ids), limits.examples)
    found = with_counts(
        laid_out,
        len(telling.ids),
        seen.outcomes["satisfied"],
        seen.outcomes["violated"],
        {clause: seen.outcomes[f"error_{clause}"] for clause in _CLAUSES},
        {clause: seen.outcomes[f"no_model_{clause}"] for clause in _CLAUSES},
    )
    examples = tuple(telling.example(rows) for rows in seen.violations)
    return found.model_copy(update={"examples": examples, "culprits": tuple(_culprits(seen, telling.ids, limits))})


def _culprits(seen: Seen, ids: list[str], limits: Limits) -> Iterator[Culprit]:
    def share(row: int) -> tuple[float, int, int]:
        return -seen.violated[row] / seen.applicable[row], -seen.violated[row], row

    for row in sorted(seen.violated, key=share)[: limits.culprits]:
        yield Culprit(conversation=ids[row], violated=seen.violated[row], applicable=seen.applicable[row])


def _sampled(laid_out: Plan, telling: Telling, limits: Limits) -> Finding:
    drawn = sample(laid_out, telling.answers, limits)
    if drawn is None:
        nothing: dict[Where, int] = dict.fromkeys(_CLAUSES, 0)
        return with_counts(laid_out, len(telling.ids), 0, 0, nothing, nothing)
    found = with_counts(
        laid_out,
        len(telling.ids),
        drawn.of_all("satisfied"),
        drawn.of_all("violated"),
        {clause: drawn.of_all(f"error_{clause}") for clause in _CLAUSES},
        {clause: drawn.of_all(f"no_model_{clause}") for clause in _CLAUSES},
    )
    examples = (telling.example(rows_of(groups, laid_out.groups.of_row)) for groups in drawn.violations)
    return found.model_copy(update={"examples": tuple(examples), "estimate": drawn.estimate})
