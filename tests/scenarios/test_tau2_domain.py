"""A domain of τ²-bench by its address, with a stand-in for the benchmark's package: chatbot, tasks and results."""

import json
from pathlib import Path
from typing import Any

import pytest

import sparring
from sparring.core.errors import InputError
from sparring.llm.model import Completion, Request, ToolRequest
from sparring.rules.inputs.tau_state import environment_of
from sparring.scenarios import loading
from tau2_package import install

TASK = {
    "id": "1",
    "user_scenario": {"instructions": {"domain": "shop", "reason_for_call": "Cancel order W2."}},
    "initial_state": {
        "initialization_data": {"agent_data": {"orders": {"W3": "pending"}}},
        "initialization_actions": [{"env_type": "assistant", "func_name": "register", "arguments": {"name": "W2"}}],
    },
    "evaluation_criteria": {
        "actions": [{"name": "cancel", "arguments": {"order": "W2"}}],
        "env_assertions": [{"env_type": "assistant", "func_name": "is_cancelled", "arguments": {"order": "W2"}}],
        "reward_basis": ["DB", "ENV_ASSERTION"],
    },
}


@pytest.fixture
def benchmark_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder with the data of a benchmark whose package can be imported."""
    install(tmp_path, monkeypatch)
    tasks = tmp_path / "tau2" / "domains" / "shop" / "tasks.json"
    tasks.parent.mkdir(parents=True)
    tasks.write_text(json.dumps([TASK]))
    environment_of.cache_clear()
    return tmp_path


class Cancels:
    """A model that cancels an order, and says goodbye."""

    def __init__(self, order: str) -> None:
        self.order = order

    async def complete(self, request: Request) -> Completion:
        assert request.messages[0].content == "Cancel orders only if they are pending."
        if request.messages[-1].role == "tool":
            return Completion("It is done. Goodbye.")
        return Completion("", (ToolRequest("1", "cancel", json.dumps({"order": self.order})),))


@pytest.mark.usefixtures("benchmark_data")
@pytest.mark.parametrize(("order", "expected"), [("W2", "passed"), ("W1", "failed")])
def test_an_address_is_tasks_and_chatbot(order: str, expected: str):
    (found,) = sparring.run("tau2:shop", chatbot_model=Cancels(order), user="agenda", judge="none", store=":memory:")
    assert (found.conversation.case.id, found.outcome) == ("shop/1", expected)
    assert found.conversation.messages[1].tool_calls[0].name == "cancel"


@pytest.mark.usefixtures("benchmark_data")
def test_an_unknown_domain_is_an_error():
    with pytest.raises(InputError, match=r"tau2:hotel: there is no .*tasks\.json"):
        loading.load([Path("tau2:hotel")], seed=1)


def simulation(order: str, reward: float) -> dict[str, Any]:
    said = [
        {"role": "user", "content": "Cancel W2."},
        {"role": "assistant", "tool_calls": [{"id": "1", "name": "cancel", "arguments": {"order": order}}]},
        {"role": "tool", "id": "1", "content": "done", "error": False},
        {"role": "assistant", "content": "It is done."},
    ]
    ended = {"termination_reason": "user_stop", "reward_info": {"reward": reward}}
    return {"id": order, "task_id": "1", "trial": 0, "messages": said, **ended}


def test_published_results_are_scored_again(benchmark_data: Path):
    results = benchmark_data / "results.json"
    results.write_text(json.dumps({"tasks": [TASK], "simulations": [simulation("W2", 1), simulation("W1", 0)]}))
    found = list(sparring.import_logs(results, store=":memory:"))
    assert [each.conversation.case.variables["reward"] for each in found] == [1, 0]
    assert [[one.outcome for one in each.verdicts if "state" in one.check] for each in found] == [["pass"], ["fail"]]
    assert [[one.outcome for one in each.verdicts if "is_cancelled" in one.check] for each in found] == [
        ["pass"],
        ["fail"],
    ]


def test_without_the_benchmark_results_are_only_read(benchmark_data: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("TAU2_DATA_DIR")
    results = benchmark_data / "results.json"
    results.write_text(json.dumps({"tasks": [TASK], "simulations": [simulation("W2", 1)]}))
    (found,) = sparring.import_logs(results, store=":memory:")
    assert (found.conversation.case.expectations, found.conversation.state) == ((), None)
