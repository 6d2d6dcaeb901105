"""Leaks of what a user was told, and of the chatbot's own machinery."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import islice

from sparring.audit.phrases import LANGUAGES
from sparring.audit.view import AuditView, declared
from sparring.core.audit import EVERYTHING, Blame, Fault
from sparring.extraction.tokens import fold, tokens

_LIKELY, _CERTAIN, _OWN_ROLE = 6, 8, 12
"""Numbers of consecutive words that are no accident: of the prompt, and of the role or the traits."""

_SECOND_PERSON = frozenset(fold(" ".join(language.second_person for language in LANGUAGES)).split())
_NOTE = re.compile(
    r"\[?note \w{4}\]|\bturn \d+ of \d+ *·|(?:not yet brought up|asked, not answered|say now"
    r"|write in):.*·"
)
_DECORATED = re.compile(r"\b[A-Za-z]+(?:_[A-Za-z0-9]+)+\b|\b[a-z]+(?:[A-Z][a-z0-9]+)+\b")
_HUMP = re.compile(r"[a-z][A-Z]")
_ARGUMENTS = re.compile(r"\{\s*[\"'](\w{1,40})[\"']\s*:")


def prompt_leak(view: AuditView) -> Iterator[Fault]:
    """Yield messages that have words of the user's own prompt, its role or its note."""
    persona = view.conversation.case.persona
    prompt, role = _prompt(), _role(persona.role, persona.traits)
    for at, said in view.user:
        text = said.text
        if ("[" in text or "·" in text) and (found := _NOTE.search(text)):
            yield _leak(view, at, found[0], "the note to its model")
            continue
        words = tokens(text)
        longest = prompt.longest(words)
        if longest:
            yield _leak(view, at, "", "the prompt of its model", certain=longest >= _CERTAIN)
        elif role.longest(words):
            yield _leak(view, at, "", "its own role, as it was told to it")


def _leak(view: AuditView, at: int, words: str, what: str, *, certain: bool = True) -> Fault:
    return Fault(
        kind="prompt_leak",
        blame=Blame.USER,
        certainty="certain" if certain else "likely",
        reason=f"the user says {what}" + ("" if certain else "; so few words may be a coincidence"),
        evidence=(view.quote(at, words),),
    )


@dataclass(frozen=True, slots=True)
class _Known:
    """All runs of `size` words of a text, and its pairs of words, which reject most messages at once."""

    size: int
    runs: frozenset[tuple[str, ...]]
    pairs: frozenset[tuple[str, ...]]

    def longest(self, words: tuple[str, ...]) -> int:
        """Return the length of the longest known run in a message, or 0 if it is shorter than `size`."""
        step, pairs = self.size - 1, self.pairs
        if not any(words[at : at + 2] in pairs for at in range(0, len(words) - 1, step)):
            return 0
        longest = run = 0
        for shingle in _runs(words, self.size):
            run = run + 1 if shingle in self.runs else 0
            longest = max(longest, run)
        return longest + self.size - 1 if longest else 0


def _known(texts: Iterable[str], size: int, *, only: frozenset[str] = frozenset()) -> _Known:
    """Return the runs of words of the texts; those with a word of `only`, unless it is empty."""
    runs = frozenset(run for text in texts for run in _runs(tokens(text), size) if not only or not only.isdisjoint(run))
    return _Known(size, runs, frozenset(pair for run in runs for pair in _runs(run, 2)))


@cache
def _prompt() -> _Known:
    """Return the words of the fixed prompt. It is read as a file, because users are above the audit."""
    text = files("sparring.users").joinpath("prompts/simulated.md").read_text(encoding="utf-8")
    return _known(re.split(r"\{\{[^{}]*\}\}", text), _LIKELY)


@lru_cache(maxsize=64)
def _role(role: str, traits: tuple[str, ...]) -> _Known:
    """Return the words of a role and traits that address the user, which it never says of itself."""
    return _known((role, *traits), _OWN_ROLE, only=_SECOND_PERSON)


def _runs(words: tuple[str, ...], size: int) -> Iterator[tuple[str, ...]]:
    return zip(*(islice(words, n, None) for n in range(size)), strict=False)


def coaching(view: AuditView) -> Iterator[Fault]:
    """Yield messages that name a tool or an argument as only the chatbot's program does."""
    names: frozenset[str] | None = None
    for at, said in view.user:
        text = said.text
        found = _internal_names(text)
        if not found:
            continue
        names = _names(view) if names is None else names
        known = declared(view.conversation.case).text
        leaked = [
            word for word in found if word in names and fold(word) not in known and word not in _words_before(view, at)
        ]
        if leaked:
            yield Fault(
                kind="coaching",
                blame=Blame.USER,
                reason="the user names a tool or an argument of the chatbot's, which it cannot know",
                evidence=(view.quote(at, leaked[0]),),
                touches=(EVERYTHING,),
            )


def _words_before(view: AuditView, at: int) -> str:
    return "\n".join(said.text for where, said in view.chatbot if where < at)


def _internal_names(text: str) -> tuple[str, ...]:
    """Return the names in a text that are written as in programs, and the keys of JSON."""
    if "_" not in text and "{" not in text and not _HUMP.search(text):
        return ()
    return (*_DECORATED.findall(text), *_ARGUMENTS.findall(text))


def _names(view: AuditView) -> frozenset[str]:
    """Return the names of the chatbot's tools and of their arguments."""
    calls = [call for _, said in view.chatbot for call in said.tool_calls]
    arguments = (name for call in calls for name in call.arguments)
    return frozenset((*view.conversation.tools, *(call.name for call in calls), *arguments))
