"""Wishes for things or acts that the user of a case does not want."""

import re
from collections.abc import Iterable, Iterator

from sparring.audit.asked_slots import asked_slots, option_beyond
from sparring.audit.phrases import patterns, without_padding, words
from sparring.audit.sentences_said import gives_up, is_asking, is_negated, is_wanted, is_wish
from sparring.audit.text_values import has_typed
from sparring.audit.view import AuditView
from sparring.audit.wrong_values import refuses
from sparring.core.audit import EVERYTHING, Blame, Fault
from sparring.core.case import Case, Goal
from sparring.core.message import ToolCall
from sparring.extraction.acts import ASKED, Act, asked_acts, asked_verb, reported_acts, wanted_act
from sparring.extraction.function_words import WEIGHTS
from sparring.extraction.goals import distinctive_words, is_misspelling, texts, values_of
from sparring.extraction.question_kinds import asks_information
from sparring.extraction.speech_acts import is_denial, is_open_question, is_question, is_refusal
from sparring.extraction.tokens import (
    NUMBERS,
    fold,
    language_of,
    mentions,
    pattern,
    sentences,
    share,
    singulars,
    stems,
    tokens,
)
from sparring.extraction.word_tables import words_of_module

_WORDS = words_of_module(__name__)

_MAX_ITEM = 4
"""Most words in an argument that names a thing; a longer one is speech."""

_MIN_LETTERS = 3
_NEXT = 5
"""Number of words after one that adds something, among which the thing is."""

_CLAUSE_WORDS = 9
_SEVERAL = 2
_HALF = 0.5
_OF_TALK = frozenset("reason note notes comment comments query text message question summary description".split())
"""Names of arguments that hold what the user said."""

_LOOKS_UP = pattern(r"(?:get|list|search|find|show|look|check|read|query|fetch|retrieve)", start=r"^")
_TALK = frozenset(WEIGHTS) | frozenset(_WORDS["talk"].split("|"))
"""Function words, which name no thing."""

_ADDS = patterns("adds", guess=False)
_WANTS_THING = patterns("wants_thing", guess=False)
"""Words after which a thing is named that is wished for."""

_ARTICLES, _LINKS = ("|".join(words(key).split()) for key in ("articles", "links"))
_COURTESY = r"please|por favor|пожалуйста|bitte|s'il vous plait|per favore"
_BARE = pattern(
    rf"[^\w]*(?:(?:{_ARTICLES}|{_LINKS}|\d+) )?(?:[^\w\d_]*[\w-]+ ?){{1,4}}(?:,? (?:{_COURTESY}))?[^\w]*$", start="^"
)
_COLON = r":(?= [^\W\d_]+(?: [^\W\d_]+){0,2}[.!]?$)"
_NEW_THING = pattern(_COLON, r"\b(?:want|need|requir|quiere|podria|нуж|хорошо бы|voudrait|vuole|quer)\w*\b", start="")
"""Word endings before a thing that a user newly names, after a wish or a colon."""

_OWNS = pattern(_WORDS["owns"])
"""Words of sentences about what a user has or is, rather than what it wants."""

_PLEASE = pattern(
    rf"(?:{_COURTESY}|would be (?:nice|great|lovely))[^\w]*$",
    rf"(?:{_LINKS}) (?:{_ARTICLES}|\d+)?\b",
    rf"(?:{_ARTICLES}|\d+) ",
)
_NO_NOUN = re.compile(r"\w+(?:ть|ться|ти|чь|ly)$")
_INFINITIVE_ES = re.compile(_WORDS["infinitive_es"])
"""Endings of verbs and adverbs, which name no thing."""

_NO_THINGS = singulars(words("no_things"))


def wrong_item(view: AuditView) -> Iterator[Fault]:
    """Yield a fault for each thing that the user wishes for beyond its role sheet.

    It is certain if the chatbot acted on it: an argument of a tool names it; or if it was one of its options.
    """
    if not view.vocabulary.declared:
        return
    for at, text, new in view.unusual:
        text = without_padding(text)
        unknown = _unknown(view, at, text, new)
        if not unknown:
            continue
        acted, call = _acted_on(view, at, text, unknown)
        listed = "" if is_misspelling(view.conversation.case) else _wished(text, unknown)
        if acted or listed:
            certain = call is not None and (acted in listed or not _asked_in_vain(view, at))
            yield _item_fault(view, at, acted or listed, call if certain else None)
    for at, _ in view.user:
        if extra := option_beyond(view, at):
            acts = any(
                mentions(str(value), extra) for call in view.calls_after(at) for value in call.arguments.values()
            )
            yield Fault(
                kind="wrong_item",
                blame=Blame.USER,
                reason=f"the user also took {extra!r}, which was offered and which it does not want",
                evidence=(view.quote(at, extra),),
                touches=(EVERYTHING,) if acts else (),
            )


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
    asked = [each for each in sentences(view.reply_before(at)) if each.asks]
    is_open = any(is_open_question(each.text) and not view.book.more.search(fold(each.text)) for each in asked)
    return is_open and not asked_slots(view, at - 1)


def _unknown(view: AuditView, at: int, text: str, new: frozenset[str]) -> frozenset[str]:
    """Return the new words that name something and that the chatbot did not say first."""
    vocabulary = view.vocabulary
    new = new.difference(vocabulary.alternative_words, *map(singulars, view.replies_before(at)))
    unknown: set[str] = set()
    for word in tokens(text) if new else ():
        named = singulars(word) & new
        if (
            not named
            or len(word) < _MIN_LETTERS
            or word[0].isdigit()
            or not stems(word)
            or word in _TALK
            or has_typed(word)
        ):
            continue
        if stems(word).isdisjoint(vocabulary.stems) and wanted_act(word) is None and not vocabulary.is_slip(word):
            unknown |= named
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


def _wished(text: str, unknown: frozenset[str]) -> str:
    """Return an unknown thing that the user wishes for: after words of a wish, or alone."""
    for sentence in sentences(text):
        said = _FORGET.sub("add", fold(sentence.text))
        if is_asking(said) or _CONDITION.match(said) or asked_acts(said) - {Act.PLACE}:
            continue
        ends = [found.end() for found in _WANTS_THING(sentence.text).finditer(said)]
        if _ADDS(sentence.text).search(said):
            ends.append(0)
        if not _OWNS.search(said):
            ends += [found.end() for found in _NEW_THING.finditer(said)]
        if _BARE.match(said) and _PLEASE.search(said):
            ends.append(0)
        for end in ends:
            for clause in _CLAUSE.split(said[end:].lstrip(" ,:"))[: None if not end else 1]:
                thing = _thing_in(tokens(clause)[: _NEXT if end else _CLAUSE_WORDS], unknown, language_of(said))
                if thing and is_wanted(said, thing):
                    return thing
    return ""


_CONDITION = pattern(r"(?:if|in case|si|если)\b", start=r"^[^\w]*")
_FORGET = pattern(
    r"(?:don't forget|no (?:se )?olvid\w+(?: de)?|не забуд\w+|n'oublie[sz]? pas|vergessen sie nicht)\b",
    r"(?:non dimentic\w+|nao (?:se )?esque\w+(?: de)?)\b",
    r"(?:must|can|could|should|do)(?:n't| not) (?:leave|go|do|be) without\b",
    r"(?:(?:oh,? )?i (?:almost|nearly) forgot|(?:one|another) (?:more )?thing|(?:casi )?se me olvid\w+|otra cosa"
    rf"|чуть не забыл\w*|еще (?:одно|кое-что)|presque oublie|fast vergessen)"
    rf"(?=[,:] (?:(?:{_ARTICLES}|\d+) |[^ ]+(?: [^ ]+)?[.!]?$))",
)
_CLAUSE = re.compile(_WORDS["clause"])


def _thing_in(words: tuple[str, ...], unknown: frozenset[str], language: str) -> str:
    """Return the first unknown thing among words; a verb before it means that something is to be done."""
    if any(not _NO_THINGS.isdisjoint(singulars(word)) for word in words):
        return ""
    for before, word in zip(("", *words), words, strict=False):
        is_verb = before == "to" or _NO_NOUN.match(word) or (language == "es" and _INFINITIVE_ES.match(word))
        is_verb = is_verb and word not in NUMBERS
        if is_verb and wanted_act(word) is None:
            return ""
        if singulars(word) & unknown:
            return word
    return ""


def wrong_verb(view: AuditView) -> Iterator[Fault]:
    """Yield a fault for each request of an act that no goal wants, on the object of a goal.

    It is certain if the chatbot carried it out.
    """
    case = view.conversation.case
    if not view.vocabulary.declared or not case.goals:
        return
    every = _own_verbs(case.goals)
    for at, said in view.user:
        usual = asked_acts(said.text) <= every and len(every) < _SEVERAL
        if usual and not is_negated(said.text):
            continue
        for text in _requests(said.text):
            verbs = _asked_to(view, at, text) - _of_change(case, text)
            goals = _goals_with_object(view, text) or _whole_order(view, at, text) if verbs else ()
            about = tuple(goal for number, goal in enumerate(case.goals, 1) if f"goal:{number}" in goals)
            own = _own_verbs(about)
            if not verbs or verbs & own or not goals:
                continue
            if verbs == {Act.CANCEL} and _was_denied(view.reply_before(at), about):
                continue
            certain = _did(view, at, verbs, own)
            yield Fault(
                kind="wrong_verb",
                blame=Blame.USER,
                certainty="certain" if certain else "likely",
                reason=f"the user asked to {' or '.join(sorted(verbs))} what it wants to {' or '.join(sorted(own))}"
                + ("" if certain else ", but the chatbot did not do it"),
                evidence=(view.quote(at, text),),
                touches=goals,
            )


def _of_change(case: Case, sentence: str) -> frozenset[Act]:
    """Return the act of a sentence with which the user changes its mind, as its case declares."""
    changes = (value for change in case.changes for value in (change.first, change.final))
    return frozenset({Act.CHANGE} if any(mentions(sentence, value) for value in changes) else ())


def _requests(text: str) -> Iterator[str]:
    """Yield the sentences of a text, or the clauses of those that ask for more than one act."""
    for sentence in sentences(text):
        several = len(asked_acts(sentence.text)) >= _SEVERAL
        yield from _PUNCTUATION.split(sentence.text) if several else (sentence.text,)


_PUNCTUATION = re.compile(r"[,;:]\s+|\s[-—–]\s")


def _asked_to(view: AuditView, at: int, sentence: str) -> frozenset[Act]:
    """Return what a sentence asks to be done, by verbs or by giving something up."""
    if _is_given_up(view, at, sentence):
        return frozenset({Act.CANCEL})
    verbs = asked_acts(sentence)
    if (
        not verbs
        or not is_wanted(sentence, asked_verb(sentence))
        or (is_asking(sentence) and _ASKABLE.isdisjoint(verbs))
    ):
        return frozenset()
    return verbs


_ASKABLE = frozenset({Act.TRACK, Act.CANCEL, Act.RETURN})
"""Acts that are asked for in questions: "where is it?", "how do I cancel it?"."""


def _is_given_up(view: AuditView, at: int, sentence: str) -> bool:
    """Return True if a sentence gives up a thing of a goal that was not refused before."""
    case, words = view.conversation.case, singulars(sentence)
    if not is_negated(sentence) or any(other.words <= words for other in view.vocabulary.alternatives):
        return False
    named = tuple(
        value
        for goal in case.goals
        for value in values_of(goal, case.variables) or (goal.text,)
        if not is_negated(value) and is_wanted(goal.text, value) and _gives_up(sentence, value)
    )
    return bool(named) and not any(refuses(reply, named) for reply in view.replies_before(at))


def _was_denied(reply: str, goals: Iterable[Goal]) -> bool:
    """Return True if a reply denies a thing in other words, such as its packaging."""
    denied = [stems(each.text) for each in sentences(reply) if is_refusal(each.text) or is_denial(each.text)]
    return any(share(stems(goal.text), each) >= _HALF for goal in goals for each in denied)


def _gives_up(sentence: str, value: str) -> bool:
    """Return True if the clause that names a value gives it up, or a later clause that names nothing else."""
    named, about = False, stems(value)
    for clause in _CLAUSE.split(sentence) if mentions(sentence, value) else ():
        here = share(about, stems(clause)) >= _HALF
        named = named or here
        if not named or asked_acts(clause) - {Act.PLACE, Act.CHANGE} or _LACKS.search(fold(clause)):
            continue
        if gives_up(clause) and (here or stems(clause) <= _OF_NO_WISH | about):
            return True
        if here and not (is_wanted(clause, value) or all(map(has_typed, value.split()))):
            return True
    return False


_LACKS = pattern(_WORDS["lacks"])
"""Words of negated clauses about anything but a wish: "I did not get it"."""

_OF_NO_WISH = stems("want wanted need needed needing necessary longer any more after all sorry order take buy require")


def _own_verbs(goals: tuple[Goal, ...]) -> frozenset[Act]:
    """Return the classes of verbs that goals want. A thing without a verb is ordered, and may be changed."""
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
    refused = any(is_refusal(each.text) for reply in view.replies_before(at) for each in sentences(reply))
    if refused or not _WHOLE.search(fold(sentence)):
        return ()
    goals = enumerate(view.conversation.goals, 1)
    return tuple(f"goal:{number}" for number, goal in goals if goal.asked_at is not None and goal.asked_at < at)


_WHOLE = pattern(_WORDS["whole"])


def _did(view: AuditView, at: int, verbs: frozenset[Act], own: frozenset[Act]) -> bool:
    """Return True if the chatbot then did what was requested, or anything that no goal wants."""
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
