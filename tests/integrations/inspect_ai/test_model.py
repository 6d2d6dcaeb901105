"""Models of Inspect's as the chatbot's model."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sparring.core.errors import BadCompletion
from sparring.core.usage import Usage
from sparring.llm.model import Completion

pytestmark = pytest.mark.extended


@pytest.fixture
def waiter() -> Any:
    """A module with Inspect, which is not imported to collect tests: that takes seconds in every worker."""
    return pytest.importorskip("integrations.inspect_ai.waiter")


def to_completion(output: Any) -> Completion:
    from sparring.integrations.inspect_ai.model import to_completion

    return to_completion(output)


SCENARIO = """\
script: [When are you open?, Thanks]
expect: ["called('opening_hours')", "chatbot_says('from 1 pm')"]
"""


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory, process: None) -> list[Any]:
    """What `waiter.py` makes."""
    folder = tmp_path_factory.mktemp("waiter")
    (folder / "hours.yml").write_text(SCENARIO)
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "waiter.py")],
        cwd=folder,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "INSPECT_DISPLAY": "none",
            "PYTHONPATH": str(Path(__file__).parents[2]),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(Path(path).read_text()) for path in done.stdout.split()[-4:]]


def test_the_chatbots_model_is_the_one_that_inspect_evaluates(logs: list[Any]):
    (sample,) = logs[0]["samples"]

    score = sample["scores"]["expectations"]
    assert (logs[0]["status"], score["value"], sample.get("error")) == ("success", 1.0, None)
    assert sample["model_usage"]["mockllm/waiter"]["total_tokens"] == 300
    assert {name: score["metadata"][name] for name in ("tokens", "tool_calls", "regexes", "regex_matches")} == {
        "tokens": 300,
        "tool_calls": 1,
        "regexes": 1,
        "regex_matches": 1,
    }
    roles = [line["role"] for line in sample["messages"]]
    assert roles == ["user", "assistant", "tool", "assistant", "user", "assistant"]
    assert {name: each["value"] for name, each in logs[0]["results"]["scores"][0]["metrics"].items()} == {
        "success_rate": 1,
        "stderr": 0,
        "tokens_total": 300,
        "tokens_average": 300,
        "tokens_unknown": 0,
        "tool_calls_average": 1,
        "regex_matches": 1,
    }


def test_options_of_inspect_override_those_of_the_chatbot(logs: list[Any]):
    asked = [event["config"] for event in logs[0]["samples"][0]["events"] if event["event"] == "model"]

    assert [config["temperature"] for config in asked] == [0.7] * 3
    assert [config["seed"] for config in asked] == [0] * 3


def test_a_limit_of_inspects_is_that_and_no_failure_of_the_chatbot(logs: list[Any]):
    (sample,) = logs[1]["samples"]

    assert (sample["limit"]["type"], sample.get("error")) == ("token", None)


def test_a_model_of_ours_is_counted_by_inspect_too(logs: list[Any]):
    (sample,) = logs[2]["samples"]

    ((model, usage),) = sample["model_usage"].items()
    score = sample["scores"]["expectations"]
    assert (model.startswith("sparring/http://127.0.0.1:"), score["value"]) == (True, 1.0)
    assert usage["total_tokens"] == score["metadata"]["tokens"] > 0
    assert score["metadata"]["model_calls"] == 3


def test_tokens_that_a_model_does_not_report_are_unknown_in_inspect_and_never_zero(logs: list[Any]):
    (sample,) = logs[3]["samples"]

    assert (sample["model_usage"], logs[3]["stats"]["model_usage"]) == ({}, {})
    measured = sample["scores"]["expectations"]["metadata"]
    assert (measured["tokens"], measured["unknown_tokens"], measured["model_calls"]) == (None, 2, 2)
    metrics = {name: each["value"] for name, each in logs[3]["results"]["scores"][0]["metrics"].items()}
    assert {name: value for name, value in metrics.items() if "token" in name} == {"tokens_unknown": 1}


@pytest.mark.parametrize("told", [False, True])
def test_unknown_usage_is_counted_as_unknown(waiter: Any, told: bool):
    usage = waiter.ModelUsage() if told else None

    assert to_completion(waiter.said("Hi", usage=usage)).usage == Usage(calls=1, unknown_tokens=1, unknown_costs=1)


def test_cached_tokens_are_input_tokens(waiter: Any):
    usage = waiter.ModelUsage(
        input_tokens=5, output_tokens=2, total_tokens=17, input_tokens_cache_read=10, total_cost=0.5
    )

    assert to_completion(waiter.said("Hi", usage=usage)).usage == Usage(
        calls=1, input_tokens=15, output_tokens=2, cached_tokens=10, cost=0.5
    )


def test_arguments_that_were_no_json_are_none_for_us_either(waiter: Any):
    call = waiter.ToolCall(id="1", function="f", arguments={}, parse_error="Expecting value")

    (request,) = to_completion(waiter.said("", call)).tool_requests

    assert request.arguments == "not JSON: Expecting value"


def test_no_answer_is_an_error(waiter: Any):
    for output in (waiter.ModelOutput(), waiter.said("").model_copy(update={"error": "refused"})):
        with pytest.raises(BadCompletion):
            to_completion(output)
