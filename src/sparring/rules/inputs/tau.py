"""Results of τ-bench (`traj`) and of τ²-bench (`tasks` and `simulations`, or a folder of both)."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from sparring.core.case import Goal
from sparring.core.conversation import Conversation, Ending
from sparring.core.errors import Problem
from sparring.core.usage import Usage
from sparring.core.value import mapping, mappings
from sparring.rules.inputs import NotARecording
from sparring.rules.inputs.chatml import add_message, system_prompt
from sparring.rules.inputs.entries import LogEntry
from sparring.rules.inputs.log_format import LogFormat, each
from sparring.rules.inputs.transcript import Transcript, conversation, figure

_SIGNAL = re.compile(r"###[A-Z-]+###")
"""Words with which simulated users end a run, such as `###STOP###`; no agent hears them."""

_ENDINGS = {
    "user_stop": Ending.USER_DONE,
    "agent_stop": Ending.CHATBOT_DONE,
    "max_steps": Ending.TURN_LIMIT,
    "timeout": Ending.TIMEOUT,
    "user_error": Ending.USER_FAILED,
    "infrastructure_error": Ending.INFRASTRUCTURE_FAILED,
}


def _tau(entry: LogEntry) -> Conversation:
    fields = entry.value
    task = mapping(mapping(fields.get("info")).get("task"))
    transcript = _transcript(fields["traj"])
    systems = system_prompt(mappings(fields["traj"]), transcript)
    return conversation(
        _id(fields),
        transcript,
        variables={**_known(fields, "task_id", "trial", "reward"), **systems},
        goals=_goal(task.get("instruction")),
        complete=True,
    )


def _transcript(messages: Any) -> Transcript:
    transcript = Transcript()
    for message in transcript.items(messages, "message"):
        add_message(transcript, _flagged(message))
    return transcript


def _flagged(message: dict[str, Any]) -> dict[str, Any]:
    """Return a message with the error flag that tools of τ-bench write as the word `Error`."""
    failed = message.get("role") == "tool" and str(message.get("content")).startswith("Error")
    return {**message, "status": "error"} if failed else message


def _tau2(entries: Iterable[LogEntry]) -> Iterator[Conversation | Problem]:
    """Yield the simulations; tasks, which come before them, say what the user wants and what is right."""
    tasks: dict[str, Mapping[str, Any]] = {}
    for entry in entries:
        listed = [entry.value] if entry.under == "tasks" else entry.value.get("tasks", ())
        tasks |= {str(task.get("id")): task for task in mappings(listed)}
        runs = [entry.value] if _is_run(entry) else mappings(entry.value.get("simulations"))
        for run in runs:
            yield from each(partial(_run, run, tasks.get(str(run.get("task_id")), {})))([entry])


def _run(run: Mapping[str, Any], task: Mapping[str, Any], entry: LogEntry) -> Conversation:
    if not isinstance(run.get("messages"), list):
        raise NotARecording("has no messages: the simulation was of voice, in ticks, or was not kept")
    transcript, user_calls = Transcript(), []
    for message in transcript.items(run["messages"], "message"):
        for one in mappings(message.get("tool_messages")) or [message]:  # several results in one message
            if "user" in (one.get("requestor"), one.get("role") if one.get("tool_calls") else ""):
                user_calls.append({key: one[key] for key in ("tool_calls", "content", "error") if one.get(key)})
            if one.get("role") == "user":
                if text := _SIGNAL.sub("", transcript.read(one.get("content"))).strip():
                    transcript.say("user", text)
            elif one.get("requestor") != "user":
                add_message(transcript, one)
    reason = str(run.get("termination_reason") or "no termination_reason")
    ending = _ENDINGS.get(reason, Ending.CHATBOT_FAILED)
    reward = mapping(run.get("reward_info"))
    variables = {
        **_known(run, "task_id", "trial", "seed", "review"),
        **({"reward": reward.get("reward"), "reward_info": reward} if reward else {}),
        **({"user_tool_calls": user_calls} if user_calls else {}),
    }
    found = conversation(
        _id(run),
        transcript,
        variables=variables,
        ending=ending,
        error=reason if ending in (Ending.CHATBOT_FAILED, Ending.USER_FAILED, Ending.INFRASTRUCTURE_FAILED) else "",
        complete=True,
        usage=_usage(run),
        goals=_goal(_instructions(task)),
    )
    return _judged(found, run, task, entry) if task.get("evaluation_criteria") else found


def _judged(found: Conversation, run: Mapping[str, Any], task: Mapping[str, Any], entry: LogEntry) -> Conversation:
    """Return a conversation with what its task expects, and the state at its end, if the tools are there."""
    from sparring.rules.inputs.tau_state import environment_of, state_of  # other files need no scenarios
    from sparring.scenarios.tau2 import expectations

    if (environment := environment_of(_domain(task, entry))) is None:
        return found
    found = found.changed(state=state_of(run, task, environment))
    case = found.case.changed(expectations=expectations(task, str(entry.file)))
    return found.changed(case=case)


def _domain(task: Mapping[str, Any], entry: LogEntry) -> str:
    """Return the domain of a task, whose instructions name it; otherwise the results do."""
    known = mapping(mapping(task.get("user_scenario")).get("instructions")).get("domain")
    head = entry.head or mapping(entry.value)
    return str(known or mapping(mapping(head.get("info")).get("environment_info")).get("domain_name") or "")


def _usage(run: Mapping[str, Any]) -> Usage | None:
    """Return the agent's usage, one call for each of its messages that has some."""
    found = [mapping(each.get("usage")) for each in mappings(run["messages"]) if each.get("role") == "assistant"]
    asked, cost = [each for each in found if each], figure(run.get("agent_cost"))
    if not asked and not cost:
        return None
    return Usage(
        calls=max(len(asked), 1),
        input_tokens=sum(int(figure(each.get("prompt_tokens")) or 0) for each in asked),
        output_tokens=sum(int(figure(each.get("completion_tokens")) or 0) for each in asked),
        unknown_tokens=0 if asked else 1,
        cost=cost or 0.0,
        unknown_costs=0 if cost is not None else max(len(asked), 1),
    )


def _instructions(task: Mapping[str, Any]) -> str:
    """Return what the user of a task was told, as one text."""
    instructions = mapping(task.get("user_scenario")).get("instructions")
    parts = [str(each) for name, each in mapping(instructions).items() if each and name != "domain"]
    return instructions if isinstance(instructions, str) else "\n".join(parts)


def _goal(instructions: Any) -> tuple[Goal, ...]:
    return (Goal(text=instructions),) if isinstance(instructions, str) and instructions else ()


def _id(run: Mapping[str, Any]) -> str:
    return f"{run.get('task_id')}~{run.get('trial') or 0}"


def _known(fields: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: fields[name] for name in names if fields.get(name) is not None}


def _is_run(entry: LogEntry) -> bool:
    keys = mapping(entry.value).keys()
    return {"task_id", "termination_reason"} <= keys or (entry.under == "simulations" and "task_id" in keys)


def _is_tau2(entry: LogEntry) -> bool:
    value = mapping(entry.value)
    if entry.under == "tasks":
        return bool(value.keys() & {"user_scenario", "evaluation_criteria"})
    return _is_run(entry) or {"tasks", "simulations"} <= value.keys()


TAU = LogFormat(lambda entry: {"traj", "task_id"} <= mapping(entry.value).keys(), each(_tau))
TAU2 = LogFormat(_is_tau2, _tau2)
