import asyncio
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripted import ScriptedModel
from sparring.core.errors import InputError, ModelUnavailable, NotRecorded
from sparring.core.usage import Usage
from sparring.llm.cache import Cache
from sparring.llm.call_context import call_context
from sparring.llm.model import ChatMessage, Completion, Request, Schema, Tool
from sparring.llm.recording import CallRecording

ASKED = Request((ChatMessage("system", "You judge."), ChatMessage("user", "Was it polite?")), temperature=0, seed=1)
SAID = Completion(text="yes", usage=Usage(calls=1, input_tokens=9, output_tokens=1, cost=0.01), model="m-1")
HIT = replace(SAID, usage=Usage(from_cache=1))


def opened(path: Path) -> CallRecording:
    return CallRecording(path, latest=True)


@pytest.mark.parametrize("said", [SAID, replace(SAID, refused=True, stopped="length")], ids=["plain", "marked"])
async def test_a_cached_answer_is_not_asked_again_and_costs_nothing(tmp_path: Path, said: Completion):
    model, hit = ScriptedModel(said), replace(said, usage=HIT.usage)

    with opened(tmp_path / "a.ndjson") as recording:
        cached = Cache(recording).model("m", model)
        first, second = await cached.complete(ASKED), await cached.complete(ASKED)
    with opened(tmp_path / "a.ndjson") as recording:
        third = await Cache(recording).model("m", ScriptedModel()).complete(ASKED)

    assert (first, second, third) == (said, hit, hit)


OTHERS = {
    "prompt": {"messages": (ChatMessage("system", "You judge!"), ASKED.messages[1])},
    "question": {"messages": (ASKED.messages[0], ChatMessage("user", "Was it rude?"))},
    "history": {"messages": ASKED.messages[1:]},
    "role": {"messages": (ASKED.messages[0], ChatMessage("assistant", "Was it polite?"))},
    "temperature": {"temperature": 0.1},
    "no temperature": {"temperature": None},
    "seed": {"seed": 2},
    "length": {"max_tokens": 20},
    "shape": {"answer": Schema("Answer", {"type": "object"})},
    "tools": {"tools": (Tool("look", "Look.", {"type": "object"}),)},
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
async def test_anything_else_is_another_question(tmp_path: Path, other: dict[str, object]):
    changed = replace(ASKED, **other)  # type: ignore[arg-type]

    with opened(tmp_path / "a.ndjson") as recording:
        cached = Cache(recording).model("m", ScriptedModel(SAID, "no"))
        await cached.complete(ASKED)
        answered = await cached.complete(changed)

    assert answered.text == "no"


async def test_another_model_is_another_question(tmp_path: Path):
    with opened(tmp_path / "a.ndjson") as recording:
        cache = Cache(recording)
        await cache.model("m", ScriptedModel(SAID)).complete(ASKED)
        answered = await cache.model("m at http://127.0.0.1:1/v1", ScriptedModel("no")).complete(ASKED)

    assert answered.text == "no"


async def test_a_failure_is_not_kept(tmp_path: Path):
    with opened(tmp_path / "a.ndjson") as recording:
        cached = Cache(recording).model("m", ScriptedModel(ModelUnavailable("busy"), SAID))
        with pytest.raises(ModelUnavailable):
            await cached.complete(ASKED)
        assert await cached.complete(ASKED) == SAID


async def test_an_unusable_answer_is_not_cached(tmp_path: Path):
    with opened(tmp_path / "a.ndjson") as recording:
        cached = Cache(recording).model("m", ScriptedModel("perhaps", "maybe", SAID))
        with call_context(cache_writes=[]):
            await cached.complete(ASKED)
        with call_context(cache_writes=[]) as call:
            assert (await cached.complete(ASKED)).text == "maybe"
            call.commit_cache_writes()
        assert (await cached.complete(ASKED)).text == "maybe"


async def test_a_refreshed_answer_replaces_the_cached_one(tmp_path: Path):
    with opened(tmp_path / "a.ndjson") as recording:
        await Cache(recording).model("m", ScriptedModel(SAID)).complete(ASKED)
        await Cache(recording, refresh=True).model("m", ScriptedModel("no")).complete(ASKED)
        here = await Cache(recording).model("m", ScriptedModel()).complete(ASKED)
    with opened(tmp_path / "a.ndjson") as recording:
        later = await Cache(recording).model("m", ScriptedModel()).complete(ASKED)

    assert (here.text, later.text) == ("no", "no")


async def test_answers_that_another_program_added_are_found(tmp_path: Path):
    with opened(tmp_path / "a.ndjson") as ours, opened(tmp_path / "a.ndjson") as theirs:
        await Cache(theirs).model("m", ScriptedModel(SAID)).complete(ASKED)
        found = await Cache(ours).model("m", ScriptedModel()).complete(ASKED)

    assert found == HIT


MANY = """\
import asyncio, sys
from pathlib import Path
from sparring.core.usage import Usage
from sparring.llm.cache import Cache
from sparring.llm.model import ChatMessage, Completion, Request
from sparring.llm.recording import CallRecording

class Echo:
    async def complete(self, request):
        await asyncio.sleep(0)
        return Completion(text=request.messages[0].content, usage=Usage(calls=1))

async def main(path, first):
    with CallRecording(path, latest=True) as recording:
        cached = Cache(recording).model("m", Echo())
        asked = [Request((ChatMessage("user", f"{n} " + "x" * 5000),)) for n in range(first, first + 200)]
        await asyncio.gather(*map(cached.complete, asked))

asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
"""


@pytest.mark.process
def test_several_programs_at_once_lose_nothing_and_spoil_nothing(tmp_path: Path):
    path = tmp_path / "a.ndjson"
    programs = [subprocess.Popen([sys.executable, "-c", MANY, path, str(first)]) for first in (0, 100, 200)]
    assert [program.wait() for program in programs] == [0, 0, 0]

    async def found() -> list[Completion]:
        with opened(path) as recording:
            cached = Cache(recording).model("m", ScriptedModel())
            asked = [Request((ChatMessage("user", f"{n} " + "x" * 5000),)) for n in range(400)]
            return [await cached.complete(each) for each in asked]

    answers = asyncio.run(found())
    assert [answer.text.split()[0] for answer in answers] == [str(n) for n in range(400)]


@pytest.mark.slow
@given(cut=st.integers(1, 400))
def test_a_program_that_was_killed_while_it_wrote_spoils_nothing(tmp_path_factory: pytest.TempPathFactory, cut: int):
    path = tmp_path_factory.mktemp("cut") / "a.ndjson"

    async def ask(question: str, *replies: str) -> str:
        with opened(path) as recording:
            asked = Request((ChatMessage("user", question),))
            return (await Cache(recording).model("m", ScriptedModel(*replies)).complete(asked)).text

    asyncio.run(ask("first", "one"))
    path.write_bytes(path.read_bytes()[:-cut])
    asyncio.run(ask("second", "two"))

    assert asyncio.run(ask("second")) == "two"
    assert asyncio.run(ask("first", "one again")) in ("one", "one again")


async def test_no_secret_gets_into_a_cache(tmp_path: Path):
    path, key = tmp_path / "a.ndjson", "sk-planted-0123456789"
    asked = Request((ChatMessage("user", f"is {key} secret?"),))

    with CallRecording(path, secrets=[key], latest=True) as recording:
        await Cache(recording).model("m", ScriptedModel(f"yes, {key} is")).complete(asked)

    assert key not in path.read_text(encoding="utf-8")
    assert path.stat().st_mode & 0o077 == 0


def test_an_unwritable_cache_is_refused_before_the_first_call(tmp_path: Path):
    (tmp_path / "file").touch()

    with pytest.raises(InputError, match="cannot be used"), opened(tmp_path / "file" / "a.ndjson"):
        pass


async def test_a_file_that_is_spoilt_meanwhile_is_no_failure_of_the_model(tmp_path: Path):
    with opened(tmp_path / "a.ndjson") as recording:
        with (tmp_path / "a.ndjson").open("a") as other:
            other.write("not ours\n")
        with pytest.raises(NotRecorded, match="is not a line of a recording"):
            await Cache(recording).model("m", ScriptedModel()).complete(ASKED)
