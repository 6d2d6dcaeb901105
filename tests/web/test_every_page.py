"""Every link of every page leads to a page, over a store that holds batches of all kinds."""

import re
from html import unescape
from urllib.parse import parse_qs, urljoin, urlsplit

import pytest

from sparring.core.batch import Batch, BatchExecution
from sparring.core.conversation import Ending
from sparring.store.sqlite.store import SqliteStore
from sparring.testing.factories import CREATED, RUBRIC, a_batch, a_conversation
from web.causes_batch import RULES
from web.conftest import Client, finished, scenarios

pytestmark = pytest.mark.slow

HTML = {"accept": "text/html"}
LINK = re.compile(r'<(?:a|link)\b[^>]*\bhref="([^"]*)"')
LOG = "call,role,text\n1,user,Hello\n1,assistant,Hi\n"


def batch(number: int, name: str = "") -> Batch:
    return a_batch("a/1", "a/2", id=f"01J00000000000000000000{number:03}", name=name).model_copy(
        update={"rules": RULES, "rubrics": (RUBRIC,)}
    )


async def fill(store: SqliteStore) -> None:
    """Store batches that are empty, cancelled, killed, half-written or complete, with names and without."""
    for number, name in enumerate(["", "nightly", "", "nightly", "", "ночь/1 & <b>"]):
        made = batch(number, name)
        await store.create(made)
        endings = [(), (Ending.CHATBOT_FAILED,), (None,), (Ending.USER_DONE, Ending.USER_FAILED)][number % 4]
        for case, ending in zip(made.cases, endings, strict=False):
            whole = a_conversation(case, ending=ending or Ending.USER_DONE)
            half = {"ending": None, "timing": None, "messages": (), "goals": (), "outputs": ()}
            await store.add(made.id, whole if ending else whole.model_copy(update=half))
        job = BatchExecution(batch=made.id, started=CREATED)
        states = [None, job, job.changed(ended=CREATED, cancelled=True), job.changed(ended=CREATED, error="lost")]
        if (state := states[number % 4]) is not None:
            await store.keep_job(state)


def links(client: Client, path: str) -> tuple[int, set[str]]:
    """Return the status of a page and its links, once nothing is counted anymore."""
    for _ in range(100):
        answer = client.get(path, headers=HTML)
        if "data-reload" not in answer.text:
            break
    html = "text/html" in answer.headers["content-type"] and "/api/" not in path
    found = [urljoin(path, unescape(each)) for each in LINK.findall(answer.text)] if html else []
    return answer.status_code, {urlsplit(each)._replace(fragment="").geturl() for each in found}


def kind(path: str) -> tuple[str, ...]:
    """Return what makes a page another one than those that are seen: its path, parameters, batches and format."""
    parts = urlsplit(path)
    query = parse_qs(parts.query)
    return parts.path, *query, *(query[name][0] for name in ("before", "after", "format") if name in query)


async def test_every_link_leads_to_a_page_for_batches_of_all_kinds(client: Client):
    finished(client, {"scenarios": scenarios(2), "null_bots": False, "judge": "checklist"})
    client.post("/api/import", json={"logs": [{"name": "log.csv", "text": LOG}], "map": "id=call,role=role,text=text"})
    async with SqliteStore(client.app_state.service.config.store) as store:  # type: ignore[attr-defined]
        await fill(store)
        ids = [each.id for each in await store.batches(limit=20)]
    start = {f"/batches/{id}{part}" for id in ids for part in ("", "/conversations", "/rules")}
    start |= {f"/compare?before={before}&after={after}" for before in ids for after in ids}
    pages = {kind(each): each for each in start | {"/batches", "/launch", "/prompts", "/compare", "/docs", "/"}}
    seen = dict[tuple[str, ...], int]()
    while left := [path for kind, path in pages.items() if kind not in seen]:
        for path in left:
            seen[kind(path)], more = links(client, path)
            pages = {kind(each): each for each in sorted(more, reverse=True) if each.startswith("/")} | pages

    assert {pages[each]: status for each, status in seen.items() if status != 200} == {}
    assert len(seen) > 300
