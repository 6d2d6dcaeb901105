"""What is counted about one conversation of an experiment, beside whether it passed."""

import ast

from sparring.core.checks import Expectation
from sparring.core.conversation import Conversation
from sparring.core.usage import Usage
from sparring.core.value import Json
from sparring.core.verdict import Outcome
from sparring.rules.expectations import held
from sparring.rules.functions.registry import lookup


async def measured(conversation: Conversation) -> dict[str, Json]:
    """Tokens (null unless all are known), tools (null where the chatbot reports none) and patterns."""
    usage = sum(conversation.usage.values(), Usage())
    patterns = [each for each in conversation.case.expectations if looks_for_a_pattern(each)]
    found = [verdict.outcome for each in patterns for verdict in await held(each, conversation)]
    new = conversation.messages[len(conversation.case.history) :]
    calls = sum(len(message.tool_calls) for message in new if not message.injected)
    return {
        "ending": conversation.ending,
        "turns": conversation.turns,
        "tokens": None if usage.unknown_tokens else usage.tokens,
        "unknown_tokens": usage.unknown_tokens,
        "model_calls": usage.calls,
        "tool_calls": calls if conversation.reports_tools else None,
        "regexes": len(found),
        "regex_matches": found.count(Outcome.PASS),
    }


def looks_for_a_pattern(expectation: Expectation) -> bool:
    """Whether a regular expression decides it."""
    try:
        tree = ast.parse(expectation.rule.then.strip(), mode="eval")
    except SyntaxError:
        return False
    called = [node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    return any(function is not None and function.patterns for function in map(lookup, called))
