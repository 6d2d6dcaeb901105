import re
from html.parser import HTMLParser
from urllib.parse import quote, urljoin

import pytest

from sparring.app.computed import complete
from sparring.core.conversation import Ending, GoalProgress, GoalStage
from sparring.store.sqlite.store import SqliteStore
from sparring.testing.factories import a_batch, a_conversation
from web.conftest import Client, Open, finished, scenarios

pytestmark = pytest.mark.slow  # its tests play batches

HTML = {"accept": "text/html"}
BATCH = "01J0000000000000000000000A"


class Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.found += [value for name, value in attributes if name in ("href", "src", "hx-get") and value]


def page(client: Client, path: str, status: int = 200) -> str:
    answer = client.get(path, headers=HTML)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"].startswith("text/html")
    return answer.text


async def kept(client: Client, *cases: str, completed: bool = False, **changed) -> str:
    """A batch that is in the store, but was not played here."""
    batch = a_batch(*cases, id=BATCH)
    async with SqliteStore(client.app_state.service.config.store) as store:  # type: ignore[attr-defined]
        await store.create(batch)
        for case in batch.cases:
            await store.add(batch.id, a_conversation(case, **changed))
        if completed:
            await complete(batch, store)
    return batch.id


def counted(client: Client, id: str) -> str:
    """The page of a batch at its end: it does not wait for a slow computation."""
    return next(text for text in (page(client, f"/batches/{id}") for _ in range(60)) if "data-reload" not in text)


def test_browsers_are_led_to_the_pages_and_programs_are_not(client: Client):
    assert client.get("/", headers=HTML, follow_redirects=False).headers["location"] == "/batches"
    assert client.get("/").json()["service"] == "sparring"


@pytest.mark.slow
def test_the_name_of_a_batch_leads_to_its_newest_run_and_a_number_to_that_run(client: Client):
    id = finished(client, {"scenarios": scenarios(1), "name": "once only"})
    first, second = (finished(client, {"scenarios": scenarios(1), "name": "twice"}) for _ in range(2))

    def led(name: str) -> tuple[int, str | None]:
        answer = client.get(f"/batches/{name}", headers=HTML, follow_redirects=False)
        return answer.status_code, answer.headers.get("location")

    assert led("once%20only") == (303, f"/batches/{id}")
    assert (led("twice"), led("twice@1")) == ((303, f"/batches/{second}"), (303, f"/batches/{first}"))
    assert (page(client, "/batches").count(">twice @"), page(client, "/batches?q=twice").count(">twice @")) == (1, 2)
    assert (led("twice@3"), led("twice@0")) == ((404, None), (404, None))
    assert led("never") == (404, None)


def test_an_empty_store_shows_the_command(client: Client):
    assert "sparring demo" in page(client, "/batches")


@pytest.mark.slow
def test_every_link_of_every_page_leads_somewhere(client: Client):
    finished(client, {"scenarios": scenarios(2), "name": "calls"})
    seen, ahead, broken = {"/batches"}, ["/batches"], []
    while ahead:
        path = ahead.pop()
        answer = client.get(path, headers=HTML, follow_redirects=False)
        if answer.status_code not in (200, 303):
            broken.append((path, answer.status_code))
        if not answer.headers.get("content-type", "").startswith("text/html"):
            continue
        links = Links()
        links.feed(answer.text)
        for link in links.found:
            target = urljoin(path, link).partition("#")[0]
            if target not in seen and not target.startswith("http"):
                seen.add(target)
                ahead.append(target)

    assert broken == []
    assert len(seen) > 20


def test_a_batch_shows_how_far_it_is_and_what_came_out(client: Client):
    id = finished(client, {"scenarios": scenarios(3), "name": "calls", "tags": ["nightly"]})

    listed, shown = page(client, "/batches"), counted(client, id)

    assert ">calls @1</a>" in listed
    assert "nightly" in listed
    assert "3 of 3" in listed
    assert "<b>PASSED:</b> all 3 passed" in shown
    assert "Scenarios, worst first" in shown


def test_rates_have_both_claims_once_nothing_runs(client: Client):
    id = finished(client, scenarios(3))
    said = "29–100 % for these cases and cases like these"

    assert f"passed 100 % (3 of 3 cases): {said}" in counted(client, id)
    assert "100 % [29–100]" in page(client, "/batches")


def test_batches_are_searched(client: Client):
    finished(client, {"scenarios": scenarios(1), "name": "morning calls"})
    finished(client, {"scenarios": scenarios(1), "name": "evening calls"})

    found = page(client, "/batches?q=MORNING")
    none = page(client, "/batches?state=failed")

    assert ("morning calls" in found, "evening calls" in found) == (True, False)
    assert "No matching batches" in none


async def test_conversations_are_filtered_sorted_and_paged(client: Client):
    id = await kept(client, *(f"order/{n}" for n in range(60)), completed=True)
    path = f"/batches/{id}/conversations"

    assert "60 conversations, page 1 of 2" in page(client, path)
    assert "order/59" in page(client, f"{path}?page=2")
    assert "1 conversation<" in page(client, f"{path}?case=order/17").replace("</p>", "<")
    assert "60 conversations" in page(client, f"{path}?text=ПРИВЕТ&ending=goals_answered&outcome=undecided")
    assert "No matching conversations" in page(client, f"{path}?outcome=failed")
    first = re.findall(r"conversation\?id=([^\"&]+)", page(client, f"{path}?order=case&way=down"))[0]
    assert first == "order%2F59"


async def test_failed_conversations_are_found(client: Client):
    id = await kept(client, "a", ending=Ending.GAVE_UP)

    shown = counted(client, id)
    found = page(client, f"/batches/{id}/conversations?check=checklist&outcome=failed")

    assert "Causes of failure" in shown
    assert "the chatbot did not understand the user, again and again" in found


async def test_a_conversation_shows_turns_goals_outputs_tools_and_verdicts(client: Client):
    id = await kept(client, "order/1")

    shown = page(client, f"/batches/{id}/conversation?id=order%2F1")

    for part in (
        'id="m0"',
        "A large pizza, please.",
        "Привет!",
        '<mark class="goal output"',
        "500 ms",
        "&#34;amount&#34;: 12.5",
        "shows goal 1",
        "checklist",
        "<dt>case</dt>",
        "null bots: a bot that says",
        "ends the conversation",
        "960 tokens",
        "$0.0012",
    ):
        assert part in shown, part


async def test_a_person_decides_what_no_check_could_decide(client: Client):
    batch = a_batch("order/1", id=BATCH)
    unread = (GoalProgress(text=batch.cases[0].goals[0].text, asked_at=0, stage=GoalStage.UNREAD),)
    async with SqliteStore(client.app_state.service.config.store) as store:  # type: ignore[attr-defined]
        await store.create(batch)
        await store.add(batch.id, a_conversation(batch.cases[0]).model_copy(update={"goals": unread}))
    path = f"/batches/{batch.id}/conversation?id=order%2F1"

    before = page(client, path)
    client.post(f"/batches/{batch.id}/verdicts", data={"conversation": "order/1", "outcome": "pass"})
    after = page(client, path)

    assert ("Your verdict" in before, 'data-outcome="undecided"' in before) == (True, True)
    assert 'data-outcome="passed"' in after


async def test_a_conversation_is_downloaded_as_it_is_kept(client: Client):
    id = await kept(client, "order/1")

    answer = client.get(f"/batches/{id}/conversation.json?id=order%2F1")
    text = client.get(f"/batches/{id}/conversation.txt?id=order%2F1")

    assert answer.json()["case"]["id"] == "order/1"
    assert "attachment" in answer.headers["content-disposition"]
    assert "| A large pizza, please." in text.text


@pytest.mark.parametrize("case", ["../up", "a b#2", "<b>", "a/..", "%2e", "ё&x=1", "q?x"])
async def test_any_name_of_a_case_leads_to_its_conversation(client: Client, case: str):
    id = await kept(client, case)

    listed = page(client, f"/batches/{id}/conversations?view=table")
    link = re.findall(r'href="(/batches/[^"]+/conversation\?id=[^"]+)"', listed)[0]

    assert "A large pizza" in page(client, link)
    assert quote(case, safe="") in link


@pytest.mark.parametrize(
    "path, status",
    [
        ("/batches/01J0000000000000000000000B", 404),
        ("/nothing", 404),
        ("/batches/x", 404),
        (f"/batches/{BATCH}/conversation?id=nobody", 404),
        (f"/batches/{BATCH}/conversations?outcome=unknown", 400),
        (f"/batches/{BATCH}/conversations?page=0", 404),
        (f"/batches/{BATCH}/conversations?order=secrets", 400),
        (f"/batches/{BATCH}/conversations?score=nan", 400),
    ],
)
async def test_an_unknown_address_is_an_error_page(client: Client, path: str, status: int):
    await kept(client, "a")

    assert "All batches" in page(client, path, status)


@pytest.mark.slow
async def test_batches_of_the_command_line_are_read_when_a_page_is_opened(opened: Open):
    client = opened()
    id = await kept(client, *(f"order/{n}" for n in range(200)))

    shown = counted(client, id)

    assert "All 200 planned conversations are counted" in shown


def test_pages_load_nothing_from_elsewhere_and_have_no_inline_code(client: Client):
    id = finished(client, scenarios(1))

    for path in ("/batches", f"/batches/{id}", f"/batches/{id}/conversations"):
        html = page(client, path)
        assert re.findall(r"(?:src|href)=\"(?:https?:)?//", html) == []
        assert re.findall(r"<script(?! src=)|<style|\sstyle=|\son[a-z]+=", html) == []
