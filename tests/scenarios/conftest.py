import os
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from sparring import parsing
from sparring.core.errors import InputError
from sparring.scenarios import profiles
from sparring.scenarios.expansion import Expansion, LoadOptions

TERMS = LoadOptions(seed=7, today=date(2025, 3, 14))


@pytest.fixture
def terms() -> LoadOptions:
    return TERMS


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder with what SENSEI's authors published."""
    if "SPARRING_CORPUS" not in os.environ:
        pytest.skip("SPARRING_CORPUS is not set: it names the folder with the published profiles")
    return Path(os.environ["SPARRING_CORPUS"])


@pytest.fixture
def profile() -> Callable[..., Expansion]:
    """Expands a profile that is written in the test."""

    def expanded(text: str, *, file: str = "pizza.yml", terms: LoadOptions = TERMS) -> Expansion:
        return profiles.cases(parsing.parse(text, file), terms)

    return expanded


@pytest.fixture
def complaints(profile: Callable[..., Expansion]) -> Callable[..., list[str]]:
    """What is wrong with a profile that is written in the test."""

    def problems_of(text: str, *, file: str = "pizza.yml") -> list[str]:
        with pytest.raises(InputError) as caught:
            profile(text, file=file)
        return [str(problem) for problem in caught.value.problems]

    return problems_of
