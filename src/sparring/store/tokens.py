"""The tokens of a server, beside its store: each a file that is named by its hash.

Who may do what with a server.
"""

import hashlib
import os
import re
import secrets
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from pydantic import ValidationError

from sparring.core.addresses import Address
from sparring.core.errors import InputError, StoreError
from sparring.core.value import Value, to_json
from sparring.llm.redaction import Hidden
from sparring.store.sqlite import database


class TokenRole(StrEnum):
    """The permissions of a token; each role includes those before it."""

    READ = "read"
    RUN = "run"
    ADMIN = "admin"

    def may(self, needed: "TokenRole") -> bool:
        """Return True if this role includes that one."""
        order = list(TokenRole)
        return order.index(self) >= order.index(needed)


class Token(Value):
    """The stored part of a token: name, role, expiry and SHA-256, never the token itself."""

    name: str
    role: TokenRole
    created: datetime
    expires: datetime | None = None
    hash: str

    def holds(self, now: datetime) -> bool:
        """Return True if the token is valid at this time."""
        return self.expires is None or now < self.expires


_NAME = re.compile(r"[A-Za-z0-9][\w.@-]{0,63}", re.ASCII)
_HASH = re.compile("[0-9a-f]{64}")
_PREFIX = "sparring_"


class Tokens:
    """The tokens for the store at `store`. A folder of their own keeps them out of copies of the store."""

    def __init__(self, store: Address) -> None:
        beside = Path(".sparring") / hashlib.sha256(store.encode()).hexdigest()[:8] if isinstance(store, str) else store
        self.folder = beside.with_name(f"{beside.name}-tokens")

    @property
    def used(self) -> bool:
        """Return True if there ever was a token: revoking the last one must not open the server to all."""
        try:
            self.folder.lstat()
        except FileNotFoundError:
            return False
        except OSError:
            return True
        return True

    def add(self, name: str, role: TokenRole, *, now: datetime, expires: datetime | None = None) -> Hidden:
        """Create a token; the returned text is not stored anywhere."""
        if not _NAME.fullmatch(name):
            raise InputError(f"{name!r} is not a valid token name", hint="letters, digits, and . _ - @, 64 at most")
        if any(each.name == name for each in self.all()):
            raise InputError(f"there is a token named {name} already", hint="revoke it first, or give another name")
        token = _PREFIX + secrets.token_urlsafe(32)
        made = Token(name=name, role=role, created=now, expires=expires, hash=_hash(token))
        with database.translated(self.folder):
            database.make(self.folder)
            self.folder.mkdir(mode=0o700, exist_ok=True)
            beside = self.folder / f"{made.hash}.new"
            with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(to_json(made))
            beside.rename(self._path(made.hash))  # whole or not at all: a server may look at any moment
        return Hidden(token)

    def all(self) -> list[Token]:
        """All of them, also those that have expired, the oldest first."""
        if not self.used:
            return []
        with database.translated(self.folder):
            found = [self._read(path) for path in self.folder.glob("*.json")]
        return sorted((each for each in found if each is not None), key=lambda each: (each.created, each.name))

    def revoke(self, name: str) -> int:
        """Forget a token; how many there are still."""
        tokens = self.all()
        gone = [each for each in tokens if each.name == name]
        if not gone:
            names = ", ".join(each.name for each in tokens) or "none"
            raise InputError(f"there is no token named {name}", hint=f"there are: {names}")
        with database.translated(self.folder):
            for each in gone:
                self._path(each.hash).unlink(missing_ok=True)
        return len(tokens) - len(gone)

    def find(self, token: str) -> Token | None:
        """Return the stored part of a token, found by its hash."""
        return self.with_hash(_hash(token))

    def with_hash(self, hash: str) -> Token | None:
        """Return the token with this hash; None if it is unreadable, so that access is denied."""
        if not _HASH.fullmatch(hash):
            return None
        try:
            return self._read(self._path(hash))
        except (OSError, StoreError):
            return None

    def _read(self, path: Path) -> Token | None:
        try:
            found = Token.model_validate_json(path.read_bytes())
        except FileNotFoundError:  # revoked at this moment
            return None
        except ValidationError as error:
            raise StoreError(f"{path} cannot be read", hint="was it edited by hand? Remove it") from error
        if path.name != f"{found.hash}.json":
            raise StoreError(f"{path} is of another token", hint="was it renamed by hand? Remove it")
        return found

    def _path(self, hash: str) -> Path:
        return self.folder / f"{hash}.json"


def _hash(token: str) -> str:
    """Return the hash of a token. A token is 256 random bits, so that a slow hash would add nothing."""
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()
