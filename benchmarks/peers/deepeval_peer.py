"""Verdicts of deepeval on recorded conversations, by a mock judge and by the tools called. Reads and prints JSON."""

import json
import os
import sys

os.environ.update(DEEPEVAL_TELEMETRY_OPT_OUT="YES", CONFIDENT_METRIC_LOGGING_VERBOSE="0")

from deepeval.metrics import ConversationalGEval, ToolCorrectnessMetric
from deepeval.models import DeepEvalBaseLLM
from deepeval.test_case import ConversationalTestCase, LLMTestCase, MultiTurnParams, ToolCall, Turn

SCORES = {"able": lambda record: 10 if record["right"] else 0, "lenient": lambda record: 10}


class Judge(DeepEvalBaseLLM):
    """A model whose answer is fixed for the conversation in question."""

    answer = ""

    def load_model(self):
        return self

    def get_model_name(self):
        return "mock"

    def generate(self, prompt, *args, **kwargs):
        return self.answer

    async def a_generate(self, prompt, *args, **kwargs):
        return self.answer


def by_judge(record, judge):
    model = Judge()
    score = SCORES[judge](record) if judge in SCORES else None
    model.answer = "###" if score is None else json.dumps({"score": score, "reason": "mock"})
    metric = ConversationalGEval(
        name="decision", evaluation_params=[MultiTurnParams.CONTENT], evaluation_steps=[record["expected"]],
        model=model, async_mode=False,
    )  # fmt: skip
    turns = [
        Turn(role="user" if each["role"] == "user" else "assistant", content=each["text"] or "(nothing)")
        for each in record["messages"]
    ]
    metric.measure(ConversationalTestCase(turns=turns), _show_indicator=False)
    return "pass" if metric.is_successful() else "fail"


def by_tools(record):
    called = [ToolCall(name=name) for each in record["messages"] for name in each["tools"]]
    wanted = [ToolCall(name=name) for name in record["tools"]]
    case = LLMTestCase(
        input=record["messages"][0]["text"], actual_output=record["messages"][-1]["text"] or "(nothing)",
        tools_called=called, expected_tools=wanted,
    )  # fmt: skip
    metric = ToolCorrectnessMetric(model=Judge(), async_mode=False, should_exact_match=True)
    metric.measure(case, _show_indicator=False)
    return "pass" if metric.is_successful() else "fail"


def verdict(measure, *arguments):
    try:
        return measure(*arguments)
    except Exception:  # noqa: BLE001  whatever it raises, there is no verdict
        return "error"


records = json.load(sys.stdin)
found = {judge: [verdict(by_judge, each, judge) for each in records] for judge in ("able", "lenient", "broken")}
found["tools"] = [verdict(by_tools, each) for each in records]
print(json.dumps(found))
