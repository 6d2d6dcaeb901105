"""Questions that the user never answers, although its role sheet does."""

from collections.abc import Iterator

from sparring.audit.asked_slots import asked_slots
from sparring.audit.sentences_said import asks_why, has_no_answer, refuses_to_say, says_unknown
from sparring.audit.text_values import TypedValue, counted, typed_text
from sparring.audit.view import AskedSlot, AuditView
from sparring.core.audit import Blame, Fault
from sparring.extraction.fallbacks import is_fallback
from sparring.extraction.options import options
from sparring.extraction.speech_acts import is_request
from sparring.extraction.tokens import Sentence, fold, pattern, sentences, singulars, stems, tokens
from sparring.extraction.word_tables import words_of_module

_WORDS = words_of_module(__name__)

_CERTAIN = 3
_LIKELY = 2
"""Numbers of times in a row that a question must be ignored."""


def ignores_question(view: AuditView) -> Iterator[Fault]:
    """Yield a fault for each fact that the user was asked for several times in a row and never said.

    A message that asks why is no answer, and none that ignores the question.
    """
    if not view.vocabulary.declared:
        return
    for run in _runs(view):
        if len(run) < _LIKELY:
            continue
        times: dict[str, list[int]] = {}
        asked: dict[str, AskedSlot] = {}
        for at in run:
            slots = asked_slots(view, _question_before(view, at))
            now = {each.slot: each for each in slots if not _answers(view, at, each)}
            again = [] if asks_why(view.conversation.messages[at].text) else [at]
            times = {slot: [*times.get(slot, []), *again] for slot in now}
            asked.update(now)
            for slot, places in times.items():
                if len(places) == _CERTAIN or (len(places) == _LIKELY and at == run[-1]):
                    yield _fault(view, asked[slot], places)


_ONE = pattern(r"(?:one|a single|un[aeo]?|uma?|ein\w{0,2}|одн\w+)\b")

_MOMENT = pattern(_WORDS["moment"])
_ALONE = pattern(_WORDS["alone"])
_TODAY = pattern(r"(?:today|tonight|now|hoy|esta noche|сегодня|сейчас)\b")
_MAX_ANSWER = 4
"""Maximum number of words with which "today" is an answer, and no remark about the weather."""


_MAX_NAMING = 12
"""Maximum number of words in a message whose capital letters are a name that it gives."""


def _counts(said: str, about: frozenset[str]) -> bool:
    """Return True if a message has a number of what a question is about, or one without a thing."""
    short = len(tokens(said)) <= _MAX_ANSWER
    if any(short or not things or not about.isdisjoint(things) for _, things in counted(said)):
        return True
    return _ONE.search(said) is not None and (short or _ALONE.search(said) is not None)


def _takes_option(said: str, question: str, view: AuditView) -> bool:
    """Return True if a message has only words of one option of a question, and one that tells it apart."""
    words = stems(said)
    new = words - stems(question.partition(":")[0])
    return bool(new) and any(words <= stems(option) for option in options(question, view.book))


def _is_aside(said: str, value: TypedValue) -> bool:
    return len(tokens(said)) > _MAX_ANSWER and _TODAY.match(fold(said[value.start : value.end])) is not None


def _fault(view: AuditView, asked: AskedSlot, places: list[int]) -> Fault:
    certain = len(places) >= _CERTAIN
    return Fault(
        kind="ignores_question",
        blame=Blame.USER,
        certainty="certain" if certain else "likely",
        reason=f"the user did not answer {asked.question!r} in {len(places)} messages"
        + ("" if certain else ", which may be an oversight"),
        evidence=(view.quote(places[-1]), view.quote(_question_before(view, places[0]), asked.question)),
        touches=view.vocabulary.touched(asked.slot),
    )


def _runs(view: AuditView) -> Iterator[list[int]]:
    """Yield the indices of answers in a row to questions that have no word of a fact of the user."""
    known = frozenset[str]().union(*(stems(value) for fact in view.sheet.facts for value in fact.values))
    run: list[int] = []
    for at, said in view.user:
        if said.text and known.isdisjoint(stems(said.text)) and _is_asked(view, at, bool(run)):
            run.append(at)
        else:
            yield run
            run = []
    yield run


def _is_asked(view: AuditView, at: int, again: bool) -> bool:
    """Return True if a message answers a question, or a fallback that leaves one open `again`."""
    reply = view.reply_before(at)
    if not reply:
        return False
    return "?" in reply or (again and _is_fallback(view, at - 1)) or any(map(_requests, sentences(reply)))


def _requests(sentence: Sentence) -> bool:
    return is_request(sentence.text)


def _question_before(view: AuditView, at: int) -> int:
    """Return the index of the reply that a message answers: a fallback leaves the question before it open."""
    asked = at - 1
    while _is_fallback(view, asked) and asked - 2 >= view.start:
        asked -= 2
    return asked


def _is_fallback(view: AuditView, at: int) -> bool:
    conversation = view.conversation
    return is_fallback(conversation.messages[at].text, conversation.case.fallbacks)


def _answers(view: AuditView, at: int, asked: AskedSlot) -> bool:
    """Return True if a message answers a question, by any value of its kind or by having none."""
    said = view.conversation.messages[at].text
    plain = _MOMENT.sub(" ", fold(said))
    about = stems(asked.question)
    if (view.sheet.has_manner("sceptical") and refuses_to_say(said)) or (
        view.sheet.has_manner("flexible") and has_no_answer(said)
    ):
        return True
    if says_unknown(said) or any(each.asks and stems(each.text) & about for each in sentences(said)):
        return True
    context = view.vocabulary.context
    kinds = {value.kind for text in asked.values for value in typed_text(text, context).values}
    if any(value.kind in kinds and not _is_aside(said, value) for value in typed_text(said, context).values):
        return True
    words = singulars(said)
    if any(view.says(said, value) for value in asked.values) or _takes_option(said, asked.question, view):
        return True
    if any(value.isdigit() for value in asked.values) and _counts(plain, about):
        return True
    long = len(tokens(said)) > _MAX_NAMING
    words_after = [word for each in sentences(said) for word in each.text.split()[1:] if not long]
    names = [word for word in words_after if word[0].isupper() and "'" not in word and stems(word)]
    if names and any(value[:1].isupper() for value in asked.values):
        return True
    return any(other.words <= words for other in view.vocabulary.alternatives if other.variable == asked.slot)
