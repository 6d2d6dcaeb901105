"""Results of a batch: read page by page, selected, explained, and raised as failures."""

import asyncio
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

import sparring
from sparring.core.conversation import Conversation, Ending, Evidence
from sparring.core.message import ToolCall, message
from sparring.core.outcome import decide
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.reports.reported import ReportedConversation
from sparring.store.sqlite.store import SqliteStore
from sparring.testing.factories import a_batch, a_conversation, a_verdict

SETTINGS = sparring.Settings()


@pytest.fixture(scope="module")
def completed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of every test, with the verdicts that are found when a batch is read for the first time."""
    path = tmp_path_factory.mktemp("stored") / "sparring.db"
    asyncio.run(fill(path))
    sparring.results(store=path, settings=SETTINGS)
    return path


@pytest.fixture
def store(tmp_path: Path, completed: Path) -> Path:
    """A store with one batch: passed, failed, undecided and void conversations."""
    return shutil.copy(completed, tmp_path / "sparring.db")


async def fill(path: Path) -> None:
    batch = a_batch("good/1", "bad/1", "bad/2", "odd/1", "late/1")
    batch = batch.model_copy(update={"who": batch.who.model_copy(update={"judge": "openai:judge"})})
    async with SqliteStore(path) as opened:
        await opened.create(batch)
        for case in batch.cases:
            ending = Ending.TIMEOUT if case.id == "late/1" else Ending.GOALS_ANSWERED
            await opened.add(batch.id, a_conversation(case, ending=ending))
        outcomes = {"good/1": "pass", "bad/1": "fail", "bad/2": "fail", "odd/1": "error"}
        for id, outcome in outcomes.items():
            await opened.judge(batch.id, a_verdict(id, outcome=CheckOutcome(outcome)))


def ids(results: sparring.Results) -> list[str]:
    return [each.id for each in results]


def test_conversations_are_selected_by_outcome(store: Path):
    results = sparring.results("latest", store=store, settings=SETTINGS)

    assert [ids(each) for each in (results.passed(), results.failed(), results.undecided(), results.void())] == [
        ["good/1"],
        ["bad/1", "bad/2", "late/1"],
        ["odd/1"],
        [],
    ]
    assert (len(results), results.ok, results.exit_code) == (5, False, 1)


def test_results_are_a_sequence(store: Path):
    results = sparring.results("B1", store=store, settings=SETTINGS)

    assert (results[0].id, results[-1].id) == ("good/1", "late/1")
    assert [each.id for each in results[1:3]] == ["bad/1", "bad/2"]
    assert [each.id for each in results[::-2]] == ["late/1", "bad/2", "good/1"]
    with pytest.raises(IndexError):
        results[5]


def test_results_are_filtered_by_the_fields_of_a_query(store: Path):
    results = sparring.results(store=store, settings=SETTINGS)

    assert ids(results.filter(case="bad/")) == ["bad/1", "bad/2"]
    assert ids(results.failed().filter(case="bad/2")) == ["bad/2"]
    with pytest.raises(sparring.InputError, match="cannot filter by cases"):
        results.filter(cases="bad/")


@pytest.mark.filterwarnings("ignore:.*is the name of")
def test_a_run_of_a_name_has_a_number(tmp_path: Path):
    async def reply(messages: Sequence[sparring.Message], variables: Mapping[str, object]) -> str:
        return "Hi"

    for text in ("Hello", "Bye"):
        (tmp_path / "a.yml").write_text(f"script: [{text}]\n", encoding="utf-8")
        sparring.run(tmp_path / "a.yml", reply, model="offline", name="nightly", store=tmp_path / "a.db")

    runs = [sparring.results(f"nightly@{run}", store=tmp_path / "a.db") for run in (1, 2)]

    assert [each[0].conversation.messages[0].text for each in runs] == ["Hello", "Bye"]


async def test_results_are_read_inside_a_running_event_loop(store: Path):
    assert ids(sparring.results(store=store, settings=SETTINGS).failed()) == ["bad/1", "bad/2", "late/1"]


def test_failures_are_raised_by_cause(store: Path):
    results = sparring.results(store=store, settings=SETTINGS)

    with pytest.raises(sparring.ConversationsFailed) as caught:
        results.raise_for_failures()

    lines = str(caught.value).splitlines()
    assert lines[:4] == [
        "3 of 5 conversations failed, 1 undecided or void",
        "  2 x polite: scored 1 after a correction (bad/1, bad/2): polite: Вежливо.",
        "  1 x The chatbot did not reply in time after a correction (late/1): the chatbot did not reply in time",
        "  1 x polite could not be decided: вежливо. (odd/1): polite: Вежливо.",
    ]
    assert lines[4:] == results.failed()[0].explain().splitlines()
    assert isinstance(caught.value, AssertionError)
    assert caught.value.hint == f"details: sparring show B1 --store {store}"


def test_failures_may_be_tolerated(store: Path):
    results = sparring.results(store=store, settings=SETTINGS)

    results.raise_for_failures(max_failures=3, undecided_ok=True)
    results.passed().raise_for_failures()
    with pytest.raises(sparring.ConversationsFailed):
        results.raise_for_failures(max_failures=2)


def test_a_result_explains_itself_with_quotes(store: Path):
    failed = sparring.results(store=store, settings=SETTINGS).failed()[0]

    assert failed.explain().splitlines() == [
        "bad/1 failed",
        "  polite: Вежливо.",
        "    [3] turn 2, chatbot: 'Goodbye.'",
        f"Details: sparring show B1 bad/1 --store {store}",
    ]
    assert (failed.passed, failed.score, failed.reason) == (False, 1.0, "polite: Вежливо.")


def test_a_failure_without_evidence_quotes_the_last_reply():
    conversation = a_conversation(a_batch("a").cases[0])
    unquoted = Verdict(check="polite", outcome=CheckOutcome.FAIL, conversation="a", reason="rude")

    assert result_of(conversation, unquoted).explain().splitlines()[1:] == [
        "  polite: rude",
        "    last reply, turn 2: 'Goodbye.'",
    ]


def test_a_tool_call_is_found_by_its_arguments(store: Path):
    result = sparring.results(store=store, settings=SETTINGS)[0]

    assert result.called("price", size="large")
    assert not result.called("price", size="small")


def test_a_missing_tool_call_of_a_chatbot_that_reports_none_is_an_error():
    case = a_batch("a").cases[0]
    silent = a_conversation(case).model_copy(update={"reports_tools": False, "messages": (message("chatbot", "Hi"),)})
    failing = message("chatbot", "Hm", tool_calls=(ToolCall(name="price", error="down"),))
    result = result_of(silent.model_copy(update={"messages": (failing,)}))

    with pytest.raises(sparring.InputError, match="does not report its tool calls"):
        result.called("price")


def test_records_are_flat(store: Path):
    record = sparring.results(store=store, settings=SETTINGS).to_records()[1]

    assert record["id"] == "bad/1"
    assert (record["outcome"], record["variables.size"], record["turns"]) == ("failed", "large", 2)
    assert record["outputs.price"] == {"amount": 12.5, "currency": "USD"}


async def test_markup_in_a_conversation_is_escaped_in_notebooks(tmp_path: Path):
    batch = a_batch("x/1", name="<script>alert(1)</script>")
    async with SqliteStore(tmp_path / "s.db") as opened:
        await opened.create(batch)
        await opened.add(batch.id, a_conversation(batch.cases[0], ending=Ending.CHATBOT_FAILED))

    html = sparring.results(store=tmp_path / "s.db", settings=SETTINGS)._repr_html_()

    assert "<script>" not in html
    assert "&lt;script&gt;" in html


def test_a_batch_is_reported_in_the_format_of_the_suffix(store: Path, tmp_path: Path):
    results = sparring.results(store=store, settings=SETTINGS)

    written = [results.report(tmp_path / "out" / name) for name in ("a.html", "a.md", "a.json", "a.xml", "a.csv")]

    assert [path.exists() for path in written] == [True] * 5
    with pytest.raises(sparring.InputError, match="expected a suffix"):
        results.report(tmp_path / "a.docx")


def test_an_evidence_beyond_the_messages_is_left_out():
    conversation = a_conversation(a_batch("a").cases[0])
    verdict = a_verdict("a", outcome=CheckOutcome.FAIL).model_copy(
        update={"evidence": (Evidence(at=99, start=0, end=1, text="x"),)}
    )

    assert "[99]" not in result_of(conversation, verdict).explain()


def result_of(conversation: Conversation, *verdicts: sparring.Verdict) -> sparring.ConversationResult:
    return sparring.ConversationResult(ReportedConversation(conversation, decide(conversation, verdicts), verdicts))
