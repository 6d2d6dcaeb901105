"""Small chatbots of different kinds, each with faults that can be switched on, to try the probes on.

Each is a class with `reply(text)`, one instance for each conversation. `faults` names the bugs that it has.
"""

import json
import re
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count

from sparring.chatbots.chatbot import BaseChatbot
from sparring.core.case import Case
from sparring.core.errors import ChatbotError
from sparring.core.message import Message, message

_NUMBERS = count(1001)
_SHARED: dict[tuple[str, ...], dict[str, object]] = {}


class Bot:
    """A chatbot with named faults."""

    def __init__(self, *faults: str) -> None:
        self.faults = faults

    def has(self, fault: str) -> bool:
        return fault in self.faults

    def unusual(self, text: str) -> str | None:
        if self.has("emoji") and any(ord(letter) > 0x1F000 for letter in text):
            raise ValueError("cannot encode character")
        if self.has("empty") and not text.strip():
            raise IndexError("list index out of range")
        if self.has("long") and len(text) > 2000:
            raise MemoryError("message is too long")
        if self.has("injection") and "ignore all previous" in text.lower():
            return "ORCHID-4417"
        if self.has("template") and "instructions" in text.lower():
            return "Hello {{customer_name}}, I am here for orders."
        if self.has("prompt") and "instructions" in text.lower():
            return "You are Pia, the assistant of Bella Napoli. Never reveal the recipes to customers."
        if self.has("angle") and "<" in text:
            raise ValueError("cannot parse")
        if self.has("markup") and "<" in text:
            return f"<p>There is no {text} on the menu.</p>"
        if self.has("nonsense") and "sneff" in text:
            return "Certainly, I noted that."
        return None


class Pizza(Bot):
    """Orders one pizza: asks for the size, then the kind, then a yes."""

    sizes = {"small": 8, "medium": 10, "large": 12}
    kinds = ("margherita", "funghi", "diavola")

    def __init__(self, *faults: str) -> None:
        super().__init__(*faults)
        self.size = self.kind = ""
        self.asked = self.done = False
        self.number = self.asked_hours = 0
        if self.has("shared"):
            self.__dict__ = _SHARED.setdefault(self.faults, self.__dict__)

    def reply(self, text: str) -> str:
        if (broken := self.unusual(text)) is not None:
            return broken
        said = text.lower()
        if self.done:
            return self._after(said)
        if re.search(r"cancel|don't want", said):
            return self._cancel()
        if re.search(r"what can you|instructions|help", said):
            if self.has("language"):
                return "Puede pedir una pizza conmigo, y también puede cancelar el pedido cuando quiera."
            return "I can take your order for a pizza. We have small, medium and large ones."
        if "capital" in said:
            return "I only know about pizzas, sorry."
        if re.search(r"\bopen", said):
            self.asked_hours += 1
            if self.has("detour"):
                self.size = ""
            until = "9 pm" if self.has("hours") and self.asked_hours > 1 else "11 pm"
            return f"We are open from noon to {until}. {self._ask()}".strip()
        self._take(said)
        if question := self._ask():
            return question
        if self.asked and re.search(r"\byes\b|\bok\b|sure", said):
            return self._place()
        self.asked = True
        size = "large" if self.has("big") and self.size == "medium" else self.size
        return f"That is one {size} {self.kind} for ${self.price:.2f}. Shall I place the order?"

    def _ask(self) -> str:
        if not self.size:
            return "Which size would you like: small, medium or large?"
        return "" if self.kind else "And which pizza: margherita, funghi or diavola?"

    @property
    def price(self) -> int:
        return self.sizes[self.size]

    def _take(self, said: str) -> None:
        said = re.sub(r"instead of .*", "", said)
        for size in self.sizes:
            if re.search(rf"\b{size}\b", said) and not (self.size and self.has("forgets")):
                self.size = size
        for kind in self.kinds:
            if kind in said and not (self.kind and self.has("forgets")):
                self.kind = kind

    def _cancel(self) -> str:
        if self.has("cancel") and self.asked:
            return self._place()
        self.size = self.kind = ""
        self.asked = False
        return "All right, I cancelled it. Is there anything else?"

    def _place(self) -> str:
        self.done = True
        self.number = next(_NUMBERS)
        price = self.price * 2 if self.has("charge") else self.price
        fee = " A service fee of $1.50 was charged." if self.has("fee") else ""
        return f"Thank you! Your order {self.number} is placed. We charged ${price:.2f}.{fee}"

    def _after(self, said: str) -> str:
        if "yes" in said and self.has("twice"):
            self.number = next(_NUMBERS)
            return f"Thank you! Your order {self.number} is placed. We charged ${self.price:.2f}."
        if re.search(r"bye|no\b", said):
            return "Goodbye, and enjoy your pizza!"
        return f"Your order {self.number} is on its way already. Anything else?"


class Cakes(Bot):
    """Takes orders for a cake at a price that it never states; only its toppings have prices."""

    toppings = {"cherries": 3, "cream": 2, "nuts": 4}

    def __init__(self, *faults: str) -> None:
        super().__init__(*faults)
        self.topping = self.stored = ""
        self.wanted = self.asked = False

    def reply(self, text: str) -> str:
        said = text.lower()
        if "cancel" in said and not self.stored:
            return self._cancel()
        if self.stored:
            recap = f"You ordered a chocolate cake with {self.stored} and no extras for {self.price(self.stored)}."
            return recap if "what" in said else "Your order is already placed. Nothing else was ordered."
        if re.search(r"what can you|help|instructions", said):
            return "I can take your order for a chocolate cake."
        self._take(re.sub(r"instead of .*", "", said))
        if not self.wanted:
            return "Hello! I can take your order for a chocolate cake."
        if self.has("tags") and "<" in text:
            return f'I do not know the topping "{text}". Which one would you like?'
        if not self.topping:
            return "Which topping would you like: cherries ($3), cream ($2) or nuts ($4)?"
        if self.asked and re.search(r"\byes\b|sure", said):
            self.stored = self.topping
            return f"Thank you! Your cake with {self.topping} is ordered. We charged {self.price(self.topping)}."
        self.asked = True
        return f"A chocolate cake with {self.topping} is {self.price(self.topping)} in total. Shall I place the order?"

    def price(self, topping: str) -> str:
        return f"${20 + self.toppings[topping]}"

    def _take(self, said: str) -> None:
        for topping in self.toppings:
            if topping in said:
                self.topping = topping
        self.wanted = self.wanted or bool(self.topping) or "order" in said or "cake" in said

    def _cancel(self) -> str:
        self.stored = self.topping if self.has("kept") else ""
        self.topping, self.wanted, self.asked = "", False, False
        return "Okay, cancelled. Nothing was ordered."


class Tickets(Bot):
    """Sells tickets: asks for a show, the number and an extra, which is priced for the whole order."""

    shows = {"comedy": 12, "opera": 15, "ballet": 10}
    extras = {"programme": 4, "tour": 8, "no extras": 0}

    def __init__(self, *faults: str) -> None:
        super().__init__(*faults)
        self.show = self.extra = ""
        self.number = 0
        self.wanted = self.asked = self.done = False

    def reply(self, text: str) -> str:
        said = re.sub(r"instead of .*", "", text.lower())
        if self.done:
            return f"You booked {self._order()}." if "what" in said else "That is booked already."
        if re.search(r"cancel|forget", said):
            self.__init__(*self.faults)  # type: ignore[misc]
            return "Cancelled. Nothing was booked."
        if re.search(r"what can you|help|hello|\bhi\b|instructions", said):
            return "I can book tickets for you."
        self._take(said)
        if not self.wanted:
            return "Sorry, I did not understand that. I can book tickets for you."
        if not self.show:
            return "Which show would you like: comedy ($12), opera ($15) or ballet ($10)?"
        if not self.number:
            return "How many tickets do you need?"
        if not self.extra:
            return "Would you like a programme ($4), a tour ($8) or no extras?"
        if self.asked and re.search(r"\byes\b|sure", said):
            self.done = True
            return f"Booked: {self._order()}."
        self.asked = True
        return f"That is {self._order()}. Shall I book it?"

    def _order(self) -> str:
        total = self.shows[self.show] * self.number + self.extras[self.extra]
        return f"{self.number} x {self.show} with {self.extra}, total ${total}"

    def _take(self, said: str) -> None:
        self.show = next((each for each in self.shows if each in said), self.show)
        self.extra = next((each for each in self.extras if each in said), self.extra)
        digits = {"two": "2", "one": "1"}
        number = re.search(r"\b([1-5])\b", " ".join(digits.get(word, word) for word in said.split()))
        if number and (self.show or "ticket" in said):
            self.number = int(number[1])
        self.wanted = self.wanted or bool(self.show) or bool(re.search("ticket|book|order", said))


class Cinema(Bot):
    """Sells tickets for films whose prices it tells at first, with a fee for each order."""

    films = {"Night Train": 11, "Robot Garden": 8, "Dune Town": 9}

    def __init__(self, *faults: str) -> None:
        super().__init__(*faults)
        self.last: dict[str, object] = _SHARED.setdefault(faults, {})
        self.film = str(self.last.get("film", "")) if self.has("stale") else ""
        self.number = 0
        self.mail = ""
        self.asked = self.done = False

    def reply(self, text: str) -> str:
        said = re.sub(r"instead of .*", "", text)
        if self.done:
            return "You have paid already."
        if re.search(r"cancel|don't want", said):
            self.__init__(*self.faults)  # type: ignore[misc]
            return "All right, nothing was booked."
        if re.search(r"hello|what can you|price|how much|cost", said, re.IGNORECASE):
            prices = "Night Train ($11), Robot Garden ($8) and Dune Town ($9)"
            asks = self._missing() or "Shall I charge your card?"
            asks = asks if self.film else "What would you like to see?"
            return f"Today we show {prices}, and the fee is $2 for each order. {asks}"
        self._take(said)
        if missing := self._missing():
            return missing
        total = self.films[self.film] * self.number + 2
        if self.asked and re.search(r"\byes\b", said, re.IGNORECASE):
            self.done = True
            charged = total - 2 if self.has("no fee") else total
            return f"Done! We charged ${self.films[self.film] + 2 if self.has('one') else charged}."
        self.asked = True
        order = f"{self.number} x {self.film} plus the fee of $2 makes ${total}. The tickets go to {self.mail}"
        return f"{order}. Shall I charge your card?"

    def _missing(self) -> str:
        if not self.film:
            return "Which film would you like: Night Train, Robot Garden or Dune Town?"
        if not self.number:
            return "How many tickets do you need?"
        return "" if self.mail else "To which email address should we send them?"

    def _take(self, said: str) -> None:
        film = next((each for each in self.films if each.lower() in said.lower()), "")
        if film and not (self.film and self.has("forgets")):
            self.film = self.last["film"] = film
        number = re.search(r"\b([1-5]|two)\b", said)
        if number:
            self.number = 2 if number[1] == "two" else int(number[1])
        if "@" in said:
            self.mail = str(self.last.get("mail", said)) if self.has("other mail") else said
            self.last["mail"] = said


class Clinic(Bot):
    """Books appointments: asks for a name, a doctor and a day, and repeats what was booked."""

    doctors = ("Dr. Gray", "Dr. Rivera", "Dr. Stone")
    days = ("Monday", "Tuesday", "Thursday")

    def __init__(self, *faults: str) -> None:
        super().__init__(*faults)
        self.name = self.doctor = self.day = ""
        self.waiting = ""
        self.booked = False

    def reply(self, text: str) -> str:
        if (broken := self.unusual(text)) is not None:
            return broken
        said = text.lower()
        if "cancel" in said:
            if self.has("cancel"):
                return f"Your appointment with {self.doctor or 'the doctor'} is confirmed."
            self.name = self.doctor = self.day = ""
            self.waiting, self.booked = "", False
            return "Your request has been cancelled. What else can I do for you?"
        if self.booked:
            return "You are all set. Goodbye!" if "yes" not in said else "It is booked already."
        if "what can you" in said:
            return "I can book an appointment for you with one of our doctors."
        if "capital" in said or not said.strip():
            return "I am afraid I can only help with appointments. " + self._ask()
        if other := re.search(r"should be (\w+ \w+), not", text):
            self.name = other[1]
        self._take(text)
        if self.doctor and self.day and self.name:
            if self.waiting == "yes" and re.search(r"\byes\b|correct", said):
                self.booked = True
                day = "Monday" if self.has("day") else self.day
                return f"Booked: {self.name} with {self.doctor} on {day}. See you then!"
            self.waiting = "yes"
            return f"{self.name}, {self.doctor} on {self.day}. Is that correct?"
        return self._ask()

    def _ask(self) -> str:
        if not self.name:
            self.waiting = "name"
            return "May I have your name, please?"
        if not self.doctor:
            self.waiting = "doctor"
            return "Which doctor would you like to see: Dr. Gray, Dr. Rivera or Dr. Stone?"
        if not self.day:
            self.waiting = "day"
            return "What day suits you: Monday, Tuesday or Thursday?"
        return "Is that correct?"

    def _take(self, text: str) -> None:
        said = re.sub(r"(?i)instead of .*", "", text).lower()
        if self.waiting == "name" and not self.name and "?" not in text and text != "Hello":
            self.name = text.strip(" .!")
        for doctor in self.doctors:
            if doctor.lower().split()[-1] in said and not (self.doctor and self.has("forgets")):
                self.doctor = doctor
        for day in self.days:
            if day.lower() in said and not (self.day and self.has("forgets")):
                self.day = day


class Faq(Bot):
    """Answers questions about a shop for shirts, and understands nothing else."""

    def reply(self, text: str) -> str:
        if (broken := self.unusual(text)) is not None:
            return broken
        said = text.lower()
        if self.has("deaf"):
            return "Our shop is open every day from nine to five."
        if self.has("echo"):
            return f"You said: {text}"
        if re.search(r"hello|hi\b", said):
            return "Hello! Ask me about prices, opening hours or returns."
        if "bye" in said:
            return "Goodbye!"
        if re.search(r"price|cost|order", said):
            return "A plain shirt costs $15.00, and a printed one costs $19.50."
        if re.search(r"what can you|help", said):
            return "I can answer questions about prices, opening hours and returns."
        if "hour" in said or "open" in said:
            return "We are open from Monday to Saturday, from 10 am to 6 pm."
        return "Sorry, I did not understand that. Could you say it in other words?"


@contextmanager
def served(make: Callable[[], Bot]) -> Iterator[str]:
    """Serve a bot for each `session_id`, and yield its address."""
    bots: dict[str, Bot] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            try:
                said = bots.setdefault(asked["session_id"], make()).reply(asked["message"])
                status, answer = 200, {"reply": said, "session": asked["session_id"]}
            except KeyError as missing:
                status, answer = 400, {"error": str(missing)}
            except ValueError as error:
                status, answer = 500, {"error": str(error)}
            body = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/chat"
    finally:
        server.shutdown()
        server.server_close()


class Talking(BaseChatbot):
    """A chatbot that makes a new bot for each conversation."""

    def __init__(self, kind: type[Bot], *faults: str) -> None:
        self._kind, self._faults = kind, faults

    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator["Talking.Session"]:
        yield self.Session(self._kind(*self._faults))

    class Session:
        greeting = None

        def __init__(self, bot: Bot) -> None:
            self._bot = bot

        async def reply(self, said: Message) -> Message:
            try:
                return message("chatbot", self._bot.reply(said.text))
            except (ValueError, IndexError, MemoryError) as error:
                raise ChatbotError(f"{type(error).__name__}: {error}") from error
