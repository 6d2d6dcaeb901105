"""The check `attentive`: repetition, languages, corrections, and reports with other values than were asked for."""

from sparring.core.case import Case, Goal
from sparring.core.conversation import Conversation, GoalProgress, GoalStage
from sparring.core.message import message
from sparring.core.verdict import CheckOutcome
from sparring.judges.builtin import built_in_failures
from sparring.judges.builtin.attentive import attentive
from tables import table

MENU = "Great, here is our menu for this week."
ENGLISH = "Hello, I would like to know what you have for the weekend, please."
FEE = "A new card costs 15 euros. Can I do anything else for you?"
SPANISH = "Hola, me gustaría saber qué tienen ustedes para el fin de semana, por favor."
TABLE = Case(
    id="a",
    goals=(
        Goal(
            text="book a table for 4 people on Friday with a small cake and tea",
            variables=("people", "size", "extras"),
            others={"size": ("big", "medium")},
        ),
    ),
    variables={"people": 4, "size": "small", "extras": ["cake", "tea"]},
)


def talk(*texts: str, case: Case = TABLE) -> Conversation:
    roles = ("user", "chatbot")
    goals = tuple(GoalProgress(text=each.text, stage=GoalStage.DONE, asked_at=0) for each in case.goals)
    return Conversation(
        case=case, messages=tuple(message(roles[at % 2], text) for at, text in enumerate(texts)), goals=goals
    )


ASK = "A table for 4 people on Friday with a small cake and tea, please."
NOTED = "Noted: Friday, 4 people, a small cake and tea. Shall I book it?"


@table(
    ("conversation", "reason"),
    [
        (talk("A pizza", MENU, "With olives", MENU, "Delivered to Oslo", MENU), "turns 1 to 3: the chatbot repeats"),
        (talk(ENGLISH, "We have a lot for you and your friends, what would you like?", ENGLISH, SPANISH), "to Spanish"),
        (talk(ASK, NOTED, "Yes", "Booked: 4 people on Friday, a big cake and tea."), "not big"),
        (talk(ASK, NOTED, "Yes", "Your table for 5 people on Friday is booked."), "asked for 4, not 5"),
        (talk(ASK, NOTED, "Yes", "Your table for 4 people is booked, with a small cake."), "leaves out tea"),
        (talk(ASK, "Noted for Friday.", "Yes", "Your table is booked for Tuesday."), "another day"),
        (
            talk("Tuesday", "Noted.", "Change Tuesday to Friday, please.", "Your visit is booked for Tuesday."),
            "the user changed 'tuesday' to 'friday'",
        ),
        (
            talk("martes", "Anotado.", "Cambie martes por viernes.", "Su cita está confirmada para el martes."),
            "the user changed 'martes' to 'viernes'",
        ),
    ],
)
def test_a_chatbot_that_does_not_take_in_what_the_user_says_fails(conversation: Conversation, reason: str):
    verdict = attentive(conversation)

    assert (verdict.outcome, reason in verdict.reason) == (CheckOutcome.FAIL, True), verdict.reason


SORRY = "I am sorry, we do not deliver on Sundays."


@table(
    "conversation",
    [
        talk(
            *("How much is a new card?", FEE, "Once more about this: how much is a new card?", FEE),
            *("Coming back to this: how much is a new card?", FEE),
        ),
        talk("On Sunday?", SORRY, "To Oslo then", SORRY, "To my neighbour", SORRY),
        talk("A pizza", MENU, "A pizza", MENU, "A pizza", MENU),
        talk("A pizza", MENU, "With olives", "One pizza.", "Delivered to Oslo", MENU),
        talk(ENGLISH, "We have a lot for you, what would you like?", "In Spanish, please.", SPANISH),
        talk(ENGLISH, "We have a lot for you, what would you like?", SPANISH, SPANISH),
        talk(SPANISH, "We have a lot for you and your friends, what would you like?", SPANISH, ENGLISH),
        talk(ASK, NOTED, "Yes", "Your table for 4 people on Friday is booked, with a small cake and tea."),
        talk(ASK, NOTED, "Yes", "Your table is booked."),
        talk(ASK, NOTED, "Make it a big cake, please.", "Your table is booked, with a big cake and tea."),
        talk(ASK, NOTED, "5 people, sorry", "Your table for 5 people on Friday is booked."),
        talk(ASK, NOTED, "No tea, please.", "Your table for 4 people is booked, with a small cake."),
        talk(ASK, NOTED, "And on Saturday?", "Your table is booked for Saturday."),
        talk("Tuesday", "Noted.", "Change Tuesday to Friday.", "Sorry, we cannot. Your visit is booked for Tuesday."),
        talk(
            *(ASK, NOTED, "Make it a big cake, please.", "Your table is booked, with a big cake and tea."),
            *("No, a small cake.", "Very well."),
        ),
        talk("Friday", "Noted.", "Change my booking to Monday, please.", "Your booking is confirmed."),
    ],
)
def test_the_judge_does_not_apply_if_there_may_be_a_reason(conversation: Conversation):
    assert attentive(conversation).outcome is CheckOutcome.NOT_APPLICABLE


def test_a_repetition_says_nothing_about_a_case_that_null_bots_are_tried_on():
    stuck = talk("A pizza", MENU, "With olives", MENU, "Delivered to Oslo", MENU)

    assert (len([*built_in_failures(stuck)]), [*built_in_failures(stuck, trial=True)]) == (1, [])
