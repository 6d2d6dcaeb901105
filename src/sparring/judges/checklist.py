"""The checklist judge: is every goal done and every output stated? It needs no model."""

from collections.abc import Iterator

from sparring.core.audit import Blame, Need
from sparring.core.causes import Symptom
from sparring.core.conversation import Conversation, Ending, Evidence, GoalProgress, GoalStage
from sparring.core.verdict import CHECKLIST, CheckOutcome, Verdict
from sparring.judges.judge import DeterministicJudge, verdict_by

_MAX_QUOTE = 200
"""Maximum number of characters of a quote in a reason."""

_REMEDY = "say what the answer is in the scenario (answer: ...), or choose a model as reader"


def checklist(conversation: Conversation) -> Verdict:
    """Pass if every goal is done and every output was stated, and the user did not give up.

    If the right outcome of the case is a refusal, its goals must be refused instead; a goal with its own expression
    (`done`) is left to that check. It fails with every reason if a goal was refused, contradicted, only proposed, only
    asked or not brought up, or if an output is missing. It is undecided if the only open goals are unread. The score is
    3 for a pass, 1 if the user gave up or nothing was done or stated, and 2 otherwise. It does not apply if there is
    neither a goal nor an output, if the case limits the steps of the user, or if the conversation did not end normally.
    """
    ending = conversation.ending
    goals = _goals(conversation)
    wants = bool(goals or conversation.outputs)
    if ending is None or not ending.completed or not wants or conversation.case.limits.steps is not None:
        return verdict_by(CHECKLIST, conversation, CheckOutcome.NOT_APPLICABLE)
    failures = tuple(_failures(conversation, goals))
    if failures:
        found = tuple(goal.evidence for goal in goals if goal.evidence and goal.stage is not _right(conversation))
        return verdict_by(
            CHECKLIST,
            conversation,
            CheckOutcome.FAIL,
            "; ".join(failures),
            score=2 if _reached(conversation) else 1,
            evidence=found,
            needs=tuple(_needs(conversation)),
            symptoms=tuple(_symptoms(conversation)),
        )
    unread = [goal for goal in goals if goal.stage is GoalStage.UNREAD]
    if unread:
        return _undecided(conversation, unread)
    return verdict_by(CHECKLIST, conversation, CheckOutcome.PASS, score=3)


def _goals(conversation: Conversation) -> tuple[GoalProgress, ...]:
    """Return the goals that have no check of their own."""
    wanted = conversation.case.goals
    if len(wanted) != len(conversation.goals):
        return conversation.goals
    return tuple([goal for goal, each in zip(conversation.goals, wanted, strict=True) if not each.done])


def _right(conversation: Conversation) -> GoalStage:
    """Return the stage that every goal must have reached."""
    return GoalStage.REFUSED if conversation.case.right == "refuse" else GoalStage.DONE


def _reached(conversation: Conversation) -> bool:
    """Return True if a goal was reached or an output was stated, and the user did not give up."""
    done = any(goal.stage is _right(conversation) for goal in conversation.goals)
    stated = any(output.evidence is not None for output in conversation.outputs)
    return (done or stated) and conversation.ending is not Ending.GAVE_UP


def _failures(conversation: Conversation, goals: tuple[GoalProgress, ...]) -> Iterator[str]:
    """Yield the reasons why the conversation fails."""
    if conversation.ending is Ending.GAVE_UP:
        yield "the chatbot did not understand the user, again and again"
    open_goals = [goal for goal in goals if goal.stage not in (_right(conversation), GoalStage.UNREAD)]
    for goal in open_goals:
        if goal.stage is not GoalStage.NOT_ASKED:
            yield _failure(goal, conversation)
    for output in conversation.outputs:
        if output.evidence is None:
            yield f"the chatbot did not state the output {output.name}"
    for goal in open_goals:
        if goal.stage is GoalStage.NOT_ASKED:  # often since the conversation went wrong before
            yield _failure(goal, conversation)


def _needs(conversation: Conversation) -> Iterator[Need]:
    """Yield what each unreached goal and missing output depends on.

    A refusal or error counts when the chatbot said it; an omission can be made up for until the end.
    """
    goals = _goals(conversation)
    for number, goal in enumerate(conversation.goals, 1):
        if goal in goals and goal.stage not in (_right(conversation), GoalStage.UNREAD):
            final = goal.stage in (GoalStage.REFUSED, GoalStage.CONTRADICTED) and goal.evidence
            yield Need(names=(f"goal:{number}",), until=goal.evidence.at if final and goal.evidence else None)
    for output in conversation.outputs:
        if output.evidence is None:
            yield Need(names=(f"output:{output.name}",))


def _symptoms(conversation: Conversation) -> Iterator[Symptom]:
    """Yield a symptom of each goal and output that is not as it should be, and of misunderstanding."""
    goals = _goals(conversation)
    if conversation.ending is Ending.GAVE_UP and all(goal.stage is not GoalStage.PROPOSED for goal in goals):
        yield Symptom(kind="ending", subject=str(Ending.GAVE_UP), relation="repeated", check=CHECKLIST)
    for number, goal in enumerate(conversation.goals, 1):
        if goal in goals and goal.stage not in (_right(conversation), GoalStage.UNREAD):
            shown = {"at": goal.evidence.at, "quote": _short(goal.evidence)} if goal.evidence else {}
            got = goal.stage.value.replace("_", " ")
            yield Symptom(kind="goal", subject=str(number), relation="missing", check=CHECKLIST, got=got, **shown)
    for output in conversation.outputs:
        if output.evidence is None:
            yield Symptom(kind="value", subject=output.name, relation="missing", check=CHECKLIST)


def _failure(goal: GoalProgress, conversation: Conversation) -> str:
    said = f': "{_short(goal.evidence)}"{_turn(goal.evidence, conversation)}' if goal.evidence else ""
    if conversation.case.right == "refuse" and goal.stage is not GoalStage.NOT_ASKED:
        return f"expected a refusal: {goal.text}; the chatbot {f'said{said}' if said else 'did not refuse'}"
    match goal.stage:
        case GoalStage.NOT_ASKED:
            return f"the user did not bring up: {goal.text}"
        case GoalStage.REFUSED:
            return f"{_expected(goal, conversation)}; the chatbot refused{said}"
        case GoalStage.CONTRADICTED:
            return f"{_expected(goal, conversation)}; the chatbot said something else{said}"
        case GoalStage.PROPOSED:
            return f"{_expected(goal, conversation)}; the chatbot only proposed it{said}"
        case _:
            return f"{_expected(goal, conversation)}; the chatbot {f'said{said}' if said else 'did not answer'}"


def _expected(goal: GoalProgress, conversation: Conversation) -> str:
    """Return what was expected of a goal, with the author's answer if there is one."""
    answers = [answer.quoted for each in conversation.case.goals if each.text == goal.text for answer in each.answer]
    return f"expected {' or '.join(answers)} for: {goal.text}" if answers else f"expected: {goal.text}"


def _short(evidence: Evidence) -> str:
    text = " ".join(evidence.text.split())
    return text if len(text) <= _MAX_QUOTE else f"{text[:_MAX_QUOTE]}..."


def _turn(evidence: Evidence, conversation: Conversation) -> str:
    """Return the turn of a quote in brackets: the number of user messages up to it."""
    turn = conversation.turn_of(evidence.at)
    return f" (turn {turn})" if turn else ""


def _undecided(conversation: Conversation, unread: list[GoalProgress]) -> Verdict:
    """Return a verdict about goals whose stage the reader could not determine."""
    reasons = [f"cannot tell from the replies: {goal.text}" for goal in unread]
    if "reader" in conversation.usage:
        return verdict_by(CHECKLIST, conversation, CheckOutcome.ERROR, "; ".join(reasons), blame=Blame.JUDGE)
    return verdict_by(CHECKLIST, conversation, CheckOutcome.ERROR, "; ".join([*reasons, _REMEDY]), blame=Blame.CASE)


JUDGE = DeterministicJudge(checklist)
"""The plug-in `checklist`."""
