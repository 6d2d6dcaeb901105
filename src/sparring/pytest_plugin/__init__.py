"""The pytest plug-in: `--sparring FOLDER` makes tests of scenarios; the fixture is the public API.

It imports nothing but pytest until the option is given or a test uses the fixture.
"""

import sys
from collections.abc import Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from sparring.api.conversation_result import ConversationResult
    from sparring.api.results import Results


class _CompiledModules(MetaPathFinder):
    """Import Sparring as compiled; pytest would compile 150 modules again to rewrite their assertions.

    The modules for tests are left to pytest.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith(("sparring.", "sparring_bots.")) or fullname.startswith("sparring.testing"):
            return None
        return PathFinder.find_spec(fullname, path, target)


sys.meta_path.insert(0, _CompiledModules())


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of `--sparring` and of the fixture `sparring`."""
    group = parser.getgroup("sparring", "simulated users for chatbots")
    group.addoption(
        "--sparring", action="append", default=[], metavar="FOLDER", help="Collect the scenarios in this folder."
    )
    group.addoption("--sparring-chatbot", metavar="CHATBOT", help="Chatbot for --sparring. [sparring.yaml]")
    group.addoption(
        "--sparring-rules", action="append", default=[], metavar="RULES", help="Rules to check with --sparring."
    )
    group.addoption(
        "--sparring-repeat", type=int, default=1, metavar="N", help="Tests of each case with --sparring. [1]"
    )
    group.addoption(
        "--sparring-strict", action="store_true", help="With --sparring, fail what is undecided, void or not run."
    )
    group.addoption(
        "--sparring-model",
        metavar="MODEL",
        help="Default model of all roles. [sparring.yaml; for the fixture, offline]",
    )
    group.addoption("--sparring-seed", type=int, metavar="N", help="Random seed. [0]")
    group.addoption(
        "--sparring-store", metavar="FILE", help="Database file. [sparring.yaml; for the fixture, one in tmp_path]"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Load the collection of scenarios if `--sparring` is given."""
    if config.getoption("--sparring"):
        from sparring.pytest_plugin.collection import ScenarioCollection

        config.pluginmanager.register(ScenarioCollection(config), "sparring-collection")


@pytest.fixture
def sparring(request: pytest.FixtureRequest, tmp_path: Path) -> "SparringTests":
    """The public API of Sparring, with the options `--sparring-*` as defaults and a store in `tmp_path`."""
    option = request.config.getoption
    return SparringTests(
        {
            "model": option("--sparring-model") or "offline",
            "seed": option("--sparring-seed"),
            "store": option("--sparring-store") or tmp_path / "sparring.db",
        }
    )


class SparringTests:
    """The functions that run scenarios, with defaults for tests; other names are those of the public API."""

    def __init__(self, defaults: Mapping[str, Any]) -> None:
        self._defaults = defaults

    def run(self, scenarios: Any, chatbot: Any = None, **options: Any) -> "Results":
        """Run as `sparring.run` does."""
        import sparring

        return sparring.run(scenarios, chatbot, **{**self._defaults, **options})

    async def run_async(self, scenarios: Any, chatbot: Any = None, **options: Any) -> "Results":
        """Run as `sparring.run_async` does."""
        import sparring

        return await sparring.run_async(scenarios, chatbot, **{**self._defaults, **options})

    def simulate(self, chatbot: Any, scenario: Any, **options: Any) -> "ConversationResult":
        """Simulate as `sparring.simulate` does."""
        import sparring

        return sparring.simulate(chatbot, scenario, **{**self._defaults, **options})

    async def simulate_async(self, chatbot: Any, scenario: Any, **options: Any) -> "ConversationResult":
        """Simulate as `sparring.simulate_async` does."""
        import sparring

        return await sparring.simulate_async(chatbot, scenario, **{**self._defaults, **options})

    def __getattr__(self, name: str) -> Any:
        import sparring

        return getattr(sparring, name)
