"""What a chatbot, a user or a judge is told, as it was at one moment: an immutable version with a hash."""

import hashlib
import json
from datetime import datetime
from typing import Literal

from pydantic import PositiveInt

from sparring.core.value import JsonValue, Value

SHORT = 12
"""How much of a hash is enough to tell versions apart by eye."""

VariableType = Literal["any", "string", "number", "boolean", "list", "object"]


class Variable(Value):
    """What a prompt wants to be told about a case: of which type, whether it has to be, and what holds if it is not."""

    type: VariableType = "any"
    description: str = ""
    required: bool = False
    default: JsonValue = None


class Agent(Value):
    """One of those who speak for a chatbot: what it is told, its tools, and to whom it hands over, and when."""

    description: str = ""
    prompt: str
    tools: tuple[str, ...] = ()
    handoffs: dict[str, str] = {}


class ToolSchema(Value):
    """A tool as a model is told of it."""

    name: str
    description: str = ""
    parameters: dict[str, JsonValue] = {}


class Prompts(Value):
    """Everything a player is told. Whoever has no stages is one agent.

    `name` says what it is called, and is no part of what it is: equal content has equal hashes.
    """

    name: str
    description: str = ""
    entry: str
    agents: dict[str, Agent]
    variables: dict[str, Variable] = {}
    greeting: str = ""
    handoffs_per_turn: PositiveInt = 5
    tools: tuple[ToolSchema, ...] = ()

    @property
    def hash(self) -> str:
        """The SHA-256 of its content; the order of agents, variables and tools does not matter."""
        content = self.model_dump(mode="json", exclude={"name"})
        content["tools"] = sorted(content["tools"], key=lambda tool: str(tool["name"]))
        for agent in content["agents"].values():
            agent["tools"] = sorted(agent["tools"])
        return hashlib.sha256(_canonical(content).encode("utf-8", "replace")).hexdigest()

    @property
    def short(self) -> str:
        """The beginning of the hash."""
        return self.hash[:SHORT]

    def files(self) -> dict[str, str]:
        """The version as texts that can be read and compared, by the names of files."""
        spec = self.model_dump(mode="json", exclude={"name", "agents", "greeting", "tools"})
        spec["agents"] = {id: agent.model_dump(mode="json", exclude={"prompt"}) for id, agent in self.agents.items()}
        found = {"spec.json": _readable(spec)}
        found |= {f"{id}.md": _ended(agent.prompt) for id, agent in self.agents.items()}
        if self.greeting:
            found["greeting.md"] = _ended(self.greeting)
        for tool in sorted(self.tools, key=lambda tool: tool.name):
            found[f"tools/{tool.name}.json"] = _readable(tool.model_dump(mode="json"))
        return found


class Saved(Value):
    """A version that somebody wrote and gave a name; the newest of a name is the one that is meant by it."""

    name: str
    hash: str
    created: datetime


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _readable(value: object) -> str:
    return json.dumps(value, sort_keys=True, indent=2, ensure_ascii=False) + "\n"


def _ended(text: str) -> str:
    return text.rstrip("\n") + "\n"
