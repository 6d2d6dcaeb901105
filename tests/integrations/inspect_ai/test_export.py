"""Logs of ours, as Inspect's own reader finds them."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any, Literal

import pytest

from sparring.core.batch import Batch
from sparring.core.checks import Expectation, Rule
from sparring.core.conversation import Conversation, Ending
from sparring.core.message import Image, Message, Text, ToolCall, message
from sparring.core.outcome import decide
from sparring.core.usage import Usage
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.reports.reported import ReportedConversation
from sparring.testing.factories import a_batch, a_conversation, all_conversations


def inspect_log() -> Any:
    """Inspect, which is not imported to collect tests: that takes seconds in every worker."""
    return pytest.importorskip("inspect_ai.log", reason="the extra `inspect` is not installed")


async def export(*arguments: Any, **options: Any) -> list[Path]:
    inspect_log()
    from sparring.integrations.inspect_ai.export import export

    return await export(*arguments, **options)


async def judged(
    conversations: Iterable[Conversation], *verdicts: Verdict
) -> AsyncIterator[tuple[Conversation, list[Verdict]]]:
    for each in conversations:
        about = tuple(verdict for verdict in verdicts if verdict.conversation == each.id)
        yield ReportedConversation(each, decide(each, about), about)


def verdict(outcome: CheckOutcome, check: str = "checklist", **more: Any) -> Verdict:
    return Verdict(check=check, outcome=outcome, conversation="pizza/1", **more)


async def exported(
    folder: Path,
    batch: Batch,
    conversations: Iterable[Conversation],
    *verdicts: Verdict,
    suffix: Literal["eval", "json"] = "json",
) -> Any:
    """The one log of a small batch, as Inspect reads it."""
    (path,) = await export(batch, judged(conversations, *verdicts), folder, suffix=suffix)
    return await inspect_log().read_eval_log_async(path, resolve_attachments=True)


def everything() -> tuple[Batch, list[Conversation], list[Verdict]]:
    """A batch in which there is something of every kind."""
    batch = a_batch("pizza/1", "pizza/2", name="menu", repeats=2)
    expected = Expectation(rule=Rule(name="the price is said", then="'12.50' in chatbot_text"))
    case = batch.cases[0].model_copy(
        update={"expectations": (expected,), "history": (message("user", "Hi"), message("chatbot", "Hello! " * 40))}
    )
    batch = batch.model_copy(update={"cases": (case, batch.cases[1]), "tags": ("nightly",)})
    first, *others = all_conversations(batch)
    failing = ToolCall(name="price", arguments={"size": "huge"}, error="there is no such size")
    picture = Message(role="chatbot", parts=(Text(text="Look: "), Image(url="https://example.com/pizza.png")))
    first = first.model_copy(
        update={
            "messages": (*case.history, *first.messages, message("user", "Привет"), picture),
            "usage": {**first.usage, "user": Usage(calls=3, unknown_tokens=3, unknown_costs=3)},
        }
    )
    first = first.with_message(message("user", "A huge one"))
    first = first.with_message(Message(role="chatbot", tool_calls=(failing,), ends=True))
    failed = others[-1].model_copy(
        update={"ending": Ending.CHATBOT_FAILED, "error": "HTTP 502", "messages": (), "timing": None}
    )
    verdicts = [
        verdict(CheckOutcome.PASS, by="checklist"),
        verdict(CheckOutcome.FAIL, "tone", by="model", score=1, reason="It was rude."),
        verdict(CheckOutcome.ERROR, "polite", by="model", reason="the judge answered with nothing"),
        verdict(CheckOutcome.NOT_APPLICABLE, "rounds"),
    ]
    return batch, [first, *others[:-1], failed], verdicts


@pytest.mark.parametrize("suffix", ["eval", "json"])
async def test_an_exported_log_is_read_back_unchanged(suffix: Literal["eval", "json"], tmp_path: Path):
    from sparring.integrations.inspect_ai.export import build_log, to_sample

    batch, conversations, verdicts = everything()
    samples = [to_sample(batch, each) async for each in judged(conversations, *verdicts)]
    log = build_log(batch, samples, part=1, complete=True)

    read = await exported(tmp_path, batch, conversations, *verdicts, suffix=suffix)

    read.samples.sort(key=lambda sample: (sample.id, sample.epoch))
    assert read.model_dump_json() == log.model_dump_json()
    assert [sample.uuid for sample in read.samples] == [sample.uuid for sample in log.samples or ()]


async def test_a_batch_is_written_into_the_same_bytes_again(tmp_path: Path):
    batch, conversations, verdicts = everything()

    (one,) = await export(batch, judged(conversations, *verdicts), tmp_path / "one", suffix="json")
    (other,) = await export(batch, judged(conversations, *verdicts), tmp_path / "other", suffix="json")

    assert (one.name, one.read_bytes()) == (other.name, other.read_bytes())


async def test_a_large_batch_becomes_several_logs(tmp_path: Path):
    batch = a_batch("a", "b", "c", repeats=3)

    paths = await export(batch, judged(all_conversations(batch)), tmp_path, most=4)

    logs = [await inspect_log().read_eval_log_async(path) for path in paths]
    assert [sorted((sample.id, sample.epoch) for sample in log.samples) for log in logs] == [
        [("a", 1), ("a", 2), ("a", 3), ("b", 1)],
        [("b", 2), ("b", 3), ("c", 1), ("c", 2)],
        [("c", 3)],
    ]
    assert len({log.eval.eval_id for log in logs}) == 3
    assert {log.eval.run_id for log in logs} == {batch.id}


async def test_verdicts_are_scores_and_undecided_ones_are_in_no_average(tmp_path: Path):
    batch, conversations, verdicts = everything()

    log = await exported(tmp_path, batch, conversations, *verdicts)

    scores = log.samples[0].scores
    assert {name: score.as_float() for name, score in scores.items() if name != "polite"} == {
        "passed": 0,
        "checklist": 1,
        "tone": 1,
    }
    assert scores["passed"].explanation == "tone: It was rude.\npolite: the judge answered with nothing"
    assert scores["tone"].explanation == "It was rude."
    assert (scores["polite"].reason, scores["polite"].as_float() == scores["polite"].as_float()) == (
        "grader_failed",
        False,
    )
    assert {each.name: (each.scored_samples, each.unscored_samples) for each in log.results.scores} == {
        "passed": (2, 2),
        "checklist": (1, 0),
        "tone": (1, 0),
        "polite": (0, 1),
    }
    assert {
        each.name: {m.name: m.value for m in each.metrics.values() if not m.name.startswith("pass_rate_")}
        for each in log.results.scores
    } == {
        "passed": {"pass_rate": 0, "mean": 0, "stderr": 0},
        "checklist": {"pass_rate": 1, "mean": 1, "stderr": 0},
        "tone": {"pass_rate": 0, "mean": 1, "stderr": 0},
        "polite": {},
    }


async def test_the_judge_is_named_if_there_are_several(tmp_path: Path):
    batch = a_batch("pizza/1")
    said = [
        verdict(CheckOutcome.FAIL, "tone", by="model", score=1),
        verdict(CheckOutcome.PASS, "tone", by="human", score=3),
        verdict(CheckOutcome.PASS, "tone", by="human", score=2),
    ]

    log = await exported(tmp_path, batch, all_conversations(batch), *said)

    scores = {name: score.value for name, score in log.samples[0].scores.items() if name != "passed"}
    assert scores == {"tone": 1, "tone (human)": 3, "tone~2": 2}


async def test_a_void_conversation_is_an_error_without_a_score(tmp_path: Path):
    batch = a_batch("pizza/1")
    failed = a_conversation(batch.cases[0], ending=Ending.USER_FAILED).model_copy(update={"error": "HTTP 429"})

    log = await exported(tmp_path, batch, [failed], verdict(CheckOutcome.FAIL))

    (sample,) = log.samples
    assert (sample.error.message, sample.scores, log.results.completed_samples) == ("user_failed: HTTP 429", {}, 0)


async def test_tools_are_messages_of_their_own(tmp_path: Path):
    batch = a_batch("pizza/1")

    log = await exported(tmp_path, batch, all_conversations(batch))

    said = [
        (line.role, line.text, [call.function for call in getattr(line, "tool_calls", None) or []])
        for line in log.samples[0].messages
    ]
    assert said[:4] == [
        ("user", "A large pizza, please.", []),
        ("assistant", "", ["price"]),
        ("tool", '{"amount": 12.5, "currency": "USD"}', []),
        ("assistant", "That is $12.50. Anything else?", []),
    ]


async def test_usage_is_counted_by_role_and_unknown_usage_is_not_zero(tmp_path: Path):
    batch = a_batch("pizza/1")
    usage = {
        "chatbot": Usage(calls=2, input_tokens=900, output_tokens=60, cached_tokens=400, cost=0.0012),
        "user": Usage(calls=2, unknown_tokens=2, unknown_costs=2),
    }
    conversation = a_conversation(batch.cases[0]).model_copy(update={"usage": usage})

    log = await exported(tmp_path, batch, [conversation])

    (sample,) = log.samples
    assert {role: each.model_dump(exclude_none=True) for role, each in sample.role_usage.items()} == {
        "chatbot": {
            "input_tokens": 500,
            "output_tokens": 60,
            "total_tokens": 960,
            "input_tokens_cache_read": 400,
            "total_cost": 0.0012,
        }
    }
    assert (list(log.stats.model_usage), sample.metadata["usage"]["user"]["unknown_tokens"]) == (["grammar"], 2)


async def test_known_tokens_are_no_total_beside_unknown_ones(tmp_path: Path):
    batch = a_batch("pizza/1", "pizza/2")
    known = Usage(calls=2, input_tokens=900, output_tokens=60)
    usages = {"chatbot": known + Usage(calls=1, unknown_tokens=1), "judge": known}, {"chatbot": known, "judge": known}
    held = [
        a_conversation(case).model_copy(update={"usage": usage})
        for case, usage in zip(batch.cases, usages, strict=True)
    ]

    log = await exported(tmp_path, batch, held)

    assert [sorted(sample.role_usage) for sample in log.samples] == [["judge"], ["chatbot", "judge"]]
    assert {role: each.total_tokens for role, each in log.stats.role_usage.items()} == {"judge": 1920}


async def test_a_batch_that_was_not_run_to_its_end_was_cancelled(tmp_path: Path):
    batch = a_batch("a", "b")

    (path,) = await export(batch, judged(all_conversations(batch)[:1]), tmp_path, complete=False)

    assert (await inspect_log().read_eval_log_async(path)).status == "cancelled"


PROGRAM = """
import sys
from click.testing import CliRunner
from inspect_ai._cli.main import inspect

calls = [["log", "list", "--log-dir", sys.argv[1], "--json"], *(["log", "dump", path] for path in sys.argv[2:])]
for arguments in calls:
    print(CliRunner().invoke(inspect, arguments, catch_exceptions=False).output.count("menu"))
print("openai" in sys.modules)
"""


@pytest.mark.process
def test_inspect_itself_lists_and_dumps_them_without_a_package_of_any_provider(tmp_path: Path):
    batch, conversations, verdicts = everything()
    for suffix in ("eval", "json"):
        asyncio.run(export(batch, judged(conversations, *verdicts), tmp_path, suffix=suffix))

    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path), *map(str, tmp_path.iterdir())],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    listed, *dumped, openai = done.stdout.split()
    assert (listed, len(dumped), openai) == ("4", 2, "False")
    assert all(int(count) > 1 for count in dumped)


def test_repeats_of_a_case_are_a_cluster():
    from inspect_ai.scorer import SampleScore, Score, stderr

    from sparring.integrations.inspect_ai.scores import to_results

    given = [("a", 1.0), ("a", 1.0), ("b", 0.0), ("b", 0.0), ("c", 1.0), ("c", 0.0)]
    scored = [
        (case, {"passed": Score(value=value, metadata={"outcome": "passed" if value else "failed"})})
        for case, value in given
    ]
    samples = [
        SampleScore(score=scores["passed"], sample_id=case, sample_metadata={"case": case}) for case, scores in scored
    ]

    (found,) = to_results(scored)

    figures = {name: each.value for name, each in found.metrics.items()}
    assert figures["stderr"] == pytest.approx(stderr(cluster="case")(samples))
    assert (figures["pass_rate"], figures["mean"]) == (0.5, 0.5)
    assert figures["pass_rate_low_like_these"] < figures["pass_rate_low_these"] < 0.5
