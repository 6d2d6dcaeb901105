"""`pytest --sparring FOLDER`: items, selection, outcomes as pytest prints them, and workers of pytest-xdist."""

import subprocess
import sys
from pathlib import Path

import pytest

import sparring.core.text
import sparring.testing.conformance
from sparring.core.outcome import Outcome
from sparring.pytest_plugin.background import Played
from sparring.pytest_plugin.collection import CaseFailed, report_outcome
from tables import table

pytest_plugins = ["pytester"]

BOT = """\
PRICES = {"small": 10, "medium": 99, "big": 14}


async def reply(messages, variables):
    words = messages[-1].text.lower()
    size = next((size for size in PRICES if size in words), None)
    return f"One {size} pizza. Your total is ${PRICES[size]}. Goodbye!" if size else "Small, medium or big?"
"""
ORDER = """\
user: you are hungry
goals:
  - {asks: "a {{size}} pizza", answer: "one {{size}} pizza"}
variables:
  size: [small, medium, big]
outputs:
  price: {type: money, description: the price of the order}
tags: [order, "two words", skip]
expect: ["extract_float(price) == {'small': 10, 'medium': 12, 'big': 14}[size]"]
"""
UNCHECKED = """\
script: [{say: "Hello there"}]
tags: [hello]
"""
RULE = """\
name: short
then: turns() < 9
"""


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.syspath_prepend(str(pytester.path))
    files = {"scenarios/order.yml": ORDER, "scenarios/unchecked.yml": UNCHECKED, "scenarios/rule.yml": RULE}
    files |= {"my_bot.py": BOT, "sparring.yaml": "chatbot: python:my_bot:reply\nmodel: offline\n"}
    for name, text in files.items():
        (pytester.path / name).parent.mkdir(exist_ok=True)
        (pytester.path / name).write_text(text, encoding="utf-8")
    return pytester


def run(project: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return project.runpytest_inprocess("-p", "no:schemathesis", "-p", "no:asyncio", "-ra", *arguments)


@pytest.mark.slow
def test_each_case_is_an_item_and_a_failure_shows_rule_quote_turn_and_replay(project: pytest.Pytester):
    result = run(project, "--sparring", "scenarios")

    result.assert_outcomes(passed=2, failed=1, xfailed=1)
    result.stdout.fnmatch_lines(
        [
            "scenarios/order.yml .F. *",
            "scenarios/unchecked.yml x *",
            "Price in the first reply is higher than expected",
            "  price: expected $12, got $99",
            "    [[]1[]] turn 1, chatbot: '$99'",
            "Replay: sparring rerun * --case order/2 --store .sparring/sparring.db",
            "sparring: 1 x Price in the first reply is higher than expected",
            "XFAIL scenarios/unchecked.yml::unchecked/1 - no check applies *",
            "FAILED scenarios/order.yml::order/2 - Price in the first reply is *",
        ]
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("selection", "outcomes"),
    [
        (("-k", "medium"), {"failed": 1, "deselected": 3}),
        (("-m", "hello", "--strict-markers"), {"xfailed": 1, "deselected": 3}),
        (("-m", "two_words", "-k", "small or big"), {"passed": 2, "deselected": 2}),
        (("scenarios/order.yml::order/3",), {"passed": 1}),
        (("-k", "small", "--sparring-repeat", "2"), {"passed": 2, "deselected": 6}),
        (("-m", "hello", "--sparring-strict"), {"failed": 1, "deselected": 3}),
        (("-m", "hello", "--sparring-rules", "turns() < 9"), {"passed": 1, "deselected": 3}),
        (("-x",), {"passed": 1, "failed": 1}),
    ],
)
def test_items_are_selected_as_others_are(
    project: pytest.Pytester, selection: tuple[str, ...], outcomes: dict[str, int]
):
    run(project, "--sparring", "scenarios", *selection).assert_outcomes(**outcomes)


def test_without_the_option_nothing_is_collected(project: pytest.Pytester):
    run(project, "scenarios").assert_outcomes()


def test_a_folder_outside_of_the_arguments_is_collected_beside_tests_in_python(project: pytest.Pytester):
    tests = project.mkdir("tests")
    (tests / "test_one.py").write_text("def test_one(sparring):\n    assert sparring.load\n", encoding="utf-8")

    run(project, "tests", "--sparring", "scenarios").assert_outcomes(passed=3, failed=1, xfailed=1)


def test_a_broken_file_is_a_collection_error_with_file_and_line(project: pytest.Pytester):
    (project.path / "scenarios/broken.yml").write_text("goals: [a pizza]\nexpectt: [x]\n", encoding="utf-8")

    result = run(project, "--sparring", "scenarios")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*ERROR collecting scenarios/broken.yml*", "scenarios/broken.yml:2:1: expectt: *"])


def test_a_wrong_rule_fails_one_test_with_its_message(project: pytest.Pytester):
    result = run(project, "--sparring", "scenarios", "--sparring-rules", "turns( < 9")

    result.assert_outcomes(failed=1, skipped=3)
    result.stdout.fnmatch_lines(["--rule:1:*"])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_settings_that_cannot_be_read_are_a_usage_error(project: pytest.Pytester):
    (project.path / "sparring.yaml").write_text("chatbott: x\n", encoding="utf-8")

    result = run(project, "--sparring", "scenarios")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*sparring.yaml*chatbott*"])


def test_conversations_that_a_limit_leaves_out_are_skipped_with_the_reason(project: pytest.Pytester):
    with (project.path / "sparring.yaml").open("a", encoding="utf-8") as file:
        file.write("max_conversations: 1\n")

    result = run(project, "--sparring", "scenarios", "-m", "order")

    result.assert_outcomes(passed=1, skipped=2, deselected=1)
    result.stdout.fnmatch_lines(["SKIPPED * not run: *"])


@pytest.mark.parametrize(
    ("chatbot", "said"),
    [("python:my_bot:missing", "*no 'missing' in my_bot*"), ("http://127.0.0.1:9", "*127.0.0.1:9*")],
)
def test_a_chatbot_that_cannot_be_reached_fails_one_test(project: pytest.Pytester, chatbot: str, said: str):
    result = run(project, "--sparring", "scenarios", "-m", "order", "--sparring-chatbot", chatbot)

    result.assert_outcomes(failed=1, skipped=2, deselected=1)
    result.stdout.fnmatch_lines([said])


def test_a_missing_chatbot_is_reported_with_the_options_of_pytest(project: pytest.Pytester):
    (project.path / "sparring.yaml").unlink()

    result = run(project, "--sparring", "scenarios", "-m", "order")

    result.stdout.fnmatch_lines(["no chatbot is chosen (--sparring-chatbot *", "*(set --sparring-model: *"])


def test_conversations_of_one_process_run_at_the_same_time(project: pytest.Pytester):
    waiting = (
        "import asyncio\nhere, all_here = [], asyncio.Event()\n"
        "async def reply(messages, variables):\n"
        "    here.append(1)\n"
        "    if len(here) == 3:\n"
        "        all_here.set()\n"
        "    await all_here.wait()\n"
        "    return 'One small medium big pizza. Goodbye!'\n"
    )
    (project.path / "waiting_bot.py").write_text(waiting, encoding="utf-8")

    result = run(*(project, "--sparring", "scenarios", "-m", "order", "--sparring-chatbot", "python:waiting_bot:reply"))

    result.assert_outcomes(failed=3, deselected=1)  # no price is named; a chatbot alone would wait for ever


@pytest.mark.process
def test_workers_of_xdist_run_each_item_once(project: pytest.Pytester):
    result = project.runpytest_subprocess(
        *("-p", "no:schemathesis", "-p", "no:asyncio", "-n", "2", "--sparring", "scenarios", "--sparring-repeat", "2")
    )

    result.assert_outcomes(passed=4, failed=2, xfailed=2)
    result.stdout.fnmatch_lines(["Replay: sparring rerun * --case order/2 *"])


@pytest.mark.process
def test_the_installed_plugin_imports_nothing_but_itself():
    code = "import sys, sparring.pytest_plugin; print(*sorted(each for each in sys.modules if 'sparring' in each))"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["sparring", "sparring.pytest_plugin"]


def test_pytest_rewrites_the_assertions_of_modules_for_tests_only():
    finders = [type(each).__name__ for each in sys.meta_path]
    ours = finders.index("_CompiledModules")
    modules = (sparring.core.text, sparring.testing.conformance)

    found = [sys.meta_path[ours].find_spec(each.__name__, sys.modules[each.__package__].__path__) for each in modules]

    assert (ours < finders.index("AssertionRewritingHook"), *map(bool, found)) == (True, True, False)


@table(
    ("outcome", "strict", "raised"),
    [
        (Outcome.VOID, False, pytest.skip.Exception),
        (None, False, pytest.skip.Exception),
        (Outcome.UNDECIDED, False, pytest.xfail.Exception),
        (Outcome.VOID, True, CaseFailed),
        (None, True, CaseFailed),
    ],
)
def test_what_is_not_decided_is_not_passed(outcome: Outcome | None, strict: bool, raised: type[BaseException]):
    with pytest.raises(raised, match="why"):
        report_outcome(Played(outcome=outcome, reason="why", explanation="why"), strict=strict)


def test_a_conversation_is_stored_where_the_command_of_the_failure_finds_it(project: pytest.Pytester):
    run(project, "--sparring", "scenarios", "--sparring-store", "own.db")

    assert Path("own.db").exists()
