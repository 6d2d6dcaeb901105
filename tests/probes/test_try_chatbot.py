"""The battery over small chatbots with planted faults, and over correct ones."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count

import pytest

from probed_bots import Bot, Clinic, Faq, Pizza
from sparring.app.try_chatbot import Trial, TryResult
from sparring.app.try_files import scenario
from sparring.chatbots.chatbot import BaseChatbot
from sparring.core.case import Case
from sparring.core.errors import ChatbotError
from sparring.core.message import Message, message
from tables import table


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


async def tried(kind: type[Bot], *faults: str) -> TryResult:
    return await Trial(Talking(kind, *faults)).run()


@pytest.mark.parametrize("kind", [Pizza, Clinic, Faq])
async def test_nothing_is_found_in_a_correct_chatbot(kind: type[Bot]):
    found = await tried(kind)

    assert [each.found.title for each in found.tried] == []


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
        (Clinic, "forgets", "correction"),
        (Clinic, "cancel", "cancel"),
        (Clinic, "day", "correction"),
        (Faq, "deaf", "loop"),
        (Faq, "echo", "echo"),
    ],
)
async def test_a_planted_fault_is_found_in_every_replay(kind: type[Bot], fault: str, found: str):
    result = await tried(kind, fault)

    assert found in {each.found.kind for each in result.certain}
    assert {each.found.kind for each in result.certain} <= {found, "taken"}
    assert all((each.again, each.replays) == (2, 2) for each in result.certain)


async def test_probes_that_a_chatbot_gives_no_occasion_for_are_named():
    result = await tried(Faq)

    assert result.missed["cancel"] == "the chatbot never asked to confirm anything"


async def test_a_chatbot_that_never_replies_is_not_reachable():
    class Dead(Bot):
        def reply(self, text: str) -> str:
            raise ValueError("connection refused")

    result = await tried(Dead)

    assert "connection refused" in result.unreachable
    assert result.tried == []


async def test_the_scenario_of_a_finding_has_the_words_up_to_it_and_an_expectation():
    result = await tried(Pizza, "charge")
    written = scenario(result.certain[0])

    assert written.startswith("# The charge differs from the price stated\n#   turn")
    assert "- user: Yes, please." in written
    assert "not: true" in written


async def test_what_one_user_said_is_not_known_in_another_conversation():
    result = await tried(Pizza, "shared")

    assert "sessions" in {each.found.kind for each in result.certain}


async def test_an_example_that_a_chatbot_gives_itself_is_no_leak():
    class Tracking(Bot):
        def reply(self, text: str) -> str:
            if "A-1001" in text:
                return "Your parcel A-1001 arrives tomorrow."
            return "What is the number of your parcel? It looks like A-1001."

    assert (await tried(Tracking)).certain == []


async def test_a_waiting_time_may_change():
    class Busy(Faq):
        minutes = count(12)

        def reply(self, text: str) -> str:
            return f"It takes {next(self.minutes)} minutes." if "long" in text else super().reply(text)

    assert (await tried(Busy)).certain == []


async def test_the_question_that_no_probe_could_answer_is_named():
    class Riddle(Bot):
        def reply(self, text: str) -> str:
            return "Which of the three riddles have you solved?"

    assert (await tried(Riddle)).stuck == "Which of the three riddles have you solved?"


async def test_no_more_messages_are_sent_than_allowed():
    result = await Trial(Talking(Pizza), most_messages=40).run()

    assert result.messages < 40 + 4 * 25  # the conversations that had begun
    assert result.missed["injection"] == "the limit of 40 messages was reached"
