import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from types import ModuleType
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from sparring.chatbots.prompted.tools import OpenToolbox, ToolResult, ends_conversation, fails_if, toolbox
from sparring.core.case import InjectTool
from sparring.core.errors import ChatbotError, InputError
from sparring.core.message import ToolCall
from sparring.core.value import Json
from sparring.llm.model import Tool, ToolRequest
from tables import table


class Size(StrEnum):
    SMALL = "small"
    LARGE = "large"


class Receipt(BaseModel):
    number: int
    day: date


@dataclass
class Note:
    text: str


class Tools:
    def __init__(self, session: str) -> None:
        self.session = session
        self.count = 0

    def order(
        self, size: Size, copies: Annotated[int, Field(ge=1)] = 1, extras: list[Literal["ham", "corn"]] | None = None
    ) -> dict[str, Any]:
        """Order a pizza.

        Ask for the size first.
        """
        self.count += 1
        return {"session": self.session, "size": size, "copies": copies, "extras": extras, "count": self.count}

    async def receipt(self) -> Receipt:
        return Receipt(number=7, day=date(2026, 1, 2))

    def note(self, copy: str) -> Note:
        return Note(copy)

    def fail(self) -> None:
        raise KeyError("no such\nthing")

    def odd(self) -> object:
        return object()

    def huge(self) -> int:
        return 2**70

    def half(self) -> str:
        return "\ud800"

    def deep(self) -> object:
        value: object = 1
        for _ in range(self.count or 51):
            value = [value]
        return value

    def bottomless(self) -> object:
        value: list[object] = []
        value.append(value)
        return value

    def infinite(self) -> float:
        return float("inf")

    @ends_conversation
    def hang_up(self, fails: bool = False) -> str:
        if fails:
            raise RuntimeError
        return "bye"

    def _private(self) -> None: ...

    name = "no tool"


NAMES = ["order", "receipt", "note", "fail", "odd", "huge", "half", "deep", "bottomless", "infinite", "hang_up"]


def opened(session: str = "s1") -> OpenToolbox:
    return toolbox(Tools).open(session)


async def use(name: str, arguments: str = "{}", box: OpenToolbox | None = None) -> ToolResult:
    return await (box or opened()).use(ToolRequest("1", name, arguments))


def test_a_model_receives_names_docstrings_and_schemas_of_tools():
    extra = {"type": "string", "enum": ["ham", "corn"]}
    assert toolbox(Tools).tools[0] == Tool(
        "order",
        "Order a pizza.\n\nAsk for the size first.",
        {
            "type": "object",
            "additionalProperties": False,
            "required": ["size"],
            "properties": {
                "size": {"$ref": "#/$defs/Size"},
                "copies": {"type": "integer", "minimum": 1},
                "extras": {"anyOf": [{"type": "array", "items": extra}, {"type": "null"}]},
            },
            "$defs": {"Size": {"type": "string", "enum": ["small", "large"], "title": "Size"}},
        },
    )


def test_the_public_methods_are_the_tools():
    assert [tool.name for tool in toolbox(Tools).tools] == NAMES


async def test_a_tool_is_used_and_what_came_back_is_recorded():
    result = {"session": "s1", "size": "small", "copies": 1, "extras": ["ham"], "count": 1}

    assert await use("order", '{"size": "small", "extras": ["ham"]}') == ToolResult(
        ToolCall(name="order", arguments={"size": "small", "extras": ["ham"]}, result=result),
        '{"session":"s1","size":"small","copies":1,"extras":["ham"],"count":1}',
    )


@pytest.mark.parametrize(
    ("name", "arguments", "result"),
    [
        ("receipt", "", {"number": 7, "day": "2026-01-02"}),
        ("note", '{"copy": "x"}', {"text": "x"}),
        ("infinite", "{}", None),
        ("hang_up", "{}", "bye"),
    ],
)
async def test_results_are_json(name: str, arguments: str, result: object):
    assert (await use(name, arguments)).call.result == result


@table(
    ("name", "arguments", "recorded", "error"),
    [
        ("order", "{size", {}, "the arguments are not a JSON object, or nested too deep"),
        ("order", "[1]", {}, "the arguments are not a JSON object, or nested too deep"),
        ("order", f'{{"size": {"[" * 500}{"]" * 500}}}', {}, "the arguments are not a JSON object, or nested too deep"),
        ("order", '{"size": 1e999}', {}, "the arguments are not a JSON object, or nested too deep"),
        ("huge", "", {}, "TypeError: Integer exceeds 64-bit range"),
        ("order", f'{{"size": {"[" * 51}{"]" * 51}}}', {}, "the arguments are not a JSON object, or nested too deep"),
        (
            "nothing",
            f'{{"size": {"[" * 51}{"]" * 51}}}',
            {},
            f"there is no tool 'nothing'; there are: {', '.join(NAMES)}",
        ),
        ("half", "", {}, "TypeError: str is not valid UTF-8: surrogates not allowed"),
        ("deep", "", {}, "the result is nested too deep"),
        ("bottomless", "", {}, "ValueError: Circular reference detected (id repeated)"),
        ("order", "{}", {}, "size: Field required"),
        (
            "order",
            '{"size": "medium", "copies": 0, "colour": 1}',
            {"size": "medium", "copies": 0, "colour": 1},
            "size: Input should be 'small' or 'large'; copies: Input should be greater than or equal to 1; "
            "colour: Extra inputs are not permitted",
        ),
        ("ordr", '{"a": 1}', {"a": 1}, "there is no tool 'ordr'; did you mean 'order'?"),
        ("_private", "{}", {}, f"there is no tool '_private'; there are: {', '.join(NAMES)}"),
        ("fail", "{}", {}, "KeyError: 'no such\\nthing'"),
        ("odd", "{}", {}, "PydanticSerializationError: Unable to serialize unknown type: <class 'object'>"),
        ("hang_up", '{"fails": true}', {"fails": True}, "RuntimeError"),
    ],
)
async def test_errors_of_tools_are_recorded_and_returned_to_the_model(
    name: str, arguments: str, recorded: dict[str, Any], error: str
):
    used = await use(name, arguments)

    status = "failed" if name in ("huge", "half", "deep", "bottomless", "fail", "odd", "hang_up") else "attempted"
    assert (used.call, used.ends) == (ToolCall(name=name, arguments=recorded, error=error, status=status), False)
    assert error.split("'")[0] in used.answer


@pytest.mark.slow
@given(st.text(max_size=50))
async def test_no_arguments_a_model_may_write_break_a_tool(arguments: str):
    used = await use("order", arguments)

    assert bool(used.call.error) != bool(used.call.result)


async def test_a_long_error_is_cut():
    used = await use("order", f'{{"{"x" * 5000}": 1}}')

    assert len(used.call.error) == 300


async def test_a_marked_tool_ends_the_conversation():
    assert [(await use(name)).ends for name in ("hang_up", "receipt")] == [True, False]


async def test_two_conversations_share_nothing():
    box = toolbox(Tools)
    one, two = box.open("one"), box.open("two")
    await use("order", '{"size": "small"}', one)
    await use("order", '{"size": "small"}', one)

    used = await use("order", '{"size": "small"}', two)

    assert used.call.result == {"session": "two", "size": "small", "copies": 1, "extras": None, "count": 1}


async def test_a_class_that_takes_two_is_made_with_the_variables_of_the_case_too():
    class Shop:
        def __init__(self, session: str, variables: dict[str, Json]) -> None:
            self.variables = variables

        def city(self) -> Json:
            """Where it is."""
            return self.variables["city"]

    tools = toolbox(Shop).open("s1", {"city": "Springfield"})

    assert (await tools.use(ToolRequest("1", "city", "{}"))).call.result == "Springfield"


async def test_defective_tools_end_the_conversation_instead_of_returning_an_error_to_the_model():
    class Shop:
        def city(self) -> str:
            """Where it is."""
            raise ChatbotError("the shop answered HTTP 503")

    with pytest.raises(ChatbotError, match="HTTP 503"):
        await toolbox(Shop).open("s1").use(ToolRequest("1", "city", "{}"))


async def test_a_class_may_need_no_session():
    class Plain:
        def now(self) -> int:
            return 12

    assert (await toolbox(Plain).open("s").use(ToolRequest("1", "now", ""))).call.result == 12


def test_a_class_that_cannot_be_made_fails_the_chatbot():
    class Broken:
        def __init__(self) -> None:
            raise OSError("no database")

    with pytest.raises(ChatbotError, match=r"^its Broken cannot be made: OSError: no database$"):
        toolbox(Broken).open("s")


async def test_the_public_functions_of_a_module_are_tools(monkeypatch: pytest.MonkeyPatch):
    module = ModuleType("shop")
    monkeypatch.setitem(sys.modules, "shop", module)
    exec("from json import dumps\ndef price(item: str) -> int:\n  return len(item)\ndef _no(): ...\n", vars(module))

    box = toolbox(module)

    assert [tool.name for tool in box.tools] == ["price"]
    assert (await box.open("s").use(ToolRequest("1", "price", '{"item": "ham"}'))).call.result == 3


def bad_tools() -> type:
    class Bad:
        def __init__(self, session: str, variables: dict[str, Json], database: str) -> None: ...

        def untyped(self, size) -> None: ...  # type: ignore[no-untyped-def]

        def many(self, *sizes: str) -> None: ...

        def unknown(self, size: "Colour") -> None: ...  # type: ignore[name-defined]  # noqa: F821

        def unreadable(self, size: Callable[[], None]) -> None: ...

        def fine(self) -> None: ...

    return Bad


def test_all_reasons_why_functions_cannot_be_tools_are_reported():
    with pytest.raises(InputError) as caught:
        toolbox(bad_tools())

    problems = [(problem.path, problem.message.split("\n")[0]) for problem in caught.value.problems]
    assert problems == [
        ("Bad", "is made with the session's name and the case's variables at most, but also needs database"),
        ("untyped", "TypeError: size has no annotation, so a model cannot know what to give"),
        ("many", "TypeError: *sizes: str cannot be given by name"),
        ("unknown", "NameError: name 'Colour' is not defined"),
        ("unreadable", problems[4][1]),
    ]
    assert problems[4][1].startswith("Pydantic")
    assert all(problem.file == __file__ and problem.line for problem in caught.value.problems[1:])


@fails_if(lambda result: result["outcome"] == "refused")
class Refusing:
    def cancel(self, order: str) -> dict[str, Any]:
        """Cancels an order."""
        return {"outcome": "refused" if order == "1" else "cancelled"}

    @fails_if(lambda result: result is None)
    def find(self, order: str) -> str | None:
        """Finds an order."""
        return None if order == "1" else order

    def check(self, order: str) -> Any:
        """Checks an order."""
        return {"error": "no such order"} if order == "1" else order


class Lying(Refusing):
    def find(self, order: str) -> str | None:
        return None


@table(
    ("tools", "name", "order", "status"),
    [
        (Refusing, "cancel", "1", "failed"),
        (Refusing, "cancel", "2", "succeeded"),
        (Refusing, "find", "1", "failed"),
        (Refusing, "find", "2", "succeeded"),
        (Refusing, "check", "1", "failed"),
        (Refusing, "check", "2", "succeeded"),
        (Lying, "find", "2", "failed"),
    ],
)
async def test_a_tool_says_which_results_are_failures(tools: type, name: str, order: str, status: str):
    used = await use(name, f'{{"order": "{order}"}}', toolbox(tools).open("s1"))

    assert (used.call.status, used.call.error) == (status, "")


def test_a_stub_fails_as_the_tool_itself_would():
    box = toolbox(Refusing).open("s1")
    stubs = [InjectTool(name="cancel", result=result, mode="stub") for result in ({"outcome": "refused"}, "odd")]

    used = [box.stubbed(ToolRequest("1", "cancel", "{}"), stub) for stub in stubs]

    assert [each and each.call.status for each in used] == ["failed", "succeeded"]


class Keeping:
    def keep(self, things: Any) -> list[Any]:
        """Keeps what it is given, and changes it."""
        things.append("more")
        self.kept = getattr(self, "kept", things)
        self.kept.append("later")
        return self.kept


async def test_a_tool_that_changes_its_arguments_changes_no_record():
    box = toolbox(Keeping).open("s1")

    first = await use("keep", '{"things": ["a"]}', box)
    await use("keep", '{"things": ["b"]}', box)

    assert (first.call.arguments, first.call.result) == ({"things": ["a"]}, ["a", "more", "later"])
