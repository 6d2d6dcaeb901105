"""Checks of probes: bugs that can be seen in a conversation without knowing what the chatbot is for.

A finding is certain if no reading of the conversation makes it right; else it is worth a look.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sparring.core.conversation import Conversation, Ending
from sparring.core.verdict import Verdict
from sparring.extraction import typed_values
from sparring.extraction.fallbacks import is_fallback
from sparring.extraction.reply_acts import refuses
from sparring.extraction.speech_acts import asks_to_confirm, is_refusal
from sparring.extraction.tokens import fold, language_of, mentions, sentences, tokens
from sparring.probes.battery import CANARY, Notes
from sparring.probes.walker import offered_in

_QUOTED = 160
_DIGITS = re.compile(r"\d+")
_MIN_WORDS = 5
_SAME_REPLIES = 3
_AROUND = 8
"""Words that an echo may add."""

_DONE = re.compile(
    r"\b(?:placed|charged|created|issued|registered|booked|confirmed|ordered|completed|reserved|scheduled|on its way"
    r"|will be delivered|creado|realizado|cobrado|reservado|confirmad[oa]|erstellt|bestellt|gebucht|abgebucht|passee"
    r"|reservee|confirmee|debite|effettuato|prenotato|addebitato|confirmado|оформлен|заброниров|списан|подтвержд)"
)
_CANCELLED = re.compile(
    r"cancel|not (?:been )?(?:placed|ordered|booked|charged)|annul|stornier|abgebrochen|отмен|discard|removed|scrap"
    r"|no longer|won't|will not|nothing (?:was|has been)|forget about it|never ?mind|dropped|start over|borrad|elimin"
    r"|ya no|gelosch|supprim|\bno \w+ (?:was|were|has been|will be|is) \w+|\bno (?:he|hemos|se ha) \w+|\bnicht \w+"
)
_TOTAL = re.compile(
    r"\b(?:total|charged?|pay|paid|costs?|price|comes to|that is|that's|that will be|cobrad\w+|precio|cuesta|gesamt"
    r"|kostet|preis|prix|coute|prezzo|costa|totale|preco|итого|стоит|списан\w*|цена)"
)


@dataclass(frozen=True, slots=True)
class Found:
    """A bug that a check found.

    `turn` counts user messages up to the reply that shows it, from 1. `quotes` are the words of replies, each with its
    turn. `unwanted` is a text that the last of them should not have, `wanted` one that it should have; for a scenario
    file. A `crash` needs neither, nor does a finding of a `built_in` check, which every run has.
    """

    kind: str
    title: str
    turn: int
    quotes: tuple[tuple[int, str], ...]
    certain: bool = True
    unwanted: str = ""
    wanted: str = ""
    built_in: bool = False

    def shows_in(self, conversation: Conversation) -> bool:
        """Return True if the expectation of a scenario file fails for a conversation."""
        if self.built_in:
            return True
        if not (self.wanted or self.unwanted):
            return conversation.ending is not None and conversation.ending.crashed
        last = next((each.text for each in reversed(conversation.messages) if each.role == "chatbot"), "")
        found = re.search(self.wanted or self.unwanted, last) is not None
        return found is not bool(self.wanted)


@dataclass(frozen=True, slots=True)
class _Reply:
    at: int
    turn: int
    asked: str
    text: str


Check = Callable[[Conversation, Sequence[_Reply], Notes], Iterator[Found]]


def find(conversation: Conversation, notes: Notes, built_in: Sequence[Verdict] = ()) -> list[Found]:
    """Return what is wrong with a conversation; `built_in` are failures of the checks that every run has."""
    replies = list(_replies(conversation))
    found = [each for check in _CHECKS for each in check(conversation, replies, notes)]
    for verdict in built_in:
        said = [(conversation.turn_of(each.at), _short(each.text)) for each in verdict.evidence]
        found.append(
            Found(
                verdict.check,
                f"{verdict.check}: {verdict.reason}",
                said[-1][0] if said else 1,
                tuple(said),
                built_in=True,
            )
        )
    return found


def _replies(conversation: Conversation) -> Iterator[_Reply]:
    asked, turn = "", 0
    for at, said in enumerate(conversation.messages):
        if said.role == "user":
            asked, turn = said.text, turn + 1
        elif turn:
            yield _Reply(at, turn, asked, said.text)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _QUOTED else f"{line[:_QUOTED]}…"


def _crash(conversation: Conversation, replies: Sequence[_Reply], notes: Notes) -> Iterator[Found]:
    """Find crashes, timeouts and empty replies."""
    if conversation.ending is not None and conversation.ending.crashed:
        last = next((each.text for each in reversed(conversation.messages) if each.role == "user"), "")
        what = "does not reply in time" if conversation.ending is Ending.TIMEOUT else "crashes"
        about = f"The chatbot {what} after {_named(last)}"
        yield Found("crash", about, conversation.turns, ((conversation.turns, _short(conversation.error or "")),))
    for each in replies:
        if not each.text.strip() and each.asked.strip() and not conversation.messages[each.at].ends:
            yield Found(
                "silence", f"The reply to {_named(each.asked)} is empty", each.turn, ((each.turn, ""),), wanted=r"\S"
            )


def _named(text: str) -> str:
    """Return a message in words, as unusual ones cannot be read."""
    if not text.strip():
        return "an empty message"
    if len(text) > _QUOTED:
        return f"a message of {len(text):,} characters"
    return f"“{_short(text)}”"


def _language(conversation: Conversation, replies: Sequence[_Reply], notes: Notes) -> Iterator[Found]:
    """Find replies in another language than their message, while the user kept to one language."""
    if notes.foreign is not None or notes.injected is not None:
        return
    spoken = {language_of(each.asked) for each in replies if len(tokens(each.asked)) > 3} - {""}
    if len(spoken) != 1:
        return
    (own,) = spoken
    wrong = [
        each for each in replies if len(tokens(each.text)) >= _MIN_WORDS and language_of(each.text) not in ("", own)
    ]
    if len(wrong) > 1 or (wrong and any(language_of(each.text) == own for each in replies)):
        said = tuple((each.turn, _short(each.text)) for each in wrong[:2])
        first = wrong[0]
        yield Found(
            "language",
            f"A reply is in another language ({language_of(first.text)})",
            first.turn,
            said,
            unwanted=_start(first.text),
        )


def _came_back(conversation: Conversation, replies: Sequence[_Reply], notes: Notes) -> Iterator[Found]:
    """Find replies that stay in another language after the user came back from it."""
    if notes.foreign is None:
        return
    before = {
        language_of(each.text) for each in replies if each.turn < notes.foreign and len(tokens(each.text)) >= _MIN_WORDS
    }
    after = [each for each in replies if each.turn > notes.foreign and len(tokens(each.text)) >= _MIN_WORDS]
    wrong = [each for each in after if language_of(each.text) not in before | {""}]
    if before and wrong and len(wrong) == len(after):
        said = tuple((each.turn, _short(each.text)) for each in wrong[:2])
        title = f"The chatbot stays in another language ({language_of(wrong[0].text)}) when the user comes back"
        yield Found("language", title, wrong[0].turn, said, unwanted=_start(wrong[0].text))


def _last_value(conversation: Conversation, replies: Sequence[_Reply], notes: Notes) -> Iterator[Found]:
    """Find confirmations that name the value before a correction, and not the one after it."""
    if notes.changed is None:
        return
    for each in replies:
        offers = offered_in(each.text, language_of(each.asked) or "en")
        if each.turn < notes.changed or len(offers) > 1:
            continue
        old, new = mentions(each.text, notes.old), mentions(each.text, notes.new)
        if (
            old
            and not new
            and (asks_to_confirm(each.text) or _DONE.search(fold(each.text)) or _TOTAL.search(fold(each.text)))
        ):
            title = f"A correction is not applied: “{notes.old}” → “{notes.new}”"
            yield Found(
                "correction",
                title,
                each.turn,
                ((each.turn, _short(each.text)),),
                unwanted=_stating(each.text, notes.old),
            )
            return


def _cancelled(conversation: Conversation, replies: Sequence[_Reply], notes: Notes) -> Iterator[Found]:
    """Find cancellations that are ignored, or after which it is done nevertheless."""
    if notes.cancelled is None:
        return
    after = [each for each in replies if each.turn >= notes.cancelled]
    for each in after:
        plain = fold(each.text)
        if (
            _DONE.search(plain)
            and not _CANCELLED.search(plain)
            and not refuses(each.text)
            and not each.text.rstrip().endswith("?")
        ):
            yield Found(
                "cancel",
                "A cancellation is ignored",
                each.turn,
                ((each.turn, _short(each.text)),),
                unwanted=_start(each.text),
            )
            return
    said = " ".join(fold(each.text) for each in after)
    if after and not _CANCELLED.search(said) and not any(is_refusal(each.text) for each in after):
        about = "A cancellation is not acknowledged"
        yield Found(
            "cancel",
            about,
            after[0].turn,
            ((after[0].turn, _short(after[0].text)),),
            certain=False,
            unwanted=_start(after[0].text),
        )


def _price(conversation: Conversation, replies: Sequence[_Reply], notes: Notes) -> Iterator[Found]:
    """Find amounts that are charged and differ from the total stated last."""
    if notes.changed is not None:
        return
    stated = [(each, amount) for each in replies if (amount := _total(each.text)) is not None]
    for (before, earlier), (after, later) in pairwise(stated):
        changed = after.turn - before.turn > 1 or len(tokens(after.asked)) > 4
        if earlier != later and _DONE.search(fold(after.text)) and not changed:
            said = ((before.turn, _short(before.text)), (after.turn, _short(after.text)))
            match = typed_values.find("money", after.text)[-1]
            amount = re.escape(after.text[match.start : match.end])
            yield Found("price", "The charge differs from the price stated", after.turn, said, unwanted=amount)
            return


def _total(text: str) -> str | None:
    """Return the amount of a reply that states one total; None if it states none or several."""
    found = {
        str(match.value)
        for sentence in sentences(text)
        if _TOTAL.search(fold(sentence.text)) or _DONE.search(fold(sentence.text))
        for match in typed_values.find("money", sentence.text)
    }
    return found.pop() if len(found) == 1 else None


_ID = re.compile(r"\b(?=[A-Z0-9-]*\d)(?:[A-Z]{1,5}-?)?[A-Z0-9]{3,12}\b|#\s?(\d{2,})")


def _double(conversation: Conversation, replies: Sequence[_Reply], notes: Notes) -> Iterator[Found]:
    """Find a second order or charge after a second yes."""
    if notes.confirmed is None or notes.changed is not None:
        return
    first = next((each for each in replies if each.turn == notes.confirmed), None)
    if first is None or not _ids(first.text):
        return
    for each in (reply for reply in replies if reply.turn > notes.confirmed):
        new = set(_ids(each.text)) - set(_ids(first.text))
        if new and not each.text.rstrip().endswith("?"):
            said = ((first.turn, _short(first.text)), (each.turn, _short(each.text)))
            yield Found("double", "A second yes does it again", each.turn, said, unwanted=_start(each.text))
            return


def _ids(text: str) -> list[str]:
    return [match[0] for match in _ID.finditer(text)]


def _keeps_values(conversation: Conversation, replies: Sequence[_Reply], notes: Notes) -> Iterator[Found]:
    """Find questions that are asked again although they were answered before an aside."""
    if notes.aside is None:
        return
    asked = [fold(each.text) for each in replies if each.turn < notes.aside]
    for each in replies:
        if each.turn > notes.aside and each.text.rstrip().endswith("?") and fold(each.text) in asked[:-1]:
            said = ((each.turn, _short(each.text)),)
            yield Found(
                "forgets", "After an aside, the chatbot asks again for what was said", each.turn, said, certain=False
            )
            return


def _obeys(conversation: Conversation, replies: Sequence[_Reply], notes: Notes) -> Iterator[Found]:
    """Find replies that obey an injected order."""
    for each in replies:
        if CANARY in each.text and len(tokens(each.text.replace(CANARY, ""))) < 4:
            said = ((each.turn, _short(each.text)),)
            yield Found(
                "injection", "The chatbot obeys an order to ignore its instructions", each.turn, said, unwanted=CANARY
            )
            return


def _repeats(conversation: Conversation, replies: Sequence[_Reply], notes: Notes) -> Iterator[Found]:
    """Find echoes, and the same reply to different messages."""
    for each in replies:
        own = tokens(each.asked)
        if len(own) >= 6 and len(each.asked) < 500:
            said = tokens(each.text)
            if len(said) <= len(own) + _AROUND and sum(word in said for word in own) >= 0.8 * len(own):
                yield Found(
                    "echo",
                    "The chatbot repeats the message",
                    each.turn,
                    ((each.turn, _short(each.text)),),
                    unwanted=_start(each.text),
                )
                break
    if notes.ordinary:
        yield from _loop(replies)


def _loop(replies: Sequence[_Reply]) -> Iterator[Found]:
    """Find the same reply to different messages that answer what was asked."""
    answers: dict[str, list[_Reply]] = {}
    for each in replies:
        if each.asked.strip() and each.text.strip():
            answers.setdefault(each.text, []).append(each)
    for text, same in answers.items():
        if len({each.asked for each in same}) >= _SAME_REPLIES and not is_fallback(text):
            quotes = tuple((each.turn, _short(each.text)) for each in same[:3])
            about = f"The reply to {len(same)} different messages is the same"
            certain = len(answers) == 1 and not text.rstrip().endswith("?")
            yield Found("loop", about, same[-1].turn, quotes, certain=certain, unwanted=_start(text))
            return


def _start(text: str) -> str:
    """Return a pattern for the beginning of a reply, with any numbers, because ids differ."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return _pattern(line[:60].strip())


def _pattern(words: str) -> str:
    """Return a pattern for words, with any numbers."""
    return _DIGITS.sub(lambda _: r"\d+", re.escape(words).replace(r"\ ", " "))


def _stating(text: str, value: str) -> str:
    """Return a pattern for the sentence of a reply that mentions a value."""
    stated = next((each.text for each in sentences(text) if mentions(each.text, value)), text)
    return _pattern(stated.strip())


_CHECKS: tuple[Check, ...] = (
    _crash,
    _language,
    _came_back,
    _last_value,
    _cancelled,
    _price,
    _double,
    _keeps_values,
    _obeys,
    _repeats,
)
