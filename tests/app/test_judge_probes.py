"""Judges with planted instabilities: the probe that is about one finds it, and no other does."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from sparring.app.calibrate import calibrate
from sparring.app.config import AppConfig
from sparring.core.batch import Batch
from sparring.core.checks import Rubric
from sparring.core.errors import InputError
from sparring.core.usage import Usage
from sparring.core.verdict import CheckOutcome
from sparring.llm.model import Completion, Request, UnpricedModel
from sparring.settings import Settings
from sparring.store.store import Store
from sparring.testing.factories import CREATED, a_batch, a_conversation, a_verdict
from sparring.testing.memory_store import MemoryStore

RUBRIC = Rubric(name="polite", text="Is it polite?\n\n- 3: yes.\n- 1: no.")
JUDGE = "planted"
CONVERSATIONS = 8


@dataclass
class PlantedModel(UnpricedModel):
    """A judge's model that passes a conversation unless `fails` says otherwise, and that restates."""

    fails: Callable[[Request], bool]
    asked: list[Request] = field(default_factory=list)

    async def complete(self, request: Request) -> Completion:
        self.asked.append(request)
        if request.messages[0].content.startswith("You restate"):
            said = [json.loads(line) for line in request.messages[1].content.splitlines()]
            answer: dict[str, Any] = {"messages": [{**each, "text": f"So, {each['text']}"} for each in said]}
        else:
            score = 1 if self.fails(request) else 3
            answer = {"quotes": [{"n": 3, "words": _last(request)}], "comment": "Because.", "score": score}
        return Completion(text=json.dumps(answer), usage=Usage(calls=1))


def _last(request: Request) -> str:
    lines = request.messages[1].content.splitlines()
    return str(json.loads(lines[-3])["text"])


async def judged(store: Store) -> Batch:
    batch = a_batch(*(f"a/{n}" for n in range(CONVERSATIONS)))
    batch = batch.changed(who=batch.who.changed(judge=JUDGE), rubrics=(RUBRIC,))
    await store.create(batch)
    for case in batch.cases:
        await store.add(batch.id, a_conversation(case))
        given = a_verdict(case.id, judge=JUDGE, outcome=CheckOutcome.PASS).changed(rubric=RUBRIC.hash)
        await store.judge(batch.id, given, rubric=RUBRIC)
    return batch


def config(model: object) -> AppConfig:
    return Settings().app_config(objects={JUDGE: model})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fails", "probe"),
    [
        (lambda request: False, None),
        (lambda request: "with this sentence" in _last(request), "verbosity"),
        (lambda request: _last(request).startswith("So, "), "paraphrase"),
        (lambda request: "- 1: no.\n- 3: yes." in request.messages[0].content, "order"),
    ],
    ids=["stable", "verbosity", "paraphrase", "order"],
)
async def test_each_planted_instability_is_found_by_its_own_probe_alone(
    fails: Callable[[Request], bool], probe: str | None
):
    model = PlantedModel(fails)
    async with MemoryStore() as store:
        batch = await judged(store)

        found = await calibrate(batch, store, config(model), CREATED, probe=CONVERSATIONS)

        moved = {each.probe: each.moved.value for each in found.probes}
        assert moved == {each: float(each == probe) for each in ("again", "order", "verbosity", "paraphrase")}
        assert {each.probe for each in found.probes if each.p < 0.05} == {probe} - {None}
        assert {(each.to_fail, each.shift and each.shift.value) for each in found.probes if each.probe == probe} <= {
            (CONVERSATIONS, -2)
        }
        assert sum(each.usage.calls for each in found.probes) == len(model.asked) == 5 * CONVERSATIONS
        assert "no label" in found.refused
        assert (await store.calibrations(JUDGE))[0].probes == found.probes


@pytest.mark.slow
async def test_probes_stay_with_later_calibrations_and_a_judge_that_cannot_answer_is_undecided():
    async with MemoryStore() as store:
        batch = await judged(store)
        broken = PlantedModel(lambda request: 1 / 0 > 0)

        found = await calibrate(batch, store, config(broken), CREATED, probe=3)
        label = a_verdict("a/1", judge="label").changed(by="human", rubric="", who="Ann", given=CREATED, blind=True)
        await store.judge(batch.id, label)
        later = await calibrate(batch, store, config(broken), CREATED)

    assert [(each.probe, each.asked, each.undecided) for each in found.probes] == [
        ("again", 3, 3),
        ("order", 3, 3),
        ("verbosity", 3, 3),
        ("paraphrase", 3, 3),
    ]
    assert (later.labels, later.probes) == (1, found.probes)


async def test_a_judge_that_reads_no_rubric_cannot_be_probed():
    async with MemoryStore() as store:
        batch = a_batch("a/1")
        await store.create(batch)

        with pytest.raises(InputError, match="checklist reads no rubric"):
            await calibrate(batch, store, config(None), CREATED, probe=3)
