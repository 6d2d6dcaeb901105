"""Adapters between Sparring's models and Inspect's, in both directions.

`InspectBackedModel` calls a model through Inspect, which counts and records the call. The provider `sparring` offers
Sparring's models to Inspect without further packages: `sparring/offline` is the chatbot's grammar, and
`sparring/openai:gpt-4o-mini` uses Sparring's own client.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, NamedTuple

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    ResponseSchema,
    get_model,
    modelapi,
)
from inspect_ai.model import Model as InspectModel
from inspect_ai.model._generate_config import active_generate_config  # no public API returns the caller's choice
from inspect_ai.tool import ToolCall, ToolChoice, ToolInfo, ToolParams
from inspect_ai.util import JSONSchema, LimitExceededError

from sparring.app.models import OFFLINE
from sparring.core.errors import BadCompletion, ModelError, ModelTimeout, ModelUnavailable
from sparring.core.usage import Usage
from sparring.integrations.inspect_ai.scores import model_usage
from sparring.llm.model import ChatMessage as Line
from sparring.llm.model import Completion, Model, Request, Tool, ToolRequest, UnpricedModel


@dataclass
class PendingRequest:
    """A request that Inspect is handling, Sparring's model for it if any, and that model's answer."""

    request: Request
    model: Model | None
    answer: Completion | None = None


@dataclass
class ExceededLimit:
    """The limit of Inspect that a sample exceeded, or None."""

    limit: LimitExceededError | None = None


class SampleContext(NamedTuple):
    """Context of the running sample: its exceeded limit and its pending request."""

    exceeded: ExceededLimit | None = None
    question: PendingRequest | None = None


sample_context: ContextVar[SampleContext] = ContextVar("sample_context", default=SampleContext())  # noqa: B039  frozen


@contextmanager
def watch_limits() -> Iterator[ExceededLimit]:
    """Record a limit exceeded inside the block. Otherwise it would end as a failure of the chatbot."""
    exceeded = ExceededLimit()
    token = sample_context.set(SampleContext(exceeded))
    try:
        yield exceeded
    finally:
        sample_context.reset(token)


def inspect_role(role: str) -> str | None:
    """Return the Inspect model role; None for the chatbot, whose model is the evaluated one."""
    return None if role == "chatbot" else role


@dataclass(frozen=True)
class InspectBackedModel(UnpricedModel):
    """Calls the model of `role` in the current sample through Inspect.

    `own` returns Sparring's model behind an Inspect model, or None.
    """

    role: str
    own: Callable[[InspectModel], Model | None]

    async def complete(self, request: Request) -> Completion:
        model = get_model(role=inspect_role(self.role))
        asked = PendingRequest(request, self.own(model))
        sample = sample_context.get()
        token = sample_context.set(sample._replace(question=asked))
        try:
            output = await model.generate(
                [_inspect_message(line) for line in request.messages],
                tools=[_tool(tool) for tool in request.tools],
                config=_config(request, model.config.merge(active_generate_config())),
            )
        except LimitExceededError as error:
            if sample.exceeded is not None:
                sample.exceeded.limit = error
            raise ModelUnavailable(str(error)) from error
        except TimeoutError as error:
            raise ModelTimeout(f"{model}: {str(error) or 'no answer in time'}") from error
        except ModelError:
            raise
        except Exception as error:  # each Inspect provider raises its own errors
            raise ModelUnavailable(f"{model}: {type(error).__name__}: {error}") from error
        finally:
            sample_context.reset(token)
        return asked.answer or to_completion(output)


def to_completion(output: ModelOutput) -> Completion:
    """Convert the output of an Inspect model."""
    if output.error or output.empty:
        raise BadCompletion(output.error or "the model returned an empty answer")
    said = output.message
    requests = tuple(ToolRequest(call.id, call.function, _arguments(call)) for call in said.tool_calls or ())
    return Completion(said.text, requests, _usage(output.usage), output.model)


def to_output(completion: Completion, model: str, usage: ModelUsage | None) -> ModelOutput:
    """Convert the completion of a Sparring model for Inspect."""
    calls = _calls(completion.tool_requests)
    message = ChatMessageAssistant(content=completion.text, tool_calls=calls or None, model=model)
    output = ModelOutput.from_message(message, stop_reason="tool_calls" if calls else "stop")
    return output.model_copy(update={"model": completion.model or model, "usage": usage})


def _usage(usage: ModelUsage | None) -> Usage:
    """Return the usage of one call. Zero tokens, which some servers report for every call, are unknown."""
    if usage is None or not (usage.input_tokens or usage.output_tokens or usage.total_tokens):
        return Usage(calls=1, unknown_tokens=1, unknown_costs=1)
    cached = usage.input_tokens_cache_read or 0
    return Usage(
        calls=1,
        input_tokens=usage.input_tokens + cached + (usage.input_tokens_cache_write or 0),
        output_tokens=usage.output_tokens,
        cached_tokens=cached,
        cost=usage.total_cost or 0.0,
        unknown_costs=int(usage.total_cost is None),
    )


def _inspect_message(line: Line) -> ChatMessage:
    match line.role:
        case "system":
            return ChatMessageSystem(content=line.content)
        case "user":
            return ChatMessageUser(content=line.content)
        case "tool":
            return ChatMessageTool(content=line.content, tool_call_id=line.tool_request_id)
        case "assistant":
            return ChatMessageAssistant(content=line.content, tool_calls=_calls(line.tool_requests) or None)


def _calls(requests: Iterable[ToolRequest]) -> list[ToolCall]:
    return [ToolCall(id=each.id, function=each.name, arguments=_parsed(each.arguments)) for each in requests]


def _tool(tool: Tool) -> ToolInfo:
    parameters = ToolParams.model_validate(dict(tool.parameters))
    return ToolInfo(name=tool.name, description=tool.description, parameters=parameters)


def _config(request: Request, chosen: GenerateConfig) -> GenerateConfig:
    """Return the request's settings, without those that the caller of Inspect has set."""
    config = GenerateConfig(
        temperature=request.temperature if chosen.temperature is None else None,
        seed=request.seed if chosen.seed is None else None,
        max_tokens=request.max_tokens if chosen.max_tokens is None else None,
    )
    if request.answer is not None:
        schema = JSONSchema.model_validate(dict(request.answer.schema))
        config.response_schema = ResponseSchema(name=request.answer.name, json_schema=schema)
    return config


def _arguments(call: ToolCall) -> str:
    """Return the arguments of a tool call as text. For invalid JSON, Inspect keeps only the parse error."""
    return f"not JSON: {call.parse_error}" if call.parse_error else json.dumps(call.arguments)


def _parsed(text: str) -> dict[str, object]:
    try:
        loaded = json.loads(text)
    except ValueError:
        return {}
    return loaded if isinstance(loaded, dict) else {}


class SparringModelAPI(ModelAPI):
    """An Inspect provider that answers the pending request with the Sparring model that belongs to it."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
        **model_args: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config or GenerateConfig())

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        asked = sample_context.get().question
        if asked is None or asked.model is None:
            raise RuntimeError(f"sparring/{self.model_name} works only in tasks that Sparring registers")
        asked.answer = await asked.model.complete(asked.request)
        return to_output(asked.answer, f"sparring/{self.model_name}", self._usage(asked.answer.usage))

    def _usage(self, usage: Usage) -> ModelUsage | None:
        """Return the usage for Inspect; zero for a grammar, None if unknown."""
        return ModelUsage() if self.model_name == OFFLINE else model_usage(usage)

    def should_retry(self, ex: BaseException) -> bool:
        """Return False: Sparring's client has retried already."""
        return False


@modelapi(name="sparring")
def sparring() -> type[ModelAPI]:
    """Return the class of the provider, for Inspect's registry."""
    return SparringModelAPI


def is_sparring_model(model: InspectModel) -> bool:
    """Return True if the model belongs to the provider `sparring`."""
    return isinstance(model.api, SparringModelAPI)
