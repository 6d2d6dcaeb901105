"""Explanation of a rule's evaluation plan: collected columns, kinds of conditions, way of counting."""

from collections.abc import Iterable, Iterator

from sparring.rules.count.comparison_tree import tree_of
from sparring.rules.count.conditions import Atom
from sparring.rules.count.estimation import Candidates
from sparring.rules.count.multi_rule import require_columns
from sparring.rules.count.plan import Condition, Plan, conditions, plan
from sparring.rules.count.predicates import Equal, Less, Opaque
from sparring.rules.evaluate.calls import EvaluationContext
from sparring.rules.evaluate.columns import ColumnSet
from sparring.rules.evaluate.compiled_rule import CompiledRule, rebase, units
from sparring.rules.evaluate.decisions import source_of
from sparring.rules.evaluate.model_questions import ModelAnswers
from sparring.rules.evaluate.required_columns import RequiredColumns, required_columns
from sparring.rules.language.expressions import uses_model
from sparring.rules.recording import Recording


def explain(compiled: CompiledRule, recordings: Iterable[Recording]) -> list[str]:
    """Return lines that describe how a rule would be evaluated. No model is called."""
    if compiled.rule.conversations == 1:
        return list(_one(compiled))
    required, answers = RequiredColumns(), ModelAnswers(None)
    require_columns(compiled, required)
    for recording in recordings:
        required.see([EvaluationContext((recording,), answers)])
    if compiled.rule.conversations == "all":
        return list(_all(compiled, required))
    return list(_several(plan(compiled, ColumnSet(required, answers)), len(required.ids)))


def _one(compiled: CompiledRule) -> Iterator[str]:
    yield f"{compiled.rule.name}: each conversation on its own, in a stream; nothing is kept"
    yield from (_line(part, "asks the model" if uses_model(part.node) else "") for part in conditions(compiled))


def _all(compiled: CompiledRule, required: RequiredColumns) -> Iterator[str]:
    yield f"{compiled.rule.name}: {len(required.ids):,} conversations at once"
    yield f"  when  {compiled.rule.when}"
    yield f"  if    {compiled.rule.if_}"
    yield f"  then  {compiled.rule.then}    [each aggregate once over the selected conversations]"


def _several(rule_plan: Plan, number: int) -> Iterator[str]:
    rule = rule_plan.compiled.rule
    yield f"{rule.name}: all ordered tuples of {rule_plan.positions} different conversations"
    yield f"  collected from each conversation: {', '.join(_required(rule_plan)) or 'nothing'}"
    for part, atom in zip(rule_plan.conditions, rule_plan.atoms, strict=True):
        yield _line(part, _kind(atom))
    yield f"  {number:,} conversations in {len(rule_plan.groups.sizes):,} groups of equal values"
    yield f"  {Candidates(rule_plan).number:,} tuples satisfy the required equalities"
    yield f"  {_counting(rule_plan)}"


def _required(rule_plan: Plan) -> list[str]:
    parts = [rebase(node) for part in rule_plan.conditions for node, _ in units(part.node)]
    return list(dict.fromkeys(source_of(leaf) for part in parts for leaf in required_columns(part).values()))


def _line(part: Condition, kind: str) -> str:
    return f"  {part.clause:<5} {source_of(part.node)}" + (f"    [{kind}]" if kind else "")


def _kind(atom: Atom) -> str:
    """Return the kind of a condition, for people."""
    if atom.residual is not None:
        return "vectorized arithmetic" if atom.residual.quick else "evaluated in Python, once for each distinct case"
    predicates = [predicate for _, problem in (*atom.true, *atom.error) for predicate in problem]
    if any(isinstance(predicate, Less) for predicate in predicates):
        return "order"
    if any(isinstance(predicate, Equal) for predicate in predicates):
        return "equality"
    return "each conversation on its own" if predicates else "constant"


def _counting(rule_plan: Plan) -> str:
    problems = [problem for _, problem in rule_plan.events["satisfied"]]
    if any(isinstance(predicate, Opaque) for problem in problems for predicate in problem):
        return "counted by enumerating candidates, because some conditions are evaluated in Python or as arithmetic"
    for problem in problems:
        equal = [predicate for predicate in problem if isinstance(predicate, Equal)]
        less = [predicate for predicate in problem if isinstance(predicate, Less)]
        if tree_of(rule_plan.positions, equal, less) is None:
            return "counted by enumerating candidates, because the comparisons form a cycle"
    return "counted without enumerating tuples"
