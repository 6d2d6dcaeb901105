"""Every place that shows the outcome of a conversation shows the same one."""

import csv
import io
import json
import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree as xml

import pytest
from starlette.testclient import TestClient

import sparring as api
from command_line import Sparring
from sparring.core.case import Case
from sparring.core.checks import Expectation, Gate, Rule
from sparring.core.conversation import Conversation, Ending, GoalStage
from sparring.settings import Serve, Settings
from sparring.store.sqlite.store import SqliteStore
from sparring.testing.factories import a_batch, a_conversation, attempt
from sparring.web.app import application, guarded

pytestmark = pytest.mark.slow

PRICE = Expectation(rule=Rule(name="price", then="called('price') and '$12.50' in chatbot_phrases[0]"))
WRONG = Expectation(rule=Rule(name="price", then="called('price') and '$99.00' in chatbot_phrases[0]"))
LAST = {
    "passed": "passed",
    "failed": "failed",
    "crashed": "failed",
    "hung": "failed",
    "unread": "undecided",
    "weak": "undecided",
    "void": "void",
    "down": "void",
    "retried": "passed",
    "mended": "passed",
}
ID = "01J0000000000000000000000A"
FIRST = {**LAST, "retried": "failed"}
BLAME = {"unread": "case", "weak": "case", "void": "user", "down": "infrastructure"}
ENDINGS = {
    "crashed": Ending.CHATBOT_FAILED,
    "hung": Ending.TIMEOUT,
    "void": Ending.USER_FAILED,
    "down": Ending.INFRASTRUCTURE_FAILED,
}


def checked(case: Case) -> Case:
    expected = {"failed": (WRONG,), "weak": ()}.get(case.id, (PRICE,))
    return case.model_copy(update={"expectations": expected})


def played(case: Case) -> Conversation:
    conversation = a_conversation(case, ending=ENDINGS.get(case.id, Ending.GOALS_ANSWERED))
    if case.id != "unread":
        return conversation
    unread = tuple(goal.changed(stage=GoalStage.UNREAD, evidence=None) for goal in conversation.goals)
    return conversation.model_copy(update={"goals": unread})


@pytest.fixture
async def store(tmp_path: Path) -> Path:
    """A store with conversations of every outcome, two of them retried."""
    path = tmp_path / ".sparring" / "sparring.db"
    batch = a_batch(*LAST, id=ID, name="all")
    batch = batch.model_copy(update={"cases": tuple(map(checked, batch.cases))})
    async with SqliteStore(path) as store:
        await store.create(batch)
        for case in batch.cases:
            first = {"retried": Ending.CHATBOT_FAILED, "mended": Ending.USER_FAILED}.get(case.id)
            if first is None:
                await store.add(batch.id, played(case))
            else:
                await store.add(batch.id, a_conversation(case, ending=first))
    results = api.results("all", store=path, settings=api.Settings())  # decides the first attempts
    assert len(results) == len(LAST)
    async with SqliteStore(path) as store:
        for case in batch.cases[-2:]:
            assert await store.replace(batch.id, attempt(a_conversation(case), 2))
    return path


def test_every_place_shows_the_same_outcome(store: Path, inside: Sparring, tmp_path: Path):
    shown = json.loads(inside("show", "all", "--json").stdout)
    facts = {each["id"]: each for each in shown["conversations"]}
    assert {id: each["outcome"] for id, each in facts.items()} == LAST
    assert {id: each["first_outcome"] for id, each in facts.items()} == FIRST
    blames = {id: each["blame"] for id, each in facts.items() if each["outcome"] != "passed"}
    assert blames == {id: BLAME.get(id, "chatbot") for id in LAST if LAST[id] != "passed"}
    counted = {word: list(FIRST.values()).count(word) for word in ("passed", "failed", "undecided", "void")}
    assert shown["outcomes"] == counted

    text = inside("show", "all", "--all").stdout
    assert dict(re.findall(r"^  (\w+)  (\w+), ", text, re.MULTILINE)) == LAST
    assert "4 of 10 not in the rate: 2 undecided, 2 void · 1 passed after they were run again" in text
    for id in LAST:
        one = json.loads(inside("show", "all", id, "--json").stdout)
        assert (one["outcome"], one["first_outcome"]) == (LAST[id], FIRST[id])
        assert inside("show", "all", id).stdout.splitlines()[1].startswith(LAST[id])

    assert (
        inside("report", "all", *(f"--output=r.{suffix}" for suffix in ("xml", "json", "html", "md"))).returncode == 0
    )
    junit = {case.get("name"): [child.tag for child in case] for case in xml.parse(tmp_path / "r.xml").iter("testcase")}
    tags = {"passed": [], "failed": ["failure"], "undecided": ["error"], "void": ["skipped"]}
    assert junit == {id: tags[word] for id, word in FIRST.items()}
    assert json.loads((tmp_path / "r.json").read_text())["outcomes"] == counted
    assert inside("report", "all", "--all", "--output=all.html").returncode == 0
    html = (tmp_path / "all.html").read_text()
    rows = re.findall(r'<h3 dir="auto">(\w+)</h3> <span class="chip [^>]*>(?:<svg.*?</svg>)?(\w+)', html)
    assert dict(rows) == FIRST
    markdown = (tmp_path / "r.md").read_text()
    by_cause = Counter[str]()
    for count, word in re.findall(r"^\| (\d+) (failed|undecided), ", markdown, re.MULTILINE):
        by_cause[word] += int(count)
    assert by_cause == {word: counted[word] for word in ("failed", "undecided")}

    results = api.results("all", store=store, settings=api.Settings())
    assert {each.id: str(each.outcome) for each in results} == LAST
    assert {each.id: str(each.first_outcome) for each in results} == FIRST
    for word in ("passed", "failed", "undecided", "void"):
        assert {each.id for each in results.filter(outcomes=(word,))} == {id for id in FIRST if FIRST[id] == word}

    gate = json.loads(inside("gate", "all", "--json").stdout)
    assert gate["lines"][0]["measured"].startswith("as counted 2 of 6 (33 %), 4 not decided: 20 % to 60 %")


def test_a_conversation_is_shown_with_every_check(store: Path, inside: Sparring):
    shown = {id: json.loads(inside("show", "all", id, "--json").stdout)["verdicts"] for id in ("passed", "failed")}
    outcomes = {id: {each["check"]: each["outcome"] for each in verdicts} for id, verdicts in shown.items()}

    assert outcomes["passed"]["price"] == "pass"
    assert outcomes["failed"]["price"] == "fail"
    assert "  - price: fail: " in inside("show", "all", "failed").stdout
    assert "  - null bots: error: " in inside("show", "all", "weak").stdout


def test_the_server_shows_the_same_outcomes(store: Path):
    settings = Settings(store=store, serve=Serve(chatbots=("pizzeria",), models=("offline",)))
    app = guarded(application(SqliteStore(store), settings, {}), settings, "")
    with TestClient(app, "http://127.0.0.1:5000") as client:
        answer = client.get(f"/api/batches/{ID}/results?partial=true").json()
        assert "results" in answer, answer
        rows = answer["results"]
        assert {row["conversation_id"]: row["outcome"] for row in rows} == LAST
        assert {row["conversation_id"]: row["first_outcome"] for row in rows} == FIRST
        table = csv.DictReader(io.StringIO(client.get(f"/api/batches/{ID}/results?format=csv&partial=true").text))
        assert [row["outcome"] for row in table] == list(LAST.values())
        for id, word in LAST.items():
            detail = client.get(f"/api/batches/{ID}/conversations/{id}").json()["result"]
            assert (detail["outcome"], detail["first_outcome"]) == (word, FIRST[id])
            page = client.get(f"/batches/{ID}/conversation?id={id}").text
            assert f'data-outcome="{word}"' in page
        for word in set(LAST.values()):
            listed = client.get(f"/batches/{ID}/conversations?view=table&outcome={word}").text
            found = set(re.findall(r'<th scope="row" dir="auto"><a href="[^"]*">(\w+)</a></th>', listed))
            assert found == {id for id in LAST if FIRST[id] == word}
        assert (
            "failed at the first attempt, passed on attempt 2"
            in client.get(f"/batches/{ID}/conversations?view=table&outcome=failed").text
        )


def test_a_gate_decides_on_the_word_everywhere(store: Path, inside: Sparring, tmp_path: Path):
    (tmp_path / "sparring.yaml").write_text("gate: {pass_rate: 0.01, errors: 9, void: 9}\n")
    word, text = "PASSED", "the gate asks for pass_rate at least 1 %"
    gated = inside("gate", "all")
    assert gated.returncode == 0

    shown = [inside("show", "all").stdout, inside("report", "all", "--output", "r.md").stdout]
    assert [word in each and text in each for each in shown] == [True, True], shown
    assert json.loads(inside("show", "all", "--json").stdout)["sentence"]["word"] == word
    settings = Settings(
        store=store,
        gate=Gate(pass_rate=0.01, errors=9, void=9),
        serve=Serve(chatbots=("pizzeria",), models=("offline",)),
    )
    app = guarded(application(SqliteStore(store), settings, {}), settings, "")
    with TestClient(app, "http://127.0.0.1:5000") as client:
        pages = (client.get(f"/batches/{ID}").text for _ in range(200))  # until it is computed
        assert any(text in page for page in pages)
        assert "of these batches fail" not in client.get("/batches").text
