"""One conversation to have, with nothing left to decide."""

from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt

from sparring.core.checks import Expectation
from sparring.core.message import Message, ToolCall, message
from sparring.core.value import JsonValue, Value


class Style(Value):
    """A way of talking, such as `long phrases`; `languages` belong to `change language`."""

    name: str
    languages: tuple[str, ...] = ()


class Persona(Value):
    """How the simulated user behaves: who it is, its traits in sentences, its language and its styles."""

    name: str = "default"
    role: str = ""
    traits: tuple[str, ...] = ()
    language: str = "English"
    styles: tuple[Style, ...] = ()


class Answer(Value):
    """A hint for a user without a model: a pattern of what the chatbot may ask, and the words to answer with."""

    asked: str
    says: str


class Goal(Value):
    """Something the user wants: a phrase with its variables filled in, and the names of those variables.

    `first` is how a user without a model brings it up, where that is vaguer than the whole phrase; `answers` are what
    it says when it is asked more about this goal. `others` are what its variables could have held instead, where that
    is a list to choose from: who is told one of these was not given what was wanted.
    """

    text: str
    variables: tuple[str, ...] = ()
    first: str = ""
    answers: tuple[Answer, ...] = ()
    others: dict[str, tuple[str, ...]] = {}


class OutputSpec(Value):
    """A value to read out of what the chatbot says: `price`, of type `money`, "the price of the whole order"."""

    name: str
    type: str = "string"
    description: str = ""


class Say(Value):
    """A step of a script: the user says exactly this, and the chatbot replies."""

    kind: Literal["say"] = "say"
    text: str


class InjectReply(Value):
    """A step of a script: from here on the chatbot has said this, without having been asked."""

    kind: Literal["inject_reply"] = "inject_reply"
    text: str
    ends: bool = False

    @property
    def message(self) -> Message:
        """How it stands in the conversation."""
        return message("chatbot", self.text, ends=self.ends, injected=True)


class InjectTool(Value):
    """A step of a script: the chatbot has used a tool with this result (`history`), or the next time it uses the tool,
    this comes back instead of what the tool would do (`stub`)."""

    kind: Literal["inject_tool"] = "inject_tool"
    name: str
    arguments: dict[str, JsonValue] = {}
    result: JsonValue = None
    mode: Literal["history", "stub"] = "history"

    @property
    def message(self) -> Message:
        """How it stands in the conversation, if it is history."""
        call = ToolCall(name=self.name, arguments=self.arguments, result=self.result)
        return message("chatbot", "", tool_calls=(call,), injected=True)


Step = Annotated[Say | InjectReply | InjectTool, Field(discriminator="kind")]


class Limits(Value):
    """When to stop: `turns` are user messages, times are seconds, `cost` is US dollars.

    `steps` is how many turns the user means to take, and ends the conversation well; `turns` is how many it may
    take. `fallbacks` is how often in a row the chatbot may fall back before the user gives up.
    """

    turns: PositiveInt = 30
    steps: PositiveInt | None = None
    fallbacks: PositiveInt = 5
    reply_seconds: PositiveFloat = 60
    seconds: PositiveFloat | None = None
    cost: PositiveFloat | None = None


class Case(Value):
    """One conversation to have, fully resolved, so that playing it again means the same.

    `variables` hold a list where the author asked for several values, and one plain value otherwise.
    `answers` are hints for a user without a model: a pattern of what the chatbot may ask, and the variable to
    answer with. `fallbacks` are sentences the chatbot is known to use when it did not understand. `starts` says
    who speaks first; with `either`, a chatbot that greets is heard. `ends` says what ends the conversation: the reply
    that answers the last goal, or whichever side takes leave, as on the phone. `unspoken` are variables that say how
    the user is rather than what it says: none of them is ever an answer. `rubrics` are the hashes of what a judge
    is to be asked about this case besides what it is asked about all; until somebody has read them, their files or
    names. `webhook` says whether one is asked about it before it is played, if there is one, and `session` is how the
    conversation is called everywhere, where somebody else gave it a name.
    """

    id: str
    persona: Persona = Persona()
    goals: tuple[Goal, ...] = ()
    script: tuple[Step, ...] = ()
    variables: dict[str, JsonValue] = {}
    answers: dict[str, str] = {}
    unspoken: tuple[str, ...] = ()
    history: tuple[Message, ...] = ()
    outputs: tuple[OutputSpec, ...] = ()
    fallbacks: tuple[str, ...] = ()
    starts: Literal["user", "chatbot", "either"] = "either"
    ends: Literal["goals", "farewell"] = "goals"
    expectations: tuple[Expectation, ...] = ()
    rubrics: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    seed: NonNegativeInt = 0
    limits: Limits = Limits()
    webhook: bool = True
    session: str = ""

    @property
    def injections(self) -> tuple[InjectReply | InjectTool, ...]:
        """What the script puts into the chatbot's mouth, in order."""
        return tuple(step for step in self.script if not isinstance(step, Say))

    @property
    def lines(self) -> tuple[str, ...]:
        """What the user says by the script, in order."""
        return tuple(step.text for step in self.script if isinstance(step, Say))
