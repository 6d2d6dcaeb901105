import csv
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml

from command_line import Sparring
from sparring.core.batch import Batch, Players
from sparring.core.case import Case, Limits
from sparring.core.conversation import Conversation, Ending, Evidence, GoalProgress, goal_progress
from sparring.core.message import message
from sparring.reports.sensei import write_sensei
from sparring.rules.inputs.recordings import Recordings
from sparring.testing.memory_store import MemoryStore

OFFLINE = ("--chatbot", "pizzeria", "--model", "offline")


@pytest.mark.slow
def test_a_run_writes_senseis_folders_and_they_are_read_back_as_what_was_said(
    inside: Sparring, profile: Path, tmp_path: Path
):
    for more in (("--format", "sensei", "--output-dir", "theirs"), ("--output-dir", "ours")):
        assert inside("run", profile.name, *OFFLINE, *more).returncode == 0

    names = sorted(str(path.relative_to(tmp_path / "theirs")) for path in (tmp_path / "theirs").rglob("*.*"))
    serial = names[0].removeprefix("__cost_report__/cost_report_").removesuffix(".csv")
    assert names == [
        f"__cost_report__/cost_report_{serial}.csv",
        f"__report__/report_{serial}.yml",
        *(f"order/{serial}/{number}_order_{serial}.{kind}" for number in range(3) for kind in ("csv", "yml")),
    ]
    with (tmp_path / "theirs" / "order" / serial / f"0_order_{serial}.csv").open(newline="") as table:
        goals = list(csv.reader(table, delimiter=";"))
    assert goals[:2] == [
        ["goal", "verification", "data"],
        ["a small custom pizza with ham and corn", "True", "One small custom pizza with ham and corn."],
    ]
    theirs, ours = ([each.messages for each in Recordings(tmp_path / name)] for name in ("theirs", "ours"))
    assert [[(said.role, said.text) for said in each] for each in theirs] == [
        [(said.role, said.text) for said in each] for each in ours
    ]
    assert inside("validate", "theirs").returncode == 0
    checked = inside("check", "--rule", "order_id is not None", "--conversations", "theirs")
    assert (checked.returncode, "skipped" in checked.stdout + checked.stderr) == (0, False)


def test_files_without_an_output_folder_are_refused_before_the_run(inside: Sparring, profile: Path):
    done = inside("run", profile.name, *OFFLINE, "--format", "sensei")

    assert (done.returncode, done.stdout) == (2, "")
    assert "--format sensei" in done.stderr
    assert "--output-dir" in done.stderr


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("[0-9]*.yml"))


async def written(folder: Path, *conversations: Conversation, profiles: frozenset[str] = frozenset()) -> list[str]:
    store = MemoryStore()
    batch = Batch(
        id="b",
        created=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
        who=Players(chatbot="c", user="u"),
        cases=tuple(conversation.case for conversation in conversations),
    )
    await store.create(batch)
    for conversation in conversations:
        await store.add("b", conversation)
    result = await write_sensei(folder, batch, store.conversations("b"), profiles)
    assert (result.conversations, result.void) == (
        sum(not (each.ending and each.ending.void) for each in conversations),
        sum(bool(each.ending and each.ending.void) for each in conversations),
    )
    return files(folder)


def talk(id: str, ending: Ending = Ending.USER_DONE, tags: tuple[str, ...] = ()) -> Conversation:
    return Conversation(case=Case(id=id, tags=tags), messages=(message("user", "Hi"),), ending=ending)


async def test_no_formula_gets_into_a_table_of_goals_and_where_steps_are_counted_there_is_none(tmp_path: Path):
    said = goal_progress("=1+1", None, Evidence(at=1, start=0, end=2, text="+2"))
    open = GoalProgress(text="more")
    steps = Case(id="a/2", limits=Limits(steps=2))

    await written(
        tmp_path,
        talk("a/1").model_copy(update={"goals": (said, open)}),
        talk("a/2").model_copy(update={"goals": (said,), "case": steps}),
    )

    (table,) = (tmp_path / "a").rglob("*.csv")
    assert table.read_text().splitlines() == ["goal;verification;data", "'=1+1;True;'+2", "more;False;"]


async def test_void_conversations_are_left_out(tmp_path: Path):
    found = await written(tmp_path, talk("a/1", Ending.USER_FAILED), talk("a/2"))

    assert found == ["a/2026-01-02-03-04-05/0_a_2026-01-02-03-04-05.yml"]


async def test_a_profile_is_called_by_its_test_name_and_no_name_leads_out_of_the_folder(tmp_path: Path):
    tests = (talk("a/1", tags=("../../my test",)), talk("b/1", tags=("smoke",)), talk("../1"))

    found = await written(tmp_path / "out" / "in", *tests, profiles=frozenset({"a"}))

    assert [file.partition("/")[0] for file in found] == ["b", "my_test", "test"]
    assert len(files(tmp_path)) == len(found)


async def test_a_second_run_within_a_second_overwrites_nothing(tmp_path: Path):
    await written(tmp_path, talk("a/1"))

    found = await written(tmp_path, talk("a/1"))

    assert found == [
        "a/2026-01-02-03-04-05-2/0_a_2026-01-02-03-04-05-2.yml",
        "a/2026-01-02-03-04-05/0_a_2026-01-02-03-04-05.yml",
    ]
    first = next(yaml.safe_load_all((tmp_path / found[0]).read_text()))
    assert first["serial"] == "2026-01-02-03-04-05-2"
