from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from scripted import ScriptedModel
from sparring.chatbots.prompted import chatbot
from sparring.core.case import Case
from sparring.core.errors import ChatbotError, InputError, ModelUnavailable
from sparring.core.message import message
from sparring.core.seeding import session_id
from sparring.llm.model import ChatMessage, Completion, Request, UnpricedModel
from sparring.llm.plugin_context import PluginContext
from sparring.testing.conformance.chatbots import check_chatbot

GRAMMAR = """
fallback: Sorry?
intents: [{name: add, patterns: [add], tool: add}]
replies: {add: [{say: "It is {{result}}."}]}
"""
TOOLS = """
class Tools:
    def __init__(self, session: str):
        self.count = 0
    def add(self) -> int:
        "Count on."
        self.count += 1
        return self.count
"""


def folder(path: Path, files: Mapping[str, str]) -> str:
    for name, text in files.items():
        (path / name).write_text(text)
    return str(path)


def with_model(context: PluginContext, *replies: str) -> tuple[PluginContext, ScriptedModel]:
    model = ScriptedModel(*replies)
    return replace(context, models={"chatbot": model}), model


class Repeating(UnpricedModel):
    """A model that says again everything the user said."""

    async def complete(self, request: Request) -> Completion:
        return Completion(text="; ".join(line.content for line in request.messages if line.role == "user"))


class Failing(UnpricedModel):
    async def complete(self, request: Request) -> Completion:
        raise ModelUnavailable("HTTP 503")


async def test_a_folder_is_a_chatbot(tmp_path: Path, context: PluginContext):
    where = folder(tmp_path, {"prompt.md": "Help {{name}} in {{session}}.\n", "greeting.md": "Hello {{name}}!\n"})
    context, model = with_model(context, "Sure.")
    case = Case(id="x", variables={"name": "Ada", "unused": "secret"})

    async with chatbot.connect(where, context).connect(case) as session:
        await session.reply(message("user", "Help!"))

    assert session.greeting == message("chatbot", "Hello Ada!")
    assert model.requests[0].messages == (
        ChatMessage("system", f"Help Ada in {session_id(case)}."),
        ChatMessage("assistant", "Hello Ada!"),
        ChatMessage("user", "Help!"),
    )


async def test_a_prompt_is_filled_in_one_pass(tmp_path: Path, context: PluginContext):
    where = folder(tmp_path, {"prompt.md": "Serve {{name}}."})
    context, model = with_model(context, "Sure.")
    case = Case(id="x", variables={"name": "{{password}}", "password": "hunter2"})

    async with chatbot.connect(where, context).connect(case) as session:
        await session.reply(message("user", "Hi"))

    assert model.requests[0].messages[0].content == "Serve {{password}}."


async def test_a_package_fills_its_own_variables_in_first(tmp_path: Path, context: PluginContext):
    folder(tmp_path, {"prompt.md": "Serve {{name}}, {{policy}}."})
    context, model = with_model(context, "Sure.")
    bot = chatbot.from_folder(tmp_path, context, variables={"policy": "10 days"})

    async with bot.connect(Case(id="x", variables={"name": "Ada", "policy": "anything goes"})) as session:
        await session.reply(message("user", "Hi"))

    assert model.requests[0].messages[0].content == "Serve Ada, 10 days."


async def test_a_variable_that_the_case_does_not_have_fails_the_chatbot(tmp_path: Path, context: PluginContext):
    where = folder(tmp_path, {"prompt.md": "Serve {{name}}."})
    context, _ = with_model(context)

    with pytest.raises(ChatbotError, match=r"^its prompt needs the variable 'name', which the case does not have$"):
        async with chatbot.connect(where, context).connect(Case(id="x")):
            pass


async def test_offline_the_grammar_of_the_folder_plays_the_model(tmp_path: Path, context: PluginContext):
    where = folder(tmp_path, {"prompt.md": "Count.", "tools.py": TOOLS, "grammar.yaml": GRAMMAR})
    bot = chatbot.connect(where, replace(context, offline=frozenset({"chatbot"})))

    async with bot.connect(Case(id="x")) as session:
        said = [await session.reply(message("user", line)) for line in ("add", "add", "multiply")]

    assert [reply.text for reply in said] == ["It is 1.", "It is 2.", "Sorry?"]
    assert bot.capabilities.reports_tools


async def test_a_prompted_chatbot_passes_the_conformance_suite(tmp_path: Path, context: PluginContext):
    where = folder(tmp_path, {"prompt.md": "Count.", "tools.py": TOOLS, "grammar.yaml": GRAMMAR})

    await check_chatbot(
        lambda: chatbot.connect(where, replace(context, models={"chatbot": Repeating()})),
        failing=lambda: chatbot.connect(where, replace(context, models={"chatbot": Failing()})),
    )
    await check_chatbot(
        lambda: chatbot.connect(where, replace(context, offline=frozenset({"chatbot"}))), lines=("add", "add")
    )


def problems(where: str, context: PluginContext) -> list[str]:
    with pytest.raises(InputError) as caught:
        chatbot.connect(where, context)
    return [*(str(problem).replace(where, "DIR") for problem in caught.value.problems), caught.value.hint]


def test_all_problems_of_a_prompt_folder_are_reported_at_once(tmp_path: Path, context: PluginContext):
    files = {
        "greeting.md": "Hi\n {{",
        "tools.py": "import nothing_of_this_name",
        "grammar.yaml": "fallback: x\nintents: 3\n",
    }

    assert problems(folder(tmp_path, files), replace(context, offline=frozenset({"chatbot"}))) == [
        "DIR/prompt.md: there is no such file (write what the model should know and do, in Markdown)",
        "DIR/greeting.md:2:2: {{ belongs to no field (a field is written {{name}})",
        "DIR/tools.py:1: cannot be imported: ModuleNotFoundError: No module named 'nothing_of_this_name'",
        "DIR/grammar.yaml:2:10: intents: should be a list, not a number",
        "",
    ]  # fmt: skip


def test_a_grammar_is_held_against_the_tools(tmp_path: Path, context: PluginContext):
    files = {"prompt.md": "", "tools.py": TOOLS, "grammar.yaml": GRAMMAR.replace("tool: add", "tool: ad")}

    assert problems(folder(tmp_path, files), replace(context, offline=frozenset({"chatbot"}))) == [
        "DIR/grammar.yaml:3:46: intents[0].tool: unknown tool 'ad' (did you mean 'add'?)",
        "",
    ]


def test_offline_without_a_grammar_says_what_to_do(tmp_path: Path, context: PluginContext):
    where = folder(tmp_path, {"prompt.md": "Count."})

    assert problems(where, replace(context, offline=frozenset({"chatbot"}))) == [
        "DIR/grammar.yaml: there is no such file, and without it the chatbot needs a language model",
        "choose a model for it: --chatbot-model openai:gpt-4o-mini",
    ]


def test_a_file_that_is_no_text_or_far_too_long_is_refused(tmp_path: Path, context: PluginContext):
    where = folder(tmp_path, {"prompt.md": "x" * 1_000_001})
    (tmp_path / "greeting.md").write_bytes(b"\xff\xfe\xff")

    assert problems(where, with_model(context)[0]) == [
        "DIR/prompt.md: is larger than 1,000,000 bytes",
        "DIR/greeting.md:1: is not UTF-8 text",
        "",
    ]


def test_a_missing_folder_is_reported_with_the_nearest_name(tmp_path: Path, context: PluginContext):
    (tmp_path / "counter").mkdir()

    assert problems(str(tmp_path / "conter"), context) == [
        f"DIR: there is no such folder (did you mean {str(tmp_path / 'counter')!r}?)",
        "",
    ]
