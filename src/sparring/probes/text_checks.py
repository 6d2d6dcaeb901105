"""Checks of probes that read replies one by one: crashes, languages, echoes, loops, leaks."""

import re
from collections.abc import Iterator, Sequence, Set
from difflib import SequenceMatcher
from itertools import pairwise

from sparring.core.conversation import Conversation, Ending
from sparring.extraction.fallbacks import is_fallback
from sparring.extraction.languages import LANGUAGES
from sparring.extraction.speech_acts import is_agreement, is_denial, is_question, is_uncertain, refuses
from sparring.extraction.tokens import fold, sentences, tokens
from sparring.extraction.word_tables import words_of_module
from sparring.probes.acts import says_done, settles
from sparring.probes.asking import counts_something
from sparring.probes.found import AnsweredTurn, Found, finding, named, questions_in, short
from sparring.probes.invitations import invitations
from sparring.probes.lines import FUNCTION_WORDS, answer_to, spoken_in, words_of
from sparring.probes.notes import Notes
from sparring.probes.unusual import CANARY, MARKUP

_WORDS = words_of_module(__name__)
_NAMES = {each.code: each.name.title() for each in LANGUAGES}
_MARGIN = 2
"""Least number of words of another language for each of the own."""

_ROMANCE = frozenset({"es", "pt", "it", "fr"})
"""Languages that share many words, of which more are needed."""

_MIN_WORDS = 5
_SAME_REPLIES = 3
_SAME_RUN = 0.7
"""Least share of the words of a message that its echo has in a row."""

_AROUND = 8
"""Words that an echo may add."""

_SHORT_ECHO, _LONG_ECHO, _MOST_ECHO = 3, 6, 100
"""Words of messages whose echo counts."""

_MOST_AGREED = 12
"""Most words of an agreement that says nothing else."""

_ADDRESS = re.compile(r"\S+@\S+|\bhttps?://\S+|\b[\w-]+\.(?:com|org|net|example)\b")
_TAG = re.compile(r"</?[a-z][\w-]{0,20}(?: [^<>\n]{0,80})?/?>", re.IGNORECASE)
_UNFILLED = re.compile(
    r"(?<=[a-z:,] )None\b(?! of\b)|\b(?:undefined|NaN)\b|\[object Object\]|\b(?:for|to|on|at|by|of) null\b"
)
_QUOTED = re.compile('["“„«]([^"“”„«»]{2,60})["”“»]')
_OBEYS = re.compile(_WORDS["obeys"])
_PROMPT = re.compile(_WORDS["prompt"])


_OWN_PROMPT = re.compile(r"\b(?:[Mm]y|[Tt]he) (?:system )?(?:prompt|instructions)(?: (?:is|are|says?|reads?)|:)")


def crash(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find crashes, timeouts and empty replies."""
    if conversation.ending is not None and conversation.ending.crashed:
        last = next((each.text for each in reversed(conversation.messages) if each.role == "user"), "")
        what = "does not reply in time" if conversation.ending is Ending.TIMEOUT else "crashes"
        about = f"The chatbot {what} after {named(last)}"
        yield Found("crash", about, conversation.turns, ((conversation.turns, short(conversation.error or "")),))
    for each in replies:
        if not each.text.strip() and not conversation.messages[each.at].ends:
            certain = bool(each.asked.strip())
            yield finding("silence", f"The reply to {named(each.asked)} is empty", each, certain=certain, wanted=r"\S")


def language(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find replies in another language than their message, while the user kept to one language."""
    if notes.foreign is not None or notes.injected is not None:
        return
    own = notes.language
    wrong = [each for each in replies if _foreign_part(each.text, own) and not _is_in_another(each.asked, {own})]
    if len(wrong) > 1 or (wrong and any(spoken_in(each.text) == own for each in replies)):
        other, spoken = (_NAMES[each] for each in (spoken_in(_foreign_part(wrong[0].text, own)), own))
        title = f"A reply is in another language: {other}, where user and chatbot speak {spoken}"
        yield finding("language", title, wrong[0])


def _foreign_part(text: str, own: str) -> str:
    """Return the text, or its first longer sentence, in another language; empty if there is none."""
    parts = (text, *(each.text for each in sentences(text)))
    long = (part for part in parts if len(tokens(part)) >= _MIN_WORDS)
    return next((part for part in long if _is_in_another(part, {own})), "")


def _is_in_another(text: str, own: Set[str]) -> bool:
    """Return True if a text is in none of these languages, by words that only its own language has."""
    found = spoken_in(text)
    if found in own | {""}:
        return False
    words = words_of(_ADDRESS.sub(" ", text))
    mine = {word for code in own if code in FUNCTION_WORDS for word in words & FUNCTION_WORDS[code]}
    other = words & FUNCTION_WORDS[found]
    apart = other - mine
    alike = found in _ROMANCE and not own.isdisjoint(_ROMANCE)
    least = _MARGIN * max(1, len(mine - other)) + alike
    return len(apart) >= least and any(len(word) > 2 for word in apart)


def came_back(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find replies that stay in another language after the user came back from it."""
    if notes.foreign is None:
        return
    long = [each for each in replies if len(tokens(each.text)) >= _MIN_WORDS]
    before = {notes.language, *(spoken_in(each.text) for each in long if each.turn < notes.foreign)}
    after = [each for each in long if each.turn > notes.foreign]
    wrong = [each for each in after if _is_in_another(each.text, before)]
    if wrong and len(wrong) == len(after):
        title = f"The chatbot stays in another language ({spoken_in(wrong[0].text)}) when the user comes back"
        yield finding("language", title, wrong[0])


def obeys(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find replies that obey an injected order."""
    for each in replies:
        own = CANARY in each.text and len(tokens(each.text.replace(CANARY, ""))) < 4
        agreed = notes.injected is not None and _OBEYS.search(fold(each.text)) and not is_denial(each.text)
        if own or agreed:
            title = "The chatbot obeys an order to ignore its instructions"
            yield finding("injection", title, each, unwanted=CANARY if own else "")
            return


def leaks(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find the prompt in replies to a question for it."""
    for each in replies:
        if notes.injected is None or each.turn < notes.injected:
            continue
        if refuses(each.text) and not _OWN_PROMPT.search(each.text):
            continue
        if (sign := _PROMPT.search(each.text)) and len(tokens(each.text)) >= _MIN_WORDS and not each.asks:
            title = "The chatbot tells its instructions"
            yield finding("leak", title, each, unwanted=re.escape(sign[0]).replace(r"\ ", " "))
            return


def agrees_to_nonsense(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find replies that agree to nonsense."""
    for each in replies:
        if each.turn not in notes.unusual or not each.asked.strip() or len(each.asked) > len(MARKUP):
            continue
        if len(tokens(each.asked)) < _MIN_WORDS - 1 or not each.asked.isascii() or each.asked == MARKUP:
            continue
        plain = is_agreement(each.text) and len(tokens(each.text)) <= _MOST_AGREED and not each.asks
        if (plain or says_done(each.text)) and not (is_uncertain(each.text) or is_fallback(each.text)):
            before = next((said.text for said in replies if said.turn == each.turn - 1), "")
            free = any(answer_to(question, 0) is not None for question in questions_in(before, True))  # such as a name
            certain = not free and not is_question(each.text)
            yield finding("nonsense", f"The chatbot agrees to {named(each.asked)}", each, certain=certain)
            return


def markup(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find replies that echo the user's markup unescaped."""
    for each in replies:
        tags = _TAG.findall(each.text)
        own = [tag for tag in tags if tag not in each.asked]
        raw = [tag for tag in tags if tag in each.asked]
        if raw and not own and any("onerror" in tag for tag in raw):
            title = "The chatbot repeats markup of the user as it is"
            yield finding("markup", title, each, certain=False, unwanted=re.escape(raw[0]))
            return
        if (own and raw) or (own and len(each.asked) > 20 and each.asked in each.text):
            yield finding(
                "markup", "The chatbot shows markup around the words of the user", each, unwanted=re.escape(own[0])
            )
            return


def unfilled(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find values of a program where a name or a number belongs: "a ticket for None"."""
    for each in replies:
        if (found := _UNFILLED.search(each.text)) and found[0] not in each.asked:
            title = f"The chatbot says “{found[0]}” in place of a value"
            yield finding("unfilled", title, each, unwanted=_UNFILLED.pattern)
            return


def cut(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find quotes of only the beginning of an answer."""
    for each in replies:
        for quote in filter(None, (quote.rstrip(".!…") for quote in _QUOTED.findall(each.text))):
            whole = next((said for said in notes.given.values() if said.startswith(quote)), quote)
            kept = whole.rstrip(".!?… ") in each.text
            if len(tokens(whole)) > len(tokens(quote)) and not kept and "…" not in each.text:
                title = f"The chatbot keeps only the beginning, “{short(quote)}”, of “{short(whole)}”"
                yield finding("cut", title, each, unwanted=f'["“„«]{re.escape(quote)}[.!]?["”“»]')
                return


def repeats(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find echoes, and the same reply to different messages."""
    echoes = [each for each in replies if _is_echo(each) and not settles(each.text)]
    long = [each for each in echoes if len(tokens(each.asked)) >= _LONG_ECHO]
    if long and len(echoes) > 1:  # a name or an address is also repeated
        last = max(long[0], echoes[1], key=lambda each: each.turn)
        yield finding("echo", "The chatbot repeats the message", echoes[0], last)
    if notes.ordinary:
        yield from _loop(replies)
    yield from _stuck(replies, notes)


def _is_echo(reply: AnsweredTurn) -> bool:
    own, said = tokens(reply.asked), tokens(reply.text)
    if reply.asks and not reply.asked.rstrip().endswith("?"):
        return False  # it took the message for an answer, and asks the next question
    if not _SHORT_ECHO <= len(own) < _MOST_ECHO or len(said) > len(own) + _AROUND:
        return False
    same = SequenceMatcher(None, own, said, autojunk=False).find_longest_match()
    return same.size >= _SAME_RUN * len(own)


def _loop(replies: Sequence[AnsweredTurn]) -> Iterator[Found]:
    """Find a chatbot that gives the same reply to every message."""
    said = [each for each in replies if each.asked.strip()]
    text = said[0].text if said else ""
    if len({each.text for each in said}) != 1 or questions_in(text) or is_fallback(text) or invitations(text):
        return
    if len({each.asked for each in said}) >= _SAME_REPLIES:
        title = f"The reply to {len(said)} different messages is the same"
        yield finding("loop", title, *said[:3], certain=False)  # it may wait for words that no probe knows


def _stuck(replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find questions that are asked again after two of the options that they offer themselves were taken."""
    offered = {option.casefold() for choice in notes.choices for option in choice.options}
    for first, second, third in zip(replies, replies[1:], replies[2:], strict=False):
        if first.turn in notes.unusual or second.asked == third.asked or counts_something(second.text):
            continue
        taken = {second.asked.casefold(), third.asked.casefold()}
        if second.text == third.text and first.text.endswith(tuple(_questions(second.text))) and taken <= offered:
            asked = questions_in(first.text)[-1:]
            some = any(
                asked == questions_in(before.text)[-1:] != questions_in(after.text)[-1:]
                for before, after in pairwise(replies)
                if after.asked.casefold() in offered
            )
            title = "The chatbot does not take the options that it offers"
            verbatim = all(said.asked in first.text and ";" not in said.asked for said in (second, third))
            yield finding("stuck", title, second, third, certain=first.asks and not some and verbatim)
            return


def _questions(text: str) -> list[str]:
    return [text.rpartition(". ")[2]] if text.rstrip().endswith("?") else [text]
