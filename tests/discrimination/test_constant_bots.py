"""Null bots, and constant bots that are none of them, on every shipped case and on published profiles."""

from pathlib import Path

import pytest

from constant_bots import SHIPPED, Suite, documented, passed, published, shipped, trials

pytestmark = [pytest.mark.extended, pytest.mark.slow]  # its tests play batches


def sample(name: str, size: int) -> Suite:
    suite = shipped(name)
    return Suite(suite.name, suite.cases[:: -(-len(suite.cases) // size)], suite.rules, suite.judge)


@pytest.mark.parametrize("name", SHIPPED)
async def test_no_shipped_case_is_weak(name: str):
    found = await trials(sample(name, 40))

    weak = {case: str(each.passed_by) for case, each in found.items() if each.kind == "weak"}
    assert weak == {}


async def test_no_case_of_a_documentation_page_is_weak(tmp_path: Path):
    suites = list(documented(tmp_path))
    found = {suite.name: await trials(suite) for suite in suites}

    weak = [case for each in found.values() for case, tried in each.items() if tried.kind == "weak"]
    assert (weak, len(suites) > 10) == ([], True)


@pytest.mark.parametrize("name", SHIPPED)
async def test_no_constant_bot_passes_a_shipped_case(name: str):
    assert [(bot, case) async for bot, case, guard in passed(sample(name, 8)) if not guard] == []


async def test_no_constant_bot_passes_a_published_profile():
    found = [(bot, case) for suite in published() async for bot, case, guard in passed(suite) if not guard]

    assert found == []
