"""Trajectories in the Agent Trajectory Interchange Format: `schema_version` and `steps`."""

from collections.abc import Iterator, Mapping
from typing import Any

from sparring.core.conversation import Conversation
from sparring.core.usage import Usage
from sparring.core.value import mapping, mappings
from sparring.rules.inputs import NotARecording
from sparring.rules.inputs.entries import LogEntry
from sparring.rules.inputs.log_format import LogFormat, each
from sparring.rules.inputs.transcript import Transcript, conversation, figure, words

_MOST_NESTED = 10


def _parsed(entry: LogEntry) -> Conversation:
    fields = entry.value
    if not isinstance(fields.get("steps"), list):
        raise NotARecording("is no trajectory: 'steps' should be a list")
    transcript = Transcript()
    _add(transcript, fields, 0)
    agent = mapping(fields.get("agent"))
    about = {"agent": agent.get("name"), "model": agent.get("model_name"), "notes": fields.get("notes")}
    system = next((words(step.get("message")) for step in _steps(fields) if step.get("source") == "system"), "")
    return conversation(
        str(fields.get("session_id") or fields.get("trajectory_id") or entry.label),
        transcript,
        variables={name: value for name, value in {**about, "system_prompt": system}.items() if value},
        complete=True,
        tools=agent.get("tool_definitions"),
        usage=_usage([mapping(step.get("metrics")) for step in _steps(fields) if step.get("metrics")]),
    )


def _add(transcript: Transcript, trajectory: Mapping[str, Any], level: int) -> None:
    """Add the steps of a trajectory; those of agents that it called stand as calls after `hand_off`."""
    inner = {str(sub.get("trajectory_id")): sub for sub in mappings(trajectory.get("subagent_trajectories"))}
    for step in _steps(trajectory):
        source = step.get("source")
        if source in ("user", "agent") and not level:
            transcript.say("user" if source == "user" else "chatbot", transcript.read(step.get("message")))
        elif source not in ("user", "agent") and (source != "system" or (transcript.has_begun and not level)):
            transcript.leave_out(f"step of the source {source!r}")
        for call in transcript.items(step.get("tool_calls"), "tool call"):
            transcript.call(call.get("function_name"), call.get("arguments"), call.get("tool_call_id"))
        for result in mappings(mapping(step.get("observation")).get("results")):
            _add_result(transcript, result, inner, level)


def _add_result(
    transcript: Transcript, result: Mapping[str, Any], inner: Mapping[str, dict[str, Any]], level: int
) -> None:
    text = transcript.read_result(result.get("content"))
    if result.get("source_call_id") is not None:
        transcript.result(text, result["source_call_id"])
    elif transcript.has_open_call or text is not None:
        transcript.result(text)
    for reference in mappings(result.get("subagent_trajectory_ref")):
        called = inner.get(str(reference.get("trajectory_id")))
        if called is not None and level < _MOST_NESTED:
            transcript.call("hand_off", {"agent": str(mapping(called.get("agent")).get("name"))}, result=text)
            _add(transcript, called, level + 1)


def _steps(trajectory: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    return (step for step in mappings(trajectory.get("steps")) if not step.get("is_copied_context"))


def _usage(metrics: list[dict[str, Any]]) -> Usage | None:
    if not metrics:
        return None
    read, written, cached, priced = (
        [found for each in metrics if (found := figure(each.get(name))) is not None]
        for name in ("prompt_tokens", "completion_tokens", "cached_tokens", "cost_usd")
    )
    return Usage(
        calls=len(metrics),
        input_tokens=int(sum(read)),
        output_tokens=int(sum(written)),
        cached_tokens=int(sum(cached)),
        unknown_tokens=len(metrics) - len(read),
        cost=sum(priced),
        unknown_costs=len(metrics) - len(priced),
    )


def _fits(entry: LogEntry) -> bool:
    return str(mapping(entry.value).get("schema_version")).startswith("ATIF-v")


FORMAT = LogFormat(_fits, each(_parsed))
