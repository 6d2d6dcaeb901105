"""What `sparring try` takes from a tester's description of the chatbot."""

from probed_bots import Bot, Talking
from sparring.app.try_chatbot import Trial
from sparring.probes.about import describes_chatbot, value_told, values_told
from sparring.probes.walker import Walker
from tables import table

_LIBRARY = (
    "Lends books of a library; it needs a card number first (valid: 20417, 20533), then the book title (for example"
    " Dracula or Emma), and answers questions."
)


class Library(Bot):
    """Lends one book to those whose card it knows."""

    def __init__(self, *faults: str) -> None:
        super().__init__(*faults)
        self.card = self.book = ""

    def reply(self, text: str) -> str:
        if not self.card:
            if text not in ("20417", "20533"):
                return "Please tell me your library card number (5 digits)."
            self.card = text
            return "Which book would you like to borrow?"
        if not self.book:
            if text not in ("Dracula", "Emma"):
                return "I don't know that book. Which book would you like to borrow?"
            self.book = text
            return f"Shall I lend you {text}?"
        return "It is lent to you. Your number is L-7781." if "yes" in text.lower() else "Shall I lend it to you?"


async def test_values_of_a_description_of_the_chatbot_lead_to_the_end():
    result = await Trial(Talking(Library), [_LIBRARY]).run()

    assert not {"cancel", "deny", "confirm-twice"} & result.missed.keys()


@table(
    ("about", "described"),
    [
        (_LIBRARY, True),
        ("order a pizza", False),
        ("I want to book a table for two people on Friday at seven in the evening, on the terrace", False),
        ("parcel: PX1; postcode: 10115; name: Sam; city: Berlin; street: Main Road; country: Germany; size: 1", False),
        ("Reserva habitaciones; necesita la fecha y las noches", True),
    ],
)
def test_a_description_of_the_chatbot_is_no_task(about: str, described: bool):
    assert describes_chatbot(about) is described


def test_a_walk_goes_on_where_the_wish_was_understood_before_it_was_said():
    walker = Walker(["I need a quote."], eager=True)
    walker.answer_to("How old is the main driver?")
    walker.answer_to("What is the car worth in pounds (500-80,000)?")

    assert walker.answer_to("How many years without a claim (0-20)?") == "1"


@table(
    ("question", "nth", "times", "value"),
    [
        ("Which book would you like to borrow?", 0, 0, "Dracula"),
        ("Which book would you like to borrow?", 0, 1, "Emma"),
        ("Your card number, please?", 1, 0, "20533"),
        ("Your card number, please?", 0, 2, ""),
        ("Which branch of the library?", 0, 0, ""),
    ],
)
def test_a_question_gets_the_values_of_the_description(question: str, nth: int, times: int, value: str):
    assert value_told(question, values_told(_LIBRARY), nth, times) == value
