"""A run that was recorded is held again without a model, to the last byte."""

from collections.abc import Callable
from pathlib import Path

import pytest

from model_faults import InjectedFault
from model_server import LoopbackModelServer
from scripted import ScriptedModel
from sparring.app.wiring import players
from sparring.core.batch import Batch, PlayerNames
from sparring.core.case import Case, Goal, Limits, OutputSpec
from sparring.core.clock import SystemClock
from sparring.core.conversation import Conversation, Ending
from sparring.core.errors import InputError, NotRecorded
from sparring.core.events import BatchFinished, Event
from sparring.core.value import to_json
from sparring.llm.model import ChatMessage, Request
from sparring.llm.recording import CallRecording
from sparring.llm.replay import Mode, Recorder
from sparring.runner.batch import run
from sparring.settings import Settings
from sparring.testing.factories import a_batch
from sparring.testing.memory_store import MemoryStore
from talking import talk

pytestmark = pytest.mark.slow  # its tests play batches

KEY = "sk-planted-0123456789abcdef"


def batch(cases: int = 4, *, role: str = "A hungry person.") -> Batch:
    def case(number: int) -> Case:
        goals = (Goal(text="a small custom pizza with corn and ham"), Goal(text="the following drink: coke"))
        wanted = (OutputSpec(name="order_id", description="the order ID"),)
        made = Case(id=f"order/{number}", goals=goals, outputs=wanted, limits=Limits(turns=6), seed=number)
        return made.model_copy(update={"persona": made.persona.model_copy(update={"role": role})})

    return a_batch().model_copy(update={"cases": tuple(map(case, range(cases)))})


async def held(
    url: str,
    path: Path,
    mode: Mode,
    plan: Batch | None = None,
    *,
    concurrency: int = 4,
    seconds: float = 5,
    listener: Callable[[Event], object] = lambda event: None,
) -> list[Conversation]:
    """The conversations of a batch, over a tape."""
    plan, store, name = plan or batch(), MemoryStore(), f"{url}#loopback"
    config = Settings(retry_seconds=seconds).app_config(environment={"SPARRING_API_KEY": KEY})
    with CallRecording(path, secrets=[KEY]) as recording:
        choice = PlayerNames("pizzeria", name, name)
        async with players(choice, config, recorder=Recorder(recording, mode), clock=SystemClock()) as (
            cast,
            _,
        ):
            async for event in run(plan, cast, store, concurrency=concurrency):
                listener(event)
    return [conversation async for conversation in store.conversations(plan.id)]


def said(conversations: list[Conversation]) -> list[bytes]:
    return [to_json(conversation, without=frozenset({"timing"})) for conversation in conversations]


@pytest.fixture
async def recorded(tmp_path: Path) -> tuple[str, Path, list[Conversation]]:
    """The address of a server that is gone, a recording, and the conversations that were recorded."""
    path = tmp_path / "recording.ndjson"
    async with LoopbackModelServer(otherwise=talk) as server:
        conversations = await held(server.url, path, "record")
    assert {conversation.ending for conversation in conversations} == {Ending.GOALS_ANSWERED}
    return server.url, path, conversations


Recorded = tuple[str, Path, list[Conversation]]


@pytest.mark.parametrize("mode", ["strict", "sequence", "update"])
async def test_a_recorded_run_is_held_again_without_a_server_to_the_last_byte(recorded: Recorded, mode: Mode):
    url, path, conversations = recorded
    before = path.read_bytes()

    again = await held(url, path, mode, concurrency=1)

    assert said(again) == said(conversations)
    assert path.read_bytes() == before


async def test_a_strict_replay_names_what_first_differs(recorded: Recorded):
    url, path, _ = recorded

    again = await held(url, path, "strict", batch(role="A hungry child."))

    assert {each.ending for each in again} == {Ending.INFRASTRUCTURE_FAILED}
    assert again[0].error.startswith(
        "not as it was recorded: turn 1, call 1 of the user: message 1 (system) at letter "
    )
    assert "child" in again[0].error
    assert "person" in again[0].error


@pytest.mark.parametrize(
    ("recorded", "said"),
    [
        (
            ("Be kind. Say yes.", "Be curt. Say no."),
            "message 1 (system) at letter 14: 'Be kind. Say maybe.', and was 'Be kind.",
        ),
        (
            ("Be curt. Say no.", "Be kind. Say yes."),
            "message 1 (system) at letter 14: 'Be kind. Say maybe.', and was 'Be kind.",
        ),
        (("Be kind. Say maybe.", "Be curt."), "temperature is 0.5, and was None"),
    ],
)
async def test_a_strict_replay_compares_with_the_nearest_of_what_was_recorded_there(
    tmp_path: Path, recorded: tuple[str, ...], said: str
):
    def request(told: str, **options: float) -> Request:
        return Request((ChatMessage("system", told), ChatMessage("user", "Hi")), **options)

    for told in recorded:  # as by a run that was resumed when its prompt had changed
        with CallRecording(tmp_path / "a.ndjson") as recording:
            await (
                Recorder(recording, "record").model("m", "user", lambda: ScriptedModel("Hello")).complete(request(told))
            )

    with CallRecording(tmp_path / "a.ndjson") as recording:
        model = Recorder(recording, "strict").model("m", "user", ScriptedModel)
        with pytest.raises(NotRecorded) as missed:
            await model.complete(request("Be kind. Say maybe.", temperature=0.5))

    assert f"call 1 of the user: {said}" in str(missed.value)


async def test_a_replay_in_sequence_survives_an_edited_prompt_and_names_the_first_turn_that_differs(
    recorded: Recorded, monkeypatch: pytest.MonkeyPatch
):
    url, path, conversations = recorded

    again = await held(url, path, "sequence", batch(role="A hungry child."))

    assert [each.messages for each in again] == [each.messages for each in conversations]
    assert {each.ending for each in again} == {Ending.GOALS_ANSWERED}
    assert (
        again[2]
        .warnings[0]
        .startswith("differs from the recording from here on: turn 1, call 1 of the user: message 1")
    )


async def test_a_chatbot_that_says_something_else_differs_from_the_turn_in_which_it_does(recorded: Recorded):
    url, path, conversations = recorded
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    edited = [line.replace("Which drink?", "What to drink?") if '"call"' in line else line for line in lines]
    path.write_text("".join(edited), encoding="utf-8")

    again = await held(url, path, "strict")

    assert conversations[0].turns == 3
    assert {each.turns for each in again} == {1}
    assert "turn 2, call 2 of the user: message 4 (user) at letter" in again[0].error


async def test_an_updating_replay_asks_what_was_never_asked_and_adds_it(recorded: Recorded):
    _, path, _ = recorded
    async with LoopbackModelServer(otherwise=talk) as server:
        first = await held(server.url, path, "update", batch(6))
        asked = server.calls
        again = await held(server.url, path, "update", batch(6))

        assert (asked > 0, server.calls) == (True, asked), "it is another address, and so another model"
        assert said(again) == said(first)


async def test_a_conversation_that_was_never_recorded_says_so(recorded: Recorded):
    url, path, _ = recorded

    again = await held(url, path, "strict", batch(5))

    assert [each.ending for each in again[:4]] == [Ending.GOALS_ANSWERED] * 4
    assert again[4].ending is Ending.INFRASTRUCTURE_FAILED
    assert f"turn 1, call 1 of the user is not in the recording {path}" in again[4].error


@pytest.mark.parametrize(
    ("fault", "ending", "tokens"),
    [
        (InjectedFault.wrong_key(), Ending.INFRASTRUCTURE_FAILED, 0),
        (InjectedFault.filtered(), Ending.USER_FAILED, 15),
    ],
    ids=["wrong key", "content filter"],
)
async def test_a_recorded_failure_is_replayed(tmp_path: Path, fault: InjectedFault, ending: Ending, tokens: int):
    path = tmp_path / "recording.ndjson"
    async with LoopbackModelServer(otherwise=fault) as server:
        failed = await held(server.url, path, "record")

    again = await held(server.url, path, "strict")

    assert {(each.ending, each.consumed.tokens) for each in failed} == {(ending, tokens)}
    assert said(again) == said(failed)


@pytest.mark.parametrize(("mode", "concurrency"), [("strict", 1), ("sequence", 20)])
async def test_a_run_that_gave_up_is_replayed_to_the_same_end(tmp_path: Path, mode: Mode, concurrency: int):
    path, ends = tmp_path / "recording.ndjson", list[Event]()
    async with LoopbackModelServer(otherwise=InjectedFault.wrong_key()) as server:
        failed = await held(server.url, path, "record", batch(20), concurrency=2, listener=ends.append)
    recorded = ends[-1]

    again = await held(server.url, path, mode, batch(20), concurrency=concurrency, listener=ends.append)

    assert (said(again), ends[-1]) == (said(failed), recorded)
    assert isinstance(recorded, BatchFinished)
    assert (len(failed), recorded.not_run) == (2, 18)
    assert recorded.reason.startswith("the model answers no further call: ")


async def test_what_a_run_that_gave_up_did_not_begin_is_held_in_an_updating_replay(tmp_path: Path):
    path = tmp_path / "recording.ndjson"
    async with LoopbackModelServer(InjectedFault.wrong_key(), otherwise=talk) as server:
        failed = await held(server.url, path, "record", concurrency=1)
        again = await held(server.url, path, "update", concurrency=1)

    assert [each.ending for each in failed] == [Ending.INFRASTRUCTURE_FAILED]
    assert [each.ending for each in again] == [Ending.INFRASTRUCTURE_FAILED, *[Ending.GOALS_ANSWERED] * 3]


async def test_a_call_that_was_refused_is_not_counted_in_a_replay_either(tmp_path: Path):
    path, refused = tmp_path / "recording.ndjson", InjectedFault.status(429, "slow down", retry_after=3600)
    async with LoopbackModelServer(otherwise=refused) as server:
        failed = await held(server.url, path, "record", batch(2), concurrency=1)

    again = await held(server.url, path, "strict", batch(2), concurrency=1)

    assert [len(each.calls) for each in failed] == [0, 0]
    assert said(again) == said(failed)


@pytest.mark.slow
async def test_no_secret_gets_into_a_recording(tmp_path: Path):
    path = tmp_path / "recording.ndjson"

    async with LoopbackModelServer(otherwise=lambda body: f"My key is {KEY}. Goodbye!") as server:
        conversations = await held(server.url, path, "record")
    echoing = await held(server.url, path, "strict")

    assert path.stat().st_size > 1000
    assert KEY not in path.read_text(encoding="utf-8")
    assert conversations[0].messages[0].text.startswith("My key is [redacted].")
    assert said(echoing) == said(conversations)


async def test_a_recording_that_was_cut_off_is_read_up_to_there(recorded: Recorded):
    url, path, conversations = recorded
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])

    again = await held(url, path, "strict")

    assert sum(a != b for a, b in zip(said(again), said(conversations), strict=True)) == 1
    with CallRecording(path) as read:
        assert read.cut_off


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"{}\n", r":1: .+: the first says which format it is, such as \{.sparring_recording.:1\}"),
        (b"hello\n", ":1: is not a line of a recording"),
        (b'{"sparring_recording":2}\n', ":1: .+: its format is 2, and this version of Sparring knows 1"),
        (b'{"sparring_recording":1}\n[]\n', ":2: is not a line of a recording"),
        (
            b'{"sparring_recording":1}\n{"call":{"messages":["a"],"others":[]}}\n',
            ":2: .+: a part of the call is missing, which should stand before it",
        ),
    ],
)
def test_an_invalid_recording_is_refused_with_its_line(tmp_path: Path, content: bytes, why: str):
    path = tmp_path / "a.ndjson"
    path.write_bytes(content)

    with pytest.raises(InputError, match=rf"a\.ndjson{why}$"), CallRecording(path):
        pass


@pytest.mark.parametrize("content", [b"", b'{"sparring_recording":1}\n'])
def test_a_recording_without_a_call_answers_nothing(tmp_path: Path, content: bytes):
    path = tmp_path / "a.ndjson"
    path.write_bytes(content)

    with pytest.raises(InputError, match=r"a\.ndjson: contains no model call$"), CallRecording(path, must_exist=True):
        pass


async def test_an_unwritable_recording_stops_the_run_before_the_first_call(tmp_path: Path):
    path, asked = tmp_path / "a.ndjson", ScriptedModel("Hello", "Hello")

    with CallRecording(path) as recording:
        model = Recorder(recording, "record").model("m", "user", lambda: asked)
        path.mkdir()
        for _ in range(2):
            with pytest.raises(NotRecorded, match="cannot be written: Is a directory"):
                await model.complete(Request((ChatMessage("user", "Hi"),)))

    assert len(asked.requests) == 1
