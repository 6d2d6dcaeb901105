"""Settings: command line > environment > .env > sparring.yaml > defaults. Only the tops read them.

Keys and tokens are not settings: they stay in the environment or in .env, where `environment` looks them up.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar
from warnings import warn

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    ValidationError,
    field_validator,
    model_validator,
)

from sparring.core import plugins
from sparring.core.addresses import address
from sparring.core.audit import AuditMode
from sparring.core.batch import Decides, panel
from sparring.core.case import Limits
from sparring.core.checks import Crash, Gate
from sparring.core.errors import InputError, Problem, SparringDeprecationWarning
from sparring.core.text import closest_name, did_you_mean
from sparring.core.tool_errors import ToolError
from sparring.core.usage import Budget, Pricing, RateLimit
from sparring.core.value import Value
from sparring.core.webhook import WebhookConfig
from sparring.llm.redaction import is_secret_name

if TYPE_CHECKING:
    from sparring.app.config import AppConfig

Part = TypeVar("Part")

FILE = "sparring.yaml"

_PREFIX = "SPARRING_"
_OTHER_NAMES = {
    "model": "OPENAI_MODEL",
    "concurrency": "CONCURRENCY",
    "max_turns": "MAX_TURNS",
    "conversation_seconds": "TIMEOUT_SEC",
    "logs": "LOGS_DIR",
    "results": "RESULTS_DIR",
}
_WEBHOOK_URL = ("WEBHOOK_URL", "SPARRING_WEBHOOK_URL")
_NO_SETTINGS = (
    *("SPARRING_CORPUS", "SPARRING_CHAOS", "SPARRING_SESSION", "SPARRING_HOST", "SPARRING_PORT"),
    *("SPARRING_WEBHOOK_URL", "SPARRING_CLIENT_CERT", "SPARRING_CLIENT_KEY"),
)
"""Variables of tests, of chatbots that are programs, of the server, of the webhook, and of connections."""


class Serve(Value):
    """Limits of `sparring serve`, and lists that clients choose from: `serve:` in sparring.yaml."""

    host: str = Field("127.0.0.1", description="the address to listen at; any but this machine's own needs a token")
    port: int = Field(5000, ge=0, le=65_535, description="the port; 0 takes any that is free")
    chatbots: tuple[str, ...] = Field((), description="the chatbots that may be chosen; the first if none is")
    models: tuple[str, ...] = Field((), description="the models that may be chosen; the first if none is")
    hosts: tuple[str, ...] = Field((), description="names the server is called by, besides localhost and its host")
    callbacks: tuple[str, ...] = Field((), description="addresses that may be called back, with all paths below them")
    max_conversations: PositiveInt = Field(10_000, description="maximum conversations of one batch")
    max_batches: PositiveInt = Field(100, description="maximum running batches")
    max_listeners: PositiveInt = Field(
        100, description="maximum subscribers to events at once; half of them for one client"
    )
    requests_per_minute: PositiveInt = Field(6_000, description="maximum requests a minute of one client")
    max_body_bytes: PositiveInt = Field(20_000_000, description="maximum size of a request")

    @model_validator(mode="before")
    @classmethod
    def _rename(cls, written: object) -> object:
        """Accept the old keys until 0.3."""
        if not isinstance(written, Mapping) or _OLD_SERVE.keys().isdisjoint(written):
            return written
        renamed = {key: value for key, value in written.items() if key not in _OLD_SERVE}
        for old in written.keys() & _OLD_SERVE.keys():
            new = _OLD_SERVE[old]
            warn(
                f"`serve: {{{old}: ...}}` is now {new}; the old key works until 0.3",
                SparringDeprecationWarning,
                stacklevel=2,
            )
            renamed.setdefault(new, written[old])
        return renamed


_OLD_SERVE = {
    "scenarios": "max_conversations",
    "batches": "max_batches",
    "listeners": "max_listeners",
    "requests": "requests_per_minute",
    "body_bytes": "max_body_bytes",
}


def _model_or_provider(name: str) -> str:
    """Return the name of a model or a provider; refuse others, whose limits would have no effect."""
    kind, _, model = name.partition(":")
    providers = [each for each in plugins.names("sparring.models") if each != "url"]
    if (kind in ("http", "https") and model.startswith("//")) or name in providers or (model and kind in providers):
        return name
    whole = f"a model has its provider's name before it, such as openai:{model or kind}"
    raise ValueError(f"is neither a model nor a provider ({did_you_mean(kind, providers) or whole})")


def _address(written: object) -> object:
    if written == ":memory:":
        raise ValueError("a store in memory is lost when the command ends; name a file")
    return address(written) if isinstance(written, str) else written


def _panel(written: object) -> object:
    return panel(*map(str, written)) if isinstance(written, list | tuple) else written


class Settings(Value):
    """Every setting, each as `SPARRING_NAME` in the environment and as `name` in sparring.yaml."""

    store: Annotated[Path | str, BeforeValidator(_address)] = Field(
        Path(".sparring/sparring.db"), description="the database file, or a postgresql:// address"
    )
    chatbot: str = Field("", description="the chatbot to test")
    model: str = Field("", description="the default model for all roles without one of their own")
    chatbot_model: str = Field("", description="the model of a chatbot that is built from prompts")
    user: str = Field("", description="the simulated user: agenda, scripted, or a model")
    judge: Annotated[str, BeforeValidator(_panel)] = Field(
        "", description="the judge: checklist, order, none, a model, or a panel, as in `openai:a + openai:b`"
    )
    decides: Decides = Field(
        "latest",
        description="which judgement of several decides a conversation: latest, median, majority, or human; a panel "
        "that disagrees decides nothing with latest",
    )
    reader: str = Field("auto", description="the extractor: patterns, a model, or auto: the model of a role, if any")
    seed: NonNegativeInt = Field(0, description="the random seed; the same seed repeats a run")
    concurrency: PositiveInt = Field(8, description="the maximum number of concurrent conversations")
    max_turns: PositiveInt = Field(30, description="user turns, where a scenario sets no limit")
    conversation_seconds: PositiveFloat | None = Field(None, description="seconds for a whole conversation, if limited")
    call_seconds: PositiveFloat = Field(60, description="seconds for one attempt at a call of a model")
    retry_seconds: PositiveFloat = Field(
        120, description="total seconds for all attempts of a call, including back-off"
    )
    turn_seconds: PositiveFloat = Field(
        300, description="seconds for a simulated user's part of a turn, and a reader's"
    )
    limits: dict[Annotated[str, AfterValidator(_model_or_provider)], RateLimit] = Field(
        {}, description="rate limits, by the name of a model or of its provider"
    )
    prices: dict[str, Pricing] = Field({}, description="prices of models that the price list lacks")
    max_cost: PositiveFloat | None = Field(None, description="the maximum cost of a batch in US dollars, if limited")
    max_tokens: PositiveInt | None = Field(
        None, description="the maximum number of tokens of a batch, in and out, if limited"
    )
    max_seconds: PositiveFloat | None = Field(None, description="the maximum duration of a run in seconds, if limited")
    max_conversations: PositiveInt | None = Field(
        None, description="the maximum number of conversations of a run, if limited"
    )
    cache: Path | None = Field(
        None, description="a file in which model answers for judges and rule functions are cached"
    )
    redact: tuple[str, ...] = Field(
        (), description="what is redacted before it is stored: email, phone, card, /a regular expression/"
    )
    tool_errors: tuple[ToolError, ...] = Field(
        (),
        description="results of tools that mean a failure: a true value at `path`, or one that `equals` another",
    )
    keep_days: PositiveInt | None = Field(None, description="delete batches older than this many days; off by default")
    results: Path | None = Field(None, description="a folder for the result files of each run, if they are wanted")
    logs: Path | None = Field(None, description="a folder for logs; `sparring serve` writes into `logs` if not set")
    null_bots: bool = Field(
        True, description="try null bots on each case; a case that one of them passes is weak and cannot pass"
    )
    serve: Serve = Field(Serve(), description="what `sparring serve` offers")
    webhook: WebhookConfig = Field(
        WebhookConfig(), description="the webhook that is asked about every conversation before it begins"
    )
    crash: Crash = Field(
        "failed", description="the outcome of a conversation in which the chatbot crashes or hangs: failed or undecided"
    )
    audit: AuditMode = Field(
        "void", description="the effect of faults of the simulated user: void, report, or off to look for none"
    )
    gate: Gate | None = Field(None, description="the thresholds that a batch has to reach, if there are any")

    @field_validator("redact", mode="before")
    @classmethod
    def _several(cls, written: object) -> object:
        """Split the value of an environment variable at its commas; a pattern there cannot have any."""
        return tuple(filter(None, map(str.strip, written.split(",")))) if isinstance(written, str) else written

    @field_validator("redact")
    @classmethod
    def _known(cls, kinds: tuple[str, ...]) -> tuple[str, ...]:
        for kind in kinds:
            if kind in ("email", "phone", "card"):
                continue
            if len(kind) < 3 or kind[0] != "/" or kind[-1] != "/":
                raise ValueError("should be email, phone, card, or /a regular expression/")
            import re2  # who hides nothing of one's own does not wait for it

            try:
                re2.compile(kind[1:-1])
            except re2.error as error:
                raise ValueError(f"{kind} is no regular expression: {error}") from None
        return kinds

    def app_config(self, *, environment: Mapping[str, str] | None = None, **overrides: Any) -> "AppConfig":
        """Return the configuration that the application works with; `overrides` replace fields of it.

        Keys are looked up in `environment`, by default that of the process.
        """
        from sparring.app.config import AppConfig, ChosenPlayers, OutputConfig  # `--help` does without the application
        from sparring.llm.plugin_context import LLMConfig

        config = self._named_alike(
            AppConfig,
            players=self._named_alike(ChosenPlayers),
            llm=self._named_alike(LLMConfig),
            budget=Budget(
                cost=self.max_cost,
                tokens=self.max_tokens,
                seconds=self.max_seconds,
                conversations=self.max_conversations,
            ),
            output=self._named_alike(OutputConfig),
            environment=os.environ if environment is None else environment,
            case_limits=Limits(turns=self.max_turns, seconds=self.conversation_seconds),
        )
        return replace(config, **overrides)

    def _named_alike(self, kind: type[Part], **others: Any) -> Part:
        """Make a dataclass of the settings with the names of its fields, and of `others`."""
        names = kind.__annotations__.keys() & Settings.model_fields.keys() - others.keys()
        return kind(**{name: getattr(self, name) for name in names}, **others)


NESTED = ("serve", "webhook", "gate")
"""The settings that have fields of their own; they stand in sparring.yaml."""

_NAMES = tuple(name for name in Settings.model_fields if name not in NESTED)
"""The settings that a variable of the environment can hold."""


class _Choice(NamedTuple):
    """A value, and the file and name that set it."""

    value: object
    file: str
    name: str


def load(overrides: Mapping[str, object], *, directory: Path, environ: Mapping[str, str] | None = None) -> Settings:
    """Return the settings for a run in `directory`; `overrides` are the given command-line options."""
    dotenv, variables = _dotenv(directory), os.environ if environ is None else environ
    choices = {name: _Choice(value, FILE, name) for name, value in _from_file(directory / FILE).items()}
    if unknown := [*_unknown(variables, ""), *_unknown(dotenv, ".env")]:
        raise InputError(unknown)
    choices |= _from_names(dotenv, ".env")
    choices |= _from_names(variables, "")
    choices |= _webhook(choices, environment(directory, environ))
    options = {name: value for name, value in overrides.items() if value is not None}
    choices |= {name: _Choice(value, "", f"--{name.replace('_', '-')}") for name, value in options.items()}
    try:
        return Settings.model_validate({name: choice.value for name, choice in choices.items()})
    except ValidationError as error:
        raise InputError(
            Problem(file=choice.file, path=choice.name, message=message.removeprefix("Value error, "))
            for detail in error.errors(include_input=False)
            for message in [detail["msg"].replace("Input should", "should")]
            for choice in [choices[str(detail["loc"][0])]]
        ) from None


def load_config(
    overrides: Mapping[str, object], *, directory: Path, environ: Mapping[str, str] | None = None
) -> "AppConfig":
    """Return the configuration for a run in `directory`, from the settings that `load` reads there."""
    settings = load(overrides, directory=directory, environ=environ)
    return settings.app_config(environment=environment(directory, environ))


def environment(directory: Path, environ: Mapping[str, str] | None = None) -> Mapping[str, str]:
    """Return the environment including the .env file of `directory`, which holds the keys of providers."""
    return {**_dotenv(directory), **(os.environ if environ is None else environ)}


def _dotenv(directory: Path) -> Mapping[str, str]:
    path = directory / ".env"
    if not path.is_file():
        return {}
    from dotenv import dotenv_values  # only who has a .env pays for reading it

    try:
        return {name: value for name, value in dotenv_values(path, interpolate=False).items() if value is not None}
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(Problem(file=str(path), message="cannot be read as UTF-8 text")) from error


def _from_names(environ: Mapping[str, str], file: str) -> dict[str, _Choice]:
    """Return the settings among environment variables that are not empty. Own names take precedence."""
    choices = {}
    for name in _NAMES:
        for variable in (_OTHER_NAMES.get(name, ""), _PREFIX + name.upper()):
            if value := environ.get(variable):
                choices[name] = _Choice(_openai(value) if variable == "OPENAI_MODEL" else value, file, variable)
    return choices


def _webhook(choices: Mapping[str, _Choice], environ: Mapping[str, str]) -> dict[str, _Choice]:
    """Return the webhook with the address from the environment; its other fields stand in the file."""
    given = [(name, environ[name]) for name in _WEBHOOK_URL if environ.get(name)]
    if not given:
        return {}
    variable, url = given[-1]
    written = choices["webhook"].value if "webhook" in choices else None
    return {"webhook": _Choice({**(written if isinstance(written, dict) else {}), "url": url}, "", variable)}


def _unknown(environ: Mapping[str, str], file: str) -> Iterator[Problem]:
    """Yield a problem for each variable that looks like a misspelt setting."""
    known = [_PREFIX + name.upper() for name in _NAMES]
    for variable in environ:
        if variable.startswith(_PREFIX) and variable not in (*known, *_NO_SETTINGS) and not is_secret_name(variable):
            meant = closest_name(variable, known, cutoff=0.8)
            hint = f"did you mean {meant!r}?" if meant else f"there are: {', '.join(known)}"
            yield Problem(file=file, path=variable, message="is no setting", hint=hint)


def _openai(model: str) -> str:
    return model if model.startswith("openai:") else f"openai:{model}"


def _from_file(path: Path) -> dict[str, object]:
    """Return the content of sparring.yaml. Raise InputError with all problems, overridden ones included."""
    if not path.is_file():
        return {}
    from sparring import parsing  # only who has a sparring.yaml pays for reading it

    document = parsing.load(path)
    if document.data is None:
        return {}
    if not isinstance(document.data, dict):
        raise InputError(document.problem((), "should be a mapping of settings"))
    secrets = [name for name in document.data if is_secret_name(name)]
    problems = [
        document.problem(
            (name,), "a key does not belong into this file", "put it into the environment or .env", key=True
        )
        for name in secrets
    ]
    data = {name: value for name, value in document.data.items() if name not in secrets and value is not None}
    try:
        Settings.model_validate(data)
    except ValidationError as error:
        problems += parsing.misfits(error, Settings, document)
    if problems:
        raise InputError(sorted(problems, key=lambda problem: problem.line or 0))
    return dict(data)
