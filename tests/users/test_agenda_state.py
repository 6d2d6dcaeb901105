"""The state of the agenda user: a fold over what its messages meant."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from fakes import FrozenClock, Talking
from sparring.core.case import Case, Goal, Limits, Persona, Style
from sparring.core.conversation import Conversation
from sparring.core.message import Message, message
from sparring.extraction.pattern_extractor import PatternReader
from sparring.simulation.simulate import simulate
from sparring.users.agenda import Agenda
from sparring.users.agenda_state import Following, GoalState, Slot, SlotState, state_of
from sparring.users.lines import meaning

ORDER = Case(
    id="order/1",
    goals=(
        Goal(text="a small pizza with corn", variables=("size", "topping")),
        Goal(text="the following drink: sprite", variables=("drink",)),
    ),
    variables={"size": "small", "topping": "corn", "drink": "sprite"},
    limits=Limits(turns=12),
)
WISH = message("user", "A smal piza wth corn", meant=(meaning("wish", 0, {"size": "small", "topping": "corn"}),))


def after(*messages: Message) -> Conversation:
    return Conversation(case=ORDER, messages=messages)


def bot(text: str) -> Message:
    return message("chatbot", text)


def slots(*messages: Message) -> dict[str, SlotState]:
    return {name: slot.state for name, slot in state_of(ORDER, messages).slots.items()}


def test_a_message_with_a_meaning_is_not_read():
    state = state_of(ORDER, (WISH,))

    assert [plan.state for plan in state.goals] == [GoalState.ASKED, GoalState.OPEN]
    assert state.slots == {"size": Slot("small"), "topping": Slot("corn")}


def test_a_message_without_a_meaning_is_read():
    state = state_of(ORDER, (message("user", "A small pizza with corn, please"),))

    assert [plan.attempts for plan in state.goals] == [1, 0]
    assert set(state.slots) == {"size", "topping"}


@pytest.mark.parametrize(
    ("replies", "size"),
    [
        (("Anything else?",), SlotState.SAID),
        (("One small pizza, noted.",), SlotState.ECHOED),
        (("A small pizza, is that right?", "yes"), SlotState.CONFIRMED),
        (("A small pizza, is that right?", "yes", "And to drink?"), SlotState.CONFIRMED),
    ],
)
def test_a_value_is_said_echoed_and_confirmed(replies: tuple[str, ...], size: SlotState):
    said = [message("user", "Yess", meant=(meaning("yes"),)) if text == "yes" else bot(text) for text in replies]

    assert slots(WISH, *said)["size"] is size


def test_a_value_of_the_same_type_in_place_of_the_one_that_was_said_is_misheard():
    said = message("user", "On Tuesday", meant=(meaning("value", None, {"day": "Tuesday"}),))

    assert slots(said, bot("Wednesday it is."))["day"] is SlotState.MISHEARD


def test_replies_to_a_farewell_are_no_fallbacks():
    bye = message("user", "Bye", meant=(meaning("farewell"),))
    lost = bot("I did not understand that.")

    assert state_of(ORDER, (WISH, lost, WISH, lost)).fallbacks == 2
    assert state_of(ORDER, (bye, lost, bye, lost)).fallbacks == 0


def test_a_state_that_is_carried_on_is_the_state_of_the_whole():
    following, messages = Following(), (WISH, bot("Small."), WISH, bot("What?"), WISH)

    for length in (1, 2, 4, 5, 3, 5):
        assert following.state(after(*messages[:length])) == state_of(ORDER, messages[:length])
    assert following.state(after(bot("Hello"))) == state_of(ORDER, (bot("Hello"),))


def shop(text: str) -> str:
    return "Noted: a small pizza with corn. Anything else?" if "corn" in text else "A sprite. Is that correct?"


@pytest.mark.parametrize("style", ["default", "make spelling mistakes", "long phrases", "change your mind"])
async def test_another_user_says_the_same_next_line_to_any_stored_prefix(style: str):
    case = ORDER.model_copy(update={"persona": Persona(styles=(Style(name=style),)), "seed": 3})
    played = await simulate(case, Agenda(), Talking(lambda: shop), reader=PatternReader(), clock=FrozenClock())
    stored = Conversation.model_validate_json(played.model_dump_json())

    for at, said in enumerate(stored.messages):
        if said.role == "user":
            begun = stored.changed(messages=stored.messages[:at], ending=None)
            reading = await PatternReader().read(begun)
            assert await Agenda().speak(begun.changed(goals=reading.goals)) == said


class Eavesdropping(Talking):
    """A chatbot that keeps the messages that reach it."""

    heard: list[Message]

    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator["Eavesdropping"]:
        self.heard = []
        yield self

    greeting: Message | None = None

    async def reply(self, said: Message) -> Message:
        self.heard.append(said)
        return bot(shop(said.text))


async def test_what_a_user_meant_is_kept_and_never_sent():
    chatbot = Eavesdropping(lambda: shop)

    played = await simulate(ORDER, Agenda(), chatbot, reader=PatternReader(), clock=FrozenClock())

    said = [each for each in played.messages if each.role == "user"]
    assert all(each.meant for each in said)
    assert [each.text for each in chatbot.heard] == [each.text for each in said]
    assert not any(each.meant for each in chatbot.heard)
