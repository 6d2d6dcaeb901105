"""Live chat, with a chatbot of our own that has commands."""

from pathlib import Path

import pytest

from command_line import Sparring
from terminal import UP, terminal
from webhook_server import webhook

BOT = '''
from sparring.core.message import Message, ToolCall, message

class Bot:
    """Counts what it is told."""

    greeting = "Hello \\x1b[31mthere"
    welcome = "Try: count\\nor not"
    reports_tools = True

    def __init__(self, case):
        self.case = case
        self.told = 0

    async def reply(self, said):
        self.told += 1
        call = ToolCall(name="count", arguments={"text": said.text}, result=self.told)
        return message("chatbot", f"{self.case.variables.get('who', 'nobody')} said {said.text}", tool_calls=(call,))

    def commands(self):
        return {"count": self.count, "counter": self.counter, "break": self.broken, "help": self.broken}

    async def count(self, text):
        """how often something was said

        And more.
        """
        return f"{self.told} times\\n{text or 'nothing'}\\x1b[2J"

    async def counter(self, text):
        return ""

    async def broken(self, text):
        """fails"""
        raise ValueError("no \\x07 luck")
'''


@pytest.fixture
def bot(tmp_path: Path) -> str:
    (tmp_path / "bot.py").write_text(BOT)
    return "python:bot.py:Bot"


def test_a_chatbots_own_commands_work_in_the_middle_of_a_conversation(inside: Sparring, bot: str):
    done = inside("chat", bot, "--var", "who=Ann", stdin="hi\n/count\nagain\n  /count  now \n//count\n/exit\nnever\n")

    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "  | Hello \\x1b[31mthere",
        "  | Ann said hi",
        "  | 1 times",
        "  | nothing\\x1b[2J",
        "  | Ann said again",
        "  | 2 times",
        "  | now\\x1b[2J",
        "  | Ann said /count",
    ]
    assert done.stderr.splitlines()[1:4] == ["Try: count", "or not", '  tool count {"text": "hi"} -> 1']


def test_help_lists_all_commands_with_the_first_line_of_what_they_say_about_themselves(inside: Sparring, bot: str):
    done = inside("chat", bot, stdin="/help\n")

    assert done.stdout.splitlines()[1:] == [
        "  /count          how often something was said",
        "  /counter",
        "  /break          fails",
        "  /help           this list",
        "  /exit or /quit  ends the chat, as does the end of the input",
        "Everything else goes to the chatbot; //text sends /text.",
    ]


def test_a_command_that_fails_or_does_not_exist_ends_nothing(inside: Sparring, bot: str):
    done = inside("chat", bot, stdin="/break\n/cuont\n/zzz\n/\nhi\n/quit\n")

    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "  | nobody said hi")
    assert done.stderr.splitlines()[3:8] == [
        "error: /break: ValueError: no \\x07 luck",
        "error: there is no command /cuont",
        "hint: did you mean /count?",
        "error: there is no command /zzz",
        "hint: /help lists all commands",
    ]


def test_a_chatbot_without_commands_has_those_of_every_chat(inside: Sparring):
    done = inside("chat", "pizzeria", "--model", "offline", stdin="/help\nWhen do you open?\n/exit\n")

    assert done.returncode == 0
    assert "/help" in done.stdout
    assert "We are open" in done.stdout
    assert "tool opening_hours {}" in done.stderr


@pytest.mark.parametrize(
    ("written", "complaint"),
    [(["who"], "--var 'who': expected NAME=VALUE"), (["a=1", "a=2"], "--var a: is given twice")],
)
def test_a_variable_that_is_none_is_refused(inside: Sparring, bot: str, written: list[str], complaint: str):
    done = inside("chat", bot, *[word for each in written for word in ("--var", each)])

    assert done.returncode == 2
    assert complaint in done.stderr


@pytest.mark.process
def test_on_a_terminal_there_are_a_prompt_colours_and_what_was_typed_before(tmp_path: Path, bot: str):
    with terminal("chat", bot, "--var", "who=Ann", folder=tmp_path) as (screen, program):
        begun = screen.waits()
        first = screen.says("one")
        again = screen.says(UP)
        counted = screen.says("/count")
        screen.type("/exit")
        screen.rest()

        assert program.wait(30) == 0
    assert "Try: count" in begun
    assert "  | Ann said one" in first
    assert "  | Ann said one" in again
    assert "  | 2 times" in counted
    assert "\x1b[36m  | Ann said one\x1b[0m" in screen.raw
    assert "\x1b[31m" not in screen.raw


@pytest.mark.process
def test_without_colours_nothing_is_coloured_on_a_terminal_either(tmp_path: Path, bot: str):
    with terminal("chat", bot, folder=tmp_path, env={"NO_COLOR": "1"}) as (screen, program):
        screen.waits()
        screen.says("one")
        screen.type("\x04")
        screen.rest()

        assert program.wait(30) == 0
    assert "said one" in screen.text
    assert "\x1b[36m" not in screen.raw
    assert "\x1b[90m" not in screen.raw


NEEDY = {
    "spec.yaml": "entry: sales\nvariables: {CLIENT: {required: true}}\nagents: {sales: {prompt: sales.md}}\n",
    "sales.md": "You talk to {{CLIENT}}.\n",
}


def test_a_webhook_is_asked_before_a_chat_begins(inside: Sparring, bot: str):
    with webhook({"who": "Ann", "session_id": "crm-1"}) as hook:
        done = inside("chat", bot, stdin="hi\n", env={"WEBHOOK_URL": hook.url})
        own = inside("chat", bot, "--var", "who=Bob", stdin="hi\n", env={"WEBHOOK_URL": hook.url})

    assert (done.stdout.splitlines()[1], own.stdout.splitlines()[1]) == ("  | Ann said hi", "  | Bob said hi")
    assert hook.asked == 2


def test_what_a_webhook_fills_is_not_refused_and_what_it_does_not_is(inside: Sparring, tmp_path: Path):
    for name, text in NEEDY.items():
        (tmp_path / name).write_text(text)
    chat = "chat", "prompted:.", "--chatbot-model", "http://127.0.0.1:1/v1#m"

    refused = inside(*chat, stdin="/exit\n")
    with webhook({"CLIENT": "Cafe North"}) as knows, webhook({"other": 1}) as does_not, webhook(None) as fails:
        filled = inside(*chat, stdin="/exit\n", env={"WEBHOOK_URL": knows.url})
        lacking = inside(*chat, stdin="/exit\n", env={"WEBHOOK_URL": does_not.url})
        failing = inside(*chat, "--var", "CLIENT=x", stdin="/exit\n", env={"WEBHOOK_URL": fails.url})
        (tmp_path / "sparring.yaml").write_text(f"webhook: {{url: '{fails.url}', required: true}}\n")
        required = inside(*chat, "--var", "CLIENT=x", stdin="/exit\n")

    lacks = "its prompts need the variable 'CLIENT', which the case does not have"
    assert (refused.returncode, lacks in refused.stderr) == (2, True)
    assert (filled.returncode, filled.stderr.startswith("prompted:.")) == (0, True), filled.stderr
    assert (lacking.returncode, lacks in lacking.stderr) == (2, True)
    assert (failing.returncode, "warning: the webhook failed: HTTP 404" in failing.stderr) == (0, True)
    assert (required.returncode, required.stderr) == (3, "error: the webhook failed: HTTP 404\n")
