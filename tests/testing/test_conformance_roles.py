"""The suites for models, users, judges and readers: built-in kinds pass, and each fault here is caught."""

import pytest

from scripted import ScriptedModel
from sparring.core import plugins
from sparring.core.clock import SystemClock
from sparring.core.errors import ModelUnavailable
from sparring.core.message import message
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.extraction.extractor import Extraction
from sparring.llm.client.late_transport import LateTransport
from sparring.llm.plugin_context import LLMConfig, PluginContext
from sparring.testing import check_judge, check_model, check_reader, check_user

CONTEXT = PluginContext(LLMConfig(), SystemClock(), LateTransport())


@pytest.mark.parametrize("name", plugins.names("sparring.users"))
async def test_every_built_in_user_conforms(name: str):
    await check_user(lambda: plugins.find("sparring.users", name)("", CONTEXT))


@pytest.mark.parametrize("name", plugins.names("sparring.judges"))
async def test_every_built_in_judge_conforms(name: str):
    await check_judge(lambda: plugins.find("sparring.judges", name)("", CONTEXT))


@pytest.mark.parametrize("name", plugins.names("sparring.readers"))
async def test_every_built_in_reader_conforms(name: str):
    await check_reader(lambda: plugins.find("sparring.readers", name)("", CONTEXT))


async def test_models_that_answer_and_models_that_fail_conform():
    await check_model(lambda: ScriptedModel("Hello!"))
    await check_model(lambda: ScriptedModel(ModelUnavailable("down")))


class Speaks:
    def __init__(self) -> None:
        self.times = 0

    async def speak(self, conversation):
        self.times += 1
        return message("user", f"time {self.times}")


class Judges:
    def __init__(self, **fields) -> None:
        self.fields = {"check": "polite", "outcome": CheckOutcome.FAIL, "reason": "rude", **fields}

    async def judge(self, conversation, rubric):
        return Verdict(**{"conversation": conversation.id, **self.fields})


class Reads:
    async def read(self, conversation):
        return Extraction((), ())


async def test_a_user_with_state_is_caught():
    with pytest.raises(AssertionError, match="keeps no state"):
        await check_user(Speaks)


@pytest.mark.parametrize(
    ("fields", "requirement"),
    [
        ({"conversation": "other"}, "names the conversation"),
        ({"reason": ""}, "has a reason"),
        ({"outcome": CheckOutcome.ERROR, "score": 1}, "no score"),
    ],
)
async def test_a_faulty_judge_is_caught(fields, requirement):
    await check_judge(Judges)
    with pytest.raises(AssertionError, match=requirement):
        await check_judge(lambda: Judges(**fields))


async def test_a_reader_that_leaves_out_goals_is_caught():
    with pytest.raises(AssertionError, match="one entry for each goal"):
        await check_reader(Reads)


async def test_a_model_that_says_nothing_is_caught():
    with pytest.raises(AssertionError, match="text or tool requests"):
        await check_model(lambda: ScriptedModel(""))
