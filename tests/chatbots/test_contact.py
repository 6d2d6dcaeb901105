"""A rate limit is waited out, and a server that restarts is waited for; other failures are told as they are."""

import asyncio
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from fakes import Saying
from sparring.chatbots.contact import refused
from sparring.chatbots.http import connect
from sparring.core.case import Case, Limits
from sparring.core.conversation import Conversation, Ending
from sparring.extraction.pattern_extractor import PatternReader
from sparring.llm.client.transport import NoConnection, Response, TransportError
from sparring.llm.plugin_context import LLMConfig, PluginContext
from sparring.simulation.simulate import simulate

PRESET = 'url: http://shop.example/chat\nbody: {text: "{{message}}"}\nreply: message\n'
OK = Response(200, {}, b'{"message": "Hello"}')
REFUSED = NoConnection("cannot connect to shop.example:80: Connection refused")


def busy(**headers: str) -> Response:
    return Response(429, {name.replace("_", "-"): value for name, value in headers.items()}, b"")


class LoopClock:
    """The time of the event loop, which a test lets pass."""

    def now(self) -> datetime:
        return datetime(2026, 1, 2, tzinfo=UTC)

    def monotonic(self) -> float:
        return asyncio.get_running_loop().time()


class Answers:
    """A transport that gives these responses, one after the other, and counts the requests."""

    def __init__(self, *answers: Response | TransportError) -> None:
        self._answers: Iterator[Response | TransportError] = iter(answers)
        self.asked = 0

    async def send(self, method: str, url: str, *, headers: Mapping[str, str], body: bytes | None = None) -> Response:
        self.asked += 1
        answer = next(self._answers)
        if isinstance(answer, TransportError):
            raise answer
        return answer


async def talk(folder: Path, transport: Answers, *said: str, seconds: float | None = None) -> Conversation:
    (folder / "chatbot.yaml").write_text(PRESET)
    chatbot = connect(str(folder / "chatbot.yaml"), PluginContext(LLMConfig(), LoopClock(), transport))
    case = Case(id="a", limits=Limits(seconds=seconds))
    return await simulate(case, Saying(*said), chatbot, reader=PatternReader(), clock=LoopClock())


@pytest.mark.usefixtures("virtual_time")
@pytest.mark.parametrize(
    ("answers", "waited"),
    [
        ([busy(retry_after="100")], 100),
        ([busy(retry_after="Fri, 02 Jan 2026 00:01:30 GMT")], 90),
        ([busy(retry_after="Fri, 02 Jan 2026 00:01:30 GMT", date="Fri, 02 Jan 2026 00:01:00 GMT")], 30),
        ([busy(), busy(), busy(retry_after="nonsense")], 7),
    ],
)
async def test_a_rate_limit_is_waited_out_as_it_says_and_is_no_time_of_the_reply(
    tmp_path: Path, answers: list[Response], waited: float
):
    conversation = await talk(tmp_path, Answers(*answers, OK), "Hi")

    assert conversation.timing is not None
    assert (conversation.ending, conversation.timing.replies[0]) == (Ending.USER_DONE, pytest.approx(0, abs=0.1))
    assert conversation.timing.waited == pytest.approx(waited, abs=0.1)


@pytest.mark.usefixtures("virtual_time")
@pytest.mark.parametrize(
    ("seconds", "answers", "reason"),
    [
        (None, [busy(retry_after="3600")], "wait 3,600 s, longer than the 600 s that the conversation may wait"),
        (20, [busy(retry_after="15")] * 2, "wait 15 s, longer than the 5 s that the conversation may wait"),
    ],
)
async def test_a_rate_limit_longer_than_the_conversation_may_wait_ends_it(
    tmp_path: Path, seconds: float | None, answers: list[Response], reason: str
):
    conversation = await talk(tmp_path, Answers(*answers), "Hi", seconds=seconds)

    assert conversation.ending is Ending.TIMEOUT
    assert conversation.error == f"HTTP 429 to 'Hi': the chatbot asks to {reason}"


@pytest.mark.usefixtures("virtual_time")
async def test_a_server_that_answered_and_restarts_is_waited_for(tmp_path: Path):
    transport = Answers(OK, REFUSED, REFUSED, REFUSED, OK)

    conversation = await talk(tmp_path, transport, "Hi", "Still there?")

    assert (conversation.ending, len(conversation.messages), transport.asked) == (Ending.USER_DONE, 4, 5)


@pytest.mark.usefixtures("virtual_time")
async def test_a_server_that_answered_and_stays_away_has_crashed(tmp_path: Path):
    transport = Answers(OK, *[REFUSED] * 5)

    conversation = await talk(tmp_path, transport, "Hi", "Still there?")

    assert (conversation.ending, transport.asked) == (Ending.CHATBOT_FAILED, 6)
    assert conversation.error == (
        "no answer from http://shop.example/chat: cannot connect to shop.example:80: Connection refused; "
        "is it running? (in reply to 'Still there?')"
    )


async def test_an_untrusted_certificate_is_reported_with_a_way_to_trust_its_authority(tmp_path: Path):
    untrusted = NoConnection("cannot connect: [SSL: CERTIFICATE_VERIFY_FAILED] self-signed certificate in chain")

    conversation = await talk(tmp_path, Answers(untrusted), "Hi")

    assert "chain; SSL_CERT_FILE names the certificates to trust (in reply to" in conversation.error


@pytest.mark.parametrize("answer", [REFUSED, *(Response(status, {}, b"") for status in (401, 403, 404))])
async def test_a_server_that_was_never_reached_is_asked_once(tmp_path: Path, answer: Response | TransportError):
    transport = Answers(answer)

    conversation = await talk(tmp_path, transport, "Hi")

    assert (conversation.ending, transport.asked) == (Ending.INFRASTRUCTURE_FAILED, 1)


@pytest.mark.parametrize(("status", "asked"), [(401, "key"), (403, "key"), (404, "address")])
def test_a_server_that_rejects_a_request_is_running(status: int, asked: str):
    error = refused(status, f"HTTP {status}")

    assert (str(error), error.hint) == (f"HTTP {status}", f"is the {asked} right?")


@pytest.mark.parametrize(
    ("answer", "ending"),
    [
        (Response(401, {}, b"expired"), Ending.INFRASTRUCTURE_FAILED),
        (Response(404, {}, b""), Ending.CHATBOT_FAILED),
        (Response(500, {}, b"oops"), Ending.CHATBOT_FAILED),
        (Response(200, {}, b"oops"), Ending.CHATBOT_FAILED),
        (TransportError("the server hung up without an answer"), Ending.CHATBOT_FAILED),
    ],
)
async def test_only_a_rejected_key_is_no_crash_of_a_server_that_answered(
    tmp_path: Path, answer: Response | TransportError, ending: Ending
):
    conversation = await talk(tmp_path, Answers(OK, answer), "Hi", "I want 🍕")

    assert (conversation.ending, "'I want 🍕'" in conversation.error) == (ending, True)
