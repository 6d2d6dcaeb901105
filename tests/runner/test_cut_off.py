"""What a model was stopped in is not all that was said, and a conversation says so."""

from collections.abc import Callable
from pathlib import Path

from fakes import FrozenClock, Saying
from scripted import ScriptedModel
from sparring.chatbots.prompted.chatbot import Prompted
from sparring.core.batch import Batch, Players
from sparring.core.case import Case
from sparring.core.conversation import Conversation
from sparring.core.events import ConversationEnded
from sparring.core.message import message
from sparring.extraction.pattern_extractor import PatternReader
from sparring.llm import template
from sparring.llm.model import Completion, MeteredModel, Model
from sparring.llm.recording import CallRecording
from sparring.llm.replay import Mode, Recorder
from sparring.runner.batch import run
from sparring.runner.players import ResolvedPlayers
from sparring.testing.factories import CREATED
from sparring.testing.memory_store import MemoryStore

CUT = "the model of the chatbot was cut off in what it said (length): some of it is missing"


async def held(model: Model) -> Conversation:
    """A conversation of two turns."""
    user = Saying(message("user", "Hi"), message("user", "And?", ends=True))
    chatbot = Prompted(MeteredModel(model, "chatbot"), template.read(""))
    cast = ResolvedPlayers(chatbot=chatbot, user=user, reader=PatternReader(), clock=FrozenClock())
    batch = Batch(id="B1", created=CREATED, who=Players(chatbot="prompted", user="saying"), cases=(Case(id="case"),))
    events = [event async for event in run(batch, cast, MemoryStore())]
    return next(event.conversation for event in events if isinstance(event, ConversationEnded))


def rambling() -> Model:
    return ScriptedModel(Completion("The pizza has ha", stopped="length"), Completion("It is", stopped="length"))


async def test_a_conversation_says_once_that_a_model_was_cut_off():
    assert (await held(rambling())).warnings == (CUT,)


async def test_a_model_that_says_all_it_wants_is_no_reason_to_warn():
    assert (await held(ScriptedModel("Hello!", "Nothing."))).warnings == ()


async def test_a_replay_says_so_too(tmp_path: Path):
    async def run(mode: Mode, make: Callable[[], Model]) -> Conversation:
        with CallRecording(tmp_path / "r.ndjson") as recording:
            return await held(Recorder(recording, mode).model("m", "chatbot", make))

    assert await run("record", rambling) == await run("strict", rambling)
