import pytest

from sparring.core.case import Case, Goal, Limits, OutputSpec
from sparring.core.conversation import Ending
from sparring.extraction.chatbot_reply import ChatbotReply
from sparring.extraction.phrasebooks import phrasebook
from sparring.extraction.questions import contradicts_goal
from users.test_agenda import talk

ENGLISH = phrasebook("english")

APPOINTMENT = Case(
    id="hair",
    goals=(Goal(text="a {what} on {day} at {time} for {name}", variables=("what", "day", "time", "name")),),
    variables={"what": "haircut", "day": "Tuesday", "time": "10 am", "name": "Anna Bell"},
    limits=Limits(turns=8),
)
SAID = ["A haircut on Tuesday at 10 am for Anna Bell, please."]


@pytest.mark.parametrize(
    "heard",
    [
        "So that is a colour on Saturday at 6 pm for Bob Jones. Is that correct?",
        "A haircut on Tuesday at 6 pm. Shall I book it?",
        "Is that right?",
    ],
)
def test_what_the_user_never_said_is_not_agreed_to(heard: str):
    assert contradicts_goal(APPOINTMENT, SAID, heard, ENGLISH)


@pytest.mark.parametrize(
    "heard",
    [
        "A haircut on Tuesday at 10 am for Anna Bell. Is that correct?",
        "A haircut at 10:00. Is that correct?",
        "That is $30. Shall I book it?",
    ],
)
def test_what_the_user_said_is_agreed_to(heard: str):
    assert not contradicts_goal(APPOINTMENT, SAID, heard, ENGLISH)


def test_a_wish_without_a_variable_is_agreed_to_by_its_words():
    order = Case(
        id="order",
        goals=(Goal(text="a {size} pizza with ham", variables=("size",)), Goal(text="the following drink: coke")),
        variables={"size": "small"},
    )
    said = ["A small pizza with ham, please.", "The following drink: coke."]

    assert not contradicts_goal(order, said, "And one coke. Is that right?", ENGLISH)
    assert contradicts_goal(order, said, "And one sprite. Is that right?", ENGLISH)


async def test_a_chatbot_that_insists_on_wrong_data_is_corrected_twice_and_then_left():
    conversation = await talk(
        APPOINTMENT, lambda: lambda text: "A colour on Saturday at 6 pm for Bob. Is that correct?"
    )

    assert conversation.ending is Ending.USER_DONE
    assert conversation.goals[0].answered is None
    assert sum(meant.act == "correction" for said in conversation.messages for meant in said.meant) == 2
    assert conversation.messages[-2].text.startswith("No, ")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("And who's it for?", "Anna Bell"),
        ("What day works for you?", "Tuesday"),
        ("At what time should we expect you?", "10 am"),
        ("How can we reach you?", "0100 555 0123"),
    ],
)
async def test_a_question_in_other_words_is_answered_all_the_same(question: str, answer: str):
    case = APPOINTMENT.model_copy(
        update={
            "goals": (Goal(text="an appointment for a haircut"),),
            "variables": {"day": "Tuesday", "time": "10 am", "name": "Anna Bell", "phone": "0100 555 0123"},
            "outputs": (OutputSpec(name="reference"),),
        }
    )

    conversation = await talk(
        case, lambda: lambda text: "Haircut booked, reference HC-1." if answer in text else question
    )

    assert (conversation.ending, conversation.turns) == (Ending.GOALS_ANSWERED, 2), conversation.messages


@pytest.mark.parametrize(
    ("asked", "for_yes"),
    [
        ("Fecho o pedido?", True),
        ("Posso fechar o pedido?", True),
        ("¿Lo confirmo o lo cancelo?", False),
        ("Confirmo o cancelo?", False),
        ("Vuole confermare o annullare?", False),
    ],
)
def test_the_portuguese_article_offers_no_alternative(asked: str, for_yes: bool):
    assert ChatbotReply(1, asked, "").asks_for_yes is for_yes
