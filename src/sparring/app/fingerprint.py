"""Fingerprints of all inputs of a batch, to detect changes when it is resumed; `sparring.lock`."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import as_file, files
from importlib.util import find_spec
from pathlib import Path

from pydantic import BaseModel

from sparring import parsing
from sparring.app.export import write_atomically
from sparring.core import plugins
from sparring.core.batch import THE_REQUEST, BatchInputs, PlayerNames, judges_of, short_version
from sparring.core.errors import InputError, Problem
from sparring.core.version import __version__
from sparring.llm.provider_addresses import address

THE_CHATBOT = "the chatbot"
THE_PROMPT = "the prompt of simulated users"
SPARRING = "Sparring itself"
LOCK = "sparring.lock"
_OURS = "sparring."
_INSIDE = Path(__file__).parents[1]
_LARGEST = 64 * 2**20  # bytes; larger folders are hashed only so far


def fingerprint(choice: PlayerNames, written: Iterable[str], environment: Mapping[str, str]) -> dict[str, str]:
    """Return the hashes of a batch's inputs, by name.

    They are files and folders that a person wrote, the chatbot's files, addresses of models, the prompts and the
    version of Sparring.
    """
    found = {file: hash_of(Path(file)) for file in written}
    found[THE_CHATBOT] = _chatbot(choice.chatbot)
    for model in dict.fromkeys((choice.chatbot_model, choice.user, choice.reader, *judges_of(choice.judge))):
        if reached_at := address(model, environment):
            found[f"the address of {model}"] = hashlib.sha256(reached_at.encode()).hexdigest()
    with as_file(files("sparring.users") / "prompts") as prompts:
        found[THE_PROMPT] = hash_of(prompts)
    return {**{name: hash for name, hash in found.items() if hash}, SPARRING: __version__}


def besides(sources: Sequence[str], read: Iterable[Path]) -> tuple[str, ...]:
    """Return the files read that are neither sources, nor in a source folder, nor our own."""
    covered = [_INSIDE, *(Path(source).absolute() for source in sources)]
    return tuple(str(file) for file in read if not any(file.absolute().is_relative_to(each) for each in covered))


def changed_inputs(then: BatchInputs, now: Mapping[str, str]) -> list[str]:
    """Return everything that has changed or disappeared since a batch started."""
    return [name for name, hash in then.contents.items() if now.get(name) != hash and name != THE_REQUEST]


def _chatbot(name: str) -> str:
    """Return the files behind a chatbot: a preset, a folder of prompts, a module or a plug-in."""
    kind, _, argument = name.partition(":")
    if argument and (hash := hash_of(Path(argument))):
        return hash
    if kind == "python":
        place = argument.rpartition(":")[0]
        return hash_of(Path(place)) or _module(place)
    module = plugins.module_of("sparring.chatbots", kind)
    return "" if module.startswith(_OURS) else _module(module)


def _module(name: str) -> str:
    """Return the file of a module, or the folder of a package."""
    beside = Path(f"{name.replace('.', '/')}.py")
    if beside.exists():
        return hash_of(beside)
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):
        return ""
    if spec is None or spec.origin is None:
        return ""
    return hash_of(Path(spec.origin).parent if spec.submodule_search_locations else Path(spec.origin))


def hash_of(path: Path) -> str:
    """Return the SHA-256 of a file, or of all files in a folder with their names; empty if there are none."""
    try:
        together, size = hashlib.sha256(), 0
        for name, file in written_files(path):
            with file.open("rb") as stream:
                content = stream.read(_LARGEST - size)
            size += len(content)
            together.update(f"{len(content)} {name}\n".encode(errors="replace") + content)
        return together.hexdigest()
    except (OSError, ValueError):
        return ""


def written_files(path: Path) -> list[tuple[str, Path]]:
    """Return the files in a folder that a person wrote, with their names there; or the file itself."""
    if not path.is_dir():
        return [("", path)]
    inside = sorted(each for each in path.rglob("*") if _counts(each, path))
    return [(each.relative_to(path).as_posix(), each) for each in inside]


def _counts(file: Path, folder: Path) -> bool:
    """Return True if a file was written by a person."""
    if file.name == LOCK:
        return False
    return file.is_file() and not any(part.startswith((".", "__pycache__")) for part in file.relative_to(folder).parts)


class LockedDataset(BaseModel):
    """Version of a dataset, and those of the files in its folder."""

    version: str
    files: dict[str, str] = {}


class DatasetLock(BaseModel):
    """Content of a lock file: datasets by path, relative to its folder."""

    datasets: dict[str, LockedDataset] = {}


def write_lock(sources: Iterable[Path], lock: Path = Path(LOCK)) -> DatasetLock:
    """Lock datasets at their present versions, or without any, those that were locked before."""
    known = _read(lock).datasets if lock.exists() else {}
    names = [each.as_posix() for each in sources] or list(known)
    if not names:
        raise InputError("no dataset is named", hint="sparring validate --lock FOLDER")
    found = DatasetLock(datasets=known | {name: _dataset(lock.parent / name) for name in names})
    text = json.dumps(found.model_dump(), indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    write_atomically(lock, [text.encode()])
    return found


def unlocked(lock: Path = Path(LOCK), sources: Iterable[str] | None = None) -> Iterator[Problem]:
    """Yield a problem for each dataset among `sources` whose version is not the locked one."""
    known = _read(lock).datasets if lock.exists() else {}
    chosen = None if sources is None else [Path(each).absolute() for each in sources]
    for name, locked in known.items():
        path = (lock.parent / name).absolute()
        if chosen is not None and not any(path.is_relative_to(each) or each.is_relative_to(path) for each in chosen):
            continue
        now = _dataset(path)
        if now.version != locked.version:
            said = "; ".join(_changes(locked.files, now.files))
            message = f"{name} has version {now.version or 'none'}, locked is {locked.version}{said and f': {said}'}"
            yield Problem(file=str(lock), message=message, hint=f"sparring validate --lock {name}")


def _dataset(path: Path) -> LockedDataset:
    files = {name: short_version(hash_of(file)) for name, file in written_files(path) if file != path}
    return LockedDataset(version=short_version(hash_of(path)), files=files)


def _changes(locked: dict[str, str], now: dict[str, str]) -> Iterator[str]:
    common = locked.keys() & now.keys()
    changes = {
        "changed": {name for name in common if locked[name] != now[name]},
        "new": now.keys() - common,
        "gone": locked.keys() - common,
    }
    return (f"{word} {', '.join(sorted(names))}" for word, names in changes.items() if names)


def _read(lock: Path) -> DatasetLock:
    return parsing.validate(parsing.load(lock), DatasetLock)
