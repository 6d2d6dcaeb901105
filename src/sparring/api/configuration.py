"""The configuration behind a call of the public API: passed settings, or those of the current folder."""

from os import environ
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from sparring import settings as sources
from sparring.api.stores import StoreLike, StorePlace, place_of
from sparring.app.config import AppConfig
from sparring.core.errors import InputError, Problem
from sparring.settings import Settings
from sparring.store.redaction import Redaction


def config_of(settings: Settings | None, **options: Any) -> AppConfig:
    """Return the configuration of a call; `options` that are not None replace settings.

    Without `settings`, read sparring.yaml, .env and the environment. Raise InputError if an option is invalid.
    """
    if settings is None:
        return sources.load_config(options, directory=Path.cwd())
    given = {name: value for name, value in options.items() if value is not None}
    fields = {name: getattr(settings, name) for name in Settings.model_fields}
    try:
        return Settings.model_validate({**fields, **given}).app_config(environment=environ)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        raise InputError(Problem(path=str(each["loc"][0]), message=each["msg"]) for each in found) from None


def store_of(store: StoreLike, config: AppConfig) -> StorePlace:
    """Return the place of `store`, by default that of the configuration."""
    return place_of(store, config.store, Redaction(config.redact))
