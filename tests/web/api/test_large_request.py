"""Large requests are parsed in a process of their own."""

import os

import orjson
import pytest

from sparring.app.launch import BatchPlan
from sparring.core.batch import PlayerNames
from sparring.core.clock import SystemClock
from sparring.core.errors import InputError
from sparring.settings import Settings
from sparring.testing.factories import a_case
from sparring.testing.memory_store import MemoryStore
from sparring.web.api import launch
from sparring.web.api.large_request import in_process, packed, unpacked
from sparring.web.api.launch import AllowedChoices, parse_launch

CONFIG = Settings(chatbot="pizzeria", model="offline").app_config(environment={})
ALLOWED = AllowedChoices(("pizzeria",), ("offline",))


def a_request(orders: int, **more: object) -> bytes:
    goals = {"ORDER_GOAL": ["a large custom pizza with ham"]}
    scenarios = [{"name": f"order {n}", "variables": goals, **more} for n in range(orders)]
    return orjson.dumps({"scenarios": scenarios, "seed": 7, "name": "large"})


async def parsed(body: bytes) -> BatchPlan:
    return (await parse_launch(body, ALLOWED, CONFIG, 10_000, SystemClock(), MemoryStore()))[0]


@pytest.mark.process
async def test_a_large_request_is_parsed_as_a_small_one(monkeypatch: pytest.MonkeyPatch):
    body = a_request(250)
    small = await parsed(body)
    monkeypatch.setattr(launch, "LARGE", 100)

    assert await parsed(body) == small
    assert len(small.cases) == 250


@pytest.mark.process
async def test_problems_of_a_large_request_are_those_of_a_small_one(monkeypatch: pytest.MonkeyPatch):
    found = []
    for large in (1_000_000, 100):
        monkeypatch.setattr(launch, "LARGE", large)
        with pytest.raises(InputError) as caught:
            await parsed(a_request(20, wrong=1))
        found.append((caught.value.problems, caught.value.hint))

    assert found[0] == found[1]


@pytest.mark.process
async def test_the_process_is_another_one_and_its_failure_an_error():
    assert await in_process(os.getpid) != os.getpid()
    with pytest.raises(RuntimeError, match="ended with code 3"):
        await in_process(os._exit, 3)


def test_a_plan_is_unpacked_as_it_was():
    plan = BatchPlan(cases=tuple(map(a_case, "abc")) * 100, choice=PlayerNames("pizzeria", "offline", "agenda"))

    assert unpacked(packed(plan)) == plan
