"""Messages that violate a rule, for rules whose functions note no evidence themselves."""

import ast
from collections.abc import Iterator
from dataclasses import replace

from sparring.core.conversation import Evidence
from sparring.parsing.regex import compiled as pattern
from sparring.rules.evaluate.compiled_rule import CompiledRule
from sparring.rules.evaluate.compiler import closure
from sparring.rules.evaluate.scene import EvaluationContext, Term, evaluate
from sparring.rules.functions.registry import lookup
from sparring.rules.language.expressions import conjuncts, variables
from sparring.rules.limits import MAX_STEPS
from sparring.rules.recording import RecordedMessage, Recording

_MAX_WITNESSES = 3
_MESSAGES = {"chatbot_phrases", "user_phrases", "interaction"}
_LAST = "last_reply"


def witnesses(compiled: CompiledRule, context: EvaluationContext) -> tuple[Evidence, ...]:
    """Return the first messages that violate the rule on their own, narrowed to the violating words.

    A message is a witness if `then` holds for an empty conversation, but not with this message alone.
    """
    recording = context.recordings[0]
    for part in conjuncts(compiled.trees["then"]):
        term = closure(part)
        if not evaluate(term, EvaluationContext((recording,))):
            last, names = _calls_last(part), {name for _, _, name in variables(part)}
            if not last and names.isdisjoint(_MESSAGES):
                return ()
            first = len(recording.messages) - len(recording.since_last_user) if last else 0
            return tuple(_witnesses_of(part, term, recording, first))
    return ()


def _witnesses_of(part: ast.expr, term: Term, recording: Recording, first: int) -> Iterator[Evidence]:
    trial = EvaluationContext()
    trial.steps, left = MAX_STEPS, _MAX_WITNESSES
    if not _holds(term, trial, recording):
        return
    for at, said in enumerate(recording.messages[first:], first):
        if left == 0 or trial.steps < 0:
            return
        if not said.injected and said.text and not _holds(term, trial, recording, said):
            start, end = next(
                (
                    (start, end)
                    for start, end in sorted(
                        _matching_spans(part, recording, said.text), key=lambda span: span[0] - span[1]
                    )
                    if not _holds(term, trial, recording, replace(said, text=said.text[start:end]))
                ),
                (0, len(said.text)),
            )
            left -= 1
            yield Evidence(at=at, start=start, end=end, text=said.text[start:end])


def _holds(term: Term, trial: EvaluationContext, recording: Recording, *said: RecordedMessage) -> bool:
    """Return True if the condition holds for only these messages, or cannot be decided within the steps."""
    trial.recordings, trial.local = (replace(recording, messages=said),), {}
    try:
        return bool(term(trial))
    except Exception:  # noqa: BLE001 - as in `evaluate`: an exception is the result of the expression
        return True


def _matching_spans(part: ast.expr, recording: Recording, text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of a message that match texts, patterns or variables of the rule."""
    lower = text.lower() if len(text.lower()) == len(text) else text
    for wanted in _texts(part, recording):
        start = text.find(wanted) if wanted in text else lower.find(wanted.lower())
        if start >= 0:
            yield start, start + len(wanted)
    for node in ast.walk(part):
        function = lookup(node.func.id) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else None
        if isinstance(node, ast.Call) and function is not None and function.patterns:
            for argument in node.args:
                if isinstance(argument, ast.Constant) and (match := pattern(str(argument.value)).search(text)):
                    yield match.span()


def _texts(part: ast.expr, recording: Recording) -> Iterator[str]:
    written = [node.value for node in ast.walk(part) if isinstance(node, ast.Constant)]
    values = [recording.names.get(name) for _, _, name in variables(part)]
    for value in [*written, *values]:
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and text.strip():
                yield text


def _calls_last(part: ast.expr) -> bool:
    return any(isinstance(node, ast.Name) and node.id == _LAST for node in ast.walk(part))
