"""`sparring.lock`: versions of datasets, which are scenario files and folders under version control."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from pydantic import BaseModel

from sparring import parsing
from sparring.app.export import write_atomically
from sparring.app.fingerprint import LOCK, hash_of, written_files
from sparring.core.batch import short_version
from sparring.core.errors import InputError, Problem


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
    """Yield a problem for each dataset whose version is not the locked one, if it shares files with `sources`."""
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
