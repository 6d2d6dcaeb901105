"""`sparring tokens add|list|revoke`: access tokens of the server and their roles."""

from datetime import datetime, timedelta
from typing import Annotated

import typer

from sparring.app.config import AppConfig
from sparring.app.stores import check_store
from sparring.cli import options
from sparring.cli.console import answer, notify
from sparring.cli.process import PASSED
from sparring.core.clock import SystemClock
from sparring.core.value import Json
from sparring.store.tokens import Token, TokenRole, Tokens

app = options.application()

Name = Annotated[str, typer.Argument(metavar="NAME")]


@app.callback()
def tokens() -> None:
    """Manage access tokens. A running server applies changes at once."""


@app.command()
@options.configured("store")
def add(
    name: Name,
    role: Annotated[TokenRole, typer.Option("--role")] = TokenRole.READ,
    days: Annotated[int | None, typer.Option("--days", min=1, max=36_500)] = None,
    *,
    config: AppConfig,
    as_json: options.Json = False,
) -> int:
    """Create a token and print it once; only its hash is stored."""
    now = SystemClock().now()
    expires = now + timedelta(days=days) if days else None
    made = _tokens(config).add(name, role, now=now, expires=expires)
    until = f", until {expires:%Y-%m-%d %H:%M} UTC" if expires else ""
    notify(f"token {name} may {role}{until}; it is shown only this once")
    answer("token", {"name": name, "role": role, "token": made}, [made], as_json=as_json)
    return PASSED


@app.command("list")
@options.configured("store")
def list_all(config: AppConfig, as_json: options.Json = False) -> int:
    """List tokens with name, role and expiry."""
    now, found = SystemClock().now(), _tokens(config).all()
    body: list[Json] = [{**each.model_dump(mode="json", exclude={"hash"}), "holds": each.holds(now)} for each in found]
    width = max((len(each.name) for each in found), default=0)
    lines = [
        f"{each.name:<{width}}  {each.role:<5}  made {each.created:%Y-%m-%d}  {_until(each, now)}".rstrip()
        for each in found
    ]
    answer("tokens", {"tokens": body}, lines, as_json=as_json)
    if not found and not as_json:
        notify("there are no tokens; sparring tokens add NAME --role read makes one")
    return PASSED


@app.command()
@options.configured("store")
def revoke(name: Name, config: AppConfig, as_json: options.Json = False) -> int:
    """Revoke a token and log out its sessions."""
    its = _tokens(config)
    left = its.revoke(name)
    notify(f"token {name} is revoked")
    answer("token", {"name": name, "role": None, "token": None}, as_json=as_json)
    if not left:
        notify("that was the last one: only the operator's own token, if any, now gives access to the server")
        notify(f"to run a server without tokens on this machine, remove {its.folder}")
    return PASSED


def _tokens(config: AppConfig) -> Tokens:
    check_store(config.store)
    return Tokens(config.store)


def _until(token: Token, now: datetime) -> str:
    if token.expires is None:
        return ""
    return f"{'until' if token.holds(now) else 'EXPIRED'} {token.expires:%Y-%m-%d %H:%M} UTC"
