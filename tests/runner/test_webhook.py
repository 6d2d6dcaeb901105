"""A webhook that is asked before each conversation, over real sockets: one that answers, fails, hangs, talks junk."""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from fakes import FrozenClock, Talking
from sparring.core.batch import Batch, Players
from sparring.core.case import Case, Persona
from sparring.core.conversation import Conversation, Ending
from sparring.core.errors import InputError, UserError
from sparring.core.message import Message, message
from sparring.core.seeding import session_id
from sparring.core.webhook import WebhookConfig
from sparring.extraction.pattern_extractor import PatternReader
from sparring.llm.client.http_transport import HttpTransport
from sparring.runner.batch import run
from sparring.runner.players import ResolvedPlayers
from sparring.runner.webhook import LARGEST, Webhook
from sparring.settings import load
from sparring.testing.memory_store import MemoryStore
from sparring.users.user import BaseUser

Answer = Callable[[web.Request], Any]

CALL = {
    "session_id": "crm-1",
    "name": "Cafe North",
    "locations": ["1 Harbour Road"],
    "delivery_days": "",
    "purchase_history": [],
    "current_date": "2026-02-03",
}
CASE = Case(
    id="calls/1",
    variables={"client_id": "C-1", "LOCATIONS": "9 Old Street", "DELIVERY_DAYS": "Friday"},
    persona=Persona(traits=("calm", "Your addresses: 9 Old Street.")),
    ends="farewell",
)


class Asked:
    """What the webhook was asked, and how: (method, body, headers)."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Any, dict[str, str]]] = []
        self.waits: list[float] = []
        self.url = ""

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)

    def webhook(self, transport: HttpTransport, environment: dict[str, str] | None = None, **terms: Any) -> Webhook:
        return Webhook(WebhookConfig(url=self.url, **terms), environment or {}, transport, sleep=self.sleep)


@asynccontextmanager
async def served(*answers: Any, tls: ssl.SSLContext | None = None) -> AsyncIterator[Asked]:
    """A webhook on this machine that gives these answers, the last of them for good."""
    asked, left = Asked(), list(answers)

    async def answer(request: web.Request) -> web.StreamResponse:
        body = await request.read()
        asked.calls.append(
            (
                request.method,
                json.loads(body) if body else None,
                {name.lower(): value for name, value in request.headers.items()},
            )
        )
        given = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(given, web.StreamResponse):
            return given
        if isinstance(given, bytes):
            return web.Response(body=given)
        if given is HANGS:
            await asyncio.Event().wait()
        return web.json_response(given)

    app = web.Application()
    app.router.add_route("*", "/hook", answer)
    runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls).start()
    asked.url = f"http{'s' if tls else ''}://127.0.0.1:{runner.addresses[0][1]}/hook"
    try:
        yield asked
    finally:
        await runner.cleanup()


HANGS = object()


def variables(**given: Any) -> dict[str, Any]:
    return {"call_inbound": {"dynamic_variables": given}}


async def prepared(answer: Any, case: Case = CASE, **terms: Any) -> Any:
    async with served(answer) as asked, HttpTransport() as transport:
        return await asked.webhook(transport, **terms).prepare(case)


async def test_a_known_client_is_posted_without_a_lookup():
    history = CASE.model_copy(update={"variables": {"CLIENT_ID": "C-1", "scenario_purchase_history": ["D101"]}})
    async with served(variables(session_id="s")) as asked, HttpTransport() as transport:
        webhook = asked.webhook(transport)
        for case in (CASE, history, Case(id="calls/2")):
            await webhook.prepare(case)

    assert [call[:2] for call in asked.calls] == [
        ("POST", {"call_inbound": {"from_number": "C-1"}}),
        ("POST", {"call_inbound": {"from_number": "C-1"}, "injected_purchase_history": ["D101"]}),
        ("GET", None),
    ]


async def test_the_scenario_comes_before_the_webhook_and_that_before_defaults_and_blanks_have_no_say():
    ready = await prepared(variables(**CALL), defaults={"purchase_history": "bread", "CURRENT_DATE": "2020-01-01"})

    assert ready.case.variables == {
        "client_id": "C-1",
        "LOCATIONS": "9 Old Street",
        "DELIVERY_DAYS": "Friday",
        "CLIENT_NAME": "Cafe North",
        "CURRENT_DATE": "2026-02-03",
        "PURCHASE_HISTORY": "bread",
    }
    assert ready.provenance == {
        "client_id": "scenario",
        "LOCATIONS": "scenario",
        "DELIVERY_DAYS": "scenario",
        "CLIENT_NAME": "webhook",
        "CURRENT_DATE": "webhook",
        "PURCHASE_HISTORY": "default",
        "session_id": "webhook",
    }
    assert ready.warnings == ()


async def test_the_webhook_may_come_first_and_its_blanks_still_have_no_say():
    ready = await prepared(variables(**CALL), override=True)

    assert (ready.case.variables["LOCATIONS"], ready.provenance["LOCATIONS"]) == (["1 Harbour Road"], "webhook")
    assert (ready.case.variables["DELIVERY_DAYS"], ready.provenance["DELIVERY_DAYS"]) == ("Friday", "scenario")


async def test_the_user_knows_what_the_webhook_knows_and_answers_by_it():
    ready = await prepared(variables(**CALL), override=True)

    assert ready.case.persona.traits == (
        "calm",
        "Your name is Cafe North.",
        "Today is 2026-02-03.",
        "Your addresses: 1 Harbour Road.",
    )
    assert "1 Harbour Road" in ready.case.answers.values()
    assert "CURRENT_DATE" in ready.case.unspoken


async def test_a_conversation_has_one_session_wherever_its_name_came_from():
    theirs = await prepared({"session_id": "crm-7"})
    ours = await prepared(variables(locations="x"))
    own = CASE.model_copy(update={"variables": {"session_id": "mine"}})
    written = await prepared({"session_id": "crm-7"}, own)

    assert (session_id(theirs.case), theirs.provenance["session_id"]) == ("crm-7", "webhook")
    assert (session_id(ours.case), ours.provenance["session_id"]) == (session_id(CASE), "sparring")
    assert (session_id(written.case), written.provenance["session_id"]) == ("mine", "scenario")


async def test_a_webhook_cannot_change_the_definition_of_a_case():
    ready = await prepared(variables(order_goal=["tea"], SEED=5, locations="x"), override=True)

    assert "ORDER_GOAL" not in ready.case.variables
    assert ready.warnings == ("the webhook cannot decide on SEED, order_goal",)


@pytest.mark.parametrize(
    ("answer", "said", "attempts"),
    [
        (web.Response(status=404), "HTTP 404", 1),
        (web.Response(status=302, headers={"location": "http://127.0.0.1:1/"}), "HTTP 302", 1),
        (b"<html>hello</html>", "is no JSON", 1),
        (b'{"session_id": NaN}', "is no JSON", 1),
        (["s"], "is no object", 1),
        ({}, "neither call_inbound.dynamic_variables nor session_id", 1),
        ({"call_inbound": "s"}, "neither", 1),
        ({"session_id": {"a": 1}}, "session_id is no text", 1),
        ({"session_id": "a\nb"}, "session_id is no name", 1),
        ({"session_id": "x" * 201}, "session_id is no name", 1),
        (variables(a=json.loads("[" * 60 + "]" * 60)), "more deeply nested", 1),
        (variables(**{f"v{n}": n for n in range(1_001)}), "more variables", 1),
        (b"[" * 100_000, "is no JSON", 1),
        (b'{"session_id": "' + b"x" * LARGEST + b'"}', "larger than", 3),
    ],
    ids=lambda each: str(each)[:30],
)
async def test_junk_is_a_warning_and_the_scenario_is_played_with_what_it_has(answer: Any, said: str, attempts: int):
    async with served(answer) as asked, HttpTransport(max_bytes=LARGEST) as transport:
        ready = await asked.webhook(transport, defaults={"CURRENT_DATE": "2026-01-01"}).prepare(CASE)

    assert (ready.warnings[0].startswith("the webhook failed: "), said in ready.warnings[0]) == (True, True)
    assert (len(asked.calls), ready.case.session) == (attempts, "")
    assert (ready.provenance["CURRENT_DATE"], ready.provenance["LOCATIONS"]) == ("default", "scenario")


async def test_a_webhook_that_is_busy_is_asked_again_after_growing_waits():
    busy = [web.Response(status=503), web.Response(status=429)]
    async with served(*busy, {"session_id": "s"}) as asked, HttpTransport() as transport:
        ready = await asked.webhook(transport).prepare(CASE)

    assert (ready.case.session, ready.warnings, asked.waits) == ("s", (), [0.5, 1.0])


async def test_a_webhook_that_hangs_is_given_up():
    async with served(HANGS) as asked, HttpTransport() as transport:
        ready = await asked.webhook(transport, timeout=0.05, attempts=2).prepare(CASE)

    assert ready.warnings == ("the webhook failed: no answer within 0.05 s (after 2 attempts)",)


async def test_a_webhook_that_is_required_and_fails_ends_the_conversation_before_it_begins():
    async with served(HANGS) as asked, HttpTransport() as transport:
        with pytest.raises(UserError, match="no answer within"):
            await asked.webhook(transport, timeout=0.05, attempts=1, required=True).prepare(CASE)


async def test_headers_come_from_the_environment_and_are_never_said():
    headers = {"Authorization": "Bearer ${CRM_TOKEN}", "X-Team": "north"}
    async with HttpTransport() as transport, served({"session_id": "s"}) as asked:
        await asked.webhook(transport, {"CRM_TOKEN": "planted-4711"}, headers=headers).prepare(CASE)
        asked.url = "http://127.0.0.1:1/?token=planted-4711"
        failed = await asked.webhook(transport, {"CRM_TOKEN": "planted-4711"}, headers=headers, attempts=1).prepare(
            CASE
        )
        with pytest.raises(InputError, match="CRM_TOKEN is not set"):
            asked.webhook(transport, headers=headers)

    (_, _, sent) = asked.calls[0]
    assert (sent["authorization"], sent["x-team"]) == ("Bearer planted-4711", "north")
    assert "planted-4711" not in failed.warnings[0]


async def test_only_certificates_of_ones_own_are_trusted_where_they_are_named(tmp_path: Path, tls: ssl.SSLContext):
    async with served({"session_id": "s"}, tls=tls) as asked:
        async with HttpTransport(ca=tmp_path / "cert.pem") as transport:
            trusted = await asked.webhook(transport).prepare(CASE)
        async with HttpTransport() as transport:
            refused = await asked.webhook(transport, attempts=1).prepare(CASE)

    assert (trusted.case.session, trusted.warnings) == ("s", ())
    assert "certificate" in refused.warnings[0].lower()
    with pytest.raises(InputError, match="no readable certificates"):
        HttpTransport(ca=tmp_path / "none.pem")


class Asking(BaseUser):
    """A user who says its session, and then nothing any more."""

    async def speak(self, conversation: Conversation) -> Message | None:
        said = [each for each in conversation.messages if each.role == "user"]
        return None if said else message("user", session_id(conversation.case))


async def test_a_batch_asks_once_about_each_conversation_that_does_not_refuse_it():
    cases = (CASE, Case(id="calls/2", webhook=False), Case(id="calls/3"))
    who = Players(chatbot="echo", user="asking")
    batch = Batch(id="B", created=FrozenClock().now(), who=who, cases=cases, repeats=2)
    store = MemoryStore()
    async with served(variables(session_id="crm-1")) as asked, HttpTransport() as transport:
        players = ResolvedPlayers(
            chatbot=Talking(lambda: lambda text: f"Hello {text}"),
            user=Asking(),
            reader=PatternReader(),
            clock=FrozenClock(),
            webhook=asked.webhook(transport),
        )
        _ = [event async for event in run(batch, players, store)]

    found = {each.id: each async for each in store.conversations("B")}
    assert len(asked.calls) == 4
    assert found["calls/1"].messages[1].text == "Hello crm-1"
    assert found["calls/1"].provenance["session_id"] == "webhook"
    assert (found["calls/2"].provenance, found["calls/2"].case.session) == ({}, "")


async def test_a_required_webhook_that_fails_makes_the_conversation_void():
    batch = Batch(id="B", created=FrozenClock().now(), who=Players(chatbot="echo", user="asking"), cases=(CASE,))
    store = MemoryStore()
    async with served(web.Response(status=404)) as asked, HttpTransport() as transport:
        players = ResolvedPlayers(
            chatbot=Talking(lambda: lambda text: "Hello"),
            user=Asking(),
            reader=PatternReader(),
            clock=FrozenClock(),
            webhook=asked.webhook(transport, required=True),
        )
        _ = [event async for event in run(batch, players, store)]

    (kept,) = [each async for each in store.conversations("B")]
    assert (kept.ending, kept.error, kept.messages) == (
        Ending.INFRASTRUCTURE_FAILED,
        "the webhook failed: HTTP 404",
        (),
    )


def test_the_address_in_the_environment_beats_the_file_and_leaves_the_rest_of_it(tmp_path: Path):
    (tmp_path / "sparring.yaml").write_text("webhook: {url: 'http://one.example.com', timeout: 3}\n")

    told = load({}, directory=tmp_path, environ={"WEBHOOK_URL": "https://two.example.com/hook"}).webhook

    assert (told.url, told.timeout) == ("https://two.example.com/hook", 3)
    assert load({}, directory=tmp_path, environ={"WEBHOOK_URL": ""}).webhook.url == "http://one.example.com"


@pytest.mark.parametrize(
    "url", ["ftp://example.com", "example.com/hook", "http://", "http://[", "https://me:pw@example.com"]
)
def test_an_address_that_cannot_be_asked_is_refused(tmp_path: Path, url: str):
    with pytest.raises(InputError) as raised:
        load({}, directory=tmp_path, environ={"WEBHOOK_URL": url})

    assert raised.value.problems[0].path == "WEBHOOK_URL"
    assert "pw" not in str(raised.value)
