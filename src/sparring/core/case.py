"""A case: one conversation to be run, fully resolved, with its goals, script and limits."""

import re
from collections.abc import Iterable, Iterator
from operator import not_
from typing import Annotated, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from sparring.core.checks import Expectation
from sparring.core.errors import Problem
from sparring.core.message import Message, ToolCall, message
from sparring.core.state import GoldenAction
from sparring.core.value import JsonValue, Value

MAX_GOAL = 4_000
"""Maximum characters of a goal."""

MAX_GOALS_TEXT = 50_000
"""Maximum characters of all goals of a case together."""

CHANGE_YOUR_MIND = "change your mind"
"""Style of a user that changes its mind. `users/changes.py` plays it; a case has its `changes`."""


class Style(Value):
    """A style of writing, such as `long phrases`.

    `languages` belong to the style `change language`, and `mode` to `change your mind`; if it is empty, it is drawn.
    """

    name: str
    languages: tuple[str, ...] = ()
    mode: Literal["", "for good", "detour"] = Field("", exclude_if=not_)


class Persona(Value):
    """Behavior of the simulated user: role, traits in sentences, language and styles."""

    name: str = "default"
    role: str = ""
    traits: tuple[str, ...] = ()
    language: str = "English"
    styles: tuple[Style, ...] = ()


class AnswerHint(Value):
    """A pattern for a question of the chatbot and the answer to it, for users without a model."""

    asked: str
    says: str


class Fact(Value):
    """A fact that the user knows about itself, such as its name; several `values` are all true.

    `slot` is name, phone, email, address, age, birth_date, availability, budget, id, or a name of the author's.
    `source` is where it stands, `sparring` if it was generated; `quote` has the words that it was taken from.
    """

    slot: str
    values: tuple[str, ...]
    source: Literal["facts", "answers", "variable", "goal", "role", "trait", "sparring"] = "facts"
    quote: str = ""


class ChangeOfMind(Value):
    """A change of mind: the user says `first` for a variable and ends on `final`, the value of the case.

    For good, it changes once. On a detour it says `final`, takes `first`, and returns to `final`. It changes after the
    chatbot has `echoed` the value, instead of a yes when it asks to `confirm`, or `later`, after the next goal.
    """

    variable: str
    first: str
    final: str
    mode: Literal["for good", "detour"] = "for good"
    at: Literal["echoed", "confirm", "later"] = "echoed"


_NEEDLESS = re.compile(r"\\([ :,;'\"@#&!=<>%~/-])")
"""Escapes of characters that mean themselves in a pattern, as in values that were filled in."""


class GoalAnswer(Value):
    """A right answer to a goal: words, a regular expression, or a number that may be off by `tolerance`."""

    text: str = ""
    pattern: str = ""
    number: float | None = None
    tolerance: NonNegativeFloat = 0

    def __str__(self) -> str:
        if self.number is not None:
            return f"{self.number:g}" + (f" ± {self.tolerance:g}" if self.tolerance else "")
        return "/" + _NEEDLESS.sub(r"\1", self.pattern) + "/" if self.pattern else self.text

    @property
    def quoted(self) -> str:
        """The answer in quotes; a pattern stands between slashes."""
        return str(self) if self.pattern else repr(str(self))


class Goal(Value):
    """A goal of the user: its text with all placeholders filled, and the names of its variables.

    A user without a model opens with `first` if it is vaguer than the full text, and uses `answers` when the chatbot
    asks for details of this goal. `about` holds the words by which a question refers to the goal; by default all words
    of the text. `others` lists alternative values of variables that were chosen from a list: a reply that states an
    alternative does not answer the goal.

    A goal that asks for an `output` is answered once the output is stated. If the chatbot does not have a value of the
    goal, the user takes the first value of `otherwise` that it was not refused.

    What the author knows about the right outcome is never told to a user: one `answer` of several, an expression `done`
    that holds once the goal is reached, and patterns that the chatbot must `never` say.
    """

    text: str
    variables: tuple[str, ...] = ()
    first: str = ""
    answers: tuple[AnswerHint, ...] = ()
    about: str = ""
    others: dict[str, tuple[str, ...]] = {}
    output: str = ""
    otherwise: tuple[str, ...] = Field((), exclude_if=not_)
    answer: tuple[GoalAnswer, ...] = ()
    done: str = ""
    never: tuple[str, ...] = ()


class OutputSpec(Value):
    """A value to extract from replies, such as `price` of type `money`, "the price of the whole order".

    Users are not told about outputs. With `ask`, a scenario file adds a goal that asks for the output.
    """

    name: str
    type: str = "string"
    description: str = ""
    ask: bool = False


class Say(Value):
    """Script step: the user says exactly this, and the chatbot replies."""

    kind: Literal["say"] = "say"
    text: str


class InjectReply(Value):
    """Script step: add this chatbot message to the conversation without calling the chatbot."""

    kind: Literal["inject_reply"] = "inject_reply"
    text: str
    ends: bool = False

    @property
    def message(self) -> Message:
        """The injected reply as a message of the conversation."""
        return message("chatbot", self.text, ends=self.ends, injected=True)


class InjectTool(Value):
    """Script step: inject a tool call or replace its result.

    With `mode: history`, the chatbot has already made this call with this result. With `stub`, the next call of the
    tool returns this result and the tool itself does not run.
    """

    kind: Literal["inject_tool"] = "inject_tool"
    name: str
    arguments: dict[str, JsonValue] = {}
    result: JsonValue = None
    mode: Literal["history", "stub"] = "history"

    @property
    def message(self) -> Message:
        """The injected call as a message of the conversation, for `mode: history`."""
        call = ToolCall(name=self.name, arguments=self.arguments, result=self.result)
        return message("chatbot", "", tool_calls=(call,), injected=True)


Step = Annotated[Say | InjectReply | InjectTool, Field(discriminator="kind")]


FaultKind = Literal["timeout", "error", "rate_limit", "empty", "stale", "swapped", "truncated", "contradictory"]


class ToolFault(Value):
    """A fault of a tool that the chatbot stands on, in its calls with these and possibly more arguments.

    With `timeout`, `error` and `rate_limit` the tool does not run. Any other fault breaks its result: it is `empty`,
    that of an earlier call with the same arguments (`stale`), of another record (`swapped`), cut off (`truncated`), or
    it differs from the arguments (`contradictory`). The first call fails, or the `nth`, or a `share`, or `always`.
    """

    tool: str
    fails: FaultKind
    arguments: dict[str, JsonValue] = {}
    when: Literal["first", "always"] = "first"
    nth: PositiveInt | None = None
    share: Annotated[float, Field(gt=0, le=1)] | None = None


class Limits(Value):
    """Limits of a conversation: `turns` are user messages, times are seconds, `cost` is US dollars.

    `steps` is the number of turns the user plans, after which the conversation ends normally; `turns` is the maximum.
    `fallbacks` is the number of consecutive fallback replies after which the user gives up.
    """

    turns: PositiveInt = 30
    steps: PositiveInt | None = None
    fallbacks: PositiveInt = 5
    reply_seconds: PositiveFloat = 60
    seconds: PositiveFloat | None = None
    cost: PositiveFloat | None = None


class Case(Value):
    """One conversation to be run, fully resolved: running it again means the same conversation.

    A variable is a list if the author asked for several values, else a single value. `answers` are hints for users
    without a model: a pattern for the chatbot's question and the variable that answers it. `fallbacks` are sentences
    the chatbot uses when it did not understand. `starts` names the side that speaks first; with `either`, the user
    waits for a greeting if the chatbot has one. `ends` selects the end of the conversation: the reply that answers the
    last goal, or a farewell of either side, as on the phone. `unspoken` variables describe the user and are never given
    as an answer. `rubrics` holds hashes of rubrics for this case only; before loading they are files or names.
    `standard_rubric` names the rubric for model judges if neither the batch nor the case names any.
    `right` says what a right chatbot does with the goals: act on them, or refuse. In rules, `listed` variables are
    lists of one value, as in SENSEI's files; None outside of SENSEI's profiles.
    `facts` are said when the chatbot asks for them. `changes` are the changes of mind that were drawn for the case.
    `faults` break tools of the chatbot, and `setup` calls them before the conversation. `choices` are the values that
    its file lists for a variable, and `never` those that never occur together. `webhook` is True if the configured
    webhook is called before the case is run. `session` is the external name of the conversation, if it has one.
    """

    id: str
    persona: Persona = Persona()
    goals: tuple[Goal, ...] = ()
    script: tuple[Step, ...] = ()
    variables: dict[str, JsonValue] = {}
    choices: dict[str, tuple[JsonValue, ...]] = Field({}, exclude_if=not_)
    never: tuple[dict[str, JsonValue], ...] = Field((), exclude_if=not_)
    answers: dict[str, str] = {}
    facts: tuple[Fact, ...] = Field((), exclude_if=not_)
    changes: tuple[ChangeOfMind, ...] = Field((), exclude_if=not_)
    unspoken: tuple[str, ...] = ()
    history: tuple[Message, ...] = ()
    outputs: tuple[OutputSpec, ...] = ()
    fallbacks: tuple[str, ...] = ()
    starts: Literal["user", "chatbot", "either"] = "either"
    ends: Literal["goals", "farewell"] = "goals"
    expectations: tuple[Expectation, ...] = ()
    rubrics: tuple[str, ...] = ()
    standard_rubric: str = "general"
    tags: tuple[str, ...] = ()
    seed: NonNegativeInt = 0
    limits: Limits = Limits()
    faults: tuple[ToolFault, ...] = Field((), exclude_if=not_)
    setup: tuple[GoldenAction, ...] = Field((), exclude_if=not_)
    right: Literal["act", "refuse"] = "act"
    listed: tuple[str, ...] | None = None
    webhook: bool = True
    session: str = ""

    @property
    def injections(self) -> tuple[InjectReply | InjectTool, ...]:
        """Injected replies and tool calls of the script, in order."""
        return tuple(step for step in self.script if not isinstance(step, Say))

    @property
    def lines(self) -> tuple[str, ...]:
        """Scripted user messages, in order."""
        return tuple(step.text for step in self.script if isinstance(step, Say))


def length_problems(case: Case) -> Iterator[Problem]:
    """Yield the goals of a case that are longer than a simulated user can say, each as a problem."""
    lengths = [len(goal.text) for goal in case.goals]
    for number, length in enumerate(lengths, 1):
        if length > MAX_GOAL:
            message = f"expected at most {MAX_GOAL:,} characters, got {length:,}"
            yield Problem(
                path=f"{case.id}: goal {number}", message=message, hint="say what the user wants in a sentence"
            )
    if max(lengths, default=0) <= MAX_GOAL and (together := sum(lengths)) > MAX_GOALS_TEXT:
        message = f"expected at most {MAX_GOALS_TEXT:,} characters in all goals together, got {together:,}"
        yield Problem(path=f"{case.id}: goals", message=message, hint="split the scenario")


def same_cases(before: Iterable[Case], now: Iterable[Case]) -> set[str]:
    """Return the ids of the cases that both have, with the same content but for seeds."""
    contents = {case.id: {**case.__dict__, "seed": 0} for case in before}
    return {case.id for case in now if contents.get(case.id) == {**case.__dict__, "seed": 0}}


def renamed_cases(before: Iterable[Case], now: Iterable[Case]) -> dict[str, str]:
    """Return the ids before and now of equal cases whose file has another name.

    Requests have no file: `scenarios` stands for its name. Equal cases have the same name in the file, and the same
    content but for seeds and limits.
    """
    sides = [{case.id: case for case in cases} for cases in (before, now)]
    alone = [sides[0].keys() - sides[1].keys(), sides[1].keys() - sides[0].keys()]
    if not all(alone):
        return {}
    named: list[dict[str, Case | None]] = [{}, {}]
    for found, side, ids in zip(named, sides, alone, strict=True):
        for id in ids:
            name = id.partition("/")[2]
            found[name] = None if name in found else side[id]  # names that several files have tell nothing
    pairs = [(named[0][name], named[1][name]) for name in (named[0].keys() & named[1].keys()) - {""}]
    return {was.id: is_.id for was, is_ in pairs if was and is_ and _content(was) == _content(is_)}


def _content(case: Case) -> dict[str, object]:
    return {**case.__dict__, "id": "", "seed": 0, "limits": None}
