"""The state in results of τ²-bench: their calls are made again on the benchmark's own environment.

It needs the benchmark's package and its data (`TAU2_DATA_DIR`); without them, results have no state.
"""

import os
from collections.abc import Iterable, Mapping
from copy import deepcopy
from functools import cache
from typing import Any

from sparring.core.errors import InputError
from sparring.core.state import (
    GoldenAction,
    GoldenRun,
    StateRecord,
    ToolAnswer,
    as_state,
    changes_between,
    state_record,
)
from sparring.core.value import mapping, mappings
from sparring.scenarios import tau2


@cache
def environment_of(domain: str) -> type | None:
    """Return the environment of a domain, or None if the benchmark or the domain is not there."""
    if not domain or not os.environ.get("TAU2_DATA_DIR"):
        return None
    # Other logs do not wait for it.
    from sparring.chatbots.prompted import tau2 as environments

    try:
        owner = environments.domain(domain)[1].owner
    except InputError:
        return None
    return owner if isinstance(owner, type) else None


def state_of(run: Mapping[str, Any], task: Mapping[str, Any], environment: type) -> StateRecord:
    """Return the state before and after a simulation, and what its task compares it with."""
    setup = tau2.setup_of(task)
    past = len(mappings(mapping(task.get("initial_state")).get("message_history")))
    made = environment()
    if problem := _called(made, setup):
        return state_record(None, None, {"start": problem, "end": problem})
    start = as_state(made.state())
    calls = [call for said in mappings(run["messages"])[past:] for call in mappings(said.get("tool_calls"))]
    _called(made, [tau2.action(call, may_fail=True) for call in calls])
    end = as_state(made.state())
    expected = tau2.expectations(task, "")
    golden = tuple([_golden(environment, setup, each.golden) for each in expected if each.golden])
    answers = tuple([_answer(made, action) for each in expected for action in each.asks])
    return state_record(start, end, {}, golden, answers)


def _golden(environment: type, setup: Iterable[GoldenAction], actions: tuple[GoldenAction, ...]) -> GoldenRun:
    fresh = environment()
    _called(fresh, setup)
    before = as_state(fresh.state())
    error = _called(fresh, actions)
    return GoldenRun(actions=actions, changes=changes_between(before, as_state(fresh.state())), error=error)


def _called(made: Any, actions: Iterable[GoldenAction]) -> str:
    """Make calls, and return the problem of the first that fails and may not."""
    for action in actions:
        try:
            getattr(made, action.tool)(**deepcopy(action.arguments))
        except Exception as error:  # noqa: BLE001  foreign code may raise anything
            if not action.may_fail:
                return f"{action.tool} failed: {type(error).__name__}: {error}"
    return ""


def _answer(made: Any, action: GoldenAction) -> ToolAnswer:
    try:
        return ToolAnswer(action=action, result=getattr(made, action.tool)(**action.arguments))
    except Exception as error:  # noqa: BLE001  as above
        return ToolAnswer(action=action, error=f"{type(error).__name__}: {error}")
