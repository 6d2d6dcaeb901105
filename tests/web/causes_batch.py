"""A batch of 300 conversations, of which 100 failed for one of six causes, and 3 are void."""

from pathlib import Path

from sparring.app.results import complete
from sparring.core.batch import Batch
from sparring.core.case import Case
from sparring.core.checks import Rule
from sparring.core.conversation import Conversation, Ending, Evidence
from sparring.core.message import Message, Text, ToolCall
from sparring.store.sqlite.store import SqliteStore
from sparring.testing.factories import a_batch, a_conversation

FAMILIES = ("pizzas", "drinks", "changes", "questions/prices", "questions/hours", "delivery", "inputs/emoji", "refunds")
RULES = (
    Rule(name="price_of_the_menu", description="The price is the one of the menu.", then="price['amount'] == 12.5"),
    Rule(name="never_anchovies", then="not chatbot_says('anchov')"),
    Rule(
        name="tells_the_hours", description="The chatbot states its hours.", if_="True", then="chatbot_says('[Oo]pen')"
    ),
    Rule(name="places_the_order", then="called('price')"),
)


def causes_batch(id: str = "01J0000000000000000000000C", name: str = "release") -> Batch:
    """Return the batch: 100 cases of eight families, three repeats of each."""
    ids = [f"{FAMILIES[number % 8]}/{number // 8 + 1}" for number in range(100)]
    made = a_batch(*ids, id=id, name=name, repeats=3)
    return made.model_copy(update={"rules": RULES, "tags": ("release", "4.2.0")})


def causes_conversation(case: Case, number: int, repeat: int, shift: int = 0) -> Conversation:
    """Return a conversation; one in three of a family fails, in a way of its own."""
    made = a_conversation(case, repeat=repeat, said="Pizza Margarita, bitte: a large one.")
    kind = (number + shift) % 20 if number % 20 < 7 else 7
    price, reply = "$12.50", "That is {}. We are open until ten."
    ending, error, tools = Ending.GOALS_ANSWERED, "", made.messages[1].tool_calls
    if kind == 0 or (kind == 6 and repeat > 1):
        price = "$10.50"
    elif kind == 1:
        reply = "With anchovies that is {}. We are open until ten."
    elif kind == 2:
        reply = "That is {}. Anything else?"
    elif kind == 3:
        tools = ()
    elif kind == 4:
        ending, error = Ending.CHATBOT_FAILED, "HTTP 500"
    elif kind == 5:
        ending, error = Ending.TIMEOUT, "no reply in 30 s"
    elif number == 99:
        ending, error = Ending.USER_FAILED, "connection lost"
    text = reply.format(price)
    at = text.index(price)
    evidence = Evidence(at=1, start=at, end=at + len(price), text=price)
    said = Message(
        role="chatbot", parts=(Text(text=text),), tool_calls=tuple(ToolCall.model_validate(each) for each in tools)
    )
    value = {"amount": float(price[1:]), "currency": "USD"}
    outputs = tuple(each.model_copy(update={"value": value, "evidence": evidence}) for each in made.outputs)
    goals = tuple(each.model_copy(update={"evidence": evidence}) for each in made.goals)
    messages = (made.messages[0], said, *made.messages[2:])
    return made.model_copy(
        update={"messages": messages, "outputs": outputs, "goals": goals, "ending": ending, "error": error}
    )


async def fill(path: Path, *, id: str = "01J0000000000000000000000C", name: str = "release", shift: int = 0) -> Batch:
    """Store the batch with all its verdicts."""
    batch = causes_batch(id, name)
    async with SqliteStore(path) as store:
        await store.create(batch)
        for repeat in range(1, batch.repeats + 1):
            for number, case in enumerate(batch.cases):
                await store.add(batch.id, causes_conversation(case, number, repeat, shift))
        await complete(await store.batch(batch.id), store)
    return batch
