"""Turn uploaded files into a batch plan. They may refer to each other, but to no file on the server."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

import orjson

from sparring import parsing
from sparring.app.config import AppConfig
from sparring.app.launch import BatchPlan
from sparring.app.sources import plan_cases
from sparring.core.batch import THE_REQUEST
from sparring.core.checks import Rule
from sparring.core.errors import InputError, Problem, collected, hinted
from sparring.parsing import Data
from sparring.rules.rule_file import RULE_KEYS, parse_rule, require_valid
from sparring.scenarios import loading
from sparring.scenarios.loading import LoadedScenarios

_FOLDERS = Path("a/b/c/d")
"""Folder of the uploads. Files may refer to files up to four folders above them; all of these are temporary."""

_RULES_ONLY_HINT = "to check rules on stored conversations, use: sparring check --rules RULES --conversations BATCH"
_NAME = re.compile(r"[^\w.() -]+")
_YAML = (".yml", ".yaml")
_SUFFIXES = (*_YAML, ".json")
_EXTRA_SUFFIXES = (".md",)
_LINES = re.compile(rf"^({'|'.join(sorted(RULE_KEYS))})\s*:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class UploadedFile:
    """Name and text of an uploaded file."""

    name: str
    text: str


def plan_uploads(
    files: Sequence[UploadedFile],
    config: AppConfig,
    *,
    rules: tuple[Rule, ...] = (),
    rubrics: Sequence[str] = (),
    problems: Iterable[Problem] = (),
    **fields: Any,
) -> BatchPlan:
    """Return the plan of a batch of uploaded files.

    `rubrics` may name some of them, and `fields` are those of `plan_cases`. Planning runs no Python code and calls no
    model, so it costs nothing.

    Raise InputError with the `problems` that are known already and those of all files.
    """
    named, wrong = _safe_names(files)
    wrong = [*problems, *wrong]
    with TemporaryDirectory(prefix="sparring-") as folder, parsing.once():
        place = Path(folder) / _FOLDERS
        place.mkdir(parents=True)
        written = _write_files(named, place)
        ruling = {path for path in written if _is_rule(path, named[path.name])}
        for path in ruling:  # or it could be read as a personality
            path.unlink()
        with collected(wrong):
            rules = require_valid(
                [*rules, *(parse_rule(named[path.name], path.name) for path in written if path in ruling)]
            )
        asking = [str(place / each) if each in named else each for each in rubrics]
        paths = [path for path in written if path not in ruling and str(path) not in asking]
        loaded = LoadedScenarios(cases=())
        try:
            with collected(wrong):
                if not paths and not wrong:
                    raise InputError("no scenario among the files", hint=_RULES_ONLY_HINT if rules else "")
                loaded = loading.load(paths, seed=config.seed, limits=config.case_limits)
            sent = {THE_REQUEST: request_hash(dict(named))}
            return plan_cases(loaded, config, rules=rules, rubrics=asking, problems=wrong, request=sent, **fields)
        except InputError as error:
            raise InputError([as_sent(problem, place) for problem in hinted(error)]) from error


def request_hash(data: Data) -> str:
    """Return the SHA-256 of the scenarios of a request."""
    return sha256(orjson.dumps(data, option=orjson.OPT_SORT_KEYS)).hexdigest()


def as_sent(problem: Problem, folder: Path) -> Problem:
    """Return the problem with file names as uploaded, without the temporary folder."""

    def short(text: str) -> str:
        return text.replace(f"{folder.resolve()}/", "").replace(f"{folder}/", "")

    texts = {name: short(getattr(problem, name)) for name in ("file", "message", "hint")}
    return problem.model_copy(update=texts)


def _is_rule(path: Path, text: str) -> bool:
    """Return True if a file is a rule, by its top-level keys; by its lines if it is not valid YAML."""
    if path.suffix.lower() not in _YAML:
        return False
    try:
        document = parsing.load(path)
    except InputError:
        return _LINES.search(text) is not None
    data = document.data
    return isinstance(data, dict) and not RULE_KEYS.isdisjoint(data) and not loading.kind(document)


def _safe_names(files: Sequence[UploadedFile]) -> tuple[dict[str, str], list[Problem]]:
    """Return file texts by safe file names, and the problems of the names."""
    named: dict[str, str] = {}
    problems = []
    for each in files:
        name = _NAME.sub("_", PurePosixPath(each.name.replace("\\", "/")).name).strip(". ")[:120]
        suffix = Path(name).suffix.lower()
        if not Path(name).stem or suffix not in (*_SUFFIXES, *_EXTRA_SUFFIXES):
            problems.append(
                Problem(
                    file=each.name[:120],
                    message="unsupported file type",
                    hint="allowed: .yml, .yaml, .json, and .md for rubrics; Python files are not accepted",
                )
            )
        elif name in named:
            problems.append(Problem(file=each.name[:120], message="duplicate file name"))
        else:
            named[name] = each.text
    return named, problems


def _write_files(files: Mapping[str, str], place: Path) -> list[Path]:
    """Write all files, and return the paths of the scenarios and rules among them."""
    for name, text in files.items():
        (place / name).write_text(text, encoding="utf-8", errors="replace", newline="")
    return [place / name for name in files if Path(name).suffix.lower() in _SUFFIXES]
