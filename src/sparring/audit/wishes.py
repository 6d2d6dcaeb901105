"""Wishes for things or acts that the user of a case does not want."""

import re
from collections.abc import Iterator

from sparring.audit.asked_slots import asked_slots
from sparring.audit.sentences_said import is_asking, is_wanted, is_wish
from sparring.audit.typed import has_typed
from sparring.audit.view import AuditView
from sparring.core.audit import EVERYTHING, Blame, Fault
from sparring.core.case import Goal
from sparring.core.message import ToolCall
from sparring.extraction.acts import ASKED, Act, asked_acts, asked_verb, reported_acts, wanted_act
from sparring.extraction.goals import distinctive_words, is_misspelling, texts, values_of
from sparring.extraction.question_kinds import asks_information
from sparring.extraction.speech_acts import is_denial, is_open_question, is_question, is_refusal
from sparring.extraction.tokens import fold, mentions, pattern, sentences, singulars, stems, tokens

_MAX_ITEM = 4
"""Maximum number of words in an argument that is the name of a thing; a longer one is talk."""

_MIN_LETTERS = 3
_NEXT = 4
"""Number of words after one that adds something, among which the thing is."""

_SEVERAL = 2
_OF_TALK = frozenset("reason note notes comment comments query text message question summary description".split())
"""Names of arguments that hold what the user said."""

_LOOKS_UP = pattern(r"(?:get|list|search|find|show|look|check|read|query|fetch|retrieve)", start=r"^")
_ADDS = re.compile(
    r"\b(?:also|too|as well|plus|add\w*|extra|another|and|along with|besides|on top|throw in"
    r"|ademas|tambien|otr[ao]|mas|anad\w+|y|еще|также|плюс|добав\w*|и)\b"
)
"""Words that add a thing to a wish."""

_ITEM = re.compile(
    r"\b(?:and|plus|also|add|have|get|like|want|order|take|need|buy|y|con|tambien|quiero|anad\w+|и|еще|также|добавьте)"
    r"(?: (?:also|too|please|me|y|tambien|еще))?"
    r" (?:an?|one|two|three|some|another|extra|\d+|una?|unos|unas|dos|tres|otra?|одн[уа]|один|два|две|три)"
    r" ((?:[^\W\d_]+ ?){1,3})"
)
"""Things that are wished for: "and a salad"."""

_NO_THINGS = stems(
    "question help information moment minute idea look favour favor reservation order appointment booking thing problem"
    " request chance reason table room bit lot few couple more day week time pregunta momento ayuda duda problema"
    " reserva cita pedido cosa вопрос момент минуту помощь заказ проблема дело"
)


def wrong_item(view: AuditView) -> Iterator[Fault]:
    """Yield a fault for each thing that the user wishes for beyond its role sheet.

    It is certain if the chatbot acted on it: an argument of a tool names it.
    """
    if not view.vocabulary.declared:
        return
    for at, text, new in view.unusual:
        unknown = _unknown(view, at, text, new)
        if not unknown:
            continue
        acted, call = _acted_on(view, at, text, unknown)
        listed = _wished(view, at, text, unknown)
        if acted or listed:
            certain = call is not None and (acted in listed or not _asked_in_vain(view, at))
            yield _item_fault(view, at, acted or listed, call if certain else None)


def _item_fault(view: AuditView, at: int, item: str, call: ToolCall | None) -> Fault:
    return Fault(
        kind="wrong_item",
        blame=Blame.USER,
        certainty="certain" if call else "likely",
        reason=f"the user asked for {item!r}, which it does not want"
        + ("" if call else ", but the chatbot asked for it or did not act on it"),
        evidence=(view.quote(at, item),),
        touches=(EVERYTHING,) if call and call.succeeded else (),
    )


def _asked_in_vain(view: AuditView, at: int) -> bool:
    """Return True if a message answers an open question to which the role sheet has no answer."""
    asked = [each for each in sentences(view.heard(at)) if each.asks]
    is_open = any(is_open_question(each.text) and not view.book.more.search(fold(each.text)) for each in asked)
    return is_open and not asked_slots(view, at - 1)


def _unknown(view: AuditView, at: int, text: str, new: frozenset[str]) -> frozenset[str]:
    """Return the new words that name something, without those of the chatbot."""
    vocabulary = view.vocabulary
    new -= vocabulary.alternative_words
    unknown: set[str] = set()
    for word in tokens(text) if new else ():
        named = singulars(word) & new
        if not named or len(word) < _MIN_LETTERS or word[0].isdigit() or not stems(word) or has_typed(word):
            continue
        if stems(word).isdisjoint(vocabulary.stems) and wanted_act(word) is None and not vocabulary.is_slip(word):
            unknown |= named
    for heard in view.heard_before(at) if unknown else ():
        unknown -= singulars(heard)
    return frozenset(unknown)


def _acted_on(view: AuditView, at: int, text: str, unknown: frozenset[str]) -> tuple[str, ToolCall | None]:
    """Return the first unknown word of a wish that the chatbot called a tool with, and the call."""
    wishes = [each.text for each in sentences(text) if is_wish(each.text)]
    for call in view.calls_after(at):
        for word in sorted(unknown & _arguments(call, view)):
            said = next((each for each in wishes if word in singulars(each)), "")
            shown = next((each for each in re.findall(r"\w+", said) if word in singulars(each)), "")
            denied = any(is_denial(each.text) and mentions(each.text, word) for each in sentences(view.reply_to(at)))
            if shown and not denied and is_wanted(said, shown):
                return shown, call
    return "", None


def _arguments(call: ToolCall, view: AuditView) -> frozenset[str]:
    """Return the words of arguments that name things."""
    if _LOOKS_UP.search(fold(call.name)):
        return frozenset()
    variables, misspells = view.conversation.case.variables, is_misspelling(view.conversation.case)
    named = [
        value
        for name, given in call.arguments.items()
        if name not in variables and name not in _OF_TALK
        for value in texts(given)
        if len(value.split()) <= _MAX_ITEM and not (misspells and singulars(value) & view.vocabulary.words)
    ]
    return frozenset[str]().union(*map(singulars, named))


def _wished(view: AuditView, at: int, text: str, unknown: frozenset[str]) -> str:
    """Return an unknown thing that the user lists among its wishes."""
    misspells = is_misspelling(view.conversation.case)
    for sentence in sentences(text):
        for found in _ITEM.finditer(fold(sentence.text)):
            thing = next((word for word in tokens(found[1]) if singulars(word) & unknown), "")
            if thing and stems(thing).isdisjoint(_NO_THINGS) and is_wanted(sentence.text, thing):
                return thing
        added = _ADDS.search(fold(sentence.text)) if is_wish(sentence.text) and not misspells else None
        if added:
            rest = tokens(fold(sentence.text)[added.end() :])[:_NEXT]
            thing = next((word for word in rest if singulars(word) & unknown), "")
            if thing and stems(thing).isdisjoint(_NO_THINGS) and is_wanted(sentence.text, thing):
                return thing
    return ""


def wrong_verb(view: AuditView) -> Iterator[Fault]:
    """Yield a fault for each request to do what no goal wants with the object of a goal.

    It is certain if the chatbot did it.
    """
    case = view.conversation.case
    if not view.vocabulary.declared or not case.goals:
        return
    every = _own_verbs(case.goals)
    for at, said in view.user:
        if asked_acts(said.text) <= every and len(every) < _SEVERAL:
            continue
        for sentence in sentences(said.text):
            verbs = asked_acts(sentence.text)
            goals = _goals_with_object(view, sentence.text) or _whole_order(view, at, sentence.text) if verbs else ()
            own = _own_verbs(tuple(goal for number, goal in enumerate(case.goals, 1) if f"goal:{number}" in goals))
            word = asked_verb(sentence.text)
            if not verbs or verbs & own or not goals or not is_wanted(sentence.text, word):
                continue
            if is_asking(sentence.text) and Act.TRACK not in verbs:
                continue
            certain = _did(view, at, verbs, own)
            yield Fault(
                kind="wrong_verb",
                blame=Blame.USER,
                certainty="certain" if certain else "likely",
                reason=f"the user asked to {' or '.join(sorted(verbs))} what it wants to {' or '.join(sorted(own))}"
                + ("" if certain else ", but the chatbot did not do it"),
                evidence=(view.quote(at, sentence.text),),
                touches=goals,
            )


def _own_verbs(goals: tuple[Goal, ...]) -> frozenset[Act]:
    """Return the classes of verbs that goals want; a thing without a verb is ordered, and may be changed."""
    own: set[Act] = set()
    for goal in goals:
        verbs = asked_acts(goal.text)
        if is_question(goal.text):
            own |= verbs | {Act.TRACK}
        elif asks_information(goal.text):
            own |= verbs | {Act.TRACK, Act.PLACE}
        else:
            own |= verbs or {Act.PLACE}
    return frozenset(own | {Act.CHANGE}) if Act.PLACE in own else frozenset(own)


def _goals_with_object(view: AuditView, sentence: str) -> tuple[str, ...]:
    """Return the goals of which a sentence names a value or an own thing."""
    case = view.conversation.case
    said = stems(sentence)
    found = []
    for number, goal in enumerate(case.goals, 1):
        values = values_of(goal, case.variables)
        things = stems(goal.text) - stems(asked_verb(goal.text))
        own = things & distinctive_words(goal, case) or things
        if any(mentions(sentence, value) for value in values) or (not values and own & said):
            found.append(f"goal:{number}")
    return tuple(found)


def _whole_order(view: AuditView, at: int, sentence: str) -> tuple[str, ...]:
    """Return the goals that were asked for before a sentence about all of them: "cancel my order".

    A user may give up all of it after the chatbot refused a part.
    """
    refused = any(is_refusal(each.text) for heard in view.heard_before(at) for each in sentences(heard))
    if refused or not _WHOLE.search(fold(sentence)):
        return ()
    goals = enumerate(view.conversation.goals, 1)
    return tuple(f"goal:{number}" for number, goal in goals if goal.asked_at is not None and goal.asked_at < at)


_WHOLE = pattern(
    r"(?:the|my|this|that|our|whole) (?:whole |entire )?(?:order|booking|reservation|appointment|purchase)\b",
    r"(?:cancel|delete|return|call) (?:it|that|this|everything|all)\b",
    r"(?:el|la|mi|todo el) (?:pedido|reserva|cita)|todo\b",
    r"(?:мой |весь |этот )?(?:заказ|запись|бронь|бронирование)|все\b",
)


def _did(view: AuditView, at: int, verbs: frozenset[Act], own: frozenset[Act]) -> bool:
    """Return True if after a message the chatbot did what was asked for, or anything that no goal wants."""
    for index, reply in view.chatbot:
        if index <= at:
            continue
        called = frozenset[Act]().union(*(asked_acts(_name(call)) for call in reply.tool_calls if call.succeeded))
        acts = frozenset[Act | None]().union(*(reported_acts(each.text) for each in sentences(reply.text)))
        done = called | acts & ASKED
        if done & verbs or done - own - {Act.TRACK, Act.PLACE}:
            return True
    return False


def _name(call: ToolCall) -> str:
    return " ".join(call.name.replace("_", " ").split())
