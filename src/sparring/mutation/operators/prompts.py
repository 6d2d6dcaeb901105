"""Operators that change the chatbot itself before a conversation: what its prompts say, and its tools."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from sparring.chatbots.chatbot import Capabilities
from sparring.core.case import FaultKind, ToolFault
from sparring.core.conversation import Conversation
from sparring.core.message import as_received
from sparring.core.prompts import Agent
from sparring.mutation.operator import ChatbotChange, Makes, MutationOperator

_WEAKER = {
    "must not": "should rather not", "must": "may", "always": "sometimes", "never": "rarely", "only": "mostly",
    "required": "optional", "nunca": "rara vez", "siempre": "a veces", "debe": "puede", "muss": "kann",
    "müssen": "können", "niemals": "selten", "nie": "selten", "immer": "manchmal", "jamais": "rarement",
    "toujours": "parfois", "deve": "può", "sempre": "talvolta", "никогда": "редко", "всегда": "иногда",
    "должен": "может", "только": "в основном",
}  # fmt: skip
_STRONG = re.compile(rf"\b(?:{'|'.join(_WEAKER)})\b", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w.,{-])\d+(?![\w}]|[.,]?\d)(?!\.\s)")
"""A number in a sentence, rather than in a code, a decimal, a placeholder or the head of a list item."""
_WORD = re.compile(r"\w{4,}")


@dataclass(frozen=True, slots=True)
class _Version:
    """Another version of an agent: where it differs, and the words before and after."""

    site: str
    before: str
    after: str
    agent: Agent


def _lines(change: Callable[[str], Iterator[tuple[str, str]]]) -> Callable[[Agent], Iterator[_Version]]:
    """Return a function that yields an agent with one line changed.

    `change` yields a suffix of the site, and the line.
    """

    def versions(agent: Agent) -> Iterator[_Version]:
        lines = agent.prompt.split("\n")
        for at, line in enumerate(lines):
            for part, after in change(line):
                text = "\n".join([*lines[:at], *([after] if after else []), *lines[at + 1 :]])
                changed = agent.model_copy(update={"prompt": text})
                yield _Version(f"{at + 1}{part}", line.strip(), after.strip(), changed)

    return versions


def _dropped(line: str) -> Iterator[tuple[str, str]]:
    words = re.sub(r"\{\{.*?\}\}", "", line)
    if re.search(r"\w", words) and not line.lstrip().startswith(("#", "```", "|--")):
        yield "", ""


def _weakened(line: str) -> Iterator[tuple[str, str]]:
    for number, found in enumerate(_STRONG.finditer(line)):
        yield f".{number + 1}", _replaced(line, found, _WEAKER[found[0].casefold()])


def _raised(line: str) -> Iterator[tuple[str, str]]:
    for number, found in enumerate(_NUMBER.finditer(line)):
        yield f".{number + 1}", _replaced(line, found, str(int(found[0]) + 1))


def _replaced(line: str, found: re.Match[str], word: str) -> str:
    word = word.capitalize() if found[0][0].isupper() else word
    return f"{line[: found.start()]}{word}{line[found.end() :]}"


def _without_tool(agent: Agent) -> Iterator[_Version]:
    for tool in agent.tools:
        left = tuple(each for each in agent.tools if each != tool)
        yield _Version(tool, f"tool {tool}", "", agent.model_copy(update={"tools": left}))


def _without_handoff(agent: Agent) -> Iterator[_Version]:
    for target, when in agent.handoffs.items():
        left = {name: each for name, each in agent.handoffs.items() if name != target}
        yield _Version(target, f"handoff to {target}: {when}", "", agent.model_copy(update={"handoffs": left}))


def _prompts(versions: Callable[[Agent], Iterator[_Version]]) -> Makes:
    """Return a function that yields each version of each agent.

    It is tried where its words were spoken of.
    """

    def changes(conversations: Sequence[Conversation], chatbot: Capabilities) -> Iterator[ChatbotChange]:
        worded = [(each, _words(each)) for each in conversations]
        for prompts in chatbot.prompts:
            for id, agent in prompts.agents.items():
                for each in versions(agent):
                    changed = prompts.model_copy(update={"agents": {**prompts.agents, id: each.agent}})
                    where = _spoken_of(each.before, worded)
                    yield ChatbotChange(f"{id}.{each.site}", where, each.before, each.after, prompts=changed)

    return changes


def _words(conversation: Conversation) -> set[str]:
    said = (f"{each.text} {' '.join(call.name for call in each.tool_calls)}" for each in conversation.messages)
    return {*_WORD.findall(" ".join(said).casefold())}


def _spoken_of(text: str, worded: Sequence[tuple[Conversation, set[str]]]) -> list[Conversation]:
    """Return the conversations that have most words of a text first, rare words before others."""
    wanted = {*_WORD.findall(text.casefold())}
    common = Counter(word for _, words in worded for word in wanted & words)
    return [each for each, words in sorted(worded, key=lambda one: -sum(1 / common[word] for word in wanted & one[1]))]


def _broken(fails: FaultKind) -> Makes:
    """Return a function that yields a fault of each tool that was called."""

    def changes(conversations: Sequence[Conversation], chatbot: Capabilities) -> Iterator[ChatbotChange]:
        calling: dict[str, list[Conversation]] = {}
        for each in conversations if "fault" in chatbot.injects else ():
            for tool in {call.name for said in each.messages for call in said.tool_calls if not each.case.faults}:
                calling.setdefault(tool, []).append(each)
        for tool, found in sorted(calling.items()):
            yield ChatbotChange(tool, found, fault=ToolFault(tool=tool, fails=fails, when="always"))

    return changes


def _mixed(conversations: Sequence[Conversation], chatbot: Capabilities) -> Iterator[ChatbotChange]:
    """Yield the first half of what another user said, before a conversation with other values."""
    for other in conversations:
        lines = [as_received(each) for each in other.messages if each.role == "user" and not each.injected]
        half = tuple(lines[: -(-len(lines) // 2)])
        found = [each for each in conversations if each.case.variables != other.case.variables]
        yield ChatbotChange(f"after {other.id}", found, "", " / ".join(each.text for each in half), lines=half)


OPERATORS = (
    MutationOperator("tool.stale", "gets an earlier result of a tool", makes=_broken("stale")),
    MutationOperator("tool.swapped", "gets a tool's result about another record", makes=_broken("swapped")),
    MutationOperator("tool.empty", "gets empty results of a tool", makes=_broken("empty")),
    MutationOperator("flow.mixes", "takes two users for one", makes=_mixed),
    MutationOperator("prompt.drop_line", "lacks a line of its prompt", makes=_prompts(_lines(_dropped))),
    MutationOperator("prompt.weaken", "has a weaker rule in its prompt", makes=_prompts(_lines(_weakened))),
    MutationOperator("prompt.number", "has another number in its prompt", makes=_prompts(_lines(_raised))),
    MutationOperator("prompt.drop_tool", "lacks a tool", makes=_prompts(_without_tool)),
    MutationOperator("prompt.drop_handoff", "cannot hand over to an agent", makes=_prompts(_without_handoff)),
)
