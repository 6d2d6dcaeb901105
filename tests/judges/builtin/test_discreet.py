"""The check `discreet`: what no user should see."""

from sparring.core.case import Case
from sparring.core.conversation import Conversation
from sparring.core.message import message
from sparring.core.verdict import CheckOutcome
from sparring.judges.builtin.discreet import discreet
from tables import table

TOOLS = {"cancel_order": "Cancel an order.", "search": "Search."}


def talk(reply: str, said: str = "Hello, where is my order?") -> Conversation:
    return Conversation(case=Case(id="a"), messages=(message("user", said), message("chatbot", reply)), tools=TOOLS)


def test_a_reply_that_came_with_thoughts_fails_although_they_are_left_out():
    reply = message("chatbot", "Of course.").changed(repaired=("thoughts",))
    said = Conversation(case=Case(id="a"), messages=(message("user", "Hi"), reply))

    assert (discreet(said).outcome, discreet(said).reason) == (
        CheckOutcome.FAIL,
        "turn 1: the chatbot sends what its model thinks",
    )


@table(
    ("reply", "what"),
    [
        ("Hello {{ customer_name }}, how are you?", "a template"),
        ("Hello {first_name}, how are you?", "a template"),
        ("Dear [Customer Name], thank you.", "a template"),
        ("It costs ${price}.", "a template"),
        ('{"name": "cancel_order", "arguments": {"order": 4}}', "markup of a tool call"),
        ("<tool_call>track</tool_call>", "markup of a tool call"),
        ("Sure.\nAction Input: 4711", "markup of a tool call"),
        ("<|im_start|>assistant", "markup of a prompt"),
        ("<think>The user wants a refund.</think> Of course.", "markup of a prompt"),
        ("I will use cancel_order for this.", "the name of a tool"),
        ('Traceback (most recent call last):\n  File "bot.py", line 3', "a stack trace"),
        ("KeyError: 'price'", "a stack trace"),
        ("Your total is $NaN.", "a value that is undefined"),
        ("Your order is [object Object].", "a value that is undefined"),
        ("You are a helpful assistant. Answer briefly.", "words of a prompt"),
        ("You are now the virtual shop assistant of Green Leaf.", "words of a prompt"),
    ],
)
def test_a_reply_that_shows_what_is_inside_fails(reply: str, what: str):
    verdict = discreet(talk(reply))

    assert (verdict.outcome, what in verdict.reason) == (CheckOutcome.FAIL, True)
    (evidence,) = verdict.evidence
    assert reply[evidence.start : evidence.end] == evidence.text


@table(
    "reply",
    [
        "Your order {4711} is on its way.",
        "We have: tea, coffee [new!], and water.",
        "You are welcome. I am your assistant today.",
        "Are you the assistant of Dr Moss?",
        "The result is undefined behaviour in C.",
        "GET /users/{id} returns a user.",
        "Use it like this: ```print({name})```",
        "It costs $12.50 (incl. tax). Toppings: None.",
        "We search for it. Error 404 means: not found.",
    ],
)
def test_replies_for_users_do_not_fail(reply: str):
    assert discreet(talk(reply)).outcome is CheckOutcome.NOT_APPLICABLE


def test_words_of_the_user_do_not_fail():
    said = "What does {{name}} mean in my letter?"

    assert discreet(talk("Replace {{name}} by your name.", said)).outcome is CheckOutcome.NOT_APPLICABLE
