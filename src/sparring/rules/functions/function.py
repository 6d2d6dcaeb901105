"""What a function of the rule language is, and how one is made."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from sparring.core.conversation import Evidence
from sparring.rules.recording import Recording


class EvidenceNotes(list[Evidence]):
    """Where a function writes down the words it decided by."""


class Ask(Protocol):
    """Asks the language model: a prompt by name, with its fields. Raises NeedsModel where there is none.

    The answer is one of `answers`.
    """

    def __call__(self, prompt: str, answers: tuple[str, ...], /, **fields: str) -> str: ...


@dataclass(frozen=True)
class RuleFunction:
    """A function that rules may call.

    What it is given besides the author's arguments follows from its annotations: the conversation (`Recording`), a
    language model (`Ask`), somewhere to write down evidence (`Notes`).
    """

    name: str
    call: Callable[..., Any]
    given: tuple[type, ...]
    signature: inspect.Signature
    patterns: frozenset[str] = field(default_factory=frozenset)
    lazy: bool = False
    steps: int = 10

    @property
    def of_conversation(self) -> bool:
        return Recording in self.given

    @property
    def asks(self) -> bool:
        return Ask in self.given

    @property
    def usage(self) -> str:
        """How it is written: `length(x, kind='average')`."""
        shown = self.signature.replace(return_annotation=inspect.Signature.empty).replace(
            parameters=[p.replace(annotation=inspect.Parameter.empty) for p in self.signature.parameters.values()]
        )
        return f"{self.name}{shown}"

    @property
    def doc(self) -> str:
        return inspect.getdoc(self.call) or ""


_GIVEN = (Recording, Ask, EvidenceNotes)


def function(
    name: str = "", *, patterns: tuple[str, ...] = (), lazy: bool = False, steps: int = 10
) -> Callable[[Callable[..., Any]], RuleFunction]:
    """Make a function of the rule language out of a Python one.

    `patterns` are the parameters that are regular expressions: they must be written out in the rule, and are checked
    when it is loaded. A `lazy` function takes a generator and may stop early. `steps` is what a call costs of the
    steps an evaluation may take, besides walking through the texts once.
    """

    def make(call: Callable[..., Any]) -> RuleFunction:
        signature = inspect.signature(call)
        parameters = list(signature.parameters.values())
        given = tuple(p.annotation for p in parameters if p.annotation in _GIVEN)
        rest = [p for p in parameters if p.annotation not in _GIVEN]
        known = name or call.__name__.rstrip("_")
        return RuleFunction(known, call, given, signature.replace(parameters=rest), frozenset(patterns), lazy, steps)

    return make


def functions_in(module: object) -> Iterator[RuleFunction]:
    """Every function that a module defines."""
    return (value for value in vars(module).values() if isinstance(value, RuleFunction))
