"""What can be imported, and that rules say the same of it as of the files."""

import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

import pytest

import corpus
import sparring
from sparring.app.import_logs import import_logs
from sparring.app.results import batch_status, summarize
from sparring.core.case import Case
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.core.message import message
from sparring.reports.sentence import sentence
from sparring.rules.inputs.recordings import Conversations
from sparring.rules.rule_file import read_rules
from sparring.store.sqlite.store import SqliteStore
from sparring.testing.factories import a_conversation

SENSEI = """\
language: Spanish
ask_about:
- an appointment at {{hour}} for a {{service}}
- hour: ['14:00']
- service: repair
data_output:
- confirmed_time: '14:00'
- price: $9
errors: []
---
conversation time: 2
---
interaction:
- User: At 14:00, please.
- Assistant: Done, at 14:00. It costs $9.
"""
LINES = [
    {
        "id": "x",
        "variables": {"size": "small"},
        "goals": [{"text": "the price"}],
        "messages": [{"role": "user", "content": "hi"}],
    },
    {"id": "x", "messages": [{"role": "user", "content": "again"}]},
]


def test_a_folder_of_sensei_comes_with_goals_variables_and_outputs(tmp_path: Path):
    (tmp_path / "talks").mkdir()
    (tmp_path / "talks" / "0_a.yml").write_text(SENSEI, encoding="utf-8")
    (tmp_path / "talks" / "1_a.yml").write_text(SENSEI.replace("$9", "$8"), encoding="utf-8")
    (tmp_path / "talks" / "notes.yml").write_text("a: b\n", encoding="utf-8")

    results = sparring.import_logs(tmp_path / "talks", name="old", store=tmp_path / "a.db")

    first = results[0].conversation
    assert (len(results), first.case.id) == (2, "0_a.yml")
    assert [goal.text for goal in first.case.goals] == ["an appointment at 14:00 for a repair"]
    assert first.case.variables == {"hour": ["14:00"], "service": "repair"}
    assert {output.name: output.value for output in first.outputs} == {"confirmed_time": "14:00", "price": "$9"}
    rules = ["hour[0] in str(confirmed_time)", "service[0] == 'r'", "extract_float(price) > 8"]
    stored, read = (sparring.check(rules, each) for each in (results, tmp_path / "talks"))
    assert [each.outcome for each in stored.findings] == [each.outcome for each in read.findings]
    assert [str(each.outcome) for each in stored.findings] == ["pass", "pass", "fail"]


def test_an_import_that_fails_leaves_no_batch(tmp_path: Path):
    sharegpt = {"conversations": [{"from": "human", "value": "hi"}]}
    both = {"id": "x", "role": "user", "text": "hi", "messages": []}  # of two formats
    lines = [*({"id": str(number), "messages": LINES[0]["messages"]} for number in range(600)), sharegpt, both]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")

    with pytest.raises(InputError, match="may be chatml or rows"):
        sparring.import_logs(tmp_path / "a.jsonl", store=tmp_path / "a.db")

    with pytest.raises(InputError, match="nothing has been run yet"):
        sparring.results("latest", store=tmp_path / "a.db")


def test_chat_logs_and_own_conversations_are_imported_under_ids_of_their_own(tmp_path: Path):
    log = tmp_path / "a.jsonl"
    log.write_text("\n".join(map(json.dumps, LINES)) + "\nno JSON\n", encoding="utf-8")

    results = sparring.import_logs(log, store=tmp_path / "a.db")
    own = tmp_path / "own.ndjson"
    own.write_text("\n".join(each.conversation.model_dump_json() for each in results), encoding="utf-8")
    again = sparring.import_logs(own, store=tmp_path / "b.db")

    assert [each.conversation.case.id for each in results] == ["x", "x~2"]
    assert [goal.text for goal in results[0].conversation.case.goals] == ["the price"]
    assert [each.conversation.messages for each in again] == [each.conversation.messages for each in results]


def test_rows_are_still_rows_and_nothing_is_no_log(tmp_path: Path):
    (tmp_path / "a.jsonl").write_text('{"id": "a", "role": "user", "text": "hi"}\n', encoding="utf-8")
    (tmp_path / "empty").mkdir()

    assert len(sparring.import_logs(tmp_path / "a.jsonl", store=tmp_path / "a.db")) == 1
    with pytest.raises(InputError, match="holds no conversations"):
        sparring.import_logs(tmp_path / "empty", store=tmp_path / "a.db")
    with pytest.raises(InputError, match="there is no such file"):
        sparring.import_logs(tmp_path / "nothing.jsonl", store=tmp_path / "a.db")


@pytest.mark.parametrize(
    ("rules", "conversations"),
    [("taskyto-bike-shop", "taskyto-mutation/bikeshop/original"), ("wild-kuki", "wild/kuki")],
)
def test_published_rules_find_the_same_in_imported_conversations(tmp_path: Path, rules: str, conversations: str):
    folder = corpus.folder() / "conversations" / conversations
    written = read_rules([corpus.folder() / "rules" / rules])

    imported = sparring.import_logs(folder, store=tmp_path / "a.db")

    stored, read = (sparring.check(written, each).findings for each in (imported, folder))  # type: ignore[arg-type]
    assert [(each.rule, each.satisfied, each.violated) for each in stored] == [
        (each.rule, each.satisfied, each.violated) for each in read
    ]


async def test_long_conversations_are_stored_a_few_at_a_time(tmp_path: Path):
    long, kept = message("user", "a" * 3_000_000), []

    def logs() -> Iterator[Conversation]:
        for number in range(5):
            yield a_conversation(Case(id=f"log-{number}")).with_message(long)

    class Store(SqliteStore):
        async def append(self, batch: str, conversations: Sequence[Conversation]) -> None:
            kept.append(len(conversations))
            await super().append(batch, conversations)

    async with Store(tmp_path / "a.db") as store:
        await import_logs(cast("Conversations", logs()), store)

    assert kept == [3, 2]


@pytest.mark.slow
async def test_a_killed_import_is_no_finished_batch(tmp_path: Path):
    (tmp_path / "whole").mkdir()

    def logs() -> Iterator[Conversation]:
        for number in range(600):
            if number == 590:  # what a kill would leave
                shutil.copytree(tmp_path / "whole", tmp_path / "killed")
            yield a_conversation(Case(id=f"log-{number}"))

    async with SqliteStore(tmp_path / "whole" / "a.db") as store:
        batch, number, _ = await import_logs(cast("Conversations", logs()), store)
        whole = sentence(await summarize(batch, store))
    async with SqliteStore(tmp_path / "killed" / "a.db") as store:
        killed = sentence(await summarize(batch, store))
        status = await batch_status(store, batch)
        with store.playing(batch.id):  # it goes on
            running = (await summarize(batch, store)).running, (await batch_status(store, batch)).status

    assert (number, whole.word) == (600, "UNDECIDED")
    assert str(killed) == (
        "STOPPED: the import was interrupted after 512 conversations; delete the batch and import the logs again"
    )
    assert (killed.exit, status.status, status.error_message) == (3, "failed", "the import was interrupted")
    assert running == (True, "running")
