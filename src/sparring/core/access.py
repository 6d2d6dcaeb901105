"""Who may do what with a server."""

from datetime import datetime
from enum import StrEnum

from sparring.core.value import Value


class Role(StrEnum):
    """What a token is good for; each role may do what those before it may."""

    READ = "read"
    RUN = "run"
    ADMIN = "admin"

    def may(self, needed: "Role") -> bool:
        """Whether this role is enough where that one is needed."""
        order = list(Role)
        return order.index(self) >= order.index(needed)


class Token(Value):
    """What is kept of a token: its name, what it is good for, until when, and the SHA-256 of it; never itself."""

    name: str
    role: Role
    created: datetime
    expires: datetime | None = None
    hash: str

    def holds(self, now: datetime) -> bool:
        """Whether it opens anything at this time."""
        return self.expires is None or now < self.expires
