"""What must hold, as an exact rule."""

from typing import Literal

from pydantic import Field, NonNegativeInt, PositiveInt

from sparring.core.errors import Problem
from sparring.core.value import Value

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
