"""The settings of a server, from the command line, the environment and sparring.yaml."""

from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from sparring.app.background import LogLevel, log_level
from sparring.app.demo import CHATBOT
from sparring.app.models import OFFLINE
from sparring.core.errors import InputError, Problem
from sparring.settings import Serve, Settings, environment, load

TOKEN = "SPARRING_SERVE_TOKEN"
_VARIABLES = {"host": ("SPARRING_HOST", "HOST"), "port": ("SPARRING_PORT", "PORT")}


def serve_settings(
    settings: Settings, chosen: Mapping[str, object], level: LogLevel | None, environment: Mapping[str, str]
) -> tuple[Settings, LogLevel]:
    """Return the settings with those for serving, and the log level.

    `chosen` are the options of the command line; None where not given.
    """
    known: dict[str, object] = settings.serve.model_dump()
    known |= {name: value for name, value in _from_variables(environment).items() if value}
    known |= {name: value for name, value in chosen.items() if value is not None and value != []}
    if not known["chatbots"] and settings.chatbot:
        known["chatbots"] = (settings.chatbot,)
    if not known["models"]:
        known["models"] = (settings.model or OFFLINE,)
    try:
        serve = Serve.model_validate(known)
    except ValidationError as error:
        errors = error.errors(include_input=False)
        raise InputError(Problem(path=str(each["loc"][0]), message=each["msg"]) for each in errors) from None
    if not serve.chatbots:  # who only wants to look, or to try it
        serve = serve.model_copy(
            update={"chatbots": (CHATBOT,), "models": tuple(dict.fromkeys((*serve.models, OFFLINE)))}
        )
    settings = settings.model_copy(update={"serve": serve, "logs": settings.logs or Path("logs")})
    return settings, level or log_level(environment) or "warning"


def token_from(file: Path | None, environment: Mapping[str, str]) -> str:
    """Return the token from a file or the environment; empty if there is none."""
    if file is None:
        return environment.get(TOKEN, "").strip()
    try:
        token = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"--token-file {file}: cannot be read as text") from error
    if not token:
        raise InputError(f"--token-file {file}: is empty")
    return token


def open_on_server(path: str) -> str:
    """Open a page of the local server in the browser. Raise InputError if none listens."""
    import socket  # only who opens a page waits for them
    import webbrowser

    here = environment(Path.cwd())
    serve = serve_settings(load({}, directory=Path.cwd()), {}, None, here)[0].serve
    try:
        socket.create_connection(("127.0.0.1", serve.port), timeout=1).close()
    except OSError as error:
        hint = "`sparring serve` in another terminal; SPARRING_PORT=PORT if it has another port"
        raise InputError(f"no server listens at port {serve.port}", hint=hint) from error
    url = f"http://127.0.0.1:{serve.port}{path}"
    webbrowser.open(url)
    return url


def _from_variables(environment: Mapping[str, str]) -> dict[str, str]:
    return {
        name: next((environment[each] for each in variables if environment.get(each)), "")
        for name, variables in _VARIABLES.items()
    }
