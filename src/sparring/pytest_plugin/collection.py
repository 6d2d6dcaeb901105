"""Scenarios as tests: each case, and each repeat of it, is an item."""

import gc
import re
import shlex
from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sparring.core.case import Case
from sparring.core.conversation import conversation_id
from sparring.core.errors import InputError, SparringError
from sparring.core.outcome import Outcome
from sparring.core.text import visible
from sparring.scenarios import loading
from sparring.settings import load_config

if TYPE_CHECKING:
    from sparring.pytest_plugin.background import BackgroundRuns, Place, Played

_RESERVED = frozenset({"skip", "skipif", "xfail", "parametrize", "usefixtures", "filterwarnings", "timeout"})
"""Marks that would change how a test runs; a tag of this name makes no mark."""

_COMMAND_OPTIONS = re.compile(r"(?:--user or )?--(chatbot|model)\b")
"""Options of the command line in messages, which have other names here."""


class ScenarioCollection:
    """The hooks that collect the scenarios of `--sparring FOLDER` and run them."""

    def __init__(self, config: pytest.Config) -> None:
        option = config.getoption
        self._folders = [Path(each).absolute() for each in option("--sparring")]
        options = {
            "chatbot": option("--sparring-chatbot"),
            "model": option("--sparring-model"),
            "seed": option("--sparring-seed"),
            "store": option("--sparring-store"),
        }
        try:
            app_config = load_config(options, directory=Path.cwd())
        except InputError as error:
            raise pytest.UsageError(str(error)) from None
        self.repeats, self.strict = max(1, option("--sparring-repeat")), option("--sparring-strict")
        self._config, self._rules = app_config, option("--sparring-rules")
        self._files: dict[Path, tuple[Case, ...]] = {}
        self._checked: dict[Path, loading.CheckedSource] | None = None
        config.args += [str(each) for each in self._folders if not _is_covered(each, config.args)]

    @cached_property
    def runs(self) -> "BackgroundRuns":
        """The runs of all cases; what they need is imported when the first item runs, not to collect."""
        from sparring.pytest_plugin.background import BackgroundRuns

        return BackgroundRuns(self._config, self._files, rules=self._rules, repeats=self.repeats)

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Generator[None, object, object]:
        """Collect without garbage collections, which would scan thousands of new cases in vain, now and later."""
        gc.disable()
        try:
            return (yield)
        finally:
            gc.freeze()
            gc.enable()

    def add_file(self, path: Path, cases: tuple[Case, ...]) -> None:
        """Add the cases of a file, before anything is run."""
        self._files[path] = cases

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> "ScenarioFile | None":
        """Collect a file of scenarios; other files in the folders are left alone."""
        if not any(file_path.is_relative_to(folder) for folder in self._folders):
            return None
        if self._checked is None:
            found = loading.check([_relative(each) for each in self._folders], seed=self._config.seed)
            self._checked = {each.path.absolute(): each for each in found if not each.path.is_dir()}
        if (checked := self._checked.get(file_path)) is None:
            return None
        file: ScenarioFile = ScenarioFile.from_parent(parent, path=file_path)
        file.checked, file.plugin = checked, self
        return file

    def pytest_sessionfinish(self) -> None:
        """Stop conversations that no item waits for."""
        if "runs" in vars(self):
            self.runs.close()

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the causes of failures, and name the batches that hold the conversations."""
        reports = [each for group in terminalreporter.stats.values() for each in group]
        for cause, count in Counter(
            _properties(terminalreporter.stats.get("failed", ()), "sparring_cause")
        ).most_common():
            terminalreporter.write_line(f"sparring: {count:,} x {cause}")
        for batch in dict.fromkeys(_properties(reports, "sparring_batch")):
            command = shlex.join(["sparring", "show", batch, "--store", str(self._config.store)])
            terminalreporter.write_line(f"sparring: {command}")


def _properties(reports: Iterable[Any], wanted: str) -> Iterator[str]:
    return (value for each in reports for name, value in getattr(each, "user_properties", ()) if name == wanted)


def _relative(path: Path) -> Path:
    """Return the path as people write it in the current folder."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def _is_covered(folder: Path, arguments: Iterable[str]) -> bool:
    """Return True if an argument is a folder, lies inside it, or contains it."""
    paths = [Path(each.split("::")[0]).absolute() for each in arguments]
    return any(folder.is_relative_to(path) or path.is_relative_to(folder) for path in paths)


class ScenarioFile(pytest.File):
    """A file with scenarios."""

    checked: loading.CheckedSource
    plugin: ScenarioCollection

    def collect(self) -> Iterator["CaseItem"]:
        """Yield an item for each case and repeat. A file with problems is a collection error."""
        if self.checked.problems:
            raise self.CollectError("\n".join(map(str, self.checked.problems)))
        self.plugin.add_file(self.path, self.checked.cases)
        marks = {tag: self._mark(tag) for case in self.checked.cases for tag in case.tags}
        for repeat in range(1, self.plugin.repeats + 1):
            for position, case in enumerate(self.checked.cases):
                item: CaseItem = CaseItem.from_parent(
                    self, name=visible(conversation_id(case.id, repeat)).replace("::", ":")
                )
                item.place = self.path, position, repeat
                item.extra_keyword_matches.update(map(str, case.variables.values()))
                for tag in case.tags:
                    if mark := marks[tag]:
                        item.add_marker(mark)
                yield item

    def _mark(self, tag: str) -> str:
        """Return the name of the mark of a tag, which is registered for `--strict-markers`."""
        name = "_".join(tag.split()).strip("_")
        if not name or name in _RESERVED:
            return ""
        self.config.addinivalue_line("markers", f"{name}: tag of scenarios")
        return name


class CaseItem(pytest.Item):
    """One conversation of a case."""

    parent: ScenarioFile
    place: "Place"

    def runtest(self) -> None:
        """Wait for the conversation, and report its outcome.

        If it was not begun yet, begin it with all others that are certain to follow in this process.
        """
        runs = self.parent.plugin.runs
        if runs.failure:
            pytest.skip(f"not run: {runs.failure}")
        if not runs.is_begun(self.place):
            runs.begin([each.place for each in _following(self)])
        played = runs.played(self.place)
        if played.batch:
            self.user_properties += [("sparring_batch", played.batch), ("sparring_conversation", played.conversation)]
        if played.cause:
            self.user_properties.append(("sparring_cause", played.cause))
        report_outcome(played, strict=self.parent.plugin.strict)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> str:  # type: ignore[override]
        """Return the reason in words, without a traceback through Sparring."""
        if isinstance(excinfo.value, CaseFailed | SparringError):
            text = str(getattr(excinfo.value, "one_line", excinfo.value))
            return _COMMAND_OPTIONS.sub(r"--sparring-\1", text)
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, None, str]:
        """Return the file and the name of the item."""
        return self.path, None, self.name


class CaseFailed(AssertionError):
    """A conversation failed."""


def report_outcome(played: "Played", *, strict: bool) -> None:
    """Raise what pytest reports for an outcome.

    An undecided conversation has no verdict that counts: an expected failure. A void one, and one that was not run,
    says nothing about the chatbot: a skipped test. `strict` makes failures of all of them.
    """
    if played.outcome is Outcome.PASSED:
        return
    if played.outcome is Outcome.FAILED or played.broken or strict:
        raise CaseFailed(played.explanation)
    (pytest.xfail if played.outcome is Outcome.UNDECIDED else pytest.skip)(played.reason)


def _following(item: CaseItem) -> list[CaseItem]:
    """Return an item and those that follow it in this process.

    A worker of pytest-xdist runs only what it was given; there is no public way to look into its queue.
    """
    items = item.session.items
    if hasattr(item.config, "workerinput"):
        workers = [each for each in item.config.pluginmanager.get_plugins() if hasattr(each, "torun")]
        numbers = [number for worker in workers for number in _queued(worker) if isinstance(number, int)]
        following = [items[number] for number in numbers]
    else:
        following = items[items.index(item) + 1 :]
    return [item, *(each for each in following if isinstance(each, CaseItem))]


def _queued(worker: Any) -> list[object]:
    """Return the numbers of the items that wait in a worker of pytest-xdist, if they can be read."""
    try:
        with worker.torun.lock() as waiting:
            return [worker.nextitem_index, *waiting]
    except (AttributeError, TypeError):
        return []
