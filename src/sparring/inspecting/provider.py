"""Our models for Inspect, which need no package of any provider: `sparring/offline` is the grammar that a chatbot
brings along, and `sparring/openai:gpt-4o-mini` and the like are asked by our own client.
"""

from typing import Any

from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, ModelUsage, modelapi
from inspect_ai.model import Model as InspectModel
from inspect_ai.tool import ToolChoice, ToolInfo

from sparring.app.wiring import OFFLINE
from sparring.core.usage import Usage
from sparring.inspecting.asking import output_of, question
from sparring.inspecting.usage import model_usage


class Ours(ModelAPI):
    """Answers the question that is being asked, by the model that came with it."""

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
        asked = question.get()
        if asked is None or asked.model is None:
            raise RuntimeError(f"sparring/{self.model_name} plays only in the tasks that Sparring registers")
        asked.answer = await asked.model.complete(asked.request)
        return output_of(asked.answer, f"sparring/{self.model_name}", self._usage(asked.answer.usage))

    def _usage(self, usage: Usage) -> ModelUsage | None:
        """None where nobody stated it; a grammar consumes nothing, and says so."""
        return ModelUsage() if self.model_name == OFFLINE else model_usage(usage)

    def should_retry(self, ex: BaseException) -> bool:
        """Our own client has tried again already."""
        return False


@modelapi(name="sparring")
def sparring() -> type[ModelAPI]:
    """The provider, as Inspect registers it."""
    return Ours


def is_ours(model: InspectModel) -> bool:
    """Whether Inspect is to ask one of our own models."""
    return isinstance(model.api, Ours)
