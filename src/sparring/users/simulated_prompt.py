"""System prompt of a model that plays the user, written from the role sheet."""

from functools import lru_cache
from importlib.resources import files

from sparring.core.case import Case, ChangeOfMind, Goal
from sparring.core.prompts import Agent, Prompts, ToolSchema
from sparring.core.seeding import random_for
from sparring.core.value import Json
from sparring.extraction.role_sheet import RoleSheet, role_sheet
from sparring.extraction.tokens import mentions
from sparring.llm.model import Tool
from sparring.llm.template import Template, read_with, shared
from sparring.users.styles import CHANGE_LANGUAGE, has_style, instruction

PROMPT = files("sparring.users").joinpath("prompts/simulated.md").read_text(encoding="utf-8")
"""Prompt of a model that plays the user, unless another is chosen."""

_NEEDED = ("role", "goals", "language")
_KNOWN = (*_NEEDED, "traits", "facts", "changes", "styles", "steps")

REASONS = ("done", "cannot_help", "no_answer")

END = Tool(
    name="end_conversation",
    description="End the conversation after your last message, because you are done or the chatbot cannot help.",
    parameters={
        "type": "object",
        "properties": {"reason": {"type": "string", "enum": list(REASONS)}},
        "required": ["reason"],
        "additionalProperties": False,
    },
)

_WHEN = {
    "echoed": "when the chatbot has repeated it to you",
    "confirm": "when the chatbot asks you to confirm it",
    "later": "after you have brought up the next thing you want",
}
_FOR_GOOD = "- At first you want {first}; {when}, you change to {final} and keep to it."
_DETOUR = "- You want {final}; {when}, you change to {first}, and in your next message you return to {final} for good."
_CODE_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"


def system_prompt(case: Case, prompt: str = PROMPT) -> str:
    """Return the prompt of the simulated user, the same for all of its turns.

    It has nothing that only the author knows: no outputs, expectations or hidden variables. The case's own texts are
    filled in and not expanded again.
    """
    persona, sheet = case.persona, role_sheet(case)
    fields: dict[str, Json] = {
        "role": persona.role or "An ordinary customer.",
        "traits": _bullets(persona.traits),
        "facts": _bullets(tuple(f"{name}: {value}" for name, value in _facts(case, sheet))),
        "goals": _bullets(tuple(map(_goal, case.goals))) or "- Talk about whatever fits who you are.",
        "changes": "\n".join(map(_change, case.changes)),
        "language": _language(case),
        "styles": " ".join(instruction(style) for style in persona.styles).strip(),
        "steps": case.limits.steps is not None,
    }
    return shared(_read(prompt).fill(fields).strip())


def note_code(case: Case) -> str:
    """Return the code by which the model knows notes of this conversation."""
    random = random_for(case, "user", "note")
    return "".join(random.choice(_CODE_LETTERS) for _ in range(4))


def prompts(prompt: str = PROMPT) -> Prompts:
    """Return a prompt of the simulated user as a version to store. Raise InputError with its mistakes."""
    _read(prompt)
    tool = ToolSchema(name=END.name, description=END.description, parameters=dict(END.parameters))
    agent = Agent(prompt=prompt.strip(), tools=(END.name,))
    return Prompts(name="user", entry="user", agents={"user": agent}, tools=(tool,))


def _language(case: Case) -> str:
    if has_style(case, CHANGE_LANGUAGE):
        return "The notes name the language of each message."
    return f"You write in {case.persona.language}."


def _goal(goal: Goal) -> str:
    otherwise = " or else ".join(goal.otherwise)
    return f"{goal.text} (if the chatbot does not have that: {otherwise})" if otherwise else goal.text


def _facts(case: Case, sheet: RoleSheet) -> list[tuple[str, str]]:
    """Return names and values of the facts that no other text of the user states."""
    described = "\n".join((case.persona.role, *case.persona.traits, *(goal.text for goal in case.goals)))
    said: dict[str, str] = {}
    for fact in sheet.facts:
        value = " or ".join(fact.values)
        if fact.slot not in sheet.hidden and not mentions(described, value) and value not in said.values():
            said[fact.slot.replace("_", " ")] = value
    return list(said.items())


def _change(change: ChangeOfMind) -> str:
    frame = _DETOUR if change.mode == "detour" else _FOR_GOOD
    return frame.format(first=change.first, final=change.final, when=_WHEN[change.at])


def _bullets(lines: tuple[str, ...]) -> str:
    return "\n".join(f"- {line.strip()}" for line in lines)


@lru_cache(maxsize=16)
def _read(prompt: str) -> Template:
    return read_with(prompt, _NEEDED, _KNOWN)
