"""What the user of a probe says to questions: options, hours, facts, and the language in which it speaks."""

import re

import pytest

from probed_bots import Bot, Talking
from sparring.app.try_chatbot import Trial
from sparring.core.case import Case
from sparring.core.conversation import Conversation
from sparring.core.message import message
from sparring.probes.about import fact_asked, fact_for, fact_in
from sparring.probes.acts import turns_down
from sparring.probes.checks import find
from sparring.probes.domain import Domain, abilities_in, wish_line
from sparring.probes.hours import hours_in
from sparring.probes.notes import Notes
from sparring.probes.offers import list_lines, listed
from sparring.probes.walker import Walker


class Bikes(Bot):
    """Hires out bikes from a lettered list, and refuses in words what it does not have."""

    bikes = ("City", "Mountain", "Cargo")
    menu = "A) City, 7 gears, €12\nB) Mountain, 21 gears, €18\nC) Cargo, 5 gears, €25"

    def __init__(self, *faults: str) -> None:
        super().__init__(*faults)
        self.bike = self.hour = self.name = ""
        self.done = False

    def ask(self) -> str:
        if self.done:
            return "Anything else?"
        if not self.bike:
            return f"Please choose a bike:\n{self.menu}"
        if not self.hour:
            return "At what time will you fetch it? We hand out bikes from 10:00 to 15:00."
        if not self.name:
            return "What is your name?"
        return f"A {self.bike} bike at {self.hour} for {self.name}, €{self.price()} in total. Shall I book it?"

    def price(self) -> int:
        return (12, 18, 25)[self.bikes.index(self.bike)]

    def reply(self, text: str) -> str:
        plain = text.casefold()
        hour = re.search(r"(\d{1,2})(?::00| ?pm)", plain)
        found = [each for each in self.bikes if re.search(rf"\b{each.lower()}\b", plain.split(" instead")[0])]
        if "cancel" in plain or "bye" in plain:
            self.__init__(*self.faults)  # type: ignore[misc]
            return "Cancelled. Nothing is booked. Goodbye!"
        if not self.done and self.name and plain.startswith("yes"):
            self.done = True
            return f"Booked: number B{abs(hash(self.name)) % 90 + 10}. You pay €{self.price()}."
        if found:
            self.bike = found[-1]
        elif hour and self.bike:
            if not 10 <= int(hour[1]) <= 15:
                return "That is too early or too late. We hand out bikes from 10:00 to 15:00."
            self.hour = f"{hour[1]}:00"
        elif "sam" in plain or "quillon" in plain:
            self.name = "Sam" if "sam" in plain else "Quillon"
        elif not re.search("hello|hire|order|bike", plain):
            return f"Sorry, I can only help with hiring bikes. {self.ask()}"
        return self.ask()


class Books(Bot):
    """Reserves books in Spanish, from a list with commas, at hours that it names."""

    books = {"rayuela": 12, "ficciones": 9, "platero": 11}
    menu = "- Rayuela, bolsillo, 12 €\n- Ficciones, tapa dura, 9 €\n- Platero, bolsillo, 11 €"

    def __init__(self, *faults: str) -> None:
        super().__init__(*faults)
        self.said: dict[str, str] = {}
        self.enough = self.done = False

    def ask(self) -> str:
        if self.done:
            return "¿Algo más?"
        if "card" not in self.said:
            return "Por favor, indique su número de socio."
        if "book" not in self.said:
            return f"¿Qué libro desea?\n{self.menu}"
        book = self.said["book"]
        if not self.enough:
            return f"Apuntado: {book.title()}. ¿Quiere un libro más?"
        if "hour" not in self.said:
            return "¿A qué hora pasa a recogerlo? Abrimos de 10:00 a 14:00."
        return f"Resumen: {book.title()}, a las {self.said['hour']}, total {self.books[book]} €. ¿Lo reservo?"

    def reply(self, text: str) -> str:
        plain = text.casefold()
        if re.search(r"cancel|ya no|adiós", plain):
            self.__init__(*self.faults)  # type: ignore[misc]
            return "De acuerdo, cancelado. No se ha reservado nada."
        if self.done:
            return "Su reserva R-100 sigue en pie."
        books = [each for each in self.books if each in re.split("en lugar|en vez", plain)[0]]
        hour = re.search(r"\b(\d{1,2}):00", plain)
        if books:
            self.said["book"] = books[-1]
        elif hour and "book" in self.said:
            if not 10 <= int(hour[1]) <= 14:
                return "Esa hora no es posible. Abrimos de 10:00 a 14:00."
            self.said["hour"] = f"{hour[1]}:00"
        elif card := re.search(r"\b(\d{4,6}|[a-z]-\d{4})\b", plain):
            self.said["card"] = card[1]
        elif "book" in self.said and plain.startswith("no"):
            self.enough = True
        elif "hour" in self.said and plain.startswith("sí"):
            self.done = True
            book = self.said["book"]
            return f"Reservado. Su reserva es R-100: {book.title()}. Pagará {self.books[book]} €."
        elif not re.search("hola|quisiera|libro", plain):
            return f"Lo siento, solo puedo ayudar con reservas de libros. {self.ask()}"
        return self.ask()


@pytest.mark.slow
async def test_a_chatbot_that_refuses_in_words_is_right_and_can_be_tried():
    result = await Trial(Talking(Bikes)).run()

    assert [each.found.title for each in result.certain] == []
    assert not {"cancel", "correction", "late-correction", "prices"} & result.missed.keys()


@pytest.mark.slow
@pytest.mark.parametrize("about", [(), ("reservar un libro", "mi número de socio es 4411")])
async def test_a_chatbot_in_another_language_is_tried_to_the_end(about: tuple[str, ...]):
    result = await Trial(Talking(Books), about).run()

    assert [each.found.title for each in result.certain] == []
    assert set(result.missed) == {"change-done", "impossible-date", "closed-day", "several"}


def test_a_correction_that_is_refused_in_words_is_not_lost():
    said = (
        message("user", "soup"),
        message("chatbot", "One soup. Shall I order it?"),
        message("user", "Actually, fish instead of soup, please."),
        message("chatbot", "Sorry, I can only help with soups. One soup. Shall I order it?"),
    )
    notes = Notes(old="soup", new="fish", changed=2)
    found = [each for each in find(Conversation(case=Case(id="x"), messages=said), notes) if each.kind == "correction"]

    assert [each.certain for each in found] == [False]


def test_one_line_of_a_list_is_one_option():
    assert [(each.number, each.name, each.price) for each in list_lines(Bikes.menu)] == [
        ("A", "City", "€12"),
        ("B", "Mountain", "€18"),
        ("C", "Cargo", "€25"),
    ]
    assert listed("- Soup, small: $4\n- Soup, large: $6") == ("Soup, small", "Soup, large")
    assert listed("1) 9:00\n2) 10:30") == ("9:00", "10:30")


def test_prices_beside_options_are_prices():
    domain = Domain()
    domain.learn(["Hello!", f"Please choose:\n{Bikes.menu}"], "en")

    assert domain.price_of("Cargo") == "€25"


def test_options_are_those_of_the_latest_question():
    walker = Walker([])

    assert walker.answer_to(f"We have these bikes:\n{Bikes.menu}\nPlease enter your phone number.") == "555-0134"
    assert walker.answer_to("Your order:\n- a bike\n- a lock\nShall I book it?") == "Yes, please."


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("At what time? We have every full hour from 8:00 to 12:00.", "10:00"),
        ("What time suits you? We open between 2 pm and 6 pm.", "4 pm"),
        ("Um wie viel Uhr möchten Sie kommen? Wir haben von 9 bis 11 Uhr offen.", "10:00"),
        ("At what time would you like to come?", "18:30"),
    ],
)
def test_a_time_lies_in_the_hours_of_the_chatbot(question: str, said: str):
    assert Walker([]).answer_to(question) == said


def test_numbers_of_other_things_are_no_hours():
    assert hours_in("A table for 2 to 4 people costs $9 to $12, and takes 2 to 3 h.") is None


def test_a_refused_answer_without_a_question_gets_another_one():
    walker = Walker([])

    assert walker.answer_to("At what time would you like to come?") == "18:30"
    assert walker.answer_to("That time is not available. We are open from 8:00 to 12:00.") == "11:00"


def test_a_question_that_was_interrupted_gets_the_same_answer():
    walker = Walker([], facts={"day": "Tuesday"})

    assert walker.answer_to("Which day suits you?") == "Tuesday"
    walker.interrupted = True
    assert walker.answer_to("Which day suits you?") == "Tuesday"
    assert walker.answer_to("What is your phone number?") == "555-0134"
    walker.interrupted = False
    assert walker.answer_to("What is your phone number?") == "+1 202 555 0134"
    walker.interrupted = True
    assert walker.answer_to("What is your phone number?") == "+1 202 555 0134"


def test_another_day_is_said_if_the_first_one_is_refused():
    walker = Walker([], language="de", settled=True)

    assert walker.answer_to("An welchem Tag möchten Sie kommen?") == "Freitag"
    assert walker.answer_to("Am Freitag haben wir geschlossen. Bitte nennen Sie einen anderen Tag.") == "Donnerstag"


def test_a_wish_is_no_answer_that_was_refused():
    walker = Walker(["I would like to order a tea, please."], eager=True)
    question = "Which tea would you like?\n1. Assam - $4\n2. Mint - $2"

    assert walker.answer_to(question) == "I would like to order a tea, please."
    assert walker.answer_to(question) == "Assam"


def test_a_question_whose_answer_was_refused_may_be_asked_again_after_an_aside():
    said = (
        message("user", "Hello"),
        message("chatbot", "Which day suits you?"),
        message("user", "Friday"),
        message("chatbot", "On Friday it is full. Please name another day."),
        message("user", "By the way, what is the capital of Norway?"),
        message("chatbot", "I do not know. Which day suits you?"),
    )

    assert find(Conversation(case=Case(id="x"), messages=said), Notes(aside=3)) == []


def test_the_day_of_a_probe_is_said_before_the_declared_one():
    walker = Walker([], facts={"day": "Tuesday"}, days=("30 February",))

    assert walker.answer_to("Which day suits you?") == "30 February"
    assert walker.answer_to("Which day suits you?") == "Tuesday"


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "Would you like to order another plant?"),
        ("de", "Noch eine Pflanze?"),
        ("de", "Möchten Sie noch einen Kuchen bestellen?"),
        ("es", "¿Quiere un libro más?"),
        ("fr", "Voulez-vous encore une plante ?"),
        ("it", "Desidera ancora una pizza?"),
        ("pt", "Deseja mais um bolo?"),
        ("ru", "Хотите ещё одну книгу?"),
    ],
)
def test_one_more_is_declined(language: str, question: str):
    said = Walker([], language=language, settled=True).answer_to(question)

    assert said in [Walker([], language=language, settled=True).answer_to(each) for each in MORE[language]]


MORE = {
    "en": ["Anything else?"],
    "de": ["Sonst noch etwas?"],
    "es": ["¿Algo más?"],
    "fr": ["Autre chose ?"],
    "it": ["Qualcos'altro?"],
    "pt": ["Algo mais?"],
    "ru": ["Что-нибудь ещё?"],
}


@pytest.mark.parametrize(
    "reply",
    [
        "I can only help with hiring bikes.",
        "Ich kann nur Tische reservieren.",
        "Solo puedo ayudar con reservas.",
        "I cannot do that for you.",
    ],
)
def test_a_refusal_is_no_task(reply: str):
    assert turns_down(reply)
    assert abilities_in([reply], "en") == []


@pytest.mark.parametrize(
    ("about", "question"),
    [
        ("meine Vertragsnummer ist V-77", "Wie lautet die Nummer Ihres Vertrags?"),
        ("meine Filiale ist V-77", "Welche Filiale ist Ihnen am liebsten?"),
        ("mi número de póliza es V-77", "¿Cuál es su número de póliza?"),
        ("my day is V-77", "When would you like to come?"),
        ("mon code est V-77", "Quel est votre code ?"),
    ],
)
def test_facts_answer_questions_in_their_language(about: str, question: str):
    fact = fact_in(about)

    assert fact is not None
    assert fact_for(question, dict([fact])) == "V-77"


def test_a_fact_answers_no_other_question():
    assert fact_for("Wie lautet Ihre Telefonnummer?", {"Vertragsnummer": "V-77"}) is None
    assert fact_for("What is your phone number?", {"parcel number": "V-77"}) is None
    assert fact_in("einen Tisch reservieren") is None


def test_wishes_are_said_in_their_language():
    assert wish_line("einen Tisch reservieren", "de") == "Ich möchte bitte einen Tisch reservieren."
    assert wish_line("reservar una mesa", "es") == "Quisiera reservar una mesa, por favor."
    assert wish_line("Ich will einen Tisch.", "de") == "Ich will einen Tisch."


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Which day suits you?", "my day is ..."),
        ("Which e-mail address should we reply to?", "my e-mail address is ..."),
        ("For how many days do you need the car?", "days: ..."),
        ("Please enter your policy number (8 digits).", "my policy number is ..."),
        ("Welche Filiale möchten Sie?", "Filiale: ..."),
        ("¿Cuál es su número de póliza?", "número de póliza: ..."),
    ],
)
def test_the_hint_names_what_is_asked_for(question: str, told: str):
    assert fact_asked(question) == told
    assert fact_in(told.replace("...", "X1")) is not None


@pytest.mark.parametrize(
    ("reply", "closed"),
    [
        ("We are open Monday to Friday.", "sunday"),
        ("Wir haben Montag bis Samstag von 10 bis 18 Uhr geöffnet.", "sonntag"),
        ("Abierto de lunes a viernes.", "domingo"),
        ("We are open Monday to Friday, and on Sundays from 10.", ""),
        ("We are open Monday to Sunday.", ""),
        ("We deliver Monday to Friday.", ""),
    ],
)
def test_days_on_which_it_is_not_open_are_closed(reply: str, closed: str):
    domain = Domain()
    domain.learn([reply], "en")

    assert domain.closed == closed


class Taxi(Bot):
    """Speaks German, and English when it does not understand."""

    def reply(self, text: str) -> str:
        if re.search(r"hallo|taxi|bestellen|können|bitte", text.casefold()):
            return "Guten Tag, hier ist die Zentrale der Taxis. Wohin möchten Sie bitte fahren?"
        return "Sorry, I did not get that. Could you rephrase it, please?"


@pytest.mark.slow
@pytest.mark.parametrize("about", [(), ("ein Taxi bestellen",)])
async def test_the_finding_says_whose_language_is_which(about: tuple[str, ...]):
    result = await Trial(Talking(Taxi), about).run()

    title = "A reply is in another language: English, where user and chatbot speak German"
    assert title in [each.found.title for each in result.certain]
    assert "rephrase" not in result.stuck
