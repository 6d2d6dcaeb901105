"""Mutants of prompts, tools and handovers, played by a scripted model that does what its prompt says."""

import asyncio
import json
import re
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from command_line import called
from model_server import LoopbackModelServer, Reply
from sparring.chatbots.chatbot import BREAKABLE, Capabilities
from sparring.core.case import Case
from sparring.core.conversation import Conversation
from sparring.core.message import ToolCall, message
from sparring.core.prompts import Agent, Prompts
from sparring.llm.model import ToolRequest
from sparring.mutation.operator import ChatbotChange
from sparring.mutation.operators import OPERATORS
from tables import table

BY_NAME = {each.name: each for each in OPERATORS}
PROMPT = """# Desk

You must confirm the day before you book.
1. Book at most 4 people. {{session}} is the name of the talk.
- Never name other guests, see GUEST-7.

{{tools}}
"""
AGENTS = {
    "desk": Agent(prompt=PROMPT, tools=("look_up", "book"), handoffs={"bar": "drinks", "kitchen": "food"}),
    "bar": Agent(prompt="Always be kind."),
}
PROMPTS = Prompts(name="desk", entry="desk", agents=AGENTS)


def changes(name: str, conversations: Iterable[Conversation] = (), **known: Any) -> list[ChatbotChange]:
    makes = BY_NAME[name].makes
    assert makes is not None
    return list(makes(list(conversations), Capabilities(prompts=(PROMPTS,), **known)))


@table(
    ("name", "expected"),
    [
        (
            "prompt.drop_line",
            [
                ("desk.3", "You must confirm the day before you book.", ""),
                ("desk.4", "1. Book at most 4 people. {{session}} is the name of the talk.", ""),
                ("desk.5", "- Never name other guests, see GUEST-7.", ""),
                ("bar.1", "Always be kind.", ""),
            ],
        ),
        (
            "prompt.weaken",
            [
                ("desk.3.1", "You must confirm the day before you book.", "You may confirm the day before you book."),
                ("desk.5.1", "- Never name other guests, see GUEST-7.", "- Rarely name other guests, see GUEST-7."),
                ("bar.1.1", "Always be kind.", "Sometimes be kind."),
            ],
        ),
        (
            "prompt.number",
            [
                (
                    "desk.4.1",
                    "1. Book at most 4 people. {{session}} is the name of the talk.",
                    "1. Book at most 5 people. {{session}} is the name of the talk.",
                )
            ],
        ),
        ("prompt.drop_tool", [("desk.look_up", "tool look_up", ""), ("desk.book", "tool book", "")]),
        (
            "prompt.drop_handoff",
            [("desk.bar", "handoff to bar: drinks", ""), ("desk.kitchen", "handoff to kitchen: food", "")],
        ),
    ],
)
def test_prompt_operators_change_one_thing_of_one_agent(name: str, expected: list[tuple[str, str, str]]):
    assert [(each.site, each.before, each.after) for each in changes(name)] == expected


def test_other_agents_and_lines_stay_as_they_are():
    (first, *_) = changes("prompt.drop_line")

    assert first.prompts is not None
    assert first.prompts.agents["bar"] == AGENTS["bar"]
    assert first.prompts.agents["desk"].prompt == PROMPT.replace("You must confirm the day before you book.\n", "")


def talk(id: str, *said: str, tool: str = "") -> Conversation:
    calls = (ToolCall(name=tool),) if tool else ()
    lines = [message("user" if at % 2 == 0 else "chatbot", text) for at, text in enumerate(said)]
    lines[-1] = lines[-1].changed(tool_calls=calls)
    return Conversation(case=Case(id=id, variables={"name": id}), messages=tuple(lines))


def test_a_line_is_tried_first_where_its_words_were_spoken():
    day, drinks = talk("day", "Which day?", "Please confirm the day."), talk("drinks", "A drink", "A kind one.")

    tried = {each.site: [one.id for one in each.conversations] for each in changes("prompt.weaken", [drinks, day])}

    assert tried["desk.3.1"] == ["day", "drinks"]
    assert tried["bar.1.1"] == ["drinks", "day"]


def test_results_of_tools_change_where_the_tool_was_called_and_can_be_broken():
    held = [talk("a", "Book", "Done", tool="book"), talk("b", "Hello", "Hi")]

    assert changes("tool.empty", held) == []
    (found,) = changes("tool.empty", held, injects=BREAKABLE)
    assert (found.site, [each.id for each in found.conversations]) == ("book", ["a"])


def test_users_are_mixed_with_others_who_have_other_values():
    held = [talk("a", "Book", "When?", "At 9", "Done"), talk("b", "Hello", "Hi")]

    found = changes("flow.mixes", held)

    assert [([one.id for one in each.conversations], each.after) for each in found] == [
        (["b"], "Book"),
        (["a"], "Hello"),
    ]


TOOLS = '''"""Tools of a restaurant."""


def book(people: int) -> dict[str, int]:
    """Book a table."""
    return {"people": people}


def serve() -> dict[str, str]:
    """Serve a drink."""
    return {"drink": "tea"}
'''
DESK = "You work at a desk.\nYou must ask before you book.\nBook for at most 4 people.\nBe kind."
SPEC = """name: house
entry: desk
agents:
  desk: {prompt: desk.md, tools: [book], handoffs: {bar: somebody is thirsty}}
  bar: {prompt: bar.md, tools: [serve]}
"""


def obedient(body: dict[str, Any]) -> Reply:
    """Do what the prompt says, as a model would."""
    told, tools = body["messages"][0]["content"], {each["function"]["name"] for each in body.get("tools", ())}
    said, last = (
        next(each["content"] for each in reversed(body["messages"]) if each["role"] == "user"),
        body["messages"][-1],
    )
    if last["role"] == "tool" and "hand" not in last["tool_call_id"]:
        return f"Done: {last['content']}"
    if "thirsty" in said:
        wanted = "serve" if "serve" in tools else "hand_off"
        return ToolRequest("hand", wanted, '{"to": "bar"}') if wanted == "hand_off" in tools else use(wanted, tools)
    most = re.search(r"at most (\d+)", told)
    people = next(
        int(each) for one in body["messages"] if one["role"] == "user" for each in re.findall(r"\d", one["content"])
    )
    if most and people > int(most[1]):
        return "We have no table as large."
    if "must ask" in told and "Yes" not in said:
        return f"Shall I book for {people}?"
    return use("book", tools, people=people)


def use(tool: str, tools: set[str], **arguments: int) -> Reply:
    return ToolRequest("", tool, json.dumps(arguments)) if tool in tools else "I cannot do that."


@pytest.fixture
def model() -> Iterator[LoopbackModelServer]:
    """A model server in a thread, as commands have the main one."""
    server, loop = LoopbackModelServer(otherwise=obedient), asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    asyncio.run_coroutine_threadsafe(server.__aenter__(), loop).result()
    yield server
    asyncio.run_coroutine_threadsafe(server.__aexit__(None, None, None), loop).result()
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


def states(folder: Path, model: LoopbackModelServer, *options: str) -> dict[str, str]:
    """Run the scenarios in a folder, and return what became of each mutant."""

    def sparring(*arguments: str) -> str:
        came = called(*arguments, folder=folder, env={})
        assert came.returncode == 0, came.stdout + came.stderr
        return came.stdout

    place = ("--chatbot", "prompted:bot", "--chatbot-model", f"{model.url}#m", "--user", "agenda")
    sparring("run", "cases.yml", *place)
    shown = sparring("mutate", "--live", "needed", "--allow-side-effects", "--json", *options)
    found = json.loads(shown)
    assert found["controls"]["false"] == 0
    return {each["id"]: each["state"] for each in found["mutants"]}


def write(folder: Path, cases: str, **files: str) -> None:
    (folder / "bot").mkdir()
    for name, text in files.items():
        (folder / "bot" / name.replace("_", ".")).write_text(text)
    (folder / "bot" / "tools.py").write_text(TOOLS)
    (folder / "cases.yml").write_text(cases)


@pytest.mark.slow
def test_what_a_prompt_says_is_noticed_where_a_check_looks(tmp_path: Path, model: LoopbackModelServer):
    two = '{script: ["A table for 2", "Yes"], expect: ["called(\'book\', people=2)", "calls(\'book\') == 1"]}'
    five = '{script: ["A table for 5", "Yes"], expect: ["not called(\'book\')"]}'
    write(tmp_path, f"scenarios: [{two}, {five}]\n", prompt_md=DESK)

    found = states(tmp_path, model, "--operators", "prompt")

    by_site = {id.partition("@")[0] + id.rpartition(":")[2].removeprefix("chatbot"): each for id, each in found.items()}
    assert by_site == {
        "prompt.drop_line.1": "inert",
        "prompt.drop_line.2": "killed",
        "prompt.drop_line.3": "killed",
        "prompt.drop_line.4": "inert",
        "prompt.weaken.2.1": "killed",
        "prompt.number.3.1": "killed",
        "prompt.drop_tool.book": "killed",
        "prompt.drop_tool.serve": "inert",
    }
    asked = [each.body["messages"][0]["content"] for each in model.requests]
    assert {*asked} >= {DESK, DESK.replace("You must ask before you book.\n", ""), DESK.replace("4", "5")}


@pytest.mark.slow
def test_agents_of_a_handover_have_faults_of_their_own(tmp_path: Path, model: LoopbackModelServer):
    case = '{script: ["I am thirsty"], expect: ["called(\'serve\')"]}'
    write(tmp_path, f"scenarios: [{case}]\n", spec_yaml=SPEC, desk_md=DESK, bar_md="Serve tea.")

    found = states(tmp_path, model, "--operators", "prompt.drop_tool,prompt.drop_handoff,tool.empty")

    assert {id.partition("@")[0] + id.rpartition(":")[2]: each for id, each in found.items()} == {
        "prompt.drop_tooldesk.book": "inert",
        "prompt.drop_toolbar.serve": "killed",
        "prompt.drop_handoffdesk.bar": "killed",
        "tool.emptyhand_off": "not_reached",
        "tool.emptyserve": "survived",
    }


@pytest.mark.slow
def test_a_run_costs_no_more_than_its_limit_and_goes_on_from_there(tmp_path: Path, model: LoopbackModelServer):
    """A call costs $0.15 here, and every conversation has at most three."""
    case = '{script: ["A table for 2", "Yes"], expect: ["called(\'book\', people=2)"]}'
    write(tmp_path, f"scenarios: [{case}]\n", prompt_md=DESK)
    (tmp_path / "sparring.yaml").write_text("prices: {m: {input: 10000, output: 10000}}\n")
    place = ("--chatbot", "prompted:bot", "--chatbot-model", f"{model.url}#m", "--user", "agenda")
    called("run", "cases.yml", *place, folder=tmp_path, env={})
    chosen = ("mutate", "--operators", "prompt", "--live", "needed", "--json")

    refused = called(*chosen, folder=tmp_path, env={})
    spent = model.calls
    first = called(*chosen, "--max-cost", "6.5", folder=tmp_path, env={})
    stopped, calls = json.loads(first.stdout), model.calls - spent
    whole = json.loads(
        called("mutate", "--resume", "latest", "--max-cost", "50", "--json", folder=tmp_path, env={}).stdout
    )
    anew = json.loads(called(*chosen, "--max-cost", "50", folder=tmp_path, env={}).stdout)

    assert (refused.returncode, "--max-cost" in refused.stderr, spent) == (2, True, 3)
    assert re.search(r"8 mutants: 0 free, 8 ask the chatbot for ≈ [\d,]+ replies, \$[\d.]+; at most", first.stderr)
    assert stopped["stopped"].endswith("of $6.5 were spent")
    assert 6.0 < stopped["calls"]["cost"] <= 6.5
    assert stopped["calls"]["cost"] == pytest.approx(calls * 0.15)
    assert whole["mutants"] == anew["mutants"]
    assert stopped["calls"]["conversations"] + whole["calls"]["conversations"] == anew["calls"]["conversations"]
