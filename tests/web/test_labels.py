import re

from starlette.testclient import TestClient as Client

from sparring.app.computed import complete
from sparring.core.conversation import Ending
from sparring.core.usage import ModelCall
from sparring.core.verdict import LABEL, CheckOutcome
from sparring.store.sqlite.store import SqliteStore
from sparring.testing.factories import a_batch, a_conversation
from web.causes_batch import RULES

HTML = {"accept": "text/html"}
ID = "01J0000000000000000000000K"


async def stored(client: Client, id: str = ID, name: str = "") -> None:
    """Store eight conversations, of which half failed."""
    batch = a_batch(*(f"secret/{n}" for n in range(8)), id=id, name=name).model_copy(update={"rules": RULES[:1]})
    async with SqliteStore(client.app_state.service.config.store) as store:  # type: ignore[attr-defined]
        await store.create(batch)
        for number, case in enumerate(batch.cases):
            ending = Ending.GAVE_UP if number % 2 else Ending.GOALS_ANSWERED
            goals = () if number % 2 else a_conversation(case).goals
            told = {"goals": goals, "calls": (ModelCall(role="chatbot", turn=1, input_tokens=900, output_tokens=60),)}
            await store.add(id, a_conversation(case, ending=ending).model_copy(update=told))
        await complete(batch, store)


def shown(client: Client, path: str) -> str:
    """The part of a page below the navigation, once nothing is counted anymore."""
    texts = (client.get(path, headers=HTML).text for _ in range(60))
    text = next(each for each in texts if "data-reload" not in each)
    return text.partition("<main")[2].partition("</main>")[0]


async def test_the_labelling_page_does_not_disclose_the_outcome(client: Client):
    await stored(client)

    text = shown(client, f"/batches/{ID}/label?sample=4&seed=3")

    assert "Conversation 1 of 4" in text
    visible = re.sub(r"<[^>]*>", " ", text)
    assert re.findall("secret|checklist|undecided|goals answered|gave up|tokens", visible) == []
    assert re.findall("<mark|chip|hit", text) == []


async def test_the_outcomes_come_before_the_fields_that_are_optional(client: Client):
    await stored(client)

    form = shown(client, f"/batches/{ID}/label?sample=4&seed=3").partition("Your label</h2>")[2]

    optional = min(form.index(f'name="{each}"') for each in ("blame", "turn", "score", "reason"))
    assert max(form.index(f'value="{each}"') for each in ("passed", "failed", "undecided")) < optional


async def test_a_label_is_stored_and_changes_no_outcome(client: Client):
    await stored(client)
    said = {"outcome": "failed", "score": "1", "reason": "rude", "who": "Ann", "sample": "4", "seed": "3", "at": "1"}
    before = shown(client, f"/batches/{ID}/conversation?id=secret%2F0")

    answer = client.post(f"/batches/{ID}/labels", data={"conversation": "secret/0", **said}, follow_redirects=False)

    assert answer.status_code == 303, answer.text
    assert answer.headers["location"] == f"/batches/{ID}/label?sample=4&seed=3&at=2&who=Ann"
    after = shown(client, f"/batches/{ID}/conversation?id=secret%2F0")
    outcomes = [re.findall('data-outcome="([a-z]+)"', each) for each in (before, after)]
    assert outcomes[0] == outcomes[1]
    async with SqliteStore(client.app_state.service.config.store) as store:  # type: ignore[attr-defined]
        (label,) = [each async for each in store.verdicts(ID) if each.judge == LABEL]
    assert (label.outcome, label.score, label.reason, label.who) == (CheckOutcome.FAIL, 1.0, "rude", "Ann")
    assert label.blind
    assert label.given is not None


async def test_labelling_goes_on_at_the_first_conversation_without_a_label(client: Client):
    await stored(client)
    said = {"outcome": "passed", "who": "Ann", "sample": "2", "seed": "3"}
    queue = client.get(f"/api/batches/{ID}/label-queue?sample=2&seed=3").json()["conversations"]
    first, second = queue

    client.post(f"/batches/{ID}/labels", data={"conversation": first, **said})
    page = shown(client, f"/batches/{ID}/label?sample=2&seed=3&who=Ann")
    client.post(f"/batches/{ID}/labels", data={"conversation": second, **said})
    done = shown(client, f"/batches/{ID}/label?sample=2&seed=3&who=Ann")

    assert "Conversation 2 of 2" in page
    assert "All 2 are labelled" in done
    assert f'href="/batches/{ID}/judge"' in done


async def test_a_label_of_the_page_has_blame_and_turn(client: Client):
    await stored(client)
    said = {"conversation": "secret/1", "outcome": "failed", "blame": "user", "turn": "2", "sample": "4", "seed": "3"}

    page = shown(client, f"/batches/{ID}/label?sample=8&seed=3")
    answer = client.post(f"/batches/{ID}/labels", data=said, follow_redirects=False)
    refused = client.post(f"/batches/{ID}/labels", data=said | {"score": "77"})
    client.post(f"/batches/{ID}/labels", data=said | {"outcome": "passed", "who": "Ben"}, follow_redirects=False)

    assert '<option value="2">2: No, thanks. Привет!</option>' in page
    assert (answer.status_code, refused.status_code) == (303, 400)
    (label, passed) = client.get(f"/api/batches/{ID}/labels").json()["labels"]
    assert (label["blame"], label["turn"], label["outcome"]) == ("user", 2, "failed")
    assert (passed["blame"], passed["outcome"]) == (None, "passed")


async def test_a_mark_is_shown_with_its_conversation_and_batch_until_it_is_removed(client: Client):
    await stored(client)
    said = {"conversation": "secret/1", "note": "ask Bob <b>", "who": "Ann", "in": "outcome=failed"}
    about = f"/batches/{ID}/conversation?id=secret%2F1"

    answer = client.post(f"/batches/{ID}/marks", data=said, follow_redirects=False)

    assert answer.headers["location"] == f"{about}&in=outcome%3Dfailed#mark"
    assert "ask Bob &lt;b&gt;" in shown(client, about)
    assert "ask Bob &lt;b&gt; (Ann)" in shown(client, f"/batches/{ID}")
    assert client.get(f"/api/batches/{ID}/labels").json()["labels"] == []
    client.post(f"/batches/{ID}/marks", data=said | {"remove": "true"})
    assert ["ask Bob" in shown(client, path) for path in (about, f"/batches/{ID}")] == [False, False]


async def test_a_mark_of_a_cause_is_shown_in_later_runs_until_it_is_removed(client: Client):
    await stored(client, name="nightly")
    later = f"{ID[:-1]}M"
    await stored(client, later, name="nightly")
    page = shown(client, f"/batches/{ID}")
    (cause, *_) = re.findall(r'name="cause" value="(c-[0-9a-f]{12})"', page)
    said = {"conversation": "secret/1", "cause": cause, "note": "ticket <b>", "who": "Ann"}

    answer = client.post(f"/batches/{ID}/marks", data=said, follow_redirects=False)

    assert answer.headers["location"] == f"/batches/{ID}#causes"
    assert ["ticket &lt;b&gt;" in shown(client, f"/batches/{each}") for each in (ID, later)] == [True, True]
    assert "ticket" not in shown(client, f"/batches/{ID}/conversation?id=secret%2F1")
    client.post(f"/batches/{later}/marks", data=said | {"remove": "true"})
    assert ["ticket &lt;b&gt;" in shown(client, f"/batches/{each}") for each in (ID, later)] == [False, False]


async def test_a_label_over_rest_has_blame_and_turn(client: Client):
    await stored(client)
    said = {"conversation": "secret/1", "outcome": "failed", "blame": "user", "turn": 2, "who": "Ann"}

    answer = client.post(f"/api/batches/{ID}/labels", json=said)

    assert answer.status_code == 201, answer.text
    assert (answer.json()["blame"], answer.json()["evidence"][0]["text"]) == ("user", "No, thanks. Привет!")
    told = client.get(f"/api/batches/{ID}/labels").json()
    assert [each["turn"] for each in told["labels"]] == [2]
    assert {each["blame"]: each["by_people"] for each in told["agreement"]} == {"chatbot": 0, "user": 1}
    for wrong in ({"turn": 9}, {"blame": "moon"}, {"outcome": "passed"}):
        assert client.post(f"/api/batches/{ID}/labels", json=said | wrong).status_code == 400
    assert client.post(f"/api/batches/{ID}/labels", json=said | {"conversation": "none"}).status_code == 404
