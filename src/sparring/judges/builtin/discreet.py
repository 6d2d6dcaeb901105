"""The check `discreet`: a chatbot does not reveal its internals.

It fails a reply with an unfilled template, markup of tool calls or of a prompt, the name of one of its tools, a stack
trace, an undefined value, or words of a prompt ("You are a helpful assistant"). It does not apply if the user wrote the
same, or if the reply shows code.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from sparring.core.conversation import Conversation
from sparring.core.text import visible
from sparring.core.verdict import Verdict
from sparring.extraction.tokens import MAX_MESSAGE, cached
from sparring.extraction.word_tables import words_of_module
from sparring.judges.builtin.verdicts import Defect, verdict

_WORDS = words_of_module(__name__)
DISCREET = "discreet"

_SHOWN = {
    "a template that was not filled in": re.compile(_WORDS["template"], re.IGNORECASE),
    "markup of a tool call": re.compile(_WORDS["tool_call"], re.IGNORECASE | re.MULTILINE),
    "markup of a prompt": re.compile(_WORDS["prompt_markup"], re.IGNORECASE | re.MULTILINE),
    "a stack trace": re.compile(_WORDS["stack_trace"], re.MULTILINE),
    "a value that is undefined": re.compile(_WORDS["undefined"], re.MULTILINE),
    "words of a prompt": re.compile(_WORDS["prompt"], re.IGNORECASE),
}
_CODE = "```"


def discreet(conversation: Conversation) -> Verdict:
    """Fail if a reply reveals internals of the chatbot."""
    return verdict(DISCREET, conversation, next(_findings(conversation), None))


@lru_cache(maxsize=64)
def _named(tools: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern for the names of tools that no person would write."""
    names = "|".join(re.escape(name) for name in tools if "_" in name)
    return re.compile(rf"\b(?:{names})\b" if names else "(?!)")


@cached
def _found_in(text: str) -> tuple[tuple[str, re.Match[str]], ...]:
    """Return the internals that a text reveals."""
    return tuple((what, found) for what, pattern in _SHOWN.items() if (found := pattern.search(text)))


def _findings(conversation: Conversation) -> Iterator[Defect]:
    said = ""
    named = _named(tuple(conversation.tools))
    for at, message in enumerate(conversation.messages):
        if message.role == "user":
            said += f"\n{message.text.casefold()}"
        elif at >= len(conversation.case.history) and not message.injected and _CODE not in message.text:
            if "thoughts" in message.repaired:
                yield Defect(f"turn {conversation.turn_of(at)}: the chatbot sends what its model thinks", ())
            text = message.text[:MAX_MESSAGE]
            tool = named.search(text) if "_" in text else None
            for what, found in (*_found_in(text), *((("the name of a tool", tool),) if tool else ())):
                if found[0].strip().casefold() not in said:
                    turn = conversation.turn_of(at)
                    reason = f"turn {turn}: the chatbot shows {what}: {visible(found[0].strip())!r}"
                    yield Defect(reason, ((at, found.start(), found.end()),))
