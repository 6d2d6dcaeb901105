"""Rule functions: their description, and the decorator that makes them."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from sparring.core.conversation import Evidence
from sparring.core.errors import InputError
from sparring.rules.recording import Recording


class EvidenceNotes(list[Evidence]):
    """Quotes that a function notes as evidence of its result."""


class Ask(Protocol):
    """Asks the language model a named prompt with its fields and returns one of `answers`.

    Raises NeedsModel if no model is configured.
    """

    def __call__(self, prompt: str, answers: tuple[str, ...], /, **fields: str) -> str: ...


@dataclass(frozen=True)
class RuleFunction:
    """A function that rules may call.

    Annotations decide what it receives besides the author's arguments: the conversation (`Recording`), a language model
    (`Ask`), a list to note evidence in (`EvidenceNotes`).
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
        """Signature as authors write it: `length(x, kind='average')`."""
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
    """Return a decorator that makes a rule function of a Python function.

    `patterns` names parameters that are regular expressions: they must be literals in the rule and are validated when
    it is loaded. A `lazy` function accepts a generator and may stop early. `steps` is the cost of a call, in addition
    to walking through its texts once.
    """

    def make(call: Callable[..., Any]) -> RuleFunction:
        return described(call, name, frozenset(patterns), lazy, steps)

    return make


def described(
    call: Callable[..., Any],
    name: str = "",
    patterns: frozenset[str] = frozenset(),
    lazy: bool = False,
    steps: int = 10,
) -> RuleFunction:
    """Return the rule function of a Python function. Raise InputError if it cannot be one."""
    known = name or call.__name__.rstrip("_")
    try:
        signature = inspect.signature(call, eval_str=True)
    except NameError as error:
        raise InputError(f"the rule function {known!r} has an annotation that is not defined: {error}") from error
    parameters = list(signature.parameters.values())
    given = tuple(p.annotation for p in parameters if p.annotation in _GIVEN)
    if [p.annotation for p in parameters[: len(given)]] != [*given]:
        raise InputError(f"the rule function {known!r} must take its {given[-1].__name__} before all else")
    rest = parameters[len(given) :]
    return RuleFunction(known, call, given, signature.replace(parameters=rest), patterns, lazy, steps)


def functions_in(module: object) -> Iterator[RuleFunction]:
    """Yield every rule function that a module defines."""
    return (value for value in vars(module).values() if isinstance(value, RuleFunction))
