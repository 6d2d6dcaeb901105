"""Graphs of LangGraph, and models and chains of LangChain, as objects in this process."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

import orjson

from sparring.chatbots.agent_turns import AgentTurn, Asked, Calls, ModelUse, shown, usage_of, words_of
from sparring.chatbots.histories import chat_messages
from sparring.core.case import Case
from sparring.core.errors import ChatbotError
from sparring.core.value import decoded, mapping


class LangGraphAgent:
    """A compiled graph of LangGraph with `messages` in its state.

    A graph with a checkpointer gets only new messages, in a thread of its own; any other graph gets its whole last
    state.
    """

    def __init__(self, graph: Any, case: Case, context: Any = None) -> None:
        self._graph = graph
        self._given = {} if context is None else {"context": context}
        self._config = {"configurable": {"thread_id": uuid4().hex}}
        self._state: dict[str, Any] = {"messages": chat_messages(case.history)}
        self._new = list(self._state["messages"])
        self._seen: set[str] = set()
        self._asking = False
        self._calls = Calls()

    async def turn(self, text: str) -> AgentTurn:
        said = {"role": "user", "content": text}
        if self._asking:
            sent = sys.modules["langgraph.types"].Command(resume=text)
        elif getattr(self._graph, "checkpointer", None):
            sent = {"messages": [*self._new, said]}
        else:
            sent = {**self._state, "messages": [*self._state["messages"], said]}
        self._new = []
        found = _mapping(await self._graph.ainvoke(sent, self._config, **self._given))
        asked = found.pop("__interrupt__", ())
        self._asking, self._state = bool(asked), found
        new = self._unseen(found.get("messages", ()))
        answers = [each for each in new if each.type == "ai"]
        results = {
            each.tool_call_id: (words_of(each.content), getattr(each, "status", "") == "error")
            for each in new
            if each.type == "tool"
        }
        texts = [*(words_of(each.content) for each in answers), *(_question(each.value) for each in asked)]
        calls = [Asked(call["id"], call["name"], call["args"]) for each in answers for call in each.tool_calls]
        return AgentTurn(texts, self._calls.with_results(calls, results), [_use(each) for each in answers])

    def _unseen(self, messages: Sequence[Any]) -> list[Any]:
        """Return the messages after the user's last one that no earlier turn had."""
        last = max((at for at, each in enumerate(messages) if each.type == "human"), default=-1)
        new = [each for each in messages[last + 1 :] if each.id is None or each.id not in self._seen]
        self._seen |= {each.id for each in messages if each.id is not None}
        return new

    async def state(self) -> object:
        channels = {name: value for name, value in self._state.items() if name != "messages"}
        return orjson.loads(orjson.dumps(channels, default=str))


def _question(value: Any) -> str:
    """Return what an interrupt asks: the words in its value, or all of it."""
    words = [value.get(name) for name in ("question", "message", "description")] if isinstance(value, dict) else []
    return next((each for each in words if isinstance(each, str)), None) or shown(value)


def _use(answer: Any) -> ModelUse:
    counts = getattr(answer, "usage_metadata", None) or {}
    cached = (counts.get("input_token_details") or {}).get("cache_read", 0)
    about = getattr(answer, "response_metadata", None) or {}
    used = usage_of(1, counts.get("input_tokens", 0), counts.get("output_tokens", 0), cached)
    return ModelUse(used, str(about.get("model_name") or ""), str(about.get("model_provider") or ""))


def _mapping(found: Any) -> dict[str, Any]:
    if isinstance(found, Mapping):
        return dict(found)
    raise ChatbotError(f"the graph returned {type(found).__name__}, where a state with messages was expected")


class RunnableAgent:
    """A model or a chain of LangChain. Its callbacks show tool calls and usage.

    A chain gets what its input is made of: the user's message, the messages before it in a list of messages, and for
    other names the variables of the case. One that keeps the history itself gets only the message.
    """

    def __init__(self, runnable: Any, case: Case, extra: Mapping[str, Any] | None = None) -> None:
        self._runnable = runnable
        self._known = {**case.variables, **mapping(extra)}
        self._names, self._takes_messages = _input_of(runnable)
        self._said: list[Any] = chat_messages(case.history)
        self._config = {"configurable": {"session_id": (id := uuid4().hex)}}
        self._keeps_history = hasattr(runnable, "get_session_history")
        if self._keeps_history and self._said:
            runnable.get_session_history(id).add_messages(_messages(self._said))
            self._said = []
        self._calls = Calls()

    async def turn(self, text: str) -> AgentTurn:
        recorder = _recorder()
        found = await self._runnable.ainvoke(self._sent(text), {**self._config, "callbacks": [recorder]})
        answer = _last_answer(found)
        words = words_of(answer.content) if hasattr(answer, "content") else shown(answer)
        spoken = answer if hasattr(answer, "content") else {"role": "assistant", "content": words}
        if not self._keeps_history:
            self._said += [{"role": "user", "content": text}, spoken]
        return AgentTurn([words], self._calls.with_results(recorder.asked, recorder.results), recorder.used)

    def _sent(self, text: str) -> Any:
        whole = _messages([*self._said, {"role": "user", "content": text}])
        if not self._names:
            return whole if self._takes_messages else text
        texts = [name for name, is_list in self._names.items() if not is_list]
        asked = texts[:1] if len(texts) == 1 else [name for name in _ASKED if name in texts][:1]
        lists = {name: whole[:-1] if asked else whole for name, is_list in self._names.items() if is_list}
        others = {name: self._known[name] for name in texts if name in self._known}
        return {**lists, **others, **dict.fromkeys(asked, text)}


def _messages(said: list[Any]) -> Any:
    return sys.modules["langchain_core.messages"].convert_to_messages(said)


_ASKED = ("input", "question", "query", "message", "text")
"""Names of the user's message in the input of a chain, the likeliest first."""


def _input_of(runnable: Any) -> tuple[dict[str, bool], bool]:
    """Return the names in the input of a chain, with True for lists of messages.

    Of an input without names, tell whether it is a list of messages.
    """
    try:
        schema = runnable.get_input_jsonschema()
    except Exception:  # noqa: BLE001  some types have no schema
        return {}, True
    fields = mapping(schema.get("properties")) if "root" not in mapping(schema.get("properties")) else {}
    names = {name: "array" in (kinds := _types(each)) and "string" not in kinds for name, each in fields.items()}
    return names, "array" in _types(schema)


def _types(schema: Any) -> set[str]:
    return {str(each.get("type")) for each in (schema, *schema.get("anyOf", ()), *schema.get("oneOf", ()))}


def _last_answer(found: Any) -> Any:
    """Return the answer in the output of a chain."""
    if not isinstance(found, dict):
        return found
    messages = found.get("messages") or [None]
    return messages[-1] or next((found[name] for name in ("output", "answer", "result") if name in found), found)


def _recorder() -> Any:
    """Return a callback handler that records what models and tools of a chain did."""
    base = sys.modules["langchain_core.callbacks"].BaseCallbackHandler
    return type("Recorder", (_Recorder, base), {})()


class _Recorder:
    run_inline = True

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.results: dict[str, tuple[Any, bool]] = {}
        self.used: list[ModelUse] = []
        self._running: dict[Any, Asked] = {}

    def on_chat_model_start(self, _: Any, messages: list[list[Any]], **about: Any) -> None:
        for each in (each for said in messages for each in said if each.type == "tool"):
            self._keep(each.tool_call_id, each)

    def on_llm_end(self, response: Any, **about: Any) -> None:
        for answer in (
            each.message for several in response.generations for each in several if hasattr(each, "message")
        ):
            self.used.append(_use(answer))
            self.asked += [Asked(call["id"], call["name"], call["args"]) for call in answer.tool_calls]

    def on_tool_start(self, tool: Any, given: str, *, run_id: Any, inputs: Any = None, **about: Any) -> None:
        name = mapping(tool).get("name") or about.get("name") or ""
        self._running[run_id] = Asked(str(run_id), str(name), inputs if isinstance(inputs, dict) else decoded(given))

    def on_tool_end(self, output: Any, *, run_id: Any, **about: Any) -> None:
        self._keep(self._id_of(run_id, output), output)

    def on_tool_error(self, error: BaseException, *, run_id: Any, **about: Any) -> None:
        self.results[self._id_of(run_id, None)] = (f"{type(error).__name__}: {error}", True)

    def _keep(self, id: str, found: Any) -> None:
        content = words_of(found.content) if getattr(found, "type", "") == "tool" else found
        self.results[id] = (content, getattr(found, "status", "") == "error")

    def _id_of(self, run_id: Any, output: Any) -> str:
        """Return the id of the call that a model asked for and a tool ran, or of a call of the chain's own."""
        ran = self._running.pop(run_id)
        open_calls = [each for each in self.asked if each.id not in self.results]
        if id := getattr(output, "tool_call_id", None):
            return str(id)
        same = next((each.id for each in open_calls if (each.name, each.arguments) == (ran.name, ran.arguments)), None)
        if same is None:
            self.asked.append(ran)
        return same or ran.id
