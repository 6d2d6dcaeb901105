"""Every function there is: the language's own, and those that installed packages add under `sparring.functions`."""

from functools import cache

from sparring.checking.function import Function, functions_in
from sparring.checking.library import collections, dialogue, language, model, numbers, similarity, texts, tools
from sparring.core import plugins
from sparring.core.errors import InputError

_OWN = {
    function.name: function
    for module in (collections, dialogue, language, model, numbers, similarity, texts, tools)
    for function in functions_in(module)
}


def lookup(name: str) -> Function | None:
    """The function called `name`, if there is one."""
    return _OWN.get(name) or _installed().get(name)


def names() -> list[str]:
    """What every function is called, sorted."""
    return sorted({*_OWN, *_installed()})


@cache
def _installed() -> dict[str, Function]:
    found: dict[str, Function] = {}
    for entry in plugins.entries("sparring.functions"):
        function = entry.load()
        if not isinstance(function, Function):
            raise InputError(f"the plug-in {entry.value} is not a rule function", hint="decorate it with @function()")
        if entry.name != function.name:
            raise InputError(f"the plug-in {entry.value} is entered as {entry.name!r} but called {function.name!r}")
        found[entry.name] = function
    return found
