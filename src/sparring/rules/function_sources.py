"""Sources of functions that programs and plug-ins bring: an edited one makes its rules other checks."""

import ast
import inspect
from hashlib import sha256

from sparring.core.checks import Rule
from sparring.rules.evaluate.compiled_rule import CompiledRule, compile_rule
from sparring.rules.functions.function import RuleFunction
from sparring.rules.functions.registry import are_brought, lookup

_OWN = "sparring."


def with_functions(rule: Rule) -> Rule:
    """Return the rule with a hash of the functions of programs and plug-ins that it calls.

    A rule that cannot be compiled, as this process lacks one of its functions, stays as it is.
    """
    if not are_brought() or not isinstance(compiled := compile_rule(rule), CompiledRule):
        return rule
    nodes = [node for tree in compiled.trees.values() for node in ast.walk(tree) if isinstance(node, ast.Call)]
    names = sorted({node.func.id for node in nodes if isinstance(node.func, ast.Name)})
    brought = [each for name in names if (each := lookup(name)) and not each.call.__module__.startswith(_OWN)]
    sources = "\n".join(map(_source, brought)).encode("utf-8", "replace")
    return rule.changed(functions=sha256(sources).hexdigest()) if brought else rule


def _source(function: RuleFunction) -> str:
    """Return the source of a function, or its code where it has none, as in an interactive session."""
    call = inspect.unwrap(function.call)
    try:
        return inspect.getsource(call)
    except (OSError, TypeError):
        code = getattr(call, "__code__", None)
        return repr((code.co_code, code.co_consts, code.co_names)) if code else function.name
