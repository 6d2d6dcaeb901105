"""Rules over two or more conversations: exact counts, first examples and culprits, without looking at every tuple."""

from itertools import islice
from math import perm

from sparring.checking.answers import Answers, Question
from sparring.checking.blame import causes, culprits, used
from sparring.checking.candidates import OverBudget
from sparring.checking.columns import Columns
from sparring.checking.compiled import Compiled
from sparring.checking.estimate import rows_of, sample
from sparring.checking.examples import Telling, first_tuples
from sparring.checking.leaves import Leaves
from sparring.checking.limits import Limits
from sparring.checking.plan import Plan, conditions, plan
from sparring.checking.quantifiers import quantified
from sparring.checking.reasons import written
from sparring.checking.shares import judged
from sparring.checking.tally import Tally
from sparring.checking.units import rebased, units
from sparring.core.verdict import Finding


def keep(compiled: Compiled, leaves: Leaves) -> None:
    """Have everything kept that a rule will need of each conversation."""
    trees = [*(part.node for part in conditions(compiled)), *compiled.trees.values()]
    for tree in trees:
        for node, _ in units(tree):
            leaves.add(rebased(node))


async def finding(compiled: Compiled, leaves: Leaves, columns: Columns, answers: Answers, limits: Limits) -> Finding:
    """What a rule finds, after the model was asked all that has to be known."""
    while True:
        laid_out = plan(compiled, columns, answers)
        if laid_out.open_questions:
            await answers.ask(laid_out.open_questions)
            continue
        telling = Telling(compiled, columns, answers, leaves.ids)
        found = counted(laid_out, telling, limits)
        questions = open_questions(laid_out)
        if not questions:
            return found
        await answers.ask(questions)


def open_questions(laid_out: Plan) -> list[Question]:
    """What came up while counting."""
    residuals = (atom.residual for atom in laid_out.atoms if atom.residual is not None)
    return [question for residual in residuals for question in residual.open_questions]


def counted(laid_out: Plan, telling: Telling, limits: Limits) -> Finding:
    """The exact counts of a rule, or an estimate where it would have to look at too many tuples."""
    tally = Tally(laid_out, limits.candidates)
    try:
        return _exact(laid_out, tally, telling, limits)
    except OverBudget:
        return _estimated(laid_out, telling, limits)


def _blank(laid_out: Plan, telling: Telling) -> Finding:
    rule = laid_out.compiled.rule
    return Finding(
        rule=rule.name,
        file=rule.file,
        description=rule.description,
        conversations=rule.conversations,
        total=perm(len(telling.ids), laid_out.positions),
    )


def _exact(laid_out: Plan, tally: Tally, telling: Telling, limits: Limits) -> Finding:
    blank = _blank(laid_out, telling)
    applicable, satisfied = tally.number("applicable"), tally.number("satisfied")
    errors, no_model = tally.errors(), tally.no_model()
    left_out = blank.total - applicable - sum(errors[c] + no_model[c] for c in ("when", "if"))
    violated = applicable - satisfied - errors["then"] - no_model["then"]
    first = first_tuples(laid_out.events.violated, tally.people, laid_out.groups.of_row, tally.violated_at(0))
    undecided = sum(errors.values()) + sum(no_model.values())
    found = blank.model_copy(
        update={
            "filtered": left_out,
            "applicable": applicable,
            "satisfied": satisfied,
            "violated": violated,
            "not_applicable": left_out,
            "errors": errors,
            "needs_model": sum(no_model.values()),
            "examples": tuple(telling.example(rows) for rows in islice(first, limits.examples)) if violated else (),
            "culprits": tuple(culprits(laid_out, tally, telling.ids, limits.culprits)) if violated else (),
            "causes": causes(laid_out, tally, telling) if undecided else (),
            "removed_by": "" if applicable or undecided else _removed_by(laid_out, tally),
        }
    )
    rule = laid_out.compiled.rule
    if rule.quantifier in ("forall exists", "exists forall"):
        return quantified(rule, found, tally)
    return judged(rule, found, used(laid_out, tally) if rule.confidence else 0)


def _removed_by(laid_out: Plan, tally: Tally) -> str:
    """The first condition that no tuple got past."""
    for number, part in enumerate(laid_out.conditions):
        if part.clause != "then" and not tally.passing(number):
            return f"{part.clause}: {written(part.node)}"
    return ""


def _estimated(laid_out: Plan, telling: Telling, limits: Limits) -> Finding:
    blank = _blank(laid_out, telling)
    sampled = sample(laid_out, telling.answers, limits)
    if sampled is None:
        return blank.model_copy(update={"not_applicable": blank.total, "filtered": blank.total})
    of_row = laid_out.groups.of_row
    errors = {clause: sampled.of_all(f"error_{clause}") for clause in ("when", "if", "then")}
    no_model = {clause: sampled.of_all(f"no_model_{clause}") for clause in ("when", "if", "then")}
    satisfied, violated = sampled.of_all("satisfied"), sampled.of_all("violated")
    applicable = satisfied + violated + errors["then"] + no_model["then"]
    left_out = max(blank.total - applicable - sum(errors[c] + no_model[c] for c in ("when", "if")), 0)
    examples = (telling.example(rows_of(groups, of_row)) for groups in sampled.violations)
    found = blank.model_copy(
        update={
            "filtered": left_out,
            "applicable": applicable,
            "satisfied": satisfied,
            "violated": violated,
            "not_applicable": left_out,
            "errors": errors,
            "needs_model": sum(no_model.values()),
            "examples": tuple(examples),
            "estimate": sampled.estimate,
        }
    )
    return judged(laid_out.compiled.rule, found, len(telling.ids))
