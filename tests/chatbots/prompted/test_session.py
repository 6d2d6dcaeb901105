import pytest

from scripted import ScriptedModel
from sparring.chatbots.prompted.chatbot import Prompted
from sparring.chatbots.prompted.tools import ends_conversation, toolbox
from sparring.core.case import Case
from sparring.core.errors import BadCompletion, ChatbotError, ModelTimeout, ModelUnavailable, ProviderFailed
from sparring.core.message import Button, Message, Text, ToolCall, message
from sparring.llm import template
from sparring.llm.model import ChatMessage, Completion, Request, ToolRequest


class Counter:
    def __init__(self) -> None:
        self.count = 0

    def add(self, number: int = 1) -> int:
        self.count += number
        return self.count

    @ends_conversation
    def hang_up(self) -> str:
        return "done"


def chatbot(model: ScriptedModel, **settings: int) -> Prompted:
    return Prompted(model, template.read("You count."), toolbox(Counter), **settings)


def add(id: str = "a", number: int = 1) -> ToolRequest:
    return ToolRequest(id, "add", f'{{"number":{number}}}')


async def replies(bot: Prompted, *lines: str, case: Case | None = None) -> list[Message]:
    async with bot.connect(case or Case(id="x", seed=3)) as session:
        return [await session.reply(message("user", line)) for line in lines]


async def test_tools_are_used_until_the_model_answers_with_words_alone():
    model = ScriptedModel((add("a"), add("b", 2)), add("c"), "It is 4.")

    said = await replies(chatbot(model), "Count!")

    calls = tuple(ToolCall(name="add", arguments={"number": n}, result=r) for n, r in ((1, 1), (2, 3), (1, 4)))
    assert said == [message("chatbot", "It is 4.", tool_calls=calls)]
    assert model.requests[2].messages == (
        ChatMessage("system", "You count."),
        ChatMessage("user", "Count!"),
        ChatMessage("assistant", "", (add("a"), add("b", 2))),
        ChatMessage("tool", "1", tool_request_id="a"),
        ChatMessage("tool", "3", tool_request_id="b"),
        ChatMessage("assistant", "", (add("c"),)),
        ChatMessage("tool", "4", tool_request_id="c"),
    )


async def test_a_model_is_asked_with_its_tools_and_its_settings():
    model = ScriptedModel("Hi")

    await replies(Prompted(model, template.read(""), toolbox(Counter), temperature=0.5), "Hello")

    assert model.requests == [
        Request((ChatMessage("user", "Hello"),), toolbox(Counter).tools, None, temperature=0.5, seed=3)
    ]


async def test_sessions_with_equal_prompts_share_them_in_memory():
    model = ScriptedModel("Hi", "Hi")
    bot = Prompted(model, template.read("You count, and say so.\n"))

    await replies(bot, "Hello")
    await replies(bot, "Hello", case=Case(id="y", seed=4))

    first, second = (request.messages[0].content for request in model.requests)
    assert first is second


async def test_the_history_goes_on_from_reply_to_reply():
    model = ScriptedModel(add(), "One.", "Two.")

    await replies(chatbot(model), "Count!", "Again!")

    assert model.requests[2].messages[1:] == (
        ChatMessage("user", "Count!"),
        ChatMessage("assistant", "", (add(),)),
        ChatMessage("tool", "1", tool_request_id="a"),
        ChatMessage("assistant", "One."),
        ChatMessage("user", "Again!"),
    )


async def test_text_before_a_tool_call_is_part_of_the_reply():
    model = ScriptedModel(Completion(text="Let me count.", tool_requests=(add(),)), "One.")

    (reply,) = await replies(chatbot(model), "Count!")

    assert reply.parts == (Text(text="Let me count."), Text(text="One."))


async def test_after_the_last_round_the_model_has_to_answer_without_tools():
    model = ScriptedModel(add("a"), add("b"), Completion(text="Enough.", tool_requests=(add("c"),)))

    (reply,) = await replies(chatbot(model, rounds=2), "Count!")

    assert (reply.text, len(reply.tool_calls), model.requests[-1].tools) == ("Enough.", 2, ())


async def test_a_wrong_call_goes_back_to_the_model():
    model = ScriptedModel(ToolRequest("a", "add", "{"), ToolRequest("b", "subtract", "{}"), "Sorry.")

    (reply,) = await replies(chatbot(model), "Count!")

    assert [line.content for line in model.requests[2].messages if line.role == "tool"] == [
        '{"error":"the arguments are not a JSON object, or nested too deep"}',
        '{"error":"there is no tool \'subtract\'; there are: add, hang_up"}',
    ]
    assert [bool(call.error) for call in reply.tool_calls] == [True, True]


@pytest.mark.parametrize(
    "script",
    [
        (Completion(text="Bye!", tool_requests=(ToolRequest("a", "hang_up", "{}"),)),),
        (ToolRequest("a", "hang_up", "{}"), "Bye!"),
    ],
)
async def test_a_tool_that_ends_the_conversation_lets_the_model_say_goodbye(script: tuple[Completion, ...]):
    (reply,) = await replies(chatbot(ScriptedModel(*script)), "That is all.")

    assert (reply.text, reply.ends) == ("Bye!", True)


async def test_a_model_that_says_nothing_is_asked_once_more():
    model = ScriptedModel(" \n", "Pardon?")

    (reply,) = await replies(chatbot(model), "Hello")

    assert (reply.text, model.requests[0] == model.requests[1]) == ("Pardon?", True)


@pytest.mark.parametrize(
    ("script", "error"),
    [
        (("", ""), ChatbotError("its model returned an empty answer twice")),
        ((ModelTimeout("60 s are over"),), ProviderFailed("its model failed: 60 s are over")),
        ((ModelUnavailable("HTTP 503"),), ProviderFailed("its model failed: HTTP 503")),
        ((BadCompletion("no choices"),), ChatbotError("its model failed: no choices")),
    ],
)
async def test_a_model_that_fails_fails_the_chatbot(script: tuple[str | Exception, ...], error: ChatbotError):
    with pytest.raises(ChatbotError) as caught:
        await replies(chatbot(ScriptedModel(*script)), "Hello")

    assert (type(caught.value), str(caught.value)) == (type(error), str(error))


async def test_a_reply_beyond_the_size_limit_is_a_failure_of_the_chatbot():
    model = ScriptedModel(Completion(text="x" * 25_000, tool_requests=(add(),)), "x" * 25_001)

    with pytest.raises(ChatbotError, match=r"^the reply has 50,001 characters; no more than 50,000 are taken$"):
        await replies(chatbot(model), "Hello")


async def test_a_reply_that_failed_is_not_in_the_history():
    model = ScriptedModel(add(), ModelUnavailable("HTTP 503"), "Hi.")
    async with chatbot(model).connect(Case(id="x")) as session:
        with pytest.raises(ChatbotError):
            await session.reply(message("user", "Count!"))

        await session.reply(message("user", "Hello"))

    assert model.requests[-1].messages[1:] == (ChatMessage("user", "Hello"),)


async def test_a_conversation_goes_on_from_the_history_of_its_case():
    past = (
        message("user", "Count!"),
        message(
            "chatbot", "It is 1.", tool_calls=(ToolCall(name="add", result=1), ToolCall(name="x", error="unknown"))
        ),
        Message(role="chatbot", parts=(Text(text="More?"), Button(title="Yes"))),
    )
    model = ScriptedModel("2.")

    await replies(chatbot(model), "Again!", case=Case(id="x", history=past))

    requests = (ToolRequest("past_1_0", "add", "{}"), ToolRequest("past_1_1", "x", "{}"))
    assert model.requests[0].messages[1:] == (
        ChatMessage("user", "Count!"),
        ChatMessage("assistant", "", requests),
        ChatMessage("tool", "1", tool_request_id="past_1_0"),
        ChatMessage("tool", '{"error":"unknown"}', tool_request_id="past_1_1"),
        ChatMessage("assistant", "It is 1."),
        ChatMessage("assistant", "More?\n[button: Yes]"),
        ChatMessage("user", "Again!"),
    )


async def test_a_history_may_hold_what_only_some_writers_of_json_can_write():
    past = message("chatbot", "Hi", tool_calls=(ToolCall(name="add", arguments={"n": 2**70}, result="\ud800"),))
    model = ScriptedModel("2.")

    await replies(chatbot(model), "Again!", case=Case(id="x", history=(past,)))

    assert [(line.content, line.tool_requests) for line in model.requests[0].messages[1:3]] == [
        ("", (ToolRequest("past_0_0", "add", f'{{"n":{2**70}}}'),)),
        ('"?"', ()),
    ]
