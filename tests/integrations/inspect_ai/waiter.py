"""Evaluates the pizzeria with a model of Inspect's own, in a process of its own: Inspect leaves things open behind it.

Prints the paths of four logs: one as it should be, one with a limit, one of a model that we ask ourselves, and one of
a model that does not report its tokens.
"""

import asyncio
import sys
from typing import Any

from inspect_ai import eval_async
from inspect_ai.model import ChatMessageAssistant, ModelOutput, ModelUsage, get_model
from inspect_ai.tool import ToolCall

from model_faults import InjectedFault, completion
from model_server import LoopbackModelServer
from sparring.llm.model import ToolRequest


def said(text: str, *calls: ToolCall, usage: ModelUsage | None = None) -> ModelOutput:
    output = ModelOutput.from_message(ChatMessageAssistant(content=text, tool_calls=list(calls) or None))
    return output.model_copy(update={"usage": usage})


def answers(input: list[Any], tools: list[Any], tool_choice: object, config: Any) -> ModelOutput:
    """A model that looks up the hours when it is asked for them, and tells them."""
    usage = ModelUsage(input_tokens=90, output_tokens=10, total_tokens=100)
    if input[-1].role == "user" and "open" in input[-1].text:
        return said("", ToolCall(id="1", function="opening_hours", arguments={}), usage=usage)
    return said("We open from 1 pm." if input[-1].role == "tool" else "You are welcome.", usage=usage)


async def evaluated(model: Any, **options: Any) -> str:
    """The path of the log of one evaluation."""
    (log,) = await eval_async(
        "sparring/scenarios",
        model=model,
        task_args={"files": "hours.yml", "chatbot": "pizzeria"},
        ctl_server=False,
        log_format="json",
        **options,
    )
    return str(log.location)


async def main() -> None:
    waiter = get_model("mockllm/waiter", custom_outputs=answers, memoize=False)
    paths = [await evaluated(waiter, temperature=0.7), await evaluated(waiter, token_limit=150)]
    tool = ToolRequest("", "opening_hours", "{}")
    async with LoopbackModelServer(tool, "We open from 1 pm.", "You are welcome.") as server:
        paths.append(await evaluated(f"sparring/{server.url}#waiter"))
    silent = [InjectedFault.response(completion({"role": "assistant", "content": "From 1 pm."}, usage=None))] * 2
    async with LoopbackModelServer(*silent) as server:
        paths.append(await evaluated(f"sparring/{server.url}#waiter"))
    sys.stdout.write("\n".join(paths))


if __name__ == "__main__":
    asyncio.run(main())
