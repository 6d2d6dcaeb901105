import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from sparring.chatbots.python import PythonChatbot, connect
from sparring.core.case import Case
from sparring.core.errors import ChatbotError, InputError
from sparring.core.message import Message, ToolCall, message
from sparring.llm.plugin_context import PluginContext
from sparring.testing.conformance.chatbots import check_chatbot

CODE = """
from sparring.core.message import message

async def repeats(messages, variables):
    return " / ".join(m.text for m in messages)

def in_a_thread(messages, variables):
    return " / ".join(m.text for m in messages)

def asks_for_one(message): return "Hi"

class Remembers:
    greeting = "Welcome"
    def __init__(self): self.told = []
    async def reply(self, message):
        self.told.append(message.text)
        return " / ".join(self.told)

class TakesTheCase:
    def __init__(self, case): self.case = case
    def reply(self, message): return self.case.id

class Mute: pass

class NeedsMore:
    def __init__(self, one, two): pass
    def reply(self, message): return "Hi"

one_for_all = Remembers()
not_callable = 3
"""


ANY_CASE = Case(id="a")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bots.py").write_text(CODE)
    return tmp_path


async def replies(code: Any, *lines: str, case: Case = ANY_CASE) -> list[Message]:
    async with PythonChatbot(code).connect(case) as session:
        return [await session.reply(message("user", line)) for line in lines]


@pytest.mark.parametrize(
    "argument", ["bots:repeats", "bots:in_a_thread", "bots.py:repeats", "bots:Remembers", "bots:TakesTheCase"]
)
async def test_every_form_passes_what_chatbots_must(argument: str, context: PluginContext):
    def failing(messages: list[Message], variables: dict[str, Any]) -> str:
        raise ValueError("out of order\n\x1b[31m")

    if argument.endswith("TakesTheCase"):
        assert [said.text for said in await replies(connect(argument, context)._code, "Hi")] == ["a"]
    else:
        await check_chatbot(lambda: connect(argument, context), failing=lambda: PythonChatbot(failing))


async def test_a_function_receives_history_messages_and_variables_of_the_case():
    told = []

    async def reply(messages: list[Message], variables: dict[str, Any]) -> str:
        told.append(([said.text for said in messages], dict(variables)))
        variables["size"] = "spoilt"
        return "yes"

    case = Case(id="a", history=(message("chatbot", "Welcome"),), variables={"size": "large"})
    await replies(reply, "One", "Two", case=case)

    assert told == [
        (["Welcome", "One"], {"size": "large"}),
        (["Welcome", "One", "yes", "Two"], {"size": "large"}),
    ]


async def test_a_function_that_is_not_async_runs_in_a_thread_of_its_own():
    where = []

    def reply(messages: list[Message], variables: dict[str, Any]) -> str:
        where.append(threading.current_thread() is threading.main_thread())
        return "ok"

    await replies(reply, "Hi")

    assert where == [False]


async def test_conversations_that_hang_keep_no_other_waiting():
    hanging = threading.Event()

    def reply(messages: list[Message], variables: dict[str, Any]) -> str:
        if variables["hangs"]:
            hanging.wait()
        return "ok"

    cases = [Case(id=str(number), variables={"hangs": number % 5 == 0}) for number in range(40)]
    talks = [asyncio.create_task(replies(reply, "Hi", "You", case=case)) for case in cases]
    hung, others = talks[::5], [talk for number, talk in enumerate(talks) if number % 5]
    try:
        async with asyncio.timeout(5):
            heard = await asyncio.gather(*others)
        still = [talk.done() for talk in hung]
    finally:
        for talk in hung:
            talk.cancel()
        await asyncio.gather(*hung, return_exceptions=True)
        hanging.set()

    assert (heard, still) == ([[message("chatbot", "ok")] * 2] * 32, [False] * 8)


@pytest.mark.parametrize("answer", ["x" * 50_001, message("chatbot", "x" * 50_001)])
async def test_a_reply_beyond_the_size_limit_is_a_failure_of_the_chatbot(answer: str | Message):
    with pytest.raises(ChatbotError, match=r"^the reply has 50,001 characters; no more than 50,000 are taken$"):
        await replies(lambda messages, variables: answer, "Hi")


async def test_an_object_greets_and_belongs_to_one_conversation(context: PluginContext):
    chatbot = connect("bots:Remembers", context)
    async with chatbot.connect(Case(id="a")) as one, chatbot.connect(Case(id="b")) as two:
        said = [
            (await session.reply(message("user", line))).text for session, line in [(one, "x"), (two, "y"), (one, "z")]
        ]

    assert (one.greeting, said) == (message("chatbot", "Welcome"), ["x", "y", "x / z"])


async def test_a_message_is_passed_on_as_it_is():
    whole = Message(role="chatbot", tool_calls=(ToolCall(name="find_order"),), ends=True)

    async def reply(messages: list[Message], variables: dict[str, Any]) -> Message:
        return whole

    assert await replies(reply, "Hi") == [whole]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (None, "it replied with NoneType, where text or a chatbot's Message was expected"),
        (7, "it replied with int, where text or a chatbot's Message was expected"),
        (
            message("user", "Hi"),
            "it replied with a message of the user, where text or a chatbot's Message was expected",
        ),
    ],
)
async def test_a_reply_that_is_none_is_a_failure_of_the_chatbot(answer: Any, reason: str):
    with pytest.raises(ChatbotError) as caught:
        await replies(lambda messages, variables: answer, "Hi")

    assert str(caught.value) == reason


@pytest.mark.parametrize(
    "error", [ValueError("no such order"), StopIteration("over"), SystemExit("bye"), KeyError("x")]
)
@pytest.mark.parametrize("asynchronous", [True, False])
async def test_any_exception_is_a_failure_of_the_chatbot(error: BaseException, asynchronous: bool):
    def fails(messages: list[Message], variables: dict[str, Any]) -> str:
        raise error

    async def fails_later(messages: list[Message], variables: dict[str, Any]) -> str:
        raise error

    with pytest.raises(ChatbotError) as caught:
        await asyncio.wait_for(replies(fails_later if asynchronous else fails, "Hi"), 60)

    kind = "RuntimeError" if asynchronous and isinstance(error, StopIteration) else type(error).__name__
    assert str(caught.value).startswith(f"{kind}: ")


async def test_a_reason_given_by_the_chatbot_is_kept():
    async def fails(messages: list[Message], variables: dict[str, Any]) -> str:
        raise ChatbotError("the kitchen is closed")

    with pytest.raises(ChatbotError, match=r"^the kitchen is closed$"):
        await replies(fails, "Hi")


async def test_a_constructor_that_takes_long_keeps_no_other_conversation_waiting():
    somebody_else_talked = threading.Event()

    class Slow:
        def __init__(self) -> None:
            assert somebody_else_talked.wait(10)

        def reply(self, message: Message) -> str:
            return "At last"

    async def quick(messages: Any, variables: Any) -> str:
        somebody_else_talked.set()
        return "Hi"

    async def ask(code: Any) -> str:
        async with PythonChatbot(code).connect(ANY_CASE) as session:
            return (await session.reply(message("user", "Hello"))).text

    assert await asyncio.gather(ask(Slow), ask(quick)) == ["At last", "Hi"]


async def test_a_class_that_cannot_be_made_is_a_failure_of_the_chatbot():
    class Broken:
        def __init__(self) -> None:
            raise OSError("no database")

        def reply(self, message: Message) -> str:
            return "Hi"

    with pytest.raises(ChatbotError, match="OSError: no database"):
        await replies(Broken, "Hi")


@pytest.mark.parametrize(
    ("argument", "problem", "hint"),
    [
        ("bots", "cannot tell module and name apart in 'bots'", "python:my_module:reply"),
        ("bots:", "cannot tell module and name apart in 'bots:'", "python:bot.py:reply"),
        ("nowhere:repeats", "there is no module 'nowhere'", "a module in the current directory"),
        ("missing.py:reply", "there is no file 'missing.py'", "paths start from the current directory"),
        ("bots:repeat", "there is no 'repeat' in bots", "did you mean 'repeats'?"),
        ("bots:zzz", "there is no 'zzz' in bots", "there are: Mute, NeedsMore, "),
        ("bots:asks_for_one", "cannot be asked for a reply", "a function takes (messages, variables)"),
        ("bots:not_callable", "cannot be asked for a reply", "a class has reply(self, message)"),
        ("bots:one_for_all", "cannot be asked for a reply", "a class has reply(self, message)"),
        ("bots:Mute", "has no reply(self, message)", "def reply(self, message)"),
        ("bots:NeedsMore", "cannot be made", "its __init__ takes nothing, or the case"),
        ("broken.py:reply", "broken.py cannot be imported: ZeroDivisionError: division by zero", ""),
        ("broken:reply", "broken cannot be imported: ZeroDivisionError: division by zero", ""),
        ("leaves:reply", "leaves cannot be imported: SystemExit: bye", ""),
        ("lacks:reply", "lacks cannot be imported: ModuleNotFoundError: No module named 'not_there'", ""),
        ("not_there.deeper:reply", "there is no module 'not_there'", "a file is named with its .py"),
    ],
)
def test_unusable_objects_are_refused_at_once(
    argument: str, problem: str, hint: str, folder: Path, context: PluginContext
):
    (folder / "broken.py").write_text("1 / 0")
    (folder / "leaves.py").write_text("raise SystemExit('bye')")
    (folder / "lacks.py").write_text("import not_there")

    with pytest.raises(InputError) as caught:
        connect(argument, context)

    assert problem in str(caught.value)
    assert hint in caught.value.hint


async def test_a_file_may_use_the_files_beside_it(folder: Path, context: PluginContext):
    (folder / "sub").mkdir()
    (folder / "sub" / "beside.py").write_text("WORDS = 'from beside'")
    (folder / "sub" / "bot.py").write_text("import beside\ndef reply(messages, variables): return beside.WORDS")

    async with connect("sub/bot.py:reply", context).connect(Case(id="a")) as session:
        assert (await session.reply(message("user", "Hi"))).text == "from beside"


@pytest.mark.parametrize(("stated", "reports"), [(True, True), (False, False), (None, False)])
async def test_tool_calls_count_as_complete_only_if_the_code_says_so(stated: bool | None, reports: bool):
    async def reply(messages: list[Message], variables: dict[str, Any]) -> str:
        return "Hi"

    if stated is not None:
        reply.reports_tools = stated  # type: ignore[attr-defined]
    assert PythonChatbot(reply).capabilities.reports_tools is reports
