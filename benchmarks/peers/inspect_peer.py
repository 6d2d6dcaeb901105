"""Verdicts of Inspect's `model_graded_qa` on recorded conversations, by a mock judge. Reads and prints JSON."""

import json
import sys
import tempfile

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import model_graded_qa
from inspect_ai.solver import solver

GRADES = {
    "able": lambda record: "GRADE: C" if record["right"] else "GRADE: I",
    "lenient": lambda record: "GRADE: C",
    "broken": lambda record: "###",
}


@solver
def replay():
    async def solve(state, generate):
        state.output = ModelOutput.from_content("recorded", state.metadata["said"])
        return state

    return solve


def verdicts(records, judge):
    samples = [
        Sample(
            id=number, input="\n".join(each["text"] for each in record["messages"] if each["role"] == "user"),
            target=record["expected"],
            metadata={"said": "\n".join(each["text"] for each in record["messages"] if each["role"] != "user")},
        )
        for number, record in enumerate(records)
    ]  # fmt: skip
    answers = [ModelOutput.from_content("mock", GRADES[judge](record)) for record in records]
    for each in answers:
        each.usage = ModelUsage()  # or tokens are counted by a tokenizer that is downloaded
    model = get_model("mockllm/model", custom_outputs=answers, memoize=False)
    task = Task(dataset=samples, solver=replay(), scorer=model_graded_qa(model=model))
    with tempfile.TemporaryDirectory() as folder:
        (log,) = eval(task, model="mockllm/model", log_dir=folder, display="none", max_samples=1, fail_on_error=False)
        found = {each.id: next(iter((each.scores or {}).values()), None) for each in log.samples or ()}
    values = {id: score.value if score is not None else None for id, score in found.items()}
    return [{"C": "pass", "I": "fail"}.get(values.get(number), "error") for number in range(len(records))]


records = json.load(sys.stdin)
print(json.dumps({judge: verdicts(records, judge) for judge in GRADES}))
