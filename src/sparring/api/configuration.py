"""The settings behind a call of the public API: those that were passed, or those of the current folder."""

from collections.abc import Mapping
from os import environ
from pathlib import Path

from sparring import settings as sources
from sparring.api.stores import StoreLike, StorePlace, place_of
from sparring.settings import Settings
from sparring.store.redaction import Redaction


def settings_of(settings: Settings | None) -> Settings:
    """Return `settings`, or those of sparring.yaml, .env and the environment if they are None."""
    return sources.load({}, directory=Path.cwd()) if settings is None else settings


def environment_of(settings: Settings | None) -> Mapping[str, str]:
    """Return the variables that keys are looked up in; .env is left out if `settings` were passed."""
    return sources.environment(Path.cwd()) if settings is None else environ


def store_of(store: StoreLike, settings: Settings) -> StorePlace:
    """Return the place of `store`, by default that of the settings."""
    return place_of(store, settings.store, Redaction(settings.redact))
