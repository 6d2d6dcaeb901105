from dataclasses import replace
from pathlib import Path

import pytest

from scripted import ModelReply, ScriptedModel
from sparring.chatbots.prompted import chatbot
from sparring.core.case import Case, InjectTool
from sparring.core.errors import ChatbotError, InputError, ModelUnavailable
from sparring.core.message import Message, ToolCall, message
from sparring.llm.model import Completion, ToolRequest
from sparring.llm.plugin_context import PluginContext
from sparring.testing.conformance.chatbots import check_chatbot

SPEC = """
entry: front
handoffs_per_turn: 2
variables:
  shop: {type: string, required: true}
  day: {type: string, default: today}
agents:
  front:
    prompt: [common.md, front.md]
    handoffs: {till: the customer pays}
  till:
    prompt: till.md
    tools: [add]
    handoffs: {front: the customer wants to look around}
"""
FILES = {
    "spec.yaml": SPEC,
    "common.md": "This is {{shop}}, {{day}}.",
    "front.md": "You are the {{agent}}. Use `hand_off`:\n{{handoffs}}",
    "till.md": "You are the {{agent}} of {{shop}}. Use:\n{{tools}}",
    "tools.py": 'class Tools:\n    def add(self) -> int:\n        "Count on."\n        return 1\n',
    "grammar.yaml": "fallback: Sorry?\n"
    "intents: [{name: add, patterns: [add], tool: add}, {name: hi, patterns: [hi], reply: Hello.}]\n"
    'replies: {add: [{say: "It is {{result}}."}]}\n',
}
SHOP = Case(id="x", seed=3, variables={"shop": "Corner"})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def to(target: str, id: str = "h") -> ToolRequest:
    return ToolRequest(id, "hand_off", f'{{"to":"{target}"}}')


async def talk(
    folder: Path, context: PluginContext, *replies: ModelReply, lines: tuple[str, ...] = ("Hi",), case: Case = SHOP
) -> tuple[list[Message], ScriptedModel]:
    model = ScriptedModel(*replies)
    bot = chatbot.connect(str(folder), replace(context, models={"chatbot": model}))
    async with bot.connect(case) as session:
        return [await session.reply(message("user", line)) for line in lines], model


def problems(folder: Path, context: PluginContext) -> list[str]:
    with pytest.raises(InputError) as raised:
        chatbot.connect(str(folder), replace(context, models={"chatbot": ScriptedModel()}))
    return [str(problem).replace(f"{folder}/", "") for problem in raised.value.problems]


async def test_handing_over_is_a_call_that_the_user_does_not_see_and_the_next_agent_is_shown_everything(
    folder: Path, context: PluginContext
):
    moving = Completion("I pass you on.", (to("till"),))
    said, model = await talk(
        folder, context, moving, ToolRequest("a", "add", "{}"), "It is 1.", "Bye.", lines=("Add!", "Thanks")
    )

    handed = ToolCall(
        name="hand_off",
        arguments={"to": "till"},
        result={"from": "front", "to": "till", "said": "I pass you on."},
    )
    added = ToolCall(name="add", arguments={}, result=1)
    assert said == [message("chatbot", "It is 1.", tool_calls=(handed, added)), message("chatbot", "Bye.")]
    systems = [request.messages[0].content for request in model.requests]
    front = "This is Corner, today.\n\nYou are the front. Use `hand_off`:\n- `till`: the customer pays"
    till = "You are the till of Corner. Use:\n- `add`: Count on."
    assert systems == [front, till, till, till]
    assert [[tool.name for tool in request.tools] for request in model.requests] == [
        ["hand_off"],
        *[["add", "hand_off"]] * 3,
    ]
    assert [line.content for line in model.requests[1].messages[1:3]] == ["Add!", "I pass you on."]


async def test_agents_that_hand_over_in_circles_are_stopped_and_the_user_is_answered(
    folder: Path, context: PluginContext
):
    (folder / "spec.yaml").write_text(SPEC.replace("handoffs_per_turn: 2", "handoffs_per_turn: 1"))
    circle = [to("till", "1"), to("front", "2"), "Here I am."]

    said, model = await talk(folder, context, *circle)

    calls = said[0].tool_calls
    assert said[0].text == "Here I am."
    assert [call.error for call in calls] == ["", "handed over too often in this turn: answer the user now"]
    assert [tool.name for tool in model.requests[1].tools] == ["add"]


async def test_an_agent_has_its_own_tools_only_and_hands_over_to_those_it_knows(folder: Path, context: PluginContext):
    said, _ = await talk(folder, context, (ToolRequest("a", "add", "{}"), to("boss", "b")), "Sorry.")

    assert [call.error for call in said[0].tool_calls] == [
        "there is no tool 'add'; there are: none",
        "unknown agent 'boss' in handover; available: till",
    ]


async def test_a_failed_reply_keeps_the_conversation_with_the_same_agent(folder: Path, context: PluginContext):
    model = ScriptedModel(to("till"), ModelUnavailable("down"), "Hello.")
    bot = chatbot.connect(str(folder), replace(context, models={"chatbot": model}))
    async with bot.connect(SHOP) as session:
        with pytest.raises(ChatbotError, match="down"):
            await session.reply(message("user", "Add!"))
        await session.reply(message("user", "Add!"))

    assert "You are the front" in model.requests[2].messages[0].content


async def test_an_agent_that_says_nothing_is_asked_once_more(folder: Path, context: PluginContext):
    said, _ = await talk(folder, context, to("till"), "", "Hello.")

    assert said[0].text == "Hello."
    with pytest.raises(ChatbotError, match="an empty answer twice"):
        await talk(folder, context, to("till"), "", " ")


async def test_a_history_and_a_script_say_who_speaks(folder: Path, context: PluginContext):
    call = ToolCall(name="hand_off", arguments={"to": "till"}, result={"from": "front", "to": "till"})
    past = (message("user", "Add!"), message("chatbot", "Yes?", tool_calls=(call,)))

    _, model = await talk(folder, context, "Hm.", case=SHOP.model_copy(update={"history": past}))

    assert "You are the till" in model.requests[0].messages[0].content

    bot = chatbot.connect(str(folder), replace(context, models={"chatbot": model}))
    step = InjectTool(name="hand_off", arguments={"to": "till"}, result={"from": "front", "to": "till"})
    assert bot.check(SHOP.model_copy(update={"script": (step,)})) == ()


async def test_a_grammar_hands_over_to_the_agent_with_the_tool(folder: Path, context: PluginContext):
    bot = chatbot.connect(str(folder), replace(context, offline=frozenset({"chatbot"})))
    async with bot.connect(SHOP) as session:
        said = [await session.reply(message("user", line)) for line in ("Hi", "Add", "Add")]

    assert [(reply.text, [call.name for call in reply.tool_calls]) for reply in said] == [
        ("Hello.", []),
        ("It is 1.", ["hand_off", "add"]),
        ("It is 1.", ["add"]),
    ]


async def test_a_team_is_a_chatbot_like_any_other(folder: Path, context: PluginContext):
    (folder / "spec.yaml").write_text(SPEC.replace("{type: string, required: true}", "{type: string}"))

    await check_chatbot(
        lambda: chatbot.connect(str(folder), replace(context, offline=frozenset({"chatbot"}))), lines=("add", "add")
    )


def test_placeholders_that_a_case_lacks_are_refused_before_the_first_message(folder: Path, context: PluginContext):
    bot = chatbot.connect(str(folder), replace(context, models={"chatbot": ScriptedModel()}))

    assert bot.check(SHOP) == ()
    assert tuple(each.message for each in bot.check(Case(id="x", variables={"day": 3}))) == (
        "its prompts need the variable 'shop', which the case does not have",
        "the variable 'day' should be text",
    )


def test_all_problems_of_a_spec_are_reported_at_once_with_their_places(folder: Path, context: PluginContext):
    (folder / "spec.yaml").write_text(
        """entry: fornt
variables:
  day: {type: number, default: soon}
  session: {}
agents:
  front:
    prompt: front.md
    tools: [ad]
    handoffs: {tills: when paying}
  till:
    prompt: [till.md, ../secret.md]
  lost:
    prompt: nowhere.md
"""
    )
    (folder / "front.md").write_text("Call `add` and `hand_of`.\nThis is {{shops}}.\n{{#day}}{{own}}{{/day}}")
    (folder / "till.md").write_text("Go to `transfer_to_front`.")

    assert problems(folder, context) == [
        "spec.yaml:1:8: entry: unknown agent 'fornt' (did you mean 'front'?)",
        "spec.yaml:3:32: variables.day.default: should be a number",
        "spec.yaml:4:3: variables.session: 'session' is filled in automatically",
        "spec.yaml:8:13: agents.front.tools[0]: unknown tool 'ad' (did you mean 'add'?)",
        "spec.yaml:9:16: agents.front.handoffs.tills: unknown agent 'tills' (did you mean 'till'?)",
        "spec.yaml:11:23: agents.till.prompt[1]: '../secret.md' is not the name of a file in this folder",
        "spec.yaml:13:13: agents.lost.prompt: there is no file 'nowhere.md' in this folder",
        "front.md:1:6: speaks of the tool 'add', which this agent does not have",
        "front.md:1:16: unknown tool or agent 'hand_of' (did you mean 'hand_off'?)",
        "front.md:2:9: unknown variable 'shops' (there are: agent, day, handoffs, session, tools, "
        "or declare it under variables in the spec)",
        "till.md:1:7: unknown tool or agent 'transfer_to_front' (there are: front, lost, till)",
    ]


def test_an_unreachable_agent_is_reported(folder: Path, context: PluginContext):
    (folder / "spec.yaml").write_text(SPEC.replace("    handoffs: {till: the customer pays}\n", ""))
    (folder / "front.md").write_text("You are first.")

    assert problems(folder, context) == [
        "spec.yaml:10:3: agents.till: agent 'till' is unreachable: no agent hands over to it "
        "(add a handover to it that is reachable from front)"
    ]


@pytest.mark.parametrize("name", ["/etc/hosts.md", "a/../../b.md", "..\\b.md", "C:\\b.md", "link.md", "tools.py", ""])
def test_no_text_comes_from_outside_of_the_folder(folder: Path, context: PluginContext, name: str):
    (folder.parent / "outside.md").write_text("secret")
    (folder / "link.md").symlink_to(folder.parent / "outside.md")
    (folder / "spec.yaml").write_text(f"entry: a\nagents: {{a: {{prompt: '{name}'}}}}\n")

    (problem,) = problems(folder, context)

    assert "agents.a.prompt" in problem
    assert "secret" not in problem
