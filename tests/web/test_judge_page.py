"""The page of a judge: calibration by blind labels, probes and canaries, and the gate that asks for a calibration."""

import pytest

from cli.conftest import Bot, bot
from sparring.core.conversation import Ending
from sparring.store.sqlite.store import SqliteStore
from sparring.testing.factories import a_batch, a_conversation
from web.conftest import Client, Open, finished, scenarios
from web.judging import judging

__all__ = ["bot"]

pytestmark = pytest.mark.slow  # its tests play batches

HTML = {"accept": "text/html"}


def shown(client: Client, path: str) -> str:
    texts = (client.get(path, headers=HTML).text for _ in range(60))
    text = next(each for each in texts if "data-reload" not in each)
    return text.partition("<main")[2].partition("</main>")[0]


def label(client: Client, id: str, number: int) -> None:
    given = [{"conversation": f"scenarios/Order-{n}", "outcome": "passed"} for n in range(number)]
    client.post(f"/api/batches/{id}/labels/import", json={"labels": given}).raise_for_status()


def test_a_judge_is_calibrated_on_its_page_and_the_gate_says_so(opened: Open):
    client = opened(gate={"pass_rate": 0.1, "judge": "calibrated"})
    id = finished(client, {"scenarios": scenarios(3), "judge": "checklist"})

    before, bare = shown(client, f"/batches/{id}"), shown(client, f"/batches/{id}/judge")
    refused = client.post(f"/batches/{id}/calibrate", headers=HTML)
    label(client, id, 3)
    offered = shown(client, f"/batches/{id}/judge")
    answer = client.post(f"/batches/{id}/calibrate", follow_redirects=False)
    after = shown(client, f"/batches/{id}/judge")

    assert ("the gate asks for a calibrated judge (checklist: not calibrated)" in before, "Calibrate" in bare) == (
        True,
        False,
    )
    assert (refused.status_code, "has a blind label" in refused.text) == (400, True)
    assert "Calibrate with 3 labelled conversations" in offered
    assert (answer.status_code, answer.headers["location"]) == (303, f"/batches/{id}/judge")
    assert "3 labels of 3 conversations" in after
    assert "Not corrected: 3 labels tell too little" in after
    assert "checklist: 3 labels tell too little" in shown(client, f"/batches/{id}")


async def test_labels_that_calibrate_nothing_are_not_offered(client: Client):
    batch = a_batch("a/1", "a/2", "a/3")
    async with SqliteStore(client.app_state.service.config.store) as store:  # type: ignore[attr-defined]
        await store.create(batch.model_copy(update={"who": batch.who.model_copy(update={"judge": "checklist"})}))
        for case, ending in zip(batch.cases, (Ending.USER_FAILED, Ending.USER_DONE, Ending.USER_DONE), strict=True):
            await store.add(batch.id, a_conversation(case, ending=ending))
    opinions = ("passed", "undecided", "passed")
    given = [{"conversation": f"a/{n}", "outcome": outcome} for n, outcome in enumerate(opinions, 1)]

    client.post(f"/api/batches/{batch.id}/labels/import", json={"labels": given}).raise_for_status()

    assert "Calibrate with 1 labelled conversation <" in shown(client, f"/batches/{batch.id}/judge")


def test_a_judge_is_probed_and_tested_with_canaries_on_its_page(opened: Open, bot: Bot):
    bot.answer = judging
    model = f"{bot.url}#m"
    client = opened(models=("offline", model))
    case = {"name": "Coke", "variables": {"ORDER_GOAL": ["a coke"]}}
    id = finished(client, {"scenarios": [case], "judge": model, "rubric": ["general"]})

    client.post(f"/batches/{id}/calibrate", data={"probe": "1"}, follow_redirects=False)
    probed = shown(client, f"/batches/{id}/judge")
    flown = client.post(f"/batches/{id}/canaries", headers=HTML)

    assert "Verdicts that moved" in probed
    assert "replies padded with filler" in probed
    assert f"general, by {model}: fell for 0 of 17 canaries" in flown.text


def test_a_server_calls_no_judge_that_it_may_not_call(client: Client):
    id = finished(client, {"scenarios": scenarios(1), "judge": "checklist"})

    answers = [client.post(f"/batches/{id}/{what}", data={"probe": "1"}) for what in ("calibrate", "canaries")]

    assert [each.status_code for each in answers] == [403, 403]
    assert "Probes" not in shown(client, f"/batches/{id}/judge")


def test_a_judge_that_is_no_model_is_not_probed(opened: Open):
    client = opened(judge="checklist")
    id = finished(client, scenarios(1))

    assert "Probes" not in client.get(f"/batches/{id}/judge", headers=HTML).text
    refused = client.post(f"/batches/{id}/calibrate", data={"probe": "5"}, headers=HTML)
    assert (refused.status_code, "the judge checklist reads no rubric" in refused.text) == (400, True)


def test_a_batch_without_a_judge_has_no_such_page(client: Client):
    id = finished(client, {"scenarios": scenarios(1), "judge": "none"})

    assert client.get(f"/batches/{id}/judge", headers=HTML).status_code == 404
    assert f"/batches/{id}/judge" not in shown(client, f"/batches/{id}")
