"""The shipped scenarios, played against the agent as it is and with faults in it, and judged by what was ordered."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

import sparring_bots.phone_orders
from fakes import FrozenClock
from sparring.core.batch import Batch, Players
from sparring.core.case import Case
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.core.value import Json, to_json
from sparring.extraction.pattern_extractor import PatternReader
from sparring.llm.plugin_context import PluginContext
from sparring.runner.batch import run
from sparring.runner.players import ResolvedPlayers
from sparring.scenarios import loading
from sparring.simulation.simulate import simulate
from sparring.testing.memory_store import MemoryStore
from sparring.users.agenda import Agenda
from sparring_bots.phone_orders.agent import chatbot
from sparring_bots.phone_orders.catalogue import shipped_catalogue
from sparring_bots.phone_orders.faults import FAULTS
from sparring_bots.phone_orders.order_judge.judge import judge_order
from sparring_bots.phone_orders.packaging import packed

FOLDER = Path(sparring_bots.phone_orders.__file__).parent / "scenarios"
MEASURED = frozenset({"timing"})


def shipped(seed: int) -> tuple[Case, ...]:
    return loading.load([FOLDER], seed=seed).cases


async def play(argument: str, context: PluginContext, cases: tuple[Case, ...]) -> list[Conversation]:
    agent = chatbot(argument, context)
    return [await simulate(case, Agenda(), agent, reader=PatternReader()) for case in cases]


def scores(conversations: list[Conversation]) -> dict[str, float | None]:
    return {conversation.case.id: judge_order(conversation).score for conversation in conversations}


def test_scenarios_of_every_kind_are_shipped():
    cases = shipped(1)

    assert len(cases) >= 12
    assert {case.persona.language for case in cases} == {"Russian", "English"}
    assert {case.variables["AMB_LEVEL" if "AMB_LEVEL" in case.variables else "amb_level"] for case in cases} == {
        0,
        1,
        2,
        3,
    }


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_the_unaltered_agent_scores_three_on_every_shipped_scenario(context: PluginContext, seed: int):
    conversations = await play("", context, shipped(seed))

    assert {case: score for case, score in scores(conversations).items() if score != 3} == {}
    assert all(conversation.messages[-1].ends for conversation in conversations)


@pytest.mark.slow
@pytest.mark.parametrize("language", ["Russian", "English"])
async def test_the_unaltered_agent_scores_three_on_everything_in_its_catalogue(
    context: PluginContext, language: str, tmp_path: Path
):
    calls = [
        {
            "name": product.code,
            "variables": {
                "LANGUAGE": language,
                "AMB_LEVEL": number % 2,
                "CURRENT_DATE": "2026-02-03",
                "ORDER_GOAL": goal,
            },
        }
        for number, product in enumerate(shipped_catalogue().products)
        for goal in [
            [
                {"name": each.name(language), "qty": 1 + number % 5, "packaging": packed(kind, language)}
                for each in (product, shipped_catalogue().products[number - 9])
                for kind in [list(each.packs)[number % len(each.packs)]]
            ]
        ]
    ]
    (tmp_path / "calls.json").write_text(json.dumps(calls))

    found = scores(await play("", context, loading.load([tmp_path / "calls.json"], seed=1).cases))

    assert len(found) == len(shipped_catalogue().products)
    assert {case: score for case, score in found.items() if score != 3} == {}


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
async def test_every_planted_fault_lowers_the_score(context: PluginContext, fault: str):
    agent, found = chatbot(f"fault={fault}", context), []
    for case in shipped(1):
        found.append(judge_order(await simulate(case, Agenda(), agent, reader=PatternReader())).score)
        if found[-1] is None or found[-1] < 3:
            break

    assert None not in found
    assert found[-1] < 3


@pytest.mark.slow
async def test_the_same_seed_gives_the_same_conversations_and_scores_at_any_concurrency(context: PluginContext):
    batch = Batch(
        id="batch",
        created=datetime(2026, 1, 2, tzinfo=UTC),
        who=Players(chatbot="phone_orders", user="agenda", judge="order"),
        cases=shipped(5),
        repeats=2,
    )

    async def played(concurrency: int) -> dict[str, tuple[bytes, float | None]]:
        store = MemoryStore()
        cast = ResolvedPlayers(chatbot("", context), Agenda(), PatternReader(), FrozenClock())
        async for _ in run(batch, cast, store, concurrency=concurrency):
            pass
        found = [conversation async for conversation in store.conversations(batch.id)]
        return {each.id: (to_json(each, without=MEASURED), judge_order(each).score) for each in found}

    alone = await played(1)

    assert len(alone) == batch.planned
    assert await played(64) == alone


@pytest.mark.parametrize(
    "variables",
    [
        {"ORDER_GOAL": '[{"name": "филе", "qty": 2, "from_history": true}]', "LOCATIONS": "Тула, Нижний Новгород"},
        {"ORDER_GOAL": [{"name": "молоко", "qty": 2}, "сыр"], "DELIVERY_DAYS": "пн-пт", "TICKET": "JIRA-123"},
        {"ORDER_GOAL": [{"name": "milk", "qty": 2}], "PERSONALITY": "calm", "AMB_LEVEL": 3, "PATIENCE": 0},
    ],
    ids=["list of cities", "ambiguous products", "no patience"],
)
async def test_scenarios_that_leave_much_open_end_as_a_person_would_have_it(
    context: PluginContext, variables: dict[str, Json], tmp_path: Path
):
    open_ended = {"PERSONALITY": "спокойный", "PATIENCE": 2, "DELIVERY_DAYS": "1-2 рабочих дня", **variables}
    file = tmp_path / "open.json"
    scenario = {"name": "open", "variables": {**open_ended, "CURRENT_DATE": "2026-02-03 Tuesday"}}
    file.write_text(json.dumps([scenario]), encoding="utf-8")

    conversations = await play("", context, loading.load([file], seed=1).cases)

    said = [each.text for each in conversations[0].messages if each.role == "user"]
    assert list(scores(conversations).values()) == [3], said
    assert not any("JIRA" in text for text in said)


def test_an_unknown_fault_is_refused_with_those_that_there_are(context: PluginContext):
    with pytest.raises(InputError, match="phone_orders has no fault 'wrong_dat'") as close:
        chatbot("fault=wrong_dat", context)
    with pytest.raises(InputError) as far:
        chatbot("fault=", context)
    with pytest.raises(InputError, match="not 'cart'"):
        chatbot("cart", context)

    assert close.value.hint == "did you mean 'wrong_date'?"
    assert far.value.hint.startswith("there are: wrong_packaging, ")
