"""Answers that a walker tries after a chatbot refused one, and those that it says from then on."""

import pytest

from probed_bots import Bot
from said import titles
from sparring.probes.acts import ids_in, total_of
from sparring.probes.domain import Domain
from sparring.probes.limits import most_in
from sparring.probes.notes import Notes
from sparring.probes.walker import Walker


class Strict(Bot):
    """Asks one question until an answer is one that it takes."""

    def __init__(self, question: str, refusal: str, *takes: str) -> None:
        super().__init__()
        self.question, self.refusal, self.takes = question, refusal, takes

    def reply(self, text: str) -> str:
        if text in self.takes:
            return f"{text}, noted. What name shall I put down?"
        return f"{self.refusal} {self.question}"


def walk(bot: Bot, domain: Domain, *, settled: bool = False, most: int = 12) -> list[str]:
    """Return what a walker says until the chatbot takes an answer."""
    walker, reply, said = Walker([], domain=domain, settled=settled), bot.reply(""), []
    while "noted" not in reply and len(said) < most:
        line = walker.answer_to(reply)
        if line is None:
            break
        said.append(line)
        reply = bot.reply(line)
    walker.answer_to(reply)
    return said


@pytest.mark.parametrize(
    "bot",
    [
        Strict("How many people is it for?", "I bake for 8 ($32), 12 ($45) or 20 ($68).", "8", "12", "20"),
        Strict("What is the number of your card?", "Our cards look like L-204 and L-317.", "L-204"),
        Strict("Is the light green?", "Sorry, I need a yes or a no.", "Yes, please."),
        Strict("What is your phone number?", "Ten digits without spaces.", "2025550134"),
    ],
    ids=lambda bot: bot.takes[0],
)
def test_another_answer_is_tried_and_said_at_once_from_then_on(bot: Strict):
    domain = Domain()

    first = walk(bot, domain)

    assert first[-1] in bot.takes
    assert walk(bot, domain, settled=True) == first[-1:]


def test_nothing_else_is_tried_once_the_chatbot_is_known():
    bot = Strict("How many people is it for?", "I bake for 8 ($32), 12 ($45) or 20 ($68).", "8")

    assert "8" not in walk(bot, Domain(), settled=True)


class Baker(Bot):
    """Asks for words, and returns to the question before if it hears a question."""

    def __init__(self) -> None:
        super().__init__()
        self.writing = False

    def reply(self, text: str) -> str:
        if self.writing and not text.endswith("?") and "Anything" not in text and "menu" not in text:
            return f"{text}, noted. What name shall I put down?"
        self.writing = "yes" in text.casefold() and not self.writing
        return "Which words shall I write?" if self.writing else "Shall I write something on it?"


def test_vague_answers_that_lead_back_to_an_earlier_question_are_not_repeated():
    said = walk(Baker(), Domain(), most=20)

    assert said[-1] not in said[:-1]
    assert len(said) < 20


def test_a_number_with_a_unit_is_no_id():
    assert ids_in("Metformin 500 mg, booking QX417, 250 ml") == {"QX417"}


def test_all_parts_of_a_number_are_one_id():
    assert ids_in("Booking L21-2128: 1 desk from Friday 4 December") == {"L21-2128"}


@pytest.mark.parametrize(
    ("reply", "most"),
    [
        ("Up to 30 characters.", None),
        ("Bis zu 30 Zeichen.", None),
        ("Up to 30 guests.", 30),
        ("Up to 30.", 30),
        ("We have 10 hot desks at most.", 10),
        ("12 Personen maximal", 12),
        ("30 characters at most", None),
    ],
)
def test_the_length_of_a_text_is_no_limit_of_a_number(reply: str, most: int | None):
    assert most_in(reply) == most


@pytest.mark.parametrize("extra", ["It's $3 per cake.", "That's $6 extra.", "Sunday has a $5 fee."])
def test_a_price_of_one_thing_is_no_total(extra: str):
    assert total_of(extra) is None


def test_numbers_of_a_menu_are_no_amounts_that_belong_together():
    before = "Pick-up today after 4 pm\nDue: 8.00\n1 Confirm\n2 Change\n3 Cancel\nReply with a number to confirm."
    after = before.replace("today after 4 pm", "tomorrow from 9 am")

    assert titles(Notes(), "Hello", before, "Tomorrow, please", after) == []


@pytest.mark.parametrize(
    ("reply", "total"),
    [
        ("Added: Europe pack, £6. Your next bill will be £20.00.", "£6"),
        ("Sent £5.00 to Kim. New balance £95.00.", "£5.00"),
        ("Done! Your bill is £16.", "£16"),
    ],
)
def test_the_sum_of_an_account_is_no_total_of_an_order(reply: str, total: str):
    assert total_of(reply) == total
