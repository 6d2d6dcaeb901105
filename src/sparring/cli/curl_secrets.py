"""What in a curl command may be a secret: a variable of the environment stands for it, and it is written nowhere."""

import re
from dataclasses import dataclass, field

from sparring.core.errors import InputError
from sparring.llm.redaction import redact

_SECRET_NAME = re.compile(
    r"auth|cookie|key|token|secret|passw|pwd|\bpin\b|credential|signature|csrf|xsrf|jwt|bearer", re.IGNORECASE
)
_PLAIN = re.compile(r"[A-Za-z][a-z]{0,14}|\d{1,4}|v?\d(\.\d){0,2}|[a-z]{1,10}[/_-][a-z]{1,10}|")
_RANDOM = re.compile(r"(?=\S*\d)(?=\S*[A-Za-z])[\w\-:.=+/%]{16,}", re.ASCII)
_SHELL = re.compile(r"\$(?:\{(\w+)\}|([A-Za-z_]\w*))", re.ASCII)
_SCHEME = re.compile(r"(Bearer|Basic|Token|Digest|ApiKey|Key)\s+\S", re.IGNORECASE)


@dataclass
class Secrets:
    """The secrets that were found: the variable that stands for each, and where it was."""

    where: dict[str, str] = field(default_factory=dict)

    def header(self, name: str, value: str) -> str:
        """The value of a header. What is not known to be harmless is taken for a secret."""
        where = f"the header {name}"
        if shell := self._shell(value, where):
            return shell
        if not _SECRET_NAME.search(name) and _PLAIN.fullmatch(value):
            return value
        scheme = _SCHEME.match(value)
        gap = self._gap("key" if name.lower() == "authorization" else name, where)
        return f"{scheme[1]} {gap}" if scheme else gap

    def address(self, piece: str) -> str:
        """A piece of the path of an address."""
        return self._shell(piece, "the address") or (
            self._gap("path_key", "the address") if _RANDOM.fullmatch(piece) else piece
        )

    def value(self, name: str, value: str, where: str) -> str:
        """A value of a query, a form or a body, as text."""
        if value and (_SECRET_NAME.search(name) or _RANDOM.fullmatch(value) or redact(value) != value):
            return self._gap(name or "key", where)
        return value

    def check_name(self, name: str) -> None:
        """Refuse a name that may be a secret itself: a name cannot be taken from the environment."""
        if _RANDOM.fullmatch(name) or redact(name) != name:
            raise InputError("something that looks like a key stands where a name should", hint="write NAME=KEY")

    def _shell(self, value: str, where: str) -> str:
        """A value with variables of the shell, which stay variables; nothing if there is none in it."""
        rest = _SHELL.sub("", value)
        if rest == value or _RANDOM.search(rest):
            return ""
        for braced, bare in _SHELL.findall(value):
            self.where[braced or bare] = where
        return _SHELL.sub(lambda found: f"${{{found[1] or found[2]}}}", value)

    def _gap(self, name: str, where: str) -> str:
        words = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_").upper() or "KEY"
        wanted = words if words.startswith("CHATBOT") else f"CHATBOT_{words}"
        variable, number = wanted, 1
        while self.where.get(variable, where) != where:
            number += 1
            variable = f"{wanted}_{number}"
        self.where[variable] = where
        return f"${{{variable}}}"
