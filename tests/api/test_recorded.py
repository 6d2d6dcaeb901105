"""Functions over recorded conversations: batches, files, results and values."""

from pathlib import Path

import pytest

import sparring
from sparring.store.sqlite.store import SqliteStore
from sparring.testing.factories import a_batch, a_conversation, all_conversations

SETTINGS = sparring.Settings()


@pytest.fixture
async def store(tmp_path: Path) -> Path:
    path = tmp_path / "sparring.db"
    async with SqliteStore(path) as opened:
        for id in ("B1", "B2"):
            batch = a_batch("a", "b", id=id, name=id.lower())
            await opened.create(batch)
            for conversation in all_conversations(batch):
                await opened.add(batch.id, conversation)
    return path


def test_an_expression_is_checked_over_a_batch(store: Path):
    findings = sparring.check("turns() < 12", "b1", store=store, settings=SETTINGS)

    assert [(each.satisfied, str(each.outcome)) for each in findings.findings] == [(2, "pass")]


@pytest.mark.slow
def test_rules_are_checked_over_values_and_results(store: Path):
    values = [a_conversation(case) for case in a_batch("a", "b", "c").cases]
    rules = [sparring.Rule(name="short", then="turns() < 2"), "turns() > 1"]

    by_values = sparring.check(rules, values)
    by_results = sparring.check(rules, sparring.results("b2", store=store, settings=SETTINGS))

    assert [(each.rule, each.violated, each.satisfied) for each in by_values.findings] == [
        ("short", 3, 0),
        ("turns() > 1", 0, 3),
    ]
    assert [each.violated for each in by_results.findings] == [2, 0]


def test_a_rule_file_is_checked_over_a_file(tmp_path: Path):
    (tmp_path / "rule.yml").write_text("name: short\nthen: turns() < 12\n", encoding="utf-8")
    log = tmp_path / "log.jsonl"
    log.write_text('{"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]}\n')

    findings = sparring.check(tmp_path / "rule.yml", log, settings=SETTINGS)

    assert (findings.conversations, findings.findings[0].satisfied) == (1, 1)


def test_nothing_to_check_is_an_input_error():
    with pytest.raises(sparring.InputError, match="no rules"):
        sparring.check([], [])
    with pytest.raises(sparring.InputError, match="no conversations"):
        sparring.check("turns() < 12", [])


def test_batches_are_compared(store: Path):
    comparison = sparring.compare("b1", sparring.results("b2", store=store, settings=SETTINGS), store=store)

    assert (comparison.before.batch, comparison.after.batch, comparison.got_worse) == ("B1", "B2", False)


def test_a_batch_is_checked_against_a_gate(store: Path, tmp_path: Path):
    file = tmp_path / "gate.yml"
    file.write_text("gate: {pass_rate: 1.5}\n", encoding="utf-8")

    passed = sparring.gate("b1", sparring.Gate(max_cost=0.001), store=store, settings=SETTINGS)

    assert {line.asks for line in passed.lines} >= {"pass_rate", "max_cost"}
    with pytest.raises(sparring.InputError, match="pass_rate"):
        sparring.gate("b1", file, store=store, settings=SETTINGS)


def test_values_are_reported_without_a_store(tmp_path: Path):
    path = sparring.report([a_conversation(a_batch("a").cases[0])], tmp_path / "report.md")

    assert "conversation" in path.read_text(encoding="utf-8")


def test_logs_are_imported(tmp_path: Path):
    log = tmp_path / "log.csv"
    log.write_text("id,role,text\n1,user,Hi\n1,chatbot,Hello\n2,user,Hey\n2,chatbot,Hello\n", encoding="utf-8")

    imported = sparring.import_logs(log, name="calls", store=tmp_path / "s.db", settings=SETTINGS)

    assert (imported.name, len(imported), imported[0].conversation.messages[1].text) == ("calls", 2, "Hello")
    assert sparring.results("calls", store=tmp_path / "s.db", settings=SETTINGS).id == imported.id
    with pytest.warns(sparring.SparringWarning, match="'calls' is the name of"):
        sparring.import_logs(log, name="calls", store=tmp_path / "s.db", settings=SETTINGS)


def test_a_missing_store_is_an_input_error(tmp_path: Path):
    with pytest.raises(sparring.SparringError):
        sparring.results(store=tmp_path / "none.db", settings=SETTINGS)


def test_every_problem_of_every_file_is_returned(tmp_path: Path):
    (tmp_path / "a.yml").write_text("goals: 7\n", encoding="utf-8")
    (tmp_path / "b.yml").write_text("name: rule\nthen: 'turns( <'\n", encoding="utf-8")

    problems = sparring.validate(tmp_path)

    assert {Path(problem.file).name for problem in problems} == {"a.yml", "b.yml"}


def test_cases_are_loaded(tmp_path: Path):
    file = tmp_path / "order.yml"
    file.write_text('goals: ["a {{size}} pizza"]\nvariables: {size: [small, big]}\n', encoding="utf-8")

    cases = sparring.load(file)

    assert [case.variables for case in cases] == [{"size": "small"}, {"size": "big"}]
    assert sparring.load(file) == cases
    with pytest.raises(sparring.InputError):
        sparring.load(tmp_path / "none.yml")


def test_a_batch_is_judged_by_an_object(store: Path):
    class Strict:
        reads_rubrics = False

        async def judge(self, conversation, rubric):
            return sparring.Verdict(check="strict", outcome="fail", conversation=conversation.id, reason="too short")

    judged = sparring.judge("b1", judge=Strict(), store=store, settings=SETTINGS)

    assert [each.reason for each in judged] == ["strict: too short"] * 2


def test_goals_and_values_are_read_again():
    [extraction] = sparring.read([a_conversation(a_batch("a").cases[0])], settings=SETTINGS)

    assert [output.value for output in extraction.outputs] == ["$12.50"]
