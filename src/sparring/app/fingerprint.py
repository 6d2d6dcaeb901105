"""Fingerprints of all inputs of a batch, to detect changes when it is resumed."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import as_file, files
from importlib.util import find_spec
from pathlib import Path

from sparring.core import plugins
from sparring.core.batch import THE_REQUEST, BatchInputs, PlayerNames, judges_of
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
    """The SHA-256 of every file or folder a person wrote, of the chatbot's files, of model addresses, of our prompts,
    and our version."""
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
    """Return the files behind a chatbot: a preset, a folder of prompts, a module, or a third-party plug-in."""
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
    """Return the files in a folder that a person wrote, each with its name there; or the file itself, without one."""
    if not path.is_dir():
        return [("", path)]
    inside = sorted(each for each in path.rglob("*") if _counts(each, path))
    return [(each.relative_to(path).as_posix(), each) for each in inside]


def _counts(file: Path, folder: Path) -> bool:
    """Return True if a file was written by a person."""
    if file.name == LOCK:
        return False
    return file.is_file() and not any(part.startswith((".", "__pycache__")) for part in file.relative_to(folder).parts)
