"""The configuration of a webhook."""

from pathlib import Path

from pydantic import Field, PositiveFloat, field_validator

from sparring.core.value import JsonValue, Value


class WebhookConfig(Value):
    """A webhook that is asked about every conversation before it begins: `webhook:` in sparring.yaml.

    Without a `url` no webhook is asked.
    """

    url: str = Field("", description="address of the webhook; `WEBHOOK_URL` in the environment overrides it")
    timeout: PositiveFloat = Field(10, description="seconds for one attempt")
    attempts: int = Field(3, ge=1, le=10, description="maximum number of attempts")
    headers: dict[str, str] = Field({}, description="headers to send; `${NAME}` is a variable of the environment")
    ca: Path | None = Field(None, description="file with trusted certificates, instead of the system's")
    required: bool = Field(False, description="do not run the conversation if the webhook fails; by default, only warn")
    override: bool = Field(False, description="let its variables override those of the scenario")
    defaults: dict[str, JsonValue] = Field(
        {}, description="variables that neither the scenario nor the response provides"
    )

    @field_validator("url")
    @classmethod
    def _address(cls, url: str) -> str:
        from urllib.parse import urlsplit  # imported only where a webhook is configured

        try:
            parts = urlsplit(url)
        except ValueError:
            raise ValueError("should be an address, http:// or https://") from None
        if url and (parts.scheme not in ("http", "https") or not parts.hostname):
            raise ValueError("should be an address, http:// or https://")
        if "@" in parts.netloc:
            raise ValueError("should have no password in it; a header can, as ${NAME}")
        return url
