"""Uploaded files are planned as files of a folder are, and as those of a request."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from sparring.app.launch import BatchPlan
from sparring.app.sources import plan_batch
from sparring.app.uploads import UploadedFile, plan_uploads
from sparring.core.clock import SystemClock
from sparring.core.errors import InputError
from sparring.settings import Settings
from sparring.testing.memory_store import MemoryStore
from sparring.web.api.launch import AllowedChoices, parse_launch

CONFIG = Settings(chatbot="pizzeria", model="openai:gpt-4o-mini").app_config()
FILES = {
    "pizza.yml": "name: pizza\ngoals: [a large custom pizza with ham]\njudge: tone.md\n",
    "hello.yml": "name: hello\nsteps:\n  - user: Hi there\n",
    "short.yml": "name: short\nthen: turns() < 12\n",
    "tone.md": "---\nscale: 1-3\n---\nWas the chatbot polite?\n",
}
FIELDS = {"name": "nightly", "tags": ("a", "b"), "repeats": 2}


def uploads(files: dict[str, str]) -> list[UploadedFile]:
    return [UploadedFile(*each) for each in files.items()]


def placeless(plan: BatchPlan) -> BatchPlan:
    """Return a plan without the names and hashes of its files."""
    rules = tuple(each.model_copy(update={"file": Path(each.file).name}) for each in plan.rules)
    return replace(plan, sources=(), others=(), request={}, rules=rules)


async def test_files_uploads_and_requests_make_the_same_plan(tmp_path: Path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    body = {"files": [{"name": name, "text": text} for name, text in FILES.items()], "name": "nightly", "repeat": 2}
    offer = AllowedChoices(("pizzeria",), ("openai:gpt-4o-mini",))

    paths, rule = [tmp_path / "pizza.yml", tmp_path / "hello.yml"], tmp_path / "short.yml"
    filed = await plan_batch(paths, CONFIG, rules=rule, **FIELDS)
    uploaded = plan_uploads(uploads(FILES), CONFIG, **FIELDS)
    asked = json.dumps(body | {"tags": ["a", "b"]}).encode()
    sent, _ = await parse_launch(asked, offer, CONFIG, 10, SystemClock(), MemoryStore())

    assert (len(filed.cases), len(filed.rules), len(filed.case_rubrics)) == (2, 1, 1)
    assert placeless(filed) == placeless(uploaded) == replace(placeless(sent), prompt_version="")
    assert uploaded.request == sent.request


async def test_an_upload_is_planned_with_the_rubrics_it_names():
    plan = plan_uploads(
        uploads({"hello.yml": FILES["hello.yml"], "tone.md": FILES["tone.md"]}), CONFIG, rubrics=["tone.md"]
    )

    assert [each.name for each in plan.rubrics] == ["tone"]


def test_problems_of_names_rules_scenarios_and_rubrics_are_reported_at_once():
    wrong = {"x.py": "", "short.yml": "name: short\nthen: turns( <\n", "hello.yml": "name: hello\nstepz: [x]\n"}

    with pytest.raises(InputError) as raised:
        plan_uploads(uploads(wrong), CONFIG, rubrics=["unknown"])

    assert {each.file for each in raised.value.problems} == {"x.py", "short.yml", "hello.yml", "unknown"}
