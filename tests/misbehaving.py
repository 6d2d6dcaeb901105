"""Models that misbehave as users, over real sockets, and the party that is blamed for the conversation.

Run `python tests/misbehaving.py [FILE]` to print it for each way to misbehave in a file like `misbehaving.yaml`.
"""

import asyncio
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from model_faults import InjectedFault, completion
from model_server import LoopbackModelServer, Reply
from sparring.app.wiring import players
from sparring.core.batch import Batch, PlayerNames, Players
from sparring.core.case import Case, Fact, Goal, Limits, Persona
from sparring.core.conversation import Conversation
from sparring.core.outcome import Decision, Outcome
from sparring.parsing.yaml_reader import load
from sparring.runner.verdicts import ConversationChecks
from sparring.settings import Settings
from sparring.simulation.simulate import simulate

FILE = Path(__file__).with_suffix(".yaml")
END = {"id": "call_end", "type": "function", "function": {"name": "end_conversation", "arguments": "{}"}}
CASE = Case(
    id="order",
    persona=Persona(role="You order a pizza."),
    goals=(
        Goal(
            text="a small custom pizza with corn and ham",
            variables=("size", "toppings"),
            others={"size": ("medium", "big")},
        ),
        Goal(text="the following drink: coke", variables=("drink",), others={"drink": ("sprite", "water")}),
    ),
    variables={"size": "small", "toppings": ["corn", "ham"], "drink": "coke"},
    facts=(Fact(slot="name", values=("Dana Reed",)), Fact(slot="phone", values=("555-0142",))),
    limits=Limits(turns=8),
)
RIGHT = {
    "placed": "Thank you, goodbye.",
    "Shall I place": "Yes, please.",
    "Which drink": "A coke, please.",
    "Which size": "Small, please.",
    "toppings": "Corn and ham, please.",
    "": "A small custom pizza with corn and ham, please.",
}
"""What the model says to a reply that contains this, the first that fits."""


def ways(file: Path = FILE) -> dict[str, Any]:
    """Return the ways to misbehave of a file, by name."""
    data = load(file).data
    assert isinstance(data, dict)
    return data


def misbehaving_model(way: Mapping[str, Any], variant: int = 0) -> LoopbackModelServer:
    """Return a server of a model that misbehaves in this way, however often it is asked again."""
    lines: list[str] = way["says"][variant]

    def reply(body: dict[str, Any]) -> Reply:
        said = [each.get("content") or "" for each in body["messages"] if each["role"] == "assistant"]
        heard = "\n".join(each.get("content") or "" for each in body["messages"][1:] if each["role"] != "assistant")
        if "at" not in way:
            return lines[len(said)] if len(said) < len(lines) else _ending("")
        text = lines[0].replace("{prompt}", _rule(body["messages"][0]["content"]))
        if text in said:
            return _ending("") if way.get("ends") else _right(heard)
        reached = way["at"] in heard if way["at"] else not said
        if not reached:
            return _right(heard)
        return _ending(text) if way.get("ends") else text

    return LoopbackModelServer(otherwise=reply)


def _right(heard: str) -> Reply:
    """Return what a user says that does as it should."""
    last = max(RIGHT, key=lambda words: heard.rfind(words) if words else 0)
    return _ending(RIGHT[last]) if last == "placed" else RIGHT[last]


def _ending(text: str) -> InjectedFault:
    message = {"role": "assistant", "content": text or None, "tool_calls": [END]}
    return InjectedFault.response(completion(message))


def _rule(prompt: str) -> str:
    """Return the longest line of a prompt that is a rule."""
    return max((line for line in prompt.splitlines() if line.startswith("- ")), key=len)[2:]


async def hold(way: Mapping[str, Any], variant: int = 0) -> tuple[Conversation, Decision]:
    """Hold a conversation of this model with the pizzeria, and return it with what was decided about it."""
    async with misbehaving_model(way, variant) as server:
        names = PlayerNames("pizzeria", "offline", f"{server.url}#loopback", "patterns", judge="checklist")
        async with players(names, Settings().app_config(environment={})) as (cast, _):
            conversation = await simulate(CASE, cast.user, cast.chatbot, reader=cast.reader)
            who = Players(chatbot="pizzeria", user="loopback", judge="checklist")
            batch = Batch(id="B1", created=datetime.now(UTC), who=who, cases=(CASE,))
            checks = await ConversationChecks(batch, cast.judge).evaluate(conversation)
    assert checks.row is not None
    return conversation, checks.row.decision


def blamed(decision: Decision) -> str:
    return "passed" if decision.outcome is Outcome.PASSED else f"{decision.outcome}: {decision.blame}"


async def main(file: Path, show: Callable[[str], None]) -> None:
    for name, way in ways(file).items():
        for variant in range(len(way["says"])):
            conversation, decision = await hold(way, variant)
            show(f"{name:28}{variant:3}  {blamed(decision):24}{conversation.ending}")
            if "-v" in sys.argv:
                show("\n".join(f"    {each.role[0]}: {each.text}" for each in conversation.messages))
                show(f"    {conversation.error} {[reason.text for reason in decision.reasons]}")


if __name__ == "__main__":
    files = [each for each in sys.argv[1:] if not each.startswith("-")]
    asyncio.run(main(Path(files[0]) if files else FILE, print))
