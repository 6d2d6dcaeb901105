"""Checks as data: rubrics for judges, rules, expectations, and the gate for a whole batch.

Evaluation lives elsewhere: judges in `judges`, rules in `rules`, the gate in `reports`.
"""

import ast
import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from operator import not_
from typing import Annotated, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveInt

from sparring.core.errors import InputError, Problem
from sparring.core.state import GoldenAction
from sparring.core.value import Value, to_json
from sparring.statistics.estimates import Claim

JudgeInput = Literal["goals", "variables", "tools", "results", "outputs", "ending"]
"""Parts of a conversation that a judge sees besides its messages.

`results` are the last results of the tools and the changes of the chatbot's state; `outputs` are the extracted values.
"""


Attempts = Literal["first", "last"]
"""Attempts at conversations that rates count: the first ones that were not void, or the last ones."""

Crash = Literal["failed", "undecided"]
"""Outcome of a conversation in which the chatbot crashed or hung."""

Unit = Literal["case", "scenario"]
"""What a row is: a case with its repeats, or a scenario with all conversations of all its combinations."""


class Scale(Value):
    """Scale of whole numbers from `worst` to `best`."""

    worst: NonNegativeInt = 1
    best: NonNegativeInt = 3

    def __str__(self) -> str:
        return f"{self.worst}-{self.best}"

    def __contains__(self, score: object) -> bool:
        return isinstance(score, int) and self.worst <= score <= self.best


class Rubric(Value):
    """A question to a judge: criteria, scale, pass mark and language of the comments.

    A score of at least `pass_mark` passes. `prompt` is the judge's full prompt with `{{rubric}}` and other
    placeholders; it is stored with the rubric, so every score can be traced to the prompt that produced it.
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
        """SHA-256 of all fields. Equal hashes ask the same question."""
        return hashlib.sha256(to_json(self)).hexdigest()


CHECKS_VERSION = 3
"""The version of the rule language, its functions and the built-in checks.

Raise it when any of them decides otherwise: recorded verdicts of another version are not read any more.
"""


def check_hash(kind: str, asked: bytes) -> str:
    """Return the hash under which verdicts of a check are recorded. Equal hashes mean equal checks."""
    return hashlib.sha256(b"%d %s " % (CHECKS_VERSION, kind.encode()) + asked).hexdigest()


Clause = Literal["when", "if", "then", "yields"]


class SourcePosition(Value):
    """Position of a clause in its file. `exact` is False if later lines cannot be located from it."""

    line: PositiveInt
    column: PositiveInt
    exact: bool = True


class Rule(Value):
    """A rule: where `when` and `if_` hold, it requires `then`. `yields` explains failures.

    `scenarios` are names or patterns of the scenarios that it is for; all of them if there are none. `conversations` is
    the number of conversations evaluated together, or `all`. `quantifier` selects the combinations
    for which `then` must hold; `at_least` requires a share from 0 to 1 instead. With `confidence`, the lower bound of
    the share must reach `at_least`, not just the observed share. A batch adds a hash of the `functions` of programs and
    plug-ins that the rule calls, so that it is another rule once one of them is edited.
    """

    name: str
    description: str = ""
    scenarios: tuple[str, ...] = ()
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
    places: dict[Clause, SourcePosition] = {}
    functions: str = Field("", exclude_if=lambda functions: not functions)

    @property
    def hash(self) -> str:
        """The hash under which its verdicts and findings are recorded."""
        return check_hash("rule", to_json(self))

    def clause(self, name: Clause) -> str:
        """Return the text of a clause."""
        return {"when": self.when, "if": self.if_, "then": self.then, "yields": self.yields}[name]

    def place(self, name: Clause, line: int, column: int) -> tuple[int | None, int | None]:
        """Return line and column in the file of a position in a clause, or the nearest known position."""
        if name not in self.places:
            return self.line, None
        place = self.places[name]
        if not place.exact:
            return place.line, place.column
        return place.line + line, place.column + column


class InvalidRule(Value):
    """A rule that cannot be evaluated, with its problems. It is listed among the results."""

    name: str
    file: str = ""
    conversations: PositiveInt | Literal["all"] = 1
    problems: tuple[Problem, ...]


class Expectation(Value):
    """A rule for one case. It is evaluated after script step `after` (from 1), or at the end if None.

    Expectations with the same `check` form one check, which passes if all of them hold. Its score is 1 or 0. `golden`
    actions are called on a fresh copy of the chatbot's state, for the rule to compare with, and `asks` at the end of
    the conversation, for their answers. `goal` is the number, from 1, of the goal that it belongs to.
    """

    rule: Rule
    after: PositiveInt | None = None
    check: str = ""
    golden: tuple[GoldenAction, ...] = ()
    asks: tuple[GoldenAction, ...] = Field((), exclude_if=not_)
    goal: PositiveInt | None = None


@dataclass(frozen=True, slots=True)
class NamedTool:
    """A tool and arguments that a rule names literally, with their position in the file of the rule."""

    tool: str
    arguments: tuple[str, ...] = ()
    line: int | None = None
    column: int | None = None


_OF_TOOLS = {
    *("called", "not_called", "attempted", "calls", "call_order", "tool_result", "tool_calls"),
    *("recovery", "risked_twice", "checked_first", "confirmed_first"),
    *("tool_results", "failed_calls", "call_errors", "each_preceded", "same_turn"),
}
_NAMES_SEVERAL = {"call_order", "checked_first", "each_preceded", "same_turn"}
_MENTIONS = re.compile("call|tool_|attempted|recovery|risked|first|preceded|same_turn")
_TAKE_ARGUMENTS = {"called", "not_called", "attempted"}


def named_tools(rule: Rule) -> Iterator[NamedTool]:
    """Yield the tools that the conditions of a rule name literally."""
    for clause in _CONDITIONS:
        text = rule.clause(clause)
        try:
            nodes = ast.walk(ast.parse(f"(\n{text}\n)", mode="eval")) if _MENTIONS.search(text) else iter(())
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        calls = [node for node in nodes if isinstance(node, ast.Call)]
        for call in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
            if isinstance(call.func, ast.Name) and call.func.id in _OF_TOOLS:
                yield from _named_in(call, call.func.id, rule, clause)


_CONDITIONS: tuple[Clause, ...] = ("when", "if", "then")


def _named_in(call: ast.Call, function: str, rule: Rule, clause: Clause) -> Iterator[NamedTool]:
    by = [each.value for each in call.keywords if (function, each.arg) == ("each_preceded", "by")]
    texts = [*call.args[: 1 if by else None], *by]  # what follows these is no tool
    written = [each for each in texts if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    written = written[:2] if function == "each_preceded" else written
    arguments = [each.arg for each in call.keywords if each.arg] if function in _TAKE_ARGUMENTS else []
    given = [*call.args[call.args.index(written[0]) + 1 :][:1]] if function == "calls" and written else []
    for each in (
        *given,
        *(keyword.value for keyword in call.keywords if function == "calls" and keyword.arg == "args"),
    ):
        keys = each.keys if isinstance(each, ast.Dict) else ()
        arguments += [str(key.value) for key in keys if isinstance(key, ast.Constant)]
    for each in written if function in _NAMES_SEVERAL else written[:1]:
        yield NamedTool(str(each.value), tuple(arguments), *rule.place(clause, each.lineno - 2, each.col_offset))


Share = Annotated[float, Field(ge=0, le=1)]
Limit = NonNegativeInt | Share
"""A maximum: a number of conversations if it is a whole number, else a share from 0 to 1."""


class PassHatK(Value):
    """A minimum of pass^k, the chance that `k` repeats of a case all pass."""

    k: PositiveInt = Field(description="number of repeats of a case that all pass")
    rate: Share = Field(description="minimum mean chance over the cases")


class Gate(Value):
    """Thresholds of a batch: `gate:` in sparring.yaml. The defaults are the strictest.

    Shares are from 0 to 1. A maximum is a number of conversations if it is a whole number, else a share. With
    `confidence`, each rate has to reach its minimum with its lower bound.
    """

    pass_rate: Share = Field(1, description="minimum share of conversations that pass")
    confidence: float | None = Field(
        None, gt=0.5, lt=1, description="apply each minimum to the lower bound of its rate at this confidence"
    )
    claim: Claim = Field("like these", description="cases that rates with confidence are about: these, or like these")
    unit: Unit = Field("case", description="unit whose conversations are repeats of each other: case or scenario")
    attempts: Attempts = Field("first", description="attempts that count: the first that was not void, or the last")
    crash: Crash = Field("failed", description="outcome of a conversation in which the chatbot crashed or hung")
    mean_score: float | None = Field(None, description="minimum mean score, on the scale of each rubric")
    share_of: dict[NonNegativeInt, Share] = Field(
        {}, description="minimum share of conversations with at least this score, such as `{2: 0.95}`"
    )
    pass_hat_k: PassHatK | None = Field(
        None, description="minimum chance that `k` repeats of a case all pass, such as `{k: 5, rate: 0.6}`"
    )
    crashes: Limit | None = Field(
        None, description="maximum number or share of conversations in which the chatbot crashed or hung"
    )
    errors: Limit = Field(0, description="maximum number or share of undecided conversations; more are inconclusive")
    weak: Limit | None = Field(None, description="maximum number or share of conversations of weak cases")
    unread: Limit | None = Field(None, description="maximum number or share of conversations with an unread goal")
    void: Limit = Field(
        0.1, description="maximum number or share of void conversations; more makes the gate inconclusive"
    )
    blamed_on_user: Limit | None = Field(
        None, description="maximum number or share of conversations blamed on the simulated user; as for `void`"
    )
    not_run: Limit = Field(0, description="maximum number or share of planned conversations that were not run")
    not_exercised: NonNegativeInt = Field(0, description="maximum number of rules that applied to nothing")
    violated: NonNegativeInt = Field(0, description="maximum number of violated rules over several conversations")
    max_cost: NonNegativeFloat | None = Field(None, description="maximum cost of the batch in US dollars")
    baseline: str = Field("", description="id or name of a batch; results must not be worse")
    baseline_nights: PositiveInt = Field(
        5, description="first batches of a series that are its baseline, where `baseline` is its own name"
    )
    margin: float | None = Field(
        None, gt=0, le=1, description="fall of the pass rate below the baseline that must be ruled out"
    )
    judge: Literal["calibrated"] | None = Field(
        None, description="`calibrated`: a verdict by a judge that is not calibrated for the batch is inconclusive"
    )
    not_worse: tuple[Annotated[str, Field(pattern="^(tag|check):.")], ...] = Field(
        (), description="tags and checks that must not be worse than the baseline, such as `tag:refunds`"
    )


def require_possible(
    gate: Gate, repeats: int | None = None, *, rubrics: Iterable[Rubric] = (), until_decided: bool = True
) -> None:
    """Raise InputError for thresholds that lack a baseline, or that no batch can reach.

    `repeats` are planned for each case, and `rubrics` give the scores. `until_decided` takes a margin without a
    baseline, which sets the largest number of conversations.
    """
    problems = []
    if not gate.baseline:
        wanting = ("not_worse",) if until_decided else ("margin", "not_worse")
        given = [name for name in wanting if getattr(gate, name)]
        problems += [
            Problem(path=f"gate.{name}", message="is about a baseline", hint="baseline: NAME") for name in given
        ]
    if repeats is not None and gate.pass_hat_k is not None and gate.pass_hat_k.k > repeats:
        message = f"takes {gate.pass_hat_k.k} repeats of each case, and {repeats} are planned"
        problems.append(Problem(path="gate.pass_hat_k", message=message, hint=f"--repeat {gate.pass_hat_k.k}"))
    scales = list(dict.fromkeys(rubric.scale for rubric in rubrics))
    asked = {"mean_score": gate.mean_score, **{f"share_of.{score}": score for score in gate.share_of}}
    for name, score in asked.items():
        if score is not None and scales and not any(scale.worst <= score <= scale.best for scale in scales):
            message = f"expected a score on the scale {' or '.join(map(str, scales))}, got {score:g}"
            problems.append(Problem(path=f"gate.{name}", message=message))
    if problems:
        raise InputError(problems)
