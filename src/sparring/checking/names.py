"""Which names the conversations define, so that a rule with one that none defines can be told from a passing gap."""

from collections.abc import Callable

from sparring.checking.compiled import Compiled
from sparring.checking.recording import Recording
from sparring.core.errors import Problem
from sparring.core.verdict import Verdict

Listener = Callable[[Verdict], None]


class Names:
    """Every name that some conversation defines."""

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._recordings = 0

    def see(self, recording: Recording) -> None:
        """Add what one recording defines."""
        self._known.update(recording.names)
        self._recordings += 1

    def unknown(self, compiled: Compiled) -> list[Problem]:
        """The names of a rule that none of the conversations defines; without conversations nothing is known."""
        return compiled.unknown(self._known) if self._recordings else []


class Held:
    """Keeps the verdicts of a rule back until all its names have been seen: those of an invalid rule are nobody's."""

    def __init__(self, compiled: Compiled, names: Names, listener: Listener) -> None:
        self._compiled = compiled
        self._names = names
        self._listener = listener
        self._held: list[Verdict] | None = []

    def __call__(self, verdict: Verdict) -> None:
        if self._held is None:
            self._listener(verdict)
            return
        self._held.append(verdict)
        if len(self._held) % 100 == 1:
            self.release()

    def release(self) -> None:
        """Pass on what was held, if every name is known by now."""
        if self._held is not None and not self._names.unknown(self._compiled):
            held, self._held = self._held, None
            for verdict in held:
                self._listener(verdict)
