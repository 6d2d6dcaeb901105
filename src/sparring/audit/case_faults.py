"""Faults of a case that a conversation shows: two values, no value, an open choice, or too few turns."""

import re
from collections.abc import Iterator

from sparring.audit.asked_slots import asked_slots
from sparring.audit.confirmations import confirmation_at
from sparring.audit.sentences_said import says_unknown
from sparring.audit.view import AuditView
from sparring.core.audit import Blame, Fault
from sparring.core.case import Case
from sparring.core.conversation import Ending, Evidence, GoalStage
from sparring.extraction import slots, typed_values
from sparring.extraction.goals import texts
from sparring.extraction.tokens import mentions, sentences, singulars

_TWICE = 2
_PROGRESS = 2 / 3
"""Share of turns that must bring a conversation forward for its case to be too short."""

_LITERAL = re.compile(r"'([^'\n]{2,40})'|\"([^\"\n]{2,40})\"")
_NAME = re.compile(r"[^\W\d]\w*")


def case_contradiction(view: AuditView) -> Iterator[Fault]:
    """Yield a fault for each slot, variable or goal of which the case has two values."""
    case = view.conversation.case
    pairs = [(one.slot, one.values[0], other.values[0]) for one, other in view.sheet.contradictions]
    found = [pair for pair in pairs if not view.vocabulary.lists(pair[1])]
    for goal in case.goals:
        for name, others in goal.others.items():
            own = texts(case.variables.get(name))
            other = next((each for each in others if mentions(goal.text, each)), "")
            if own and other and not any(mentions(goal.text, value) for value in own):
                found.append((name, own[0], other))
    for change in case.changes:
        own = texts(case.variables.get(change.variable))
        if own and change.final not in own:
            found.append((change.variable, own[0], change.final))
    for slot, one, other in dict.fromkeys(found):
        said = _first_mention(view, one, other) if not (mentions(one, other) or mentions(other, one)) else None
        if said is not None:
            yield Fault(
                kind="case.contradiction",
                blame=Blame.CASE,
                reason=f"the case has two values for {slot!r}, {one!r} and {other!r}",
                evidence=(said,),
                touches=view.vocabulary.touched(slot),
            )


def case_missing_fact(view: AuditView) -> Iterator[Fault]:
    """Yield a likely fault for each fact that the chatbot asked for twice and the user does not have."""
    if not view.vocabulary.declared or not _failed_goals(view):
        return
    asked: dict[str, list[int]] = {}
    for at, said in view.user:
        for question in sentences(view.reply_before(at)):
            for slot in slots.asked_slots(question.text, view.sheet.facts).missing:
                if says_unknown(said.text):
                    asked.setdefault(slot, []).append(at)
    for slot, places in asked.items():
        if len(places) >= _TWICE:
            yield Fault(
                kind="case.missing_fact",
                blame=Blame.CASE,
                certainty="likely",
                reason=f"the chatbot asked for {slot!r}, which the case does not say, if it was right to ask",
                evidence=(view.quote(places[1]), view.quote(places[1] - 1)),
                touches=_failed_goals(view),
            )


def case_ambiguous(view: AuditView) -> Iterator[Fault]:
    """Yield a fault for each choice that the case leaves open to its user, but not to its expectations."""
    expected = _expected(view.conversation.case)
    for at, said in view.user if expected else ():
        words = singulars(said.text)
        for options in _choices(view.reply_before(at)):
            known = any(singulars(option) <= view.vocabulary.words for option in options)
            taken = [option for option in options if singulars(option) <= words]
            demanded = [option for option in options if _sorted_words(option) in expected]
            if not known and len(taken) == 1 and demanded and taken[0] not in demanded:
                yield Fault(
                    kind="case.ambiguous",
                    blame=Blame.CASE,
                    reason=f"the user took {taken[0]!r}; the case expects {demanded[0]!r} and does not tell the user",
                    evidence=(view.quote(at, taken[0]), view.quote(at - 1, demanded[0])),
                    touches=expected[_sorted_words(demanded[0])],
                )


def case_too_short(view: AuditView) -> Iterator[Fault]:
    """Yield a likely fault if the turns of a case do not suffice for its goals and what the chatbot asked."""
    conversation, case = view.conversation, view.conversation.case
    if conversation.ending is not Ending.TURN_LIMIT or not case.goals:
        return
    turns = min(case.limits.turns, case.limits.steps or case.limits.turns)
    asked = {slot.slot for at, _ in view.chatbot for slot in asked_slots(view, at)}
    confirmations = sum(confirmation_at(view, at) is not None for at, _ in view.chatbot)
    replies = [said.text for _, said in view.chatbot]
    if turns < len(case.goals) + len(asked) + confirmations and len(set(replies)) >= _PROGRESS * len(replies):
        yield Fault(
            kind="case.too_short",
            blame=Blame.CASE,
            certainty="likely",
            reason=f"{turns} turns are fewer than the goals, questions and confirmations, unless the chatbot was slow",
            evidence=(view.quote(len(conversation.messages) - 1),),
            touches=_failed_goals(view),
        )


def reader_missed(view: AuditView) -> Iterator[Fault]:
    """Yield a likely fault for each output that a tool returned and the chatbot said, unread."""
    conversation = view.conversation
    specs = {spec.name: spec for spec in conversation.case.outputs}
    for output in conversation.outputs:
        if output.evidence is not None or output.name not in specs:
            continue
        for at, said in view.chatbot:
            results = [call.result for call in said.tool_calls if isinstance(call.result, dict)]
            values = {text for result in results for text in texts(result.get(output.name))}
            stated = {str(found.value) for found in typed_values.find(specs[output.name].type, said.text)}
            shown = next((value for value in values if mentions(said.text, value)), "")
            if shown and len(stated) <= 1:
                yield Fault(
                    kind="judge.reader_missed",
                    blame=Blame.JUDGE,
                    certainty="likely",
                    reason=f"the chatbot said {shown!r}, which may be {output.name!r}, and it was not read",
                    evidence=(view.quote(at, shown),),
                    touches=(f"output:{output.name}",),
                )
                break


def _first_mention(view: AuditView, *values: str) -> Evidence | None:
    """Return the words of the user that first say one of the values; None if it says none."""
    found = ((at, value) for at, said in view.user for value in values if mentions(said.text, value))
    first = next(found, None)
    return None if first is None else view.quote(*first)


def _failed_goals(view: AuditView) -> tuple[str, ...]:
    goals = enumerate(view.conversation.goals, 1)
    return tuple(f"goal:{number}" for number, goal in goals if goal.stage is not GoalStage.DONE)


def _choices(reply: str) -> Iterator[list[str]]:
    """Yield the options of each question of the chatbot that lists them."""
    for sentence in sentences(reply):
        for found in typed_values.find("list", sentence.text) if sentence.asks else ():
            if isinstance(found.value, list):
                yield [str(item) for item in found.value]


def _expected(case: Case) -> dict[str, tuple[str, ...]]:
    """Return the literals of the expectations of a case, each with the names that its rule reads."""
    found: dict[str, tuple[str, ...]] = {}
    known = {*case.variables, *(f"output:{spec.name}" for spec in case.outputs)}
    for expectation in case.expectations:
        rule = expectation.rule.then
        literals = [one or other for one, other in _LITERAL.findall(rule)]
        names = {*_NAME.findall(_LITERAL.sub("", rule)), *literals}
        touched = {name for name in names if name in known} | {f"output:{name}" for name in names} & known
        touched |= {f"tool:{name}" for name in literals if "_" in name}
        goals = (expectation.goal,) if expectation.goal else range(1, len(case.goals) + 1)
        for literal in literals:
            found[_sorted_words(literal)] = tuple(sorted(touched)) or tuple(f"goal:{number}" for number in goals)
    return found


def _sorted_words(text: str) -> str:
    """Return the words of a text without endings, in order of the alphabet."""
    return " ".join(sorted(singulars(text)))
