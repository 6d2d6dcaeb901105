"""What a batch is planned from: rules, scenarios and rubrics together."""

from pathlib import Path

import pytest

from sparring.app.sources import plan_batch
from sparring.core.errors import InputError
from sparring.settings import Settings

CONFIG = Settings(chatbot="pizzeria", model="offline").app_config()


async def test_problems_of_rules_scenarios_and_rubrics_are_reported_at_once(tmp_path: Path):
    scenario, rules, rubric = (tmp_path / name for name in ("order.yml", "rules.yml", "tone.yml"))
    scenario.write_text("user: you are hungry\ngoals: [a pizza]\nvariable: {size: [small]}\n")
    rules.write_text("name: cheap\nthen: price <\n")
    rubric.write_text("questions: 5\n")

    with pytest.raises(InputError) as raised:
        await plan_batch([scenario], CONFIG, rules=rules, rubrics=[rubric])

    assert {Path(each.file).name for each in raised.value.problems if each.file} == {
        "order.yml",
        "rules.yml",
        "tone.yml",
    }
