"""Rules over two or more conversations: exact counts, first examples and culprits, without looking at every tuple.

Rules over two or more conversations, and over all of them; with NumPy, which rules over one do not need.
"""

from itertools import islice

from sparring.core.verdict import Finding
from sparring.rules.count.counting import OverBudget
from sparring.rules.count.estimation import uncounted, with_counts
from sparring.rules.count.examples import ExampleFormatter, causes, culprits, first_tuples, used
from sparring.rules.count.plan import Plan, conditions, plan
from sparring.rules.count.tally import ONE_FOR_EACH, Tally, quantified
from sparring.rules.evaluate import aggregate_rule
from sparring.rules.evaluate.columns import Columns
from sparring.rules.evaluate.compiled_rule import Compiled, rebased, units
from sparring.rules.evaluate.decisions import with_outcome, written
from sparring.rules.evaluate.model_questions import Answers, Question
from sparring.rules.evaluate.required_columns import RequiredColumns
from sparring.rules.limits import Limits


def keep_tuples(compiled: Compiled, leaves: RequiredColumns) -> None:
    """Have everything kept that a rule will need of each conversation."""
    trees = [*(part.node for part in conditions(compiled)), *compiled.trees.values()]
    for tree in trees:
        for node, _ in units(tree):
            leaves.add(rebased(node))


async def finding(
    compiled: Compiled, leaves: RequiredColumns, columns: Columns, answers: Answers, limits: Limits
) -> Finding:
    """What a rule finds, after the model was asked all that has to be known."""
    while True:
        laid_out = plan(compiled, columns, answers)
        if laid_out.open_questions:
            await answers.ask(laid_out.open_questions)
            continue
        telling = ExampleFormatter(compiled, columns, answers, leaves.ids)
        found = counted(laid_out, telling, limits)
        questions = open_questions(laid_out)
        if not questions:
            return found
        await answers.ask(questions)


def open_questions(laid_out: Plan) -> list[Question]:
    """What came up while counting."""
    residuals = (atom.residual for atom in laid_out.atoms if atom.residual is not None)
    return [question for residual in residuals for question in residual.open_questions]


def counted(laid_out: Plan, telling: ExampleFormatter, limits: Limits) -> Finding:
    """The exact counts of a rule, or the next best thing where it would have to look at too many tuples."""
    tally = Tally(laid_out, limits.candidates)
    try:
        return _exact(laid_out, tally, telling, limits)
    except OverBudget:
        return uncounted(laid_out, telling, limits)


def _exact(laid_out: Plan, tally: Tally, telling: ExampleFormatter, limits: Limits) -> Finding:
    applicable, satisfied = tally.number("applicable"), tally.number("satisfied")
    errors, no_model = tally.errors(), tally.no_model()
    violated = applicable - satisfied - errors["then"] - no_model["then"]
    first = first_tuples(laid_out.events.violated, tally.people, laid_out.groups.of_row, tally.violated_at(0))
    undecided = sum(errors.values()) + sum(no_model.values())
    found = with_counts(laid_out, len(telling.ids), satisfied, violated, errors, no_model).model_copy(
        update={
            "examples": tuple(telling.example(rows) for rows in islice(first, limits.examples)) if violated else (),
            "culprits": tuple(culprits(laid_out, tally, telling.ids, limits.culprits)) if violated else (),
            "causes": causes(laid_out, tally, telling) if undecided else (),
            "removed_by": "" if applicable or undecided else _removed_by(laid_out, tally),
        }
    )
    rule = laid_out.compiled.rule
    if rule.quantifier in ONE_FOR_EACH:
        return quantified(rule, found, tally)
    return with_outcome(rule, found, used(laid_out, tally) if rule.confidence else 0)


def _removed_by(laid_out: Plan, tally: Tally) -> str:
    """The first condition that no tuple got past."""
    for number, part in enumerate(laid_out.conditions):
        if part.clause != "then" and not tally.passing(number):
            return f"{part.clause}: {written(part.node)}"
    return ""


def keep(compiled: Compiled, leaves: RequiredColumns) -> None:
    """Have everything kept that a rule will need of each conversation."""
    if compiled.rule.conversations == "all":
        aggregate_rule.keep(compiled, leaves)
    else:
        keep_tuples(compiled, leaves)


class MultiRule:
    """What is known of the conversations when all have been seen; columns serve all rules that need them."""

    def __init__(self, leaves: RequiredColumns, answers: Answers, limits: Limits) -> None:
        self._leaves = leaves
        self._answers = answers
        self._limits = limits
        self._columns = Columns(leaves, answers)

    async def finding(self, compiled: Compiled) -> Finding:
        """What a rule finds."""
        find = aggregate_rule.finding if compiled.rule.conversations == "all" else finding
        return await find(compiled, self._leaves, self._columns, self._answers, self._limits)
