"""What a judge is asked.

What must hold, as an exact rule.

The tools of which a rule says that they are not used.

What a batch has to reach before its chatbot may go live.
"""

import ast
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveInt

from sparring.core.errors import Problem
from sparring.core.value import Value, to_json

JudgeInput = Literal["goals", "variables", "tools", "results", "outputs", "ending"]
"""What a judge is shown beside the words: what the user wanted and with which values, the tools that were used, what
each of them gave back last, the values that were read, and how it ended."""


class Scale(Value):
    """Whole numbers from the worst to the best."""

    worst: NonNegativeInt = 1
    best: NonNegativeInt = 3

    def __str__(self) -> str:
        return f"{self.worst}-{self.best}"

    def __contains__(self, score: object) -> bool:
        return isinstance(score, int) and self.worst <= score <= self.best


class Rubric(Value):
    """What a judge is asked about a conversation: the criteria, the scale, from which score on it passes, and in which
    language to comment.

    `prompt` is the whole of what the judge is told, with `{{rubric}}` and other fields still open; it is kept with the
    rubric, so that a score can always be traced to the words that asked for it.
    """

    name: str
    text: str
    scale: Scale = Scale()
    pass_mark: NonNegativeInt = 2
    language: str = "English"
    shown: tuple[JudgeInput, ...] = ("goals", "variables", "tools", "results", "outputs", "ending")
    prompt: str = ""

    @property
    def hash(self) -> str:
        """The SHA-256 of everything in it: equal hashes ask for exactly the same."""
        return hashlib.sha256(to_json(self)).hexdigest()


Clause = Literal["when", "if", "then", "yields"]


class Place(Value):
    """Where the text of a clause begins in its file; `exact` if the rest of it follows there, line by line."""

    line: PositiveInt
    column: PositiveInt
    exact: bool = True


class Rule(Value):
    """`when` and `if_` say whether it applies, `then` must hold, `yields` explains a failure.

    `conversations` says how many it looks at together: 1, 2, 3, ... or all of them at once. `quantifier` says for
    which of these `then` must hold, `at_least` for what share of them; with a `confidence`, the share must hold beyond
    those that happened to be seen.
    """

    name: str
    description: str = ""
    conversations: PositiveInt | Literal["all"] = 1
    active: bool = True
    when: str = "True"
    if_: str = Field("True", alias="if")
    then: str
    yields: str = ""
    quantifier: Literal["forall", "exists", "forall exists", "exists forall"] = "forall"
    at_least: float | None = None
    confidence: float | None = None
    file: str = ""
    line: NonNegativeInt | None = None
    places: dict[Clause, Place] = {}

    def clause(self, name: Clause) -> str:
        """The text of a clause."""
        return {"when": self.when, "if": self.if_, "then": self.then, "yields": self.yields}[name]

    def place(self, name: Clause, line: int, column: int) -> tuple[int | None, int | None]:
        """Line and column in the file of a place in a clause's text, or the nearest that is known."""
        if name not in self.places:
            return self.line, None
        place = self.places[name]
        if not place.exact:
            return place.line, place.column
        return place.line + line, place.column + column


class InvalidRule(Value):
    """A rule that cannot be checked, and why; it keeps its place among the results."""

    name: str
    file: str = ""
    conversations: PositiveInt | Literal["all"] = 1
    problems: tuple[Problem, ...]


class Expectation(Value):
    """A rule for one case only: it holds after the step `after` of the script, counted from 1, or else at the end.

    Expectations with the same `check` are one check, which passes if all of them hold, and scores 1 or 0.
    """

    rule: Rule
    after: PositiveInt | None = None
    check: str = ""


@dataclass(frozen=True, slots=True)
class ForbiddenTools:
    """A tool that is not to be used, or not with these arguments."""

    tool: str
    arguments: tuple[str, ...] = ()


def tools_ruled_out(rule: Rule) -> tuple[ForbiddenTools, ...]:
    """Those that are written out: `not called('refund')`, `not_called('refund', order_id=7)`, `calls('refund') == 0`.

    A misspelt one is never used either, so whoever knows the tools has to look.
    """
    try:
        return tuple(dict.fromkeys(_named(ast.parse(rule.then.strip(), mode="eval"))))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()


def _named(tree: ast.AST) -> Iterator[ForbiddenTools]:
    for node in ast.walk(tree):
        match node:
            case ast.UnaryOp(op=ast.Not(), operand=ast.Call(func=ast.Name(id="called")) as call):
                yield from _asked(call)
            case ast.Call(func=ast.Name(id="not_called")) as call:
                yield from _asked(call)
            case ast.Compare(
                left=ast.Call(func=ast.Name(id="calls")) as call, ops=[ast.Eq()], comparators=[ast.Constant(value=0)]
            ):
                yield from _asked(call)


def _asked(call: ast.Call) -> Iterator[ForbiddenTools]:
    match call.args:
        case [ast.Constant(value=str(tool)), ast.Dict(keys=keys), *_]:
            names = [key.value for key in keys if isinstance(key, ast.Constant)]
            yield ForbiddenTools(tool, tuple([name for name in names if isinstance(name, str)]))
        case [ast.Constant(value=str(tool)), *_]:
            yield ForbiddenTools(tool, tuple([each.arg for each in call.keywords if each.arg]))


Share = Annotated[float, Field(ge=0, le=1)]


class Gate(Value):
    """What a batch has to reach: `gate:` in sparring.yaml. It is strict where it says nothing.

    Shares are from 0 to 1; `errors` and `not_run` may be whole numbers too, of conversations.
    """

    pass_rate: Share = Field(1, description="the share of conversations that has to pass")
    confidence: float | None = Field(
        None, gt=0.5, lt=1, description="with it, the share must hold beyond the conversations that were held"
    )
    errors: NonNegativeInt | Share = Field(
        0, description="how many may stay undecided: the chatbot, user or check failed"
    )
    not_run: NonNegativeInt | Share = Field(0, description="how many of what is planned may lack")
    not_exercised: NonNegativeInt = Field(0, description="how many rules may have applied to nothing")
    violated: NonNegativeInt = Field(0, description="how many rules over several conversations may be violated")
    max_cost: NonNegativeFloat | None = Field(None, description="US dollars the batch may have cost")
    baseline: str = Field("", description="a batch, by id or name, than which it may not be worse")
