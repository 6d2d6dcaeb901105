"""The format of preset files, which describe how to reach a chatbot without code."""

from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    NonNegativeFloat,
    PositiveFloat,
    model_validator,
)

from sparring.chatbots.chatbot import Capabilities
from sparring.core.json_path import JsonPath
from sparring.core.prompts import ToolSchema
from sparring.core.state import parse_path
from sparring.core.tool_errors import ToolError
from sparring.core.value import Json, Value


def _listed(value: Any) -> Any:
    """Return a list, also for a single item."""
    return value if isinstance(value, list) else [value]


def _said(value: Any) -> Any:
    """Return the mapping for a value that only has the path of the text."""
    return {"text": value} if isinstance(value, str | list) else value


def _at(value: Any) -> Any:
    return {"path": value} if isinstance(value, str) else value


Place = Annotated[JsonPath, BeforeValidator(JsonPath.parse)]
OneOrMore = BeforeValidator(_listed)
Places = Annotated[tuple[Place, ...], OneOrMore]


class Part(Value):
    """A part of a preset. Errors leave out its values, which may be secret."""

    model_config = ConfigDict(hide_input_in_errors=True)


class Choices(Part):
    """Buttons or links: `each` has their places, and other paths start there.

    An item with a `url`, or with a payload that is a web address, is a link.
    """

    each: Places
    title: Places = (JsonPath.parse("title"),)
    payload: Places = ()
    url: Places = ()


class Said(Part):
    """Places of the chatbot's words.

    `each` has the places of messages if there are several: other paths start there, and text, images and buttons keep
    their order. A message with none of these is an error, unless it matches `ignore`. Pieces (`deltas`) with an equal
    value at `by` are one text.
    """

    each: Places = ()
    text: Places = ()
    by: Place | None = None
    images: Places = ()
    buttons: Annotated[tuple[Choices, ...], OneOrMore] = ()
    links: Annotated[tuple[Choices, ...], OneOrMore] = ()
    ignore: Places = ()
    markup: Literal["none", "html"] = "none"

    @property
    def wanted(self) -> tuple[JsonPath, ...]:
        """Every place that may have content."""
        choices = [path for choice in (*self.buttons, *self.links) for path in choice.each]
        return (*self.text, *self.images, *choices, *self.ignore)


class Sign(Part):
    """A condition: a true value at `path`, or one that `equals` the given one.

    It marks the end of a conversation, or a tool call that failed.
    """

    path: Place
    equals: Json = None


WhenSo = Annotated[Sign, BeforeValidator(_at)]


class Outcomes(Part):
    """Places of the results of tool calls, and of errors in their place.

    `each` has the places of the results, and other paths start there. A result belongs to the call with the same `id`;
    of several, the last one counts. If `failed` holds, the result is an error.
    """

    each: Places
    id: Places
    result: Places = ()
    error: Places = ()
    failed: WhenSo | None = None


class Tools(Outcomes):
    """Places of tool calls. `each` has their places, and other paths start there.

    Unless they are `complete`, an unreported tool may have been called. A call for which `failed` holds failed, and one
    without anything at `result` has no outcome. `results` are apart from their calls. `names` lists all tools of the
    chatbot, if they are known.
    """

    id: Places = ()
    complete: bool = True
    name: Places = (JsonPath.parse("name"),)
    arguments: Places = ()
    results: Outcomes | None = None
    names: tuple[str, ...] | None = None


class Consumed(Part):
    """Places of the reported usage; `cost` is in US dollars. `sum` adds all figures of an answer.

    `model` is the place of the name of the model.
    """

    sum: bool = False
    input_tokens: Places = ()
    output_tokens: Places = ()
    cached_tokens: Places = ()
    cost: Places = ()
    model: Places = ()


class NewItems(Part):
    """The place of a list that repeats the conversation.

    Only what follows the last item for which `after` holds is read, without items whose `id` an earlier answer had.
    """

    each: Place
    after: Annotated[tuple[WhenSo, ...], OneOrMore] = ()
    id: Place | None = None


class Interrupt(Part):
    """A question of the chatbot in the middle of its work.

    If `path` holds something, the first of `text` under each item is part of the reply, and the next request has this
    `body` instead of its own. With `call`, the place of the id of a tool call, it asks for the approval of that call,
    whose own id is at `id`.
    """

    path: Place
    text: Places = (JsonPath.parse("$"),)
    id: Place | None = None
    call: Place | None = None
    body: Json = Field(repr=False)


class Stored(Sign):
    """What to send to a server that keeps the conversation.

    If the condition holds for an answer, the next request has this `body`. If the server refuses it, the message is
    sent again as without it, and so are those that follow.
    """

    body: Json = Field(repr=False)


class Refused(Part):
    """The `body` to send instead, now and from then on, to a server that refuses a request as invalid."""

    body: Json = Field(repr=False)


class RequestTemplate(Part):
    """A request. `body` is sent as JSON, `form` as a form; without either there is no body."""

    url: str = Field(repr=False)
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] = "POST"
    headers: dict[str, str] = Field({}, repr=False)
    query: dict[str, Json] = Field({}, repr=False)
    body: Json = Field(None, repr=False)
    form: dict[str, Json] | None = Field(None, repr=False)

    @model_validator(mode="after")
    def _with_one_body(self) -> Self:
        if self.body is not None and self.form is not None:
            raise ValueError("there are both `body` and `form`, but a request has one of them")
        return self


Reply = Annotated[Said, BeforeValidator(_said)]


class CaseVariables(RequestTemplate):
    """A request after every reply for facts that the chatbot noted.

    The facts become the result of a tool called `name`. If they are `optional`, a server that fails is not asked again
    in that conversation.
    """

    name: str
    result: Place = JsonPath.parse("$")
    optional: bool = False


def _path(written: str) -> str:
    parse_path(written)
    return written


StatePath = Annotated[str, AfterValidator(_path)]
"""A path into the state: `*` stands for any step, `**` for any number of steps."""


class StatePlace(Part):
    """The state is the value at `result` of an answer, without what is at or below the paths in `ignore`.

    With `settle`, the state at the end is asked for again after as many seconds, until two states are equal. If it is
    `required`, a conversation in which it cannot be read has failed.
    """

    result: Place = JsonPath.parse("$")
    ignore: tuple[StatePath, ...] = ()
    settle: NonNegativeFloat = 0
    required: bool = False


class StateRequest(StatePlace, RequestTemplate):
    """A request for the chatbot's state, at the start and at the end of a conversation."""

    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] = "GET"


class StateParts(Part):
    """Parts of answers with values of the state: those at `each` whose `name` begins with `prefix`.

    The value at `value` replaces the one under the rest of the name, inside the top-level name `under`.
    """

    each: Place
    name: Place
    value: Place
    prefix: str = ""
    under: str


class StateLine(StatePlace):
    """A line or frame that asks for the chatbot's state.

    The first JSON with a value at `result` answers it.
    """

    body: Json = Field(repr=False)


class Exchange(RequestTemplate):
    """A request and the shape of its answer.

    `answer` is `json`, `text`, `events` (server-sent events or JSON lines, one message each), `deltas` (the same, but
    pieces of one message) or `chunks` (those of a chat completion, read as the whole one). `keep` and `keep_headers`
    name values of the answer for later requests; a missing value leaves an earlier one.
    """

    answer: Literal["json", "text", "events", "deltas", "chunks"] = "json"
    keep: dict[str, Place] = {}
    keep_headers: dict[str, str] = {}
    reply: Reply | None = None


class SessionOptions(Part):
    """Options of a chatbot for all protocols.

    `values` fill placeholders without another value. `timeout` is in seconds; `error` is the place of a reported
    failure, and without anything at `final` a stream is not complete; `silence` says if an empty answer is allowed.
    Results of tools that fit `tool_errors` are failures.
    """

    reply: Reply
    description: str = ""
    address: str = Field("", repr=False)
    values: dict[str, Json] = Field({}, repr=False)
    tools: Tools | None = None
    tool_errors: tuple[ToolError, ...] = ()
    ended: WhenSo | None = None
    error: Place | None = None
    final: Literal["[DONE]"] | Place | None = None
    usage: Consumed | None = None
    cost_per_turn: NonNegativeFloat | None = None
    timeout: PositiveFloat | None = None
    silence: Literal["allowed", "error"] = "allowed"

    @property
    def reports_tools(self) -> bool:
        """True if the reported tool calls are complete."""
        return self.tools is not None and self.tools.complete

    @property
    def known_tools(self) -> tuple[ToolSchema, ...] | None:
        """All tools of the chatbot, or None if they are not known."""
        names = self.tools.names if self.tools else None
        return None if names is None else tuple(ToolSchema(name=name) for name in names)

    @model_validator(mode="before")
    @classmethod
    def _text_is_the_reply(cls, data: Any) -> Any:
        return {"reply": "$", **data} if isinstance(data, dict) and data.get("answer") == "text" else data


def session_capabilities(options: SessionOptions, state: StatePlace | None, **more: Any) -> Capabilities:
    """Return the capabilities of a chatbot with these options, and others."""
    return Capabilities(
        reports_tools=options.reports_tools,
        tools=options.known_tools,
        reports_state=state is not None,
        settle=state.settle if state else 0.0,
        state_required=state is not None and state.required,
        **more,
    )


class Preset(SessionOptions, Exchange):
    """Describes how to talk to a chatbot over HTTP.

    `reset` is sent before a conversation and then, in order, `start`; a `reply` in `start` is the greeting. `facts` are
    requested after every reply, and `state` at the start and at the end; `state_parts` are in the answers. `append`
    adds items to lists of `values` after every reply. With `traces`, requests carry a trace context in every run.
    """

    reply: Reply
    new: NewItems | None = None
    interrupt: Interrupt | None = None
    stored: Stored | None = None
    refused: Refused | None = None
    append: dict[str, list[Json]] = Field({}, repr=False)
    facts: CaseVariables | None = None
    state: StateRequest | None = None
    state_parts: StateParts | None = None
    reset: RequestTemplate | None = None
    start: Annotated[tuple[Exchange, ...], OneOrMore] = ()
    ok: tuple[int, ...] = ()
    one_at_a_time: bool = False
    traces: bool = False

    @property
    def requests(self) -> tuple[RequestTemplate, ...]:
        """All requests of the preset."""
        return tuple(asking for asking in (self.reset, *self.start, self, self.facts, self.state) if asking is not None)
