"""What a preset file says: how to talk to a chatbot without writing code."""

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, ConfigDict, Field, NonNegativeFloat, PositiveFloat, model_validator

from sparring.chatbots.json_path import JsonPath
from sparring.core.value import Json, Value


def _listed(value: Any) -> Any:
    """One of something, where a list of it may stand too."""
    return value if isinstance(value, list) else [value]


def _said(value: Any) -> Any:
    """Only paths, where the whole mapping may stand."""
    return {"text": value} if isinstance(value, str | list) else value


def _at(value: Any) -> Any:
    return {"path": value} if isinstance(value, str) else value


Place = Annotated[JsonPath, BeforeValidator(JsonPath.parse)]
OneOrMore = BeforeValidator(_listed)
Places = Annotated[tuple[Place, ...], OneOrMore]


class Part(Value):
    """Something a preset says. What is wrong with it is told without its values, which may be secret."""

    model_config = ConfigDict(hide_input_in_errors=True)


class Choices(Part):
    """Buttons or links: `each` is where they are, the other paths start from there. What has a `url`, or a payload
    that is a web address, is a link."""

    each: Places
    title: Place = JsonPath.parse("title")
    payload: Place | None = None
    url: Place | None = None


class Said(Part):
    """Where the chatbot's words are. `each` is where its messages are, if there are several: the other paths start
    from there, and words, images and buttons stay in the order in which they came. A message of which nothing is
    found is an error, unless it has something to `ignore`."""

    each: Places = ()
    text: Places = ()
    images: Places = ()
    buttons: Annotated[tuple[Choices, ...], OneOrMore] = ()
    links: Annotated[tuple[Choices, ...], OneOrMore] = ()
    ignore: Places = ()
    markup: Literal["none", "html"] = "none"

    @property
    def wanted(self) -> tuple[JsonPath, ...]:
        """Every place at which something may be."""
        choices = [path for choice in (*self.buttons, *self.links) for path in choice.each]
        return (*self.text, *self.images, *choices, *self.ignore)


class Tools(Part):
    """The tools the chatbot used: `each` is where they are, the other paths start from there. Unless they are
    `complete`, a tool that is not told of may have been used all the same."""

    each: Places
    complete: bool = True
    name: Place = JsonPath.parse("name")
    arguments: Place | None = None
    result: Place | None = None
    error: Place | None = None


class Sign(Part):
    """A true value at `path`, or one that it `equals`: that is how a chatbot says that it is done."""

    path: Place
    equals: Json = None


WhenSo = Annotated[Sign, BeforeValidator(_at)]


class Consumed(Part):
    """What the chatbot says that its models consumed; `cost` is in US dollars."""

    input_tokens: Place | None = None
    output_tokens: Place | None = None
    cached_tokens: Place | None = None
    cost: Place | None = None


class RequestTemplate(Part):
    """A request. `body` is sent as JSON and `form` as a form; where there is neither, nothing is sent along."""

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
    """A request behind every reply, for what the chatbot has noted: it stands in the reply as what a tool called
    `name` gave back. Where it is `optional`, a server that fails to say is not asked again in that conversation."""

    name: str
    result: Place = JsonPath.parse("$")
    optional: bool = False


class Exchange(RequestTemplate):
    """A request, what its answer looks like, and what in it matters.

    `answer` is `json`, `text`, `events` (server-sent events or JSON lines, a message each) or `deltas` (the same, but
    pieces of one message). `keep` and `keep_headers` give names to things in the answer, for requests that follow; a
    name that has a value anyhow keeps it where the answer does not have the thing.
    """

    answer: Literal["json", "text", "events", "deltas"] = "json"
    keep: dict[str, Place] = {}
    keep_headers: dict[str, str] = {}
    reply: Reply | None = None


class SessionOptions(Part):
    """What there is to know of a chatbot, however it is reached.

    `values` are what gaps are filled with where neither the conversation nor the case knows better. `timeout` is in
    seconds; `error` is where an answer admits a failure; `silence` says whether an answer may have nothing in it.
    """

    reply: Reply
    description: str = ""
    address: str = Field("", repr=False)
    values: dict[str, Json] = Field({}, repr=False)
    tools: Tools | None = None
    ended: WhenSo | None = None
    error: Place | None = None
    usage: Consumed | None = None
    cost_per_turn: NonNegativeFloat | None = None
    timeout: PositiveFloat | None = None
    silence: Literal["allowed", "error"] = "allowed"

    @property
    def reports_tools(self) -> bool:
        """Whether the tools it tells of are all there were."""
        return self.tools is not None and self.tools.complete

    @model_validator(mode="before")
    @classmethod
    def _text_is_the_reply(cls, data: Any) -> Any:
        return {"reply": "$", **data} if isinstance(data, dict) and data.get("answer") == "text" else data


class Preset(SessionOptions, Exchange):
    """How to talk to a chatbot over HTTP: the request that says something to it, and everything around it.

    `reset` is sent before a conversation and then, in order, `start`; a `reply` in `start` is the greeting. `facts`
    are asked for behind every reply.
    """

    reply: Reply
    facts: CaseVariables | None = None
    reset: RequestTemplate | None = None
    start: Annotated[tuple[Exchange, ...], OneOrMore] = ()
    ok: tuple[int, ...] = ()
    one_at_a_time: bool = False

    @property
    def requests(self) -> tuple[RequestTemplate, ...]:
        """Everything that is sent."""
        return tuple(asking for asking in (self.reset, *self.start, self, self.facts) if asking is not None)
