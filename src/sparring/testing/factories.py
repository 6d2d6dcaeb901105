"""Factories for batches, cases, conversations and verdicts."""

from datetime import UTC, datetime

from sparring.core.batch import Batch, Players
from sparring.core.case import Case, Goal, OutputSpec
from sparring.core.checks import Rubric
from sparring.core.conversation import Conversation, Ending, Evidence, Output, Timing, goal_progress
from sparring.core.message import ToolCall, message
from sparring.core.seeding import repeat_seed
from sparring.core.usage import Usage
from sparring.core.verdict import CheckOutcome, Verdict

CREATED = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)
RUBRIC = Rubric(name="polite", text="Is the chatbot polite?")


def a_batch(*cases: str, id: str = "B1", name: str = "", repeats: int = 1) -> Batch:
    """Make a batch of cases with these ids."""
    who = Players(chatbot="pizzeria", chatbot_model="grammar", user="agenda (no model)", judge="checklist")
    made = tuple(a_case(case) for case in cases)
    return Batch(id=id, name=name, created=CREATED, who=who, seed=7, repeats=repeats, cases=made)


def a_case(id: str) -> Case:
    """Make a case with one goal and one output."""
    return Case(
        id=id,
        goals=(Goal(text="order a large pizza", variables=("size",)),),
        variables={"size": "large", "toppings": ["ham", "olives"]},
        outputs=(OutputSpec(name="price", type="money", description="the price of the whole order"),),
        seed=7,
    )


def a_conversation(
    case: Case, *, repeat: int = 1, ending: Ending = Ending.GOALS_ANSWERED, said: str = "A large pizza, please."
) -> Conversation:
    """Make a conversation of two turns for a case."""
    price = ToolCall(name="price", arguments={"size": "large"}, result={"amount": 12.5, "currency": "USD"})
    evidence = Evidence(at=1, start=8, end=14, text="$12.50")
    return Conversation(
        case=case.model_copy(update={"seed": repeat_seed(case.seed, repeat)}),
        repeat=repeat,
        messages=(
            message("user", said),
            message("chatbot", "That is $12.50. Anything else?", tool_calls=(price,)),
            message("user", "No, thanks. Привет!"),
            message("chatbot", "Goodbye.", ends=True),
        ),
        ending=ending,
        goals=tuple(goal_progress(goal.text, 0, evidence) for goal in case.goals),
        outputs=tuple(
            Output(name=wanted.name, type=wanted.type, value={"amount": 12.5, "currency": "USD"}, evidence=evidence)
            for wanted in case.outputs
        ),
        reports_tools=True,
        usage={"chatbot": Usage(calls=2, input_tokens=900, output_tokens=60, cost=0.0012)},
        timing=Timing(started=CREATED, seconds=1.5, replies=(0.5, 0.25)),
    )


def a_verdict(conversation: str, *, judge: str = "openai:judge", outcome: CheckOutcome = CheckOutcome.PASS) -> Verdict:
    """Make a verdict on the rubric, with evidence."""
    score = {CheckOutcome.PASS: 3.0, CheckOutcome.FAIL: 1.0}.get(outcome)
    return Verdict(
        check=RUBRIC.name,
        outcome=outcome,
        conversation=conversation,
        reason="Вежливо.",
        evidence=(Evidence(at=3, start=0, end=8, text="Goodbye."),),
        score=score,
        by="model",
        judge=judge,
        rubric=RUBRIC.hash,
        usage=Usage(calls=1, input_tokens=700, output_tokens=40, cost=0.0002),
    )


def all_conversations(batch: Batch) -> list[Conversation]:
    """Make all planned conversations of a batch, in order."""
    return [a_conversation(case, repeat=n) for case in batch.cases for n in range(1, batch.repeats + 1)]


def attempt(conversation: Conversation, number: int) -> Conversation:
    """Return the conversation as its n-th attempt."""
    timing = conversation.timing or Timing(started=CREATED, seconds=0)
    return conversation.model_copy(update={"timing": timing.model_copy(update={"attempt": number})})
