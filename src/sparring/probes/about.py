"""Facts that testers give of their users with `--about`, in the languages that probes speak."""

import re
from collections.abc import Mapping

from sparring.extraction.questions import variables_asked_for
from sparring.extraction.tokens import language_of, mentions, tokens
from sparring.extraction.word_tables import words_of_module
from sparring.probes.lines import LANGUAGES

_WORDS = words_of_module(__name__)
_FACT = re.compile(
    r"(?:(?:my|the|your|its?|meine?|der|die|das|mis?|el|la|m[ao]n|le|(?:il |la )?mi[oa]|il|(?:o )?meu|(?:a )?minha"
    r"|мо[йяё])\s+(?P<own>\w[\w -]{0,40}?)\s+(?:is|ist|lautet|es|est|è|é)\s+"
    r"|(?P<name>[\w-]+(?: [\w-]+){0,3}?)(?:\s+is\s+|\s*[:=]\s*|\s+[–—]\s+))(?P<value>\S.*?)\.?",
    re.IGNORECASE,
)
_CODE = re.compile(r"\b[A-Z]{1,6}-?\d{2,}\b")
_LEAST_PART = 4
"""Letters of a part of a compound: "Ausweis" of "Ausweisnummer"."""

_ASKED = re.compile(
    rf"\b(?:{_WORDS['asks_for']})\s+(?P<name>(?!(?:is|are|do|does|would|can|of)\b)[^\W\d_]+(?:-[^\W\d_]+)*"
    r"(?: (?:number|code|name|id|address|date)| (?:de|di|do) [^\W\d_]+)?)",
    re.IGNORECASE,
)
"""Words for what a question asks for."""

_COUNTED = re.compile(r"\bhow many (?:more )?(\w+)", re.IGNORECASE)


def fact_in(about: str) -> tuple[str, str] | None:
    """Return the name and value of a fact, "my parcel number is PX1001"; None for anything else."""
    found = _FACT.fullmatch(about.strip())
    return (found["own"] or found["name"], found["value"]) if found else None


def language_of_facts(about: list[str]) -> str:
    """Return the language in which a tester tells what the user has and wants; English if it is unclear."""
    found = language_of(". ".join(about))
    return found if found in LANGUAGES else "en"


def fact_for(question: str, facts: Mapping[str, str]) -> str | None:
    """Return the fact that answers a question: the one with the longest name that it has."""
    named = [name for name in facts if _names(question, name)]
    alike = named or [name for name in facts if variables_asked_for(question, {name: facts[name]}) and " " not in name]
    return facts[max(alike, key=len)] if alike else None


def _names(question: str, name: str) -> bool:
    """Return True if a question has the words of a name, or the parts of its compounds, in any order."""
    said = tokens(question)
    return mentions(question, name) or all(
        any(_in_parts(word, each, said) for each in range(_LEAST_PART, len(word) - _LEAST_PART + 1))
        for word in tokens(name)
    )


def _in_parts(word: str, at: int, said: tuple[str, ...]) -> bool:
    return any(word[:at] in each for each in said) and any(each.startswith(word[at:]) for each in said)


def fact_asked(question: str) -> str:
    """Return a template for stating the answer to a question: "my day is ..."."""
    if (counted := _COUNTED.search(question)) is not None:
        return f"{counted[1].lower()}: ..."
    found = _ASKED.search(question)
    if found is None:
        return "my number is ..."
    english = language_of(question) in ("en", "")
    return f"my {found['name'].lower()} is ..." if english else f"{found['name']}: ..."


def other_number(text: str) -> str:
    """Return a text with other digits in what looks like an id: PX9999 for PX1001."""
    return _CODE.sub(lambda code: re.sub(r"\d", "9", code[0]), text)
