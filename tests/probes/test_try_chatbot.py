"""The battery over small chatbots with planted faults, and over correct ones."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import count

import pytest

from probed_bots import Bot, Cakes, Cinema, Clinic, Faq, Pizza, Talking, Tickets
from sparring.app.try_chatbot import Trial
from sparring.chatbots.chatbot import BaseChatbot
from sparring.cli.commands.try_chatbot import scenario
from sparring.core.case import Case
from sparring.core.conversation import Conversation
from sparring.core.message import Message, ToolCall, message
from sparring.core.seeding import session_id
from sparring.core.value import Json
from sparring.probes.battery import BATTERY, Probe
from sparring.probes.checks import find
from sparring.probes.notes import Notes
from sparring.probes.offers import named_in
from sparring.probes.result import TryResult
from sparring.probes.walker import Walker
from tables import table


async def tried(kind: type[Bot], *faults: str) -> TryResult:
    return await Trial(Talking(kind, *faults)).run()


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Pizza, Clinic, Faq, Cakes, Tickets, Cinema])
async def test_nothing_is_found_in_a_correct_chatbot(kind: type[Bot]):
    found = await tried(kind)

    assert [each.found.title for each in found.tried] == []


@pytest.mark.slow
async def test_a_probe_that_breaks_is_not_tried_and_says_why(monkeypatch: pytest.MonkeyPatch):
    def broken(walker: Walker, notes: Notes) -> Iterator[str]:
        yield "Hello"
        raise ZeroDivisionError("our mistake")

    monkeypatch.setattr("sparring.app.try_chatbot.BATTERY", [*BATTERY, Probe("broken", broken)])

    found = await tried(Faq)

    assert "a fault of Sparring's probe" in found.missed["broken"]
    assert "our mistake" in found.missed["broken"]
    assert not found.tried, "it is no fault of the chatbot"


@pytest.mark.slow
@table(
    ("kind", "fault", "found"),
    [
        (Pizza, "emoji", "crash"),
        (Pizza, "empty", "crash"),
        (Pizza, "long", "crash"),
        (Pizza, "injection", "injection"),
        (Pizza, "template", "discreet"),
        (Pizza, "forgets", "correction"),
        (Pizza, "cancel", "cancel"),
        (Pizza, "charge", "price"),
        (Pizza, "twice", "double"),
        (Pizza, "language", "language"),
        (Pizza, "hours", "fact"),
        (Pizza, "prompt", "leak"),
        (Pizza, "markup", "markup"),
        (Pizza, "nonsense", "nonsense"),
        (Pizza, "big", "taken"),
        (Pizza, "detour", "forgets"),
        (Pizza, "fee", "fee"),
        (Cakes, "kept", "kept"),
        (Clinic, "forgets", "correction"),
        (Clinic, "cancel", "cancel"),
        (Clinic, "day", "correction"),
        (Cinema, "forgets", "correction"),
        (Cinema, "no fee", "price"),
        (Cinema, "one", "price"),
        (Cinema, "stale", "sessions"),
        (Cinema, "other mail", "sessions"),
        (Faq, "deaf", "loop"),
        (Faq, "echo", "echo"),
    ],
)
async def test_a_planted_fault_is_found_in_every_replay(kind: type[Bot], fault: str, found: str):
    result = await tried(kind, fault)

    assert found in {each.found.kind for each in result.certain}
    assert {each.found.kind for each in result.certain} <= {found, "taken", "day", "kept", "cancel", "side-effect"}
    assert all((each.again, each.replays) == (2, 2) for each in result.certain)


@pytest.mark.slow
async def test_markup_that_comes_back_as_it_is_may_be_wrong():
    result = await tried(Cakes, "tags")

    assert [(each.found.kind, each.found.certain) for each in result.tried] == [("markup", False)]


@pytest.mark.slow
async def test_probes_that_a_chatbot_gives_no_occasion_for_are_named():
    result = await tried(Faq)

    assert result.missed["several"] == "the chatbot offered no list of more than three options"


@pytest.mark.slow
@table(
    ("reply", "certain", "certain_with_task"),
    [
        ("Thank you for your message.", True, True),
        ("Sorry, I did not get that. Could you rephrase it, please?", False, True),
        ("How can I help you today?", False, True),
    ],
)
async def test_a_chatbot_that_says_one_thing_only_does_not_pass(reply: str, certain: bool, certain_with_task: bool):
    class Constant(Bot):
        def reply(self, text: str) -> str:
            return reply

    for about, expected in (((), certain), (("order a pizza",), certain_with_task)):
        result = await Trial(Talking(Constant), about).run()

        assert [(each.found.kind, each.certain) for each in result.tried] == [("loop", expected)]
        assert result.undecided
        if expected:
            assert reply.split()[0] in scenario(result.tried[0])


async def test_a_chatbot_that_breaks_at_an_english_hello_is_talked_to_in_its_language():
    class Tienda(Bot):
        def reply(self, text: str) -> str:
            known = re.search(r"hola|pedido|horario|abren|precio|puede|gracias|adi", text.lower())
            if known is None:
                raise ValueError(f"'{text}'")
            return "Hola, soy la tienda. Abrimos de lunes a viernes, de nueve a seis."

    result = await tried(Tienda)

    assert result.unreachable == ""
    assert [(each.probe, each.found.kind) for each in result.certain if each.found.kind == "crash"] == [
        ("hello", "crash")
    ]


async def test_one_error_after_many_messages_is_one_finding():
    class Broken(Pizza):
        turn = 0

        def reply(self, text: str) -> str:
            self.turn += 1
            if self.turn == 3:
                raise ValueError("no slot")
            return super().reply(text)

    result = await tried(Broken)

    assert [each.found.kind for each in result.certain].count("crash") == 1
    assert next(each.others for each in result.certain if each.found.kind == "crash") > 10


async def test_a_stopped_trial_reports_what_it_found():
    stop = asyncio.Event()
    trial = Trial(Talking(Pizza), stop=stop, listener=lambda result: stop.set() if result.conversations > 6 else None)

    result = await trial.run()

    assert "it was interrupted" in result.missed.values()
    assert (result.conversations < 20, result.undecided) == (True, True)


@pytest.mark.slow
async def test_a_request_to_confirm_after_a_cancellation_is_a_bug():
    class Stubborn(Pizza):
        def _cancel(self) -> str:
            return f"Understood. One {self.size} {self.kind}. Type YES to confirm."

    result = await tried(Stubborn)

    assert "A cancellation is not acknowledged" in [each.found.title for each in result.certain]


async def test_a_chatbot_that_never_replies_is_not_reachable():
    class Dead(Bot):
        def reply(self, text: str) -> str:
            raise ValueError("connection refused")

    result = await tried(Dead)

    assert "connection refused" in result.unreachable
    assert result.tried == []


@pytest.mark.slow
async def test_the_scenario_of_a_finding_has_the_words_up_to_it_and_an_expectation():
    result = await tried(Pizza, "charge")
    written = scenario(result.certain[0])

    assert written.startswith("# The charge differs from the price stated\n#   turn")
    assert "- user: Yes, please." in written
    assert "not: true" in written


@pytest.mark.slow
async def test_a_finding_has_the_words_that_were_answered_and_those_of_the_user():
    (found,) = (await tried(Pizza, "detour")).certain

    (answered, _), (shown, _) = found.found.quotes
    assert [found.said(answered), found.said(shown)] == [found.lines[answered - 1], found.lines[-1]]
    assert found.said(answered) in Pizza.sizes
    assert found.said(shown) == "What are your opening hours?"


@pytest.mark.slow
async def test_the_topic_of_a_question_is_no_option():
    class Shirts(Bot):
        size = done = ""

        def reply(self, text: str) -> str:
            said = text.lower()
            if self.size and "yes" in said:
                self.done = self.size
                return f"Thank you! A {self.size} shirt is ordered."
            self.size = next((each for each in ("small", "large") if each in said.partition("instead")[0]), self.size)
            if self.done:
                return f"You have ordered a {self.done} shirt."
            return f"A {self.size} shirt. Shall I order it?" if self.size else "Which size, small or large?"

    assert "correction" not in {each.found.kind for each in (await tried(Shirts)).tried}


@pytest.mark.slow
async def test_a_menu_with_bare_numbers_is_answered_by_a_number():
    class Provider(Bot):
        step = 0

        def reply(self, text: str) -> str:
            if self.step == 0:
                self.step = int(text == "1")
                return (
                    "Choose:\n1 Engineer\n2 Invoice\nReply with a number."
                    if not self.step
                    else "Could you tell me what happened?"
                )
            if self.step == 1:
                self.step = 2
                return f"A visit because of: {text} Shall I book it?"
            return "Your visit is booked. Reference: BW-9031."

    said = [each.text for one in (await tried(Provider)).played for each in one.messages if each.role == "user"]

    assert "1" in said
    assert "It does not work." in said


@pytest.mark.slow
async def test_a_chatbot_that_takes_some_options_is_not_certainly_stuck():
    class Flowers(Bot):
        flower = ""

        def reply(self, text: str) -> str:
            self.flower = next((each for each in ("roses", "tulips") if each in text.lower()), "")
            if self.flower:
                return f"How many {self.flower} would you like?"
            return "Which flowers would you like? We have roses, tulips, lilies, daisies and vases to go with them."

    stuck = [each for each in (await tried(Flowers)).tried if each.found.kind == "stuck"]

    assert [each.certain for each in stuck] == [False]


@pytest.mark.slow
async def test_a_day_that_is_asked_for_together_with_a_time_is_tried():
    class Lessons(Bot):
        when = ""

        def reply(self, text: str) -> str:
            if "February" in text or (not self.when and not re.search(r"day|June|2020|\d", text)):
                return "Welcome! What day and time suit you? We teach from 9am to 8pm."
            if not self.when:
                self.when = text
                return f"A lesson on {text}. Shall I book it?"
            return f"Your lesson on {self.when} is booked." if "yes" in text.lower() else "Shall I book it?"

    missed = (await tried(Lessons)).missed

    assert "impossible-date" not in missed
    assert "change-done" not in missed


@pytest.mark.slow
async def test_each_conversation_has_a_session_of_its_own():
    played = (await tried(Faq, "emoji")).played

    assert len({session_id(each.case) for each in played}) == len(played) > len({each.case.id for each in played})


@pytest.mark.slow
async def test_a_question_that_kept_no_probe_from_its_trial_is_not_named():
    assert (await tried(Pizza)).stuck == ""


@pytest.mark.slow
async def test_what_one_user_said_is_not_known_in_another_conversation():
    result = await tried(Pizza, "shared")

    assert "sessions" in {each.found.kind for each in result.certain}


@pytest.mark.slow
async def test_an_example_that_a_chatbot_gives_itself_is_no_leak():
    class Tracking(Bot):
        def reply(self, text: str) -> str:
            if "A-1001" in text:
                return "Your parcel A-1001 arrives tomorrow."
            return "What is the number of your parcel? It looks like A-1001."

    assert (await tried(Tracking)).certain == []


@pytest.mark.slow
async def test_a_waiting_time_may_change():
    class Busy(Faq):
        minutes = count(12)

        def reply(self, text: str) -> str:
            return f"It takes {next(self.minutes)} minutes." if "long" in text else super().reply(text)

    assert (await tried(Busy)).certain == []


@pytest.mark.slow
async def test_the_question_that_no_probe_could_answer_is_named():
    class Riddle(Bot):
        def reply(self, text: str) -> str:
            return "Which of the three riddles have you solved?"

    assert (await tried(Riddle)).stuck == "Which of the three riddles have you solved?"


async def test_no_more_messages_are_sent_than_allowed():
    result = await Trial(Talking(Pizza), most_messages=40).run()

    assert result.messages < 40 + 8 * 25  # the conversations that had begun
    assert result.missed["injection"] == "the limit of 40 messages was reached"


class Shop(BaseChatbot):
    """Takes one order, and shows its tool calls; `records` is what it writes down."""

    def __init__(self, **records: Json) -> None:
        self._records = records

    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator["Shop.Session"]:
        yield self.Session(self._records)

    class Session:
        greeting = None

        def __init__(self, records: dict[str, Json]) -> None:
            self._records, self._asked = records, False

        async def reply(self, said: Message) -> Message:
            if "order" not in said.text and not self._asked:
                return message("chatbot", "Hello! I can order tea for you.")
            if self._asked and said.text.lower().startswith("yes"):
                cart: dict[str, Json] = {"total": "$9.00", "cart": [{"name": "green tea", "quantity": 2}]}
                result = cart | self._records
                named = " and ".join(str(each["name"]) for each in result["cart"])  # type: ignore[index,union-attr,call-overload]
                text = f"Your order is placed: {named}. The total is $9.00."
                call = ToolCall(name="place_order", arguments={"quantity": 2}, result=result)
                return message("chatbot", text, tool_calls=(call,))
            if "cancel" in said.text:
                self._asked = False
                return message("chatbot", "All right, I cancelled that.")
            self._asked = True
            return message("chatbot", "Two boxes of green tea, $9.00. Shall I place the order?")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("records", "found"),
    [
        ({}, []),
        ({"total": "$12.00"}, ["The chatbot says a total of $9.00, and records 12"]),
        ({"total": 9}, []),
        ({"total": 9.0}, []),
        ({"total": "9.00"}, []),
        ({"total": 12}, ["The chatbot says a total of $9.00, and records 12"]),
        ({"total": 9.5}, ["The chatbot says a total of $9.00, and records 9.5"]),
        (
            {"cart": [{"name": "green tea", "quantity": 2}, {"name": "paper cups", "quantity": 1}]},
            ["The order has “paper cups”, which the user never named"],
        ),
        ({"cart": [{"name": "green tea"}, {"name": "delivery fee"}]}, []),
    ],
)
async def test_what_is_said_is_compared_with_what_is_recorded(records: dict[str, Json], found: list[str]):
    result = await Trial(Shop(**records), ("order two boxes of green tea",)).run()

    assert [each.found.title for each in result.certain] == found


@pytest.mark.parametrize(
    ("reply", "named"),
    [
        ("We have roses, tulips and lilies. What would you like?", ("roses", "tulips", "lilies")),
        ("It runs at 16:00, 18:30 and 21:15. Which showing do you prefer?", ("16:00", "18:30", "21:15")),
        ("Wir haben: Rosen, rote Tulpen und Lilien.", ("Rosen", "rote Tulpen", "Lilien")),
        ("Tonight: The Night at 7 pm, Moon at 8 pm, Sun at 9:30 pm.", ("Night", "Moon", "Sun")),
        ("Thank you, that is all. What is your name?", ()),
        ("We are open from 8 to 6 and closed on Sunday.", ()),
    ],
)
def test_what_a_statement_lists_can_be_taken(reply: str, named: tuple[str, ...]):
    assert named_in(reply) == named


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ("I will open a ticket for None: laptop.", True),
        ("Your total is undefined.", True),
        ("None of these are left.", False),
        ("I have none of them, and is null no number.", False),
    ],
)
def test_a_value_of_a_program_is_no_name(reply: str, found: bool):
    said = (message("user", "Hello"), message("chatbot", reply))
    told = find(Conversation(case=Case(id="x"), messages=said), Notes())

    assert ("unfilled" in {each.kind for each in told}) is found
