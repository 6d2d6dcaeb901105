"""The cause of a conversation that failed or is undecided, from what all checks saw."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence

from sparring.audit.phrases import without_farewell
from sparring.core.audit import AUDIT, Blame
from sparring.core.causes import SAID, FailureCause, Symptom, TurnRole, cause_id, first_cause, normalised
from sparring.core.conversation import Conversation, Ending, Evidence
from sparring.core.message import Message
from sparring.core.outcome import Decision, Outcome
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.extraction.speech_acts import is_agreement, is_correction, is_farewell, is_revocation
from sparring.extraction.tokens import stems, tokens

_LONG = 500
_MOST_QUOTED = 200
_HTTP = re.compile(r"\b(?:HTTP|status)\W{0,3}([1-5]\d\d)\b", re.IGNORECASE)
_EXCEPTION = re.compile(r"\b([A-Z]\w*(?:Error|Exception))\b")
_REFUSED = re.compile(r"refused|cannot connect|connection (?:closed|reset|lost)", re.IGNORECASE)
_EMPTY = re.compile(r"\bempty\b|nothing to say|no (?:reply|text)", re.IGNORECASE)
_SPECIAL = re.compile("[\u2190-\u2bff\U0001f000-\U0001faff\u0000-\u0008\u000b-\u001f\u202a-\u202e\u2066-\u2069]")


def with_cause(decision: Decision, conversation: Conversation, verdicts: Sequence[Verdict]) -> Decision:
    """Return the decision with the cause of the failure; as it is if the conversation passed or is void."""
    if decision.outcome not in (Outcome.FAILED, Outcome.UNDECIDED) or decision.blame is None:
        return decision
    symptoms = _symptoms(decision, conversation, verdicts)
    return decision.changed(cause=first_cause(_cause(each, decision.blame, conversation) for each in symptoms))


def _symptoms(decision: Decision, conversation: Conversation, verdicts: Sequence[Verdict]) -> Iterator[Symptom]:
    """Yield what made the outcome: how the conversation ended, then failed checks, or else undecided ones."""
    if conversation.ending is not None and conversation.ending.crashed:
        yield _crash(conversation)
        return
    wanted = CheckOutcome.FAIL if decision.outcome is Outcome.FAILED else CheckOutcome.ERROR
    found = [each for each in verdicts if each.outcome is wanted and each.by != AUDIT]
    for verdict in found:
        yield from (
            _placed(each, verdict, conversation) for each in verdict.symptoms or _of_verdict(verdict, conversation)
        )
    if not found and decision.reasons:
        reason = decision.reasons[0]
        yield Symptom(kind="ending", relation="undecided", text=normalised(reason.text, {}), check=reason.check)


def _crash(conversation: Conversation) -> Symptom:
    """Return the symptom of a crash: a status, a class of exceptions, or the way it ended."""
    error = conversation.error or ""
    status, exception = _HTTP.search(error), _EXCEPTION.search(error)
    if conversation.ending is Ending.TIMEOUT:
        subject = "timeout"
    elif status:
        subject = f"HTTP {status[1]}"
    elif exception:
        subject = exception[1]
    else:
        subject = "no connection" if _REFUSED.search(error) else "empty reply" if _EMPTY.search(error) else "crash"
    last = max(len(conversation.messages) - 1, 0)
    return Symptom(kind="ending", subject=subject, at=last, got=error[:_MOST_QUOTED])


def _of_verdict(verdict: Verdict, conversation: Conversation) -> Iterator[Symptom]:
    """Yield the symptom of a check that only has a reason."""
    if verdict.outcome is CheckOutcome.ERROR:
        text = normalised(verdict.reason, conversation.case.variables)
        yield Symptom(kind="rule", subject=verdict.check, relation="undecided", text=text, check=verdict.check)
    elif verdict.score is not None and verdict.by not in ("rule", "checklist"):
        yield Symptom(kind="judged", subject=verdict.check, text=f"{verdict.score:g}", check=verdict.check)
    else:
        yield Symptom(kind="rule", subject=verdict.check, check=verdict.check)


def _placed(symptom: Symptom, verdict: Verdict, conversation: Conversation) -> Symptom:
    """Return a symptom with its example, and a goal by its text instead of its number."""
    fields: dict[str, object] = {}
    if symptom.kind == "goal" and symptom.subject.isdecimal():
        goals = conversation.case.goals
        number = int(symptom.subject)
        text = goals[number - 1].text if 0 < number <= len(goals) else symptom.subject
        fields["subject"] = normalised(text, conversation.case.variables)
    if symptom.text and symptom.kind == "rule":
        user_text = " ".join(each.text for each in conversation.messages if each.role == "user")
        repeats = stems(symptom.text) and set(tokens(user_text)).issuperset(tokens(symptom.text))
        fields["text"] = SAID if repeats else normalised(symptom.text, conversation.case.variables)
    if symptom.at is None and verdict.evidence:
        first = min(verdict.evidence, key=lambda each: each.at)
        fields |= {"at": first.at, "quote": symptom.quote or _quote(first)}
    return symptom.changed(**fields) if fields else symptom


def _quote(evidence: Evidence) -> str:
    return " ".join(evidence.text.split())[:_MOST_QUOTED]


def _cause(symptom: Symptom, blame: Blame, conversation: Conversation) -> FailureCause:
    """Return a symptom as a cause, with the place of its example in the conversation."""
    anywhere = (symptom.kind, symptom.relation) in (("rule", "missing"), ("ending", "repeated"))  # it has no one place
    role = "other" if anywhere else _role(symptom.at, conversation)
    turn = None if symptom.at is None else conversation.turn_of(symptom.at)
    known = {name: getattr(symptom, name) for name in Symptom.model_fields}
    if turn is None and (symptom.relation == "missing" or symptom.kind == "goal"):
        turn, known["quote"] = _last_reply(conversation)
    return FailureCause(**known, id=cause_id(blame, symptom, role), blame=blame, role=role, turn=turn)


def _last_reply(conversation: Conversation) -> tuple[int | None, str]:
    """Return the turn and the words of the last reply: the example of something that no reply has."""
    replies = [at for at, each in enumerate(conversation.messages) if each.role == "chatbot" and each.text.strip()]
    if not replies:
        return None, ""
    text = " ".join(conversation.messages[replies[-1]].text.split())
    return conversation.turn_of(replies[-1]), text if len(text) <= _MOST_QUOTED else f"{text[: _MOST_QUOTED - 1]}…"


def _role(at: int | None, conversation: Conversation) -> TurnRole:
    """Return the role of a message in the conversation: what the user did just before it."""
    if at is None or at >= len(conversation.messages):
        return "other"
    said = [each for each in conversation.messages[: at + 1] if each.role == "user"]
    if not said:
        return "first"
    last, earlier = said[-1], said[:-1]
    acts = {each.act for each in last.meant}
    if acts & {"correction", "change"} or (not acts and _corrects(last.text)):
        return "after_correction"
    if not acts and is_revocation(last.text):
        return "after_cancellation"
    if earlier and _agrees(last) and _agrees(earlier[-1]):
        return "after_confirmation"
    if _is_unusual(last, conversation):
        return "after_unusual_input"
    if any("farewell" in {act.act for act in each.meant} or is_farewell(each.text) for each in earlier[-1:]):
        return "after_goodbye"
    if conversation.messages[at].tool_calls or _agrees(last):
        return "at_confirmation"
    return "first" if not earlier else "last" if at >= len(conversation.messages) - 2 else "other"


def _agrees(said: Message) -> bool:
    return "yes" in {each.act for each in said.meant} if said.meant else is_agreement(said.text)


def _corrects(text: str) -> bool:
    """Return True if a message takes something back and says more than "No, thanks."."""
    return is_correction(text) and bool(stems(" ".join(without_farewell(text).split()[1:])))


def _is_unusual(said: Message, conversation: Conversation) -> bool:
    text = said.text
    if not text.strip() or len(text) > _LONG or _SPECIAL.search(text):
        return True
    others = " ".join(each.text for each in conversation.messages if each is not said)
    script, usual = _script(text), _script(others)
    return script in _RIGHT_TO_LEFT if not usual else script not in ("", usual)


_RIGHT_TO_LEFT = ("ARABIC", "HEBREW")
_JAPANESE = ("HIRAGANA", "KATAKANA")
"""Scripts that a text mixes with CJK."""


def _script(text: str) -> str:
    """Return the script of most letters of a text, as Unicode names it; empty without letters."""
    letters = filter(str.isalpha, text[:_LONG])
    names = (unicodedata.name(each, "").partition(" ")[0] for each in letters)
    found = Counter("CJK" if name in _JAPANESE else name for name in names).most_common(1)
    return found[0][0] if found else ""
