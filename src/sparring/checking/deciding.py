"""How a rule comes out for one tuple of conversations: from left to right, no further than needed."""

from dataclasses import dataclass
from operator import eq
from typing import Literal

from sparring.checking.compiled import Compiled
from sparring.checking.scene import Scene, Term, evaluate
from sparring.checking.undecided import Failure
from sparring.core.verdict import Outcome

Where = Literal["when", "if", "then"]


@dataclass(frozen=True, slots=True)
class Decision:
    """How a rule came out; `failure` is why it could not be decided, in which `clause`."""

    outcome: Outcome
    clause: Where = "then"
    failure: Failure | None = None


NOT_APPLICABLE = Decision(Outcome.NOT_APPLICABLE)
PASS = Decision(Outcome.PASS)
FAIL = Decision(Outcome.FAIL)


@dataclass(frozen=True, slots=True)
class Clauses:
    """The closures of a rule's conditions, without those that are simply True, and of what must hold."""

    conditions: tuple[tuple[Where, Term], ...]
    then: Term


def clauses(compiled: Compiled) -> Clauses:
    """What has to be evaluated of a rule."""
    wheres: tuple[Where, ...] = ("when", "if")
    conditions = tuple((where, compiled.term(where)) for where in wheres if compiled.rule.clause(where) != "True")
    return Clauses(conditions, compiled.term("then"))


def decide(rule: Clauses, scene: Scene) -> Decision:
    """Evaluate what must be evaluated of a rule, and say how it comes out."""
    for where, term in rule.conditions:
        value = _truth(term, scene)
        if isinstance(value, Failure):
            return Decision(Outcome.ERROR, where, value)
        if not value:
            return NOT_APPLICABLE
    value = evaluate(rule.then, scene)
    if type(value) is Failure:
        return Decision(Outcome.ERROR, "then", value)
    return PASS if eq(value, True) else FAIL


def _truth(term: Term, scene: Scene) -> bool | Failure:
    value = evaluate(term, scene)
    return value if type(value) is Failure else bool(value)
