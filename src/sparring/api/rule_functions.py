"""Rule functions that a program registers, without a package of its own."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, overload

from sparring.core.errors import InputError
from sparring.rules.functions.function import Ask, described
from sparring.rules.functions.registry import register

Function = TypeVar("Function", bound=Callable[..., Any])

_YES_NO = ("yes", "no")


@overload
def rule_function(function: Function, *, name: str | None = None, needs_model: bool = False) -> Function: ...


@overload
def rule_function(
    function: None = None, *, name: str | None = None, needs_model: bool = False
) -> Callable[[Function], Function]: ...


def rule_function(
    function: Function | None = None, *, name: str | None = None, needs_model: bool = False
) -> Function | Callable[[Function], Function]:
    """Make a Python function callable in the rules of this process, under its own name or `name`.

    A first parameter annotated with `Recording` receives the conversation; rules give the other arguments. With
    `needs_model`, the parameter `ask` receives a function: `ask(question, answers=("yes", "no"))` returns the answer of
    the model of the check. The function must return the same for the same arguments. Raise InputError if the name
    belongs to a built-in function, a plug-in, or another registered function.

    >>> import sparring
    >>> @sparring.rule_function
    ... def exclaims(conversation: sparring.Recording, times: int = 1) -> bool:
    ...     return sum(text.endswith("!") for text in conversation.texts("chatbot")) >= times
    >>> said = (sparring.message("user", "Hi"), sparring.message("chatbot", "Hello!"))
    >>> talk = sparring.Conversation(case=sparring.Case(id="greeting"), messages=said)
    >>> sparring.check("exclaims(times=2)", [talk], settings=sparring.Settings()).findings[0].outcome
    <CheckOutcome.FAIL: 'fail'>
    """

    def registered(function: Function) -> Function:
        if inspect.iscoroutinefunction(function):
            raise InputError(f"the rule function {function.__name__!r} must not be async")
        register(described(_asking(function) if needs_model else function, name or function.__name__))
        return function

    return registered if function is None else registered(function)


def _asking(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with the language model in place of `ask`."""
    signature = inspect.signature(function, eval_str=True)
    parameters = list(signature.parameters.values())
    at = next((at for at, parameter in enumerate(parameters) if parameter.name == "ask"), None)
    if at is None:
        raise InputError(f"the rule function {function.__name__!r} needs a model, but has no parameter `ask`")

    @wraps(function)
    def asking(*given: Any, **named: Any) -> Any:
        asks: Ask = given[at]

        def ask(question: str, answers: tuple[str, ...] = _YES_NO) -> str:
            return asks("question", answers, question=question)

        return function(*given[:at], ask, *given[at + 1 :], **named)

    parameters[at] = parameters[at].replace(annotation=Ask)
    asking.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return asking
