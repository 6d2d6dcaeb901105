"""Prompt versions: the immutable prompts of a player, with their hash."""

import hashlib
import json
from datetime import datetime
from typing import Literal

from pydantic import PositiveInt, model_validator

from sparring.core.value import JsonValue, Value

SHORT = 12
"""Number of hash characters shown to tell versions apart."""

PlayerRole = Literal["chatbot", "user", "judge"]

VariableType = Literal["any", "string", "number", "boolean", "list", "object"]


class PromptVariable(Value):
    """A variable of a prompt: its type, and its default unless it is required."""

    type: VariableType = "any"
    description: str = ""
    required: bool = False
    default: JsonValue = None


class Agent(Value):
    """An agent of a chatbot: its prompt, its tools, and the agents it hands over to, with conditions."""

    description: str = ""
    prompt: str
    tools: tuple[str, ...] = ()
    handoffs: dict[str, str] = {}


class ToolSchema(Value):
    """A tool as it is described to a model."""

    name: str
    description: str = ""
    parameters: dict[str, JsonValue] = {}


class Prompts(Value):
    """The prompts of a player. A player without stages has one agent.

    `name` is not part of the content: equal content has equal hashes. The user and the judge have one agent with their
    name; of a version that does not say its `role`, such an agent tells it.
    """

    name: str
    role: PlayerRole = "chatbot"
    description: str = ""
    entry: str
    agents: dict[str, Agent]
    variables: dict[str, PromptVariable] = {}
    greeting: str = ""
    handoffs_per_turn: PositiveInt = 5
    tools: tuple[ToolSchema, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _of_agents(cls, data: object) -> object:
        if isinstance(data, dict) and data.get("role") is None and "entry" in data and "agents" in data:
            return data | {"role": _role(data["entry"], data["agents"])}
        return data

    @property
    def hash(self) -> str:
        """SHA-256 of the content; the order of agents, variables and tools does not matter."""
        derived = self.role == _role(self.entry, self.agents)
        content = self.model_dump(mode="json", exclude={"name", "role"} if derived else {"name"})
        content["tools"] = sorted(content["tools"], key=lambda tool: str(tool["name"]))
        for agent in content["agents"].values():
            agent["tools"] = sorted(agent["tools"])
        return hashlib.sha256(_canonical_json(content).encode("utf-8", "replace")).hexdigest()

    @property
    def short(self) -> str:
        """First characters of the hash."""
        return self.hash[:SHORT]

    def files(self) -> dict[str, str]:
        """Return the version as readable text files by file name, for comparison.

        Variables without a description, type or default are left out: the placeholders of the texts name them.
        """
        spec = self.model_dump(mode="json", exclude={"name", "role", "agents", "greeting", "tools", "variables"})
        described = {name: each for name, each in self.variables.items() if each != PromptVariable(required=True)}
        spec["variables"] = {name: each.model_dump(mode="json") for name, each in described.items()}
        spec["agents"] = {id: agent.model_dump(mode="json", exclude={"prompt"}) for id, agent in self.agents.items()}
        found = {"spec.json": _indented_json(spec)}
        found |= {f"{id}.md": _with_newline(agent.prompt) for id, agent in self.agents.items()}
        if self.greeting:
            found["greeting.md"] = _with_newline(self.greeting)
        for tool in sorted(self.tools, key=lambda tool: tool.name):
            found[f"tools/{tool.name}.json"] = _indented_json(tool.model_dump(mode="json"))
        return found


class SavedPrompts(Value):
    """A prompt version saved under a name. The name refers to its newest version."""

    name: str
    hash: str
    created: datetime


def _role(entry: object, agents: object) -> PlayerRole:
    if isinstance(agents, dict) and list(agents) == [entry]:
        return "user" if entry == "user" else "judge" if entry == "judge" else "chatbot"
    return "chatbot"


def _canonical_json(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _indented_json(value: object) -> str:
    return json.dumps(value, sort_keys=True, indent=2, ensure_ascii=False) + "\n"


def _with_newline(text: str) -> str:
    return text.rstrip("\n") + "\n"
