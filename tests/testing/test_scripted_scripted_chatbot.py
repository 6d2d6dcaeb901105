import pytest

from scripted import ScriptedChatbot
from sparring.core.case import Case, InjectReply, InjectTool
from sparring.core.errors import ChatbotError, ChatbotTimeout
from sparring.core.message import Message, ToolCall, message


async def test_a_scripted_chatbot_starts_its_script_again_in_every_conversation():
    whole = Message(role="chatbot", ends=True)
    chatbot = ScriptedChatbot("Hello!", lambda told: f"You said {told.text}", whole, greeting="Welcome")

    said = []
    for _ in range(2):
        async with chatbot.connect(Case(id="a")) as session:
            said.append([session.greeting, *[await session.reply(message("user", line)) for line in "xyz"]])

    once = [message("chatbot", "Welcome"), message("chatbot", "Hello!"), message("chatbot", "You said y"), whole]
    assert said == [once, once]


async def test_a_scripted_chatbot_records_the_messages_of_each_conversation():
    chatbot = ScriptedChatbot("1", "2")
    async with chatbot.connect(Case(id="a")) as first, chatbot.connect(Case(id="b")) as second:
        await first.reply(message("user", "x"))
        await second.reply(message("user", "y"))

    assert [
        (session.case.id, [told.text for told in session.received], session.closed) for session in chatbot.sessions
    ] == [("a", ["x"], True), ("b", ["y"], True)]


async def test_it_raises_what_was_written_down_and_fails_when_the_script_is_over():
    chatbot = ScriptedChatbot(ChatbotTimeout("too slow"))
    async with chatbot.connect(Case(id="a")) as session:
        with pytest.raises(ChatbotTimeout, match="too slow"):
            await session.reply(message("user", "x"))
        with pytest.raises(ChatbotError, match="the script of the chatbot is over"):
            await session.reply(message("user", "y"))


async def test_it_takes_what_a_script_injects_and_gives_back_what_stubs_say():
    used = ToolCall(name="track", arguments={"order": 7}, result="on its way")
    other = ToolCall(name="track", arguments={"order": 8}, result="on its way")
    reply = message("chatbot", "Lost.", tool_calls=(other, used, used))
    greeting, stub = InjectReply(text="Hello"), InjectTool(name="track", arguments={"order": 7}, result="lost")
    async with ScriptedChatbot(reply).connect(Case(id="a")) as session:
        await session.inject(greeting)
        await session.stub(stub)
        said = await session.reply(message("user", "Where is it?"))

    lost = used.model_copy(update={"result": "lost", "stubbed": True})
    assert (said.tool_calls, session.injected, session.received) == (
        (other, lost, used),
        [greeting],
        [message("user", "Where is it?")],
    )
