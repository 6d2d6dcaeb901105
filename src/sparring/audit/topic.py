"""Users that talk about something else, or that do what the chatbot tells them to."""

import re
from collections.abc import Iterator

from sparring.audit.languages import is_in_other_language
from sparring.audit.phrases import LANGUAGES
from sparring.audit.view import AuditView, declared
from sparring.core.audit import EVERYTHING, Blame, Fault
from sparring.core.message import Button
from sparring.extraction.goals import is_misspelling
from sparring.extraction.speech_acts import starts_with_yes_or_no
from sparring.extraction.tokens import fold, language_of, share, share_with_typos, stems, tokens
from sparring.extraction.word_tables import words_of_module

_WORDS = words_of_module(__name__)

_MIN_STEMS = 5
"""Number of words with a meaning below which it is not clear what a user talks about."""

_IN_A_ROW = 3
_LONGEST_ORDER = 50
_SMALL_TALK = stems(" ".join(f"{language.small_talk} {language.closing}" for language in LANGUAGES))
_COMMAND = _WORDS["command"]
_VERBS = re.compile(_COMMAND)
_COMMANDS = re.compile(_WORDS["commands"])


def off_topic(view: AuditView) -> Iterator[Fault]:
    """Yield the first message of a user that never talks about its case."""
    conversation = view.conversation
    if not conversation.case.goals or any(goal.asked_at is not None for goal in conversation.goals):
        return
    wrote = declared(conversation.case)
    if not wrote.stems or not view.user:
        return
    if not _may_be_elsewhere(view, wrote.stems):
        return
    about = [(at, stems(said.text) - _SMALL_TALK) for at, said in view.user]
    about = [(at, words) for at, words in about if words]
    strange = [at for at, words in about if _is_elsewhere(view, at, words, wrote.stems)]
    whole = len(strange) == len(about) and len(frozenset[str]().union(*(words for _, words in about))) >= _MIN_STEMS
    if not strange or not (whole or _is_run(strange, [at for at, _ in about])):
        return
    yield Fault(
        kind="off_topic",
        blame=Blame.USER,
        certainty="certain" if whole else "likely",
        reason="the user talks about nothing that its case is about"
        + ("" if whole else " for three turns; it may paraphrase"),
        evidence=tuple(view.quote(at) for at in strange[:3]),
        touches=(EVERYTHING,),
    )


def _may_be_elsewhere(view: AuditView, known: frozenset[str]) -> bool:
    """Return True if no message, or none of three in a row, shares a word with the case."""
    run = 0
    for _, said in view.user:
        run = run + 1 if stems(said.text).isdisjoint(known) else 0
        if run == min(_IN_A_ROW, len(view.user)):
            return True
    return False


def _is_elsewhere(view: AuditView, at: int, about: frozenset[str], known: frozenset[str]) -> bool:
    """Return True if a message shares no word with the case, the chatbot, or small talk."""
    shares = share_with_typos if is_misspelling(view.conversation.case) else share
    if shares(about, known):
        return False
    said = view.conversation.messages[at]
    goals = " ".join(goal.text for goal in view.conversation.case.goals)
    spoken, written = language_of(said.text), language_of(goals)
    if (spoken and written and spoken != written) or is_in_other_language(said, view.conversation.case):
        return False
    return not shares(about, _brought_up(view, at))


def _brought_up(view: AuditView, at: int) -> frozenset[str]:
    """Return what the chatbot talked about before a message, without the user's words."""
    found = frozenset[str]()
    for where, message in view.chatbot:
        if where < at:
            said = frozenset[str]().union(*(stems(each.text) for before, each in view.user if before < where))
            found |= stems(message.text) - said
    return found


def _is_run(strange: list[int], turns: list[int]) -> bool:
    """Return True if three turns in a row are strange."""
    run = 0
    for at in turns:
        run = run + 1 if at in strange else 0
        if run >= _IN_A_ROW:
            return True
    return False


def obeyed_chatbot(view: AuditView) -> Iterator[Fault]:
    """Yield messages that consist of what the chatbot told the user to say."""
    for at, said in view.user:
        if len(said.text) > _LONGEST_ORDER:
            continue
        words = " ".join(tokens(said.text))
        if not words or starts_with_yes_or_no(said.text) or words.isdigit() or len(words) < 2:
            continue
        reply = fold(view.reply_before(at))
        if words not in reply or not _VERBS.search(reply) or _is_choice(view, at, words):
            continue
        commands = [" ".join(tokens(found[1])) for found in _COMMANDS.finditer(reply)]
        if words in commands and len(commands) == 1:
            yield Fault(
                kind="obeyed_chatbot",
                blame=Blame.USER,
                reason="the user says what the chatbot told it to say",
                evidence=(view.quote(at), view.quote(at - 1)),
            )


def _is_choice(view: AuditView, at: int, words: str) -> bool:
    """Return True if the words are a value of the case, or a button."""
    if frozenset(words.split()) <= declared(view.conversation.case).values:
        return True
    parts = view.conversation.messages[at - 1].parts
    return any(isinstance(part, Button) and words in (fold(part.title), fold(part.payload)) for part in parts)
