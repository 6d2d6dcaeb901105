"""`sparring init`: create the files of a project."""

import shutil
import sys
from collections.abc import Mapping
from contextlib import nullcontext, redirect_stdout
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated

import typer

from sparring.cli import options
from sparring.cli.console import answer, called, say
from sparring.cli.process import PASSED
from sparring.core.errors import InputError, Problem
from sparring.integrations.curl.command import read_curl
from sparring.integrations.curl.preset import PresetDraft, draft

app = options.application()

_RUN = "{me} run scenarios --rules rules"
_SERVE = "{python} -m sparring_bots.pizzeria --port 5005  # in a terminal of its own"
TEMPLATES: Mapping[str, tuple[str, ...]] = {
    "pizzeria": ("{me} validate", _RUN, "{me} show latest order/1"),
    "service": ("{me} validate", _RUN, "{me} show latest orders/track/1"),
    "phone_orders": ("{me} validate", _RUN, "{me} run scenarios/sample_scenarios.json --single 0"),
    "http": (_SERVE, "{me} doctor --chatbot http:chatbot.yaml", _RUN),
    "empty": ("{me} validate", _RUN),
}
"""What there is to begin with, and what to type next."""

_LARGEST = 1_000_000


@app.command()
def init(
    template: Annotated[
        str, typer.Argument(metavar="TEMPLATE", help=f"What to begin with: {', '.join(TEMPLATES)}.")
    ] = "",
    from_curl: Annotated[
        str,
        typer.Option(
            "--from-curl",
            metavar="FILE",
            help="Start with the chatbot that the curl command in FILE calls; - reads from standard input.",
        ),
    ] = "",
    as_json: options.Json = False,
) -> int:
    """Create sparring.yaml, a scenario, a rule and related files in this folder. Nothing is overwritten."""
    if template and from_curl:
        raise InputError("--from-curl goes with no template", hint="sparring init --from-curl FILE")
    with redirect_stdout(sys.stderr) if as_json else nullcontext():
        texts = _files(template or "pizzeria")
        commands = TEMPLATES[template or "pizzeria"]
        if from_curl:
            drafted, commands = _drafted(from_curl), TEMPLATES["http"][1:]
            texts = _files("http") | {"chatbot.yaml": drafted.text}
        _write(texts)
        if from_curl:
            _explain(drafted)
    following = [command.format(me=called(), python=_python()) for command in commands]
    lines = ["", "Next:", *(f"  {command}" for command in following)]
    answer("written", {"written": list(texts), "next": [*following]}, lines, as_json=as_json)
    return PASSED


def _python() -> str:
    """The Python that has the reference bots, by its name where that is enough."""
    found = shutil.which("python")
    return "python" if found and Path(found).parent == Path(sys.executable).parent else sys.executable


def _files(template: str) -> dict[str, str]:
    """The files of a template: their paths, and what is in them."""
    if template not in TEMPLATES:
        raise InputError(f"there is no template {template[:40]!r}", hint=f"there are: {', '.join(TEMPLATES)}")
    return dict(_inside(files("sparring.cli") / "templates" / template, ""))


def _inside(folder: Traversable, path: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for each in sorted(folder.iterdir(), key=lambda each: each.name):
        if each.is_file() and not each.name.endswith(".pyc"):
            found.append((path + each.name, each.read_text(encoding="utf-8")))
        elif each.is_dir():
            found += _inside(each, f"{path}{each.name}/")
    return found


def _write(texts: Mapping[str, str]) -> None:
    """Write all of these files, or none of them where there is one already."""
    if there := [path for path in texts if Path(path).exists()]:
        raise InputError(
            [Problem(file=path, message="is there already, and is not overwritten") for path in there],
            hint="begin in another folder, or move it away",
        )
    for path, text in texts.items():
        try:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            with open(path, "x", encoding="utf-8", newline="\n") as file:
                file.write(text)
        except OSError as error:
            raise InputError(Problem(file=path, message=f"cannot be written: {error.strerror}")) from error
        say(f"written: {path}")


def _drafted(path: str) -> PresetDraft:
    return draft(read_curl(sys.stdin.read(_LARGEST) if path == "-" else _read(Path(path))))


def _read(path: Path) -> str:
    try:
        with path.open(encoding="utf-8-sig") as file:
            return file.read(_LARGEST)
    except OSError as error:
        raise InputError(Problem(file=str(path), message=f"cannot be read: {error.strerror}")) from error
    except UnicodeDecodeError as error:
        raise InputError(Problem(file=str(path), message="is not UTF-8 text")) from error


def _explain(drafted: PresetDraft) -> None:
    """What was made of the command, without any of its secrets."""
    say()
    say(f"The user's words go to: {drafted.spoken}")
    nowhere = "nowhere; if the chatbot needs one, write {{new_session}}"
    say(f"The conversation's name goes to: {drafted.session or nowhere}")
    for variable, where in drafted.secrets.items():
        say(f"Not written, as it may be secret: {where}. Set it: export {variable}=...")
