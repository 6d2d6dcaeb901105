"""What may be set: command line > environment > .env > sparring.yaml > defaults. Read by the tops only."""

from pathlib import Path

from pydantic import PositiveFloat, PositiveInt
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """Every setting, each as `SPARRING_NAME` in the environment and as `name` in sparring.yaml."""

    model_config = SettingsConfigDict(env_prefix="SPARRING_", extra="forbid", frozen=True)

    store: Path = Path(".sparring/sparring.db")
    chatbot: str = ""
    model: str = ""
    chatbot_model: str = ""
    user: str = ""
    judge: str = ""
    concurrency: PositiveInt = 8
    call_seconds: PositiveFloat = 60
    retry_seconds: PositiveFloat = 120
