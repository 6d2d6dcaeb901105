import asyncio
import os
import select
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sparring.chatbots.command import CommandChatbot, connect
from sparring.core.case import Case
from sparring.core.errors import ChatbotError, ChatbotTimeout, InputError
from sparring.core.message import Button, Message, Text, ToolCall, message
from sparring.core.seeding import session_id
from sparring.llm.plugin_context import PluginContext
from sparring.testing.conformance.chatbots import check_chatbot

pytestmark = pytest.mark.process

CASE = Case(id="pizza/1", seed=7, variables={"size": "large"})
Make = Callable[..., CommandChatbot]

REPEATING = """
import sys
told = []
for line in sys.stdin:
    told.append(line.strip())
    print(" / ".join(told))
"""
ASKING = """
told = []
print("Welcome to the shop.\\nAsk me.")
while True:
    told.append(input("you: "))
    print(" / ".join(told) + "\\n(end)")
"""
JSON = """
import json, os, sys
for line in sys.stdin:
    print(json.dumps({"log": "thinking"}))
    print(json.dumps({"say": json.loads(line), "who": os.environ["SPARRING_SESSION"], "mode": os.environ["MODE"],
                      "buttons": ["Yes"], "tools": [{"name": "look"}], "over": True}))
"""


STATEFUL = """
import json, sys
said = []
print("ready", flush=True) if PROMPT else None
for line in sys.stdin:
    if line.strip() == "/state":
        print(json.dumps({"data": {"said": said, "at": 1}}))
    else:
        said.append(line.strip())
        print("Hello")
    print("ready", flush=True) if PROMPT else None
"""


@pytest.fixture
def make(tmp_path: Path, context: PluginContext) -> Make:
    def written(code: str, rest: str = "") -> CommandChatbot:
        (tmp_path / "bot.py").write_text(code)
        (tmp_path / "bot.yaml").write_text(f"command: [{sys.executable!r}, bot.py]\n{rest}")
        return connect(str(tmp_path / "bot.yaml"), context)

    return written


async def said(chatbot: CommandChatbot, *lines: str) -> list[Message | None]:
    async with chatbot.connect(CASE) as session:
        return [session.greeting, *[await session.reply(message("user", line)) for line in lines]]


async def test_a_command_chatbot_passes_the_conformance_suite(make: Make):
    await check_chatbot(lambda: make(REPEATING), failing=lambda: make("raise SystemExit('out of order')"))


async def test_a_program_that_ends_in_peace_took_its_leave(make: Make):
    heard = await said(make("print('Yes?'); input('> '); print('Good-bye.')", 'prompt: "> "'), "quit")

    assert heard == [None, message("chatbot", "Good-bye.").model_copy(update={"ends": True})]


@pytest.mark.parametrize("end", ["", "print('Oh'); raise SystemExit(3)"])
async def test_a_program_that_ends_without_a_word_or_in_error_failed(make: Make, end: str):
    with pytest.raises(ChatbotError, match="the program ended"):
        await said(make(f"print('Yes?'); input('> '); {end}", 'prompt: "> "'), "quit")


async def test_a_command_line_is_taken_apart_but_given_to_no_shell(tmp_path: Path, context: PluginContext):
    (tmp_path / "my bot.py").write_text("import sys\nfor line in sys.stdin: print(sys.argv[1:], line.strip())")

    chatbot = connect(f"{sys.executable} '{tmp_path}/my bot.py' '$HOME; ls' *", context)

    assert await said(chatbot, "Hi\nthere") == [None, message("chatbot", "['$HOME; ls', '*'] Hi there")]


@pytest.mark.parametrize(
    ("greets", "greeting"), [("greets: true\n", message("chatbot", "Welcome to the shop.\nAsk me.")), ("", None)]
)
async def test_output_up_to_the_next_prompt_of_a_program_is_its_reply(
    make: Make, greets: str, greeting: Message | None
):
    heard = await said(make(ASKING, f'prompt: "you: "\n{greets}'), "One", "Two")

    assert heard == [greeting, message("chatbot", "One\n(end)"), message("chatbot", "One / Two\n(end)")]


async def test_lines_of_json_are_read_as_a_preset_says(make: Make):
    rest = """
environment: {MODE: "{{size}}"}
answer: json
body: {text: "{{message}}", size: "{{size}}"}
reply: {text: [say.text, say.size, who, mode], buttons: {each: buttons}}
tools: {each: tools}
ended: over
"""
    heard = await said(make(JSON, rest), "Hi\nthere")

    texts = tuple(Text(text=words) for words in ("Hi\nthere", "large", session_id(CASE), "large"))
    parts = (*texts, Button(title="Yes"))
    assert heard == [None, Message(role="chatbot", parts=parts, tool_calls=(ToolCall(name="look"),), ends=True)]


@pytest.mark.parametrize(
    ("code", "rest", "kind", "reason"),
    [
        ("raise SystemExit('no\\x07 database')", "", ChatbotError, "the program ended (exit code 1): no database"),
        ("print('Bye')", "prompt: '> '\n", ChatbotError, "the program ended (exit code 0)"),
        ("input(); print('oops')", "answer: json\nreply: a\n", ChatbotError, "what it said is not JSON: oops"),
        (
            'input(); print(\'{"e": "full"}\')',
            "answer: json\nreply: a\nerror: e\n",
            ChatbotError,
            "reports an error: full",
        ),
        ("input(); print('x' * 2_000_000)", "", ChatbotError, "the program said more than 1,000,000 bytes at once"),
        ("while True: print('x' * 9999)", "prompt: '> '\n", ChatbotError, "the program said more than 1,000,000 bytes"),
        ("input(); print('x' * 50_001)", "", ChatbotError, "the reply has 50,001 characters"),
        ("input(); print('[' * 900 + ']' * 900)", "answer: json\nreply: a\n", ChatbotError, "is nested too deep: [["),
        ("input(); input()", "timeout: 0.3\n", ChatbotTimeout, "the program said nothing within 0.3 s"),
    ],
)
async def test_invalid_output_is_a_failure_with_its_reason(
    make: Make, code: str, rest: str, kind: type[ChatbotError], reason: str
):
    chatbot = make(code, rest)
    with pytest.raises(ChatbotError) as caught:
        await said(chatbot, "Hi")

    assert (type(caught.value), reason in str(caught.value)) == (kind, True), str(caught.value)


@pytest.mark.parametrize("program", ["./echo.sh", "./bots/../echo.sh --loud"])
async def test_a_program_in_the_current_folder_is_named_by_its_path(
    tmp_path: Path, context: PluginContext, monkeypatch: pytest.MonkeyPatch, program: str
):
    (tmp_path / "bots").mkdir()
    (tmp_path / "echo.sh").write_text("#!/bin/sh\nexec cat\n")
    (tmp_path / "echo.sh").chmod(0o755)
    monkeypatch.chdir(tmp_path)

    assert await said(connect(program, context), "Hi") == [None, message("chatbot", "Hi")]


TELLING = """
import os
input()
print(" ".join(os.environ.get(name, "-") for name in ("OPENAI_API_KEY", "GROQ_API_KEY", "SPARRING_API_KEY", "MINE")))
"""


async def test_keys_for_models_are_not_passed_on_unless_the_preset_says_so(make: Make, monkeypatch: pytest.MonkeyPatch):
    for name in ("OPENAI_API_KEY", "GROQ_API_KEY", "SPARRING_API_KEY", "CHATBOT_API_KEY", "MINE"):
        monkeypatch.setenv(name, f"value-of-{name}")
    named = "environment: {GROQ_API_KEY: '${GROQ_API_KEY}', SPARRING_API_KEY: other}\n"

    heard = [await said(make(TELLING), "Hi"), await said(make(TELLING, named), "Hi")]

    assert heard == [
        [None, message("chatbot", "- - - value-of-MINE")],
        [None, message("chatbot", "- [redacted] other value-of-MINE")],
    ]


@pytest.mark.parametrize("before", [0, 2, 1_990, 60_000])
async def test_no_part_of_a_key_is_in_what_a_program_complains_of(
    make: Make, monkeypatch: pytest.MonkeyPatch, before: int
):
    monkeypatch.setenv("SHOP_KEY", "hunter2-and-more")
    code = f"import os, sys\nsys.stderr.write(os.environ['KEY'] + ' ' + 'x ' * {before // 2})\nsys.exit(1)"

    with pytest.raises(ChatbotError, match=r"the program ended \(exit code 1\): ") as caught:
        await said(make(code, "environment: {KEY: '${SHOP_KEY}'}\n"), "Hi")
    assert "more" not in str(caught.value)


@pytest.mark.parametrize(
    "code",
    [
        "for line in sys.stdin: print('one\\ntwo')",
        "for line in sys.stdin: print('one'); print('two'); print('three')",
        "print('Welcome'); [print(line.strip()) for line in sys.stdin]",
    ],
)
async def test_replies_of_several_lines_are_not_taken_for_several_replies(make: Make, code: str):
    with pytest.raises(ChatbotError, match="the program said more than one line"):
        await talked_to(make(f"import sys\n{code}"))


async def test_a_program_that_is_gone_says_so_however_soon_it_is_spoken_to(make: Make):
    with pytest.raises(ChatbotError, match=r"the program ended \(exit code 0\)"):
        await talked_to(make("print(input())"))


async def talked_to(chatbot: CommandChatbot) -> None:
    """Talk until it fails, as slowly as people do."""
    async with chatbot.connect(CASE) as session:
        for _ in range(1_000):
            await session.reply(message("user", "Hi"))
            await asyncio.sleep(0.01)


async def test_a_last_line_counts_without_its_end(make: Make):
    assert await said(make("input(); print('almost', end='')"), "Hi") == [None, message("chatbot", "almost")]


async def test_a_program_that_complains_a_lot_goes_on(make: Make):
    code = "import sys\nfor line in sys.stdin:\n    sys.stderr.write('x' * 300_000)\n    print('ok')"

    assert await said(make(code), "Hi", "You") == [None, message("chatbot", "ok"), message("chatbot", "ok")]


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="only Linux can wait for the processes of others")
async def test_nothing_of_a_program_is_left_when_its_conversation_is_given_up(make: Make, tmp_path: Path):
    code = f"""
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
open({str(tmp_path / "pids")!r}, "w").write(f"{{os.getpid()}} {{child.pid}}")
input()
print("ready", flush=True)
while True: time.sleep(60)
"""
    chatbot = make(code)
    async with chatbot.connect(CASE) as session:
        await session.reply(message("user", "Hi"))
        reply = asyncio.create_task(session.reply(message("user", "Are you there?")))
        await asyncio.sleep(0)
        reply.cancel()
        await asyncio.gather(reply, return_exceptions=True)

    assert [has_ended(int(pid)) for pid in (tmp_path / "pids").read_text().split()] == [True, True]


def has_ended(pid: int) -> bool:
    """Whether a process is over, or is so at once: what was killed needs a moment to go."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    over, _, _ = select.select([process], [], [], 5)
    os.close(process)
    return bool(over)


@pytest.mark.parametrize(
    ("argument", "problem"),
    [
        ("", "command: needs a program"),
        ("no-such-program --x", "there is no program 'no-such-program'"),
        ("./no-such-program", "there is no program './no-such-program'"),
        ("echo 'oops", "command: cannot be read: No closing quotation"),
        ("missing.yaml", "missing.yaml: there is no such file"),
    ],
)
def test_a_command_that_cannot_start_is_refused_at_once(argument: str, problem: str, context: PluginContext):
    with pytest.raises(InputError, match=problem):
        connect(argument, context)


def test_all_problems_of_a_preset_are_reported_at_once(make: Make, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("SHOP_KEY", raising=False)

    with pytest.raises(InputError) as caught:
        make(REPEATING, "folder: nowhere\nenvironment: {KEY: '${SHOP_KEY}'}\nbody: hello\n")

    assert [problem.message.partition(" '")[0] for problem in caught.value.problems] == [
        "the environment variable SHOP_KEY is not set",
        "the message of the user is not sent",
        "there is no folder",
    ]


async def test_a_program_that_vanished_is_a_failure_of_the_chatbot(tmp_path: Path, context: PluginContext):
    program = tmp_path / "bot"
    program.write_text("#!/bin/sh\ncat\n")
    program.chmod(0o755)
    chatbot: Any = connect(str(program), context)
    os.unlink(program)

    with pytest.raises(ChatbotError, match="bot cannot be started: "):
        await said(chatbot, "Hi")


@pytest.mark.parametrize("prompt", [False, True])
async def test_the_state_of_a_program_is_asked_for_in_a_line(make: Make, prompt: bool):
    options = "state: {body: /state, result: data, ignore: [at]}\n" + ('prompt: "ready\\n"\n' if prompt else "")
    chatbot = make(STATEFUL.replace("PROMPT", str(prompt)), options)

    async with chatbot.connect(CASE) as session:
        before = await session.state()
        reply = await session.reply(message("user", "Hi"))
        after = await session.state()

    assert chatbot.capabilities.reports_state
    assert (before, reply.text, after) == ({"said": []}, "Hello", {"said": ["Hi"]})


async def test_a_program_that_does_not_know_its_state_has_an_error(make: Make):
    chatbot = make(REPEATING, "state: {body: /state}\n")

    async with chatbot.connect(CASE) as session:
        with pytest.raises(ChatbotError, match=r"is not JSON: '?/state"):
            await session.state()
