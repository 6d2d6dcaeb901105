"""Rule files: one rule per YAML file, validated with all problems and their positions."""

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from ruamel.yaml import YAML
from ruamel.yaml.events import AliasEvent

from sparring.core.checks import Clause, InvalidRule, Rule, SourcePosition
from sparring.core.errors import InputError, Problem
from sparring.core.text import did_you_mean
from sparring.parsing import Document, load, parse
from sparring.parsing.validate import JSON_SCHEMA
from sparring.rules.evaluate.compiled_rule import CLAUSES, compile_rule
from sparring.rules.functions.registry import lookup
from sparring.rules.language.expressions import position
from sparring.rules.language.parser import RuleRejected
from sparring.rules.language.parser import parse as parse_expression
from sparring.rules.language.semantics import MAX_CONVERSATIONS, aggregate_call

QUANTIFIERS = get_args(Rule.model_fields["quantifier"].annotation)


def _text(value: Any) -> str:
    if isinstance(value, list | dict):
        raise ValueError("should be text")
    return "" if value is None else str(value)


def _name(value: Any) -> str:
    text = _text(value).strip()
    if not text:
        raise ValueError("is empty")
    return text[:200]


def _expression(value: Any) -> str:
    if isinstance(value, list | dict):
        raise ValueError("should be an expression; quote one that begins with { or [")
    if value is None or not str(value).strip():
        raise ValueError("is empty")
    return str(value)


def _conversations(value: Any) -> Any:
    if value == "all":
        return value
    if (
        isinstance(value, bool)
        or not str(value).isascii()
        or not str(value).isdigit()
        or not 1 <= int(value) <= MAX_CONVERSATIONS
    ):
        raise ValueError(f"should be a whole number from 1 to {MAX_CONVERSATIONS}, or all")
    return int(value)


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("should be true or false")
    return value


def _share(value: Any) -> float:
    try:
        percent = isinstance(value, str) and value.strip().endswith("%")
        share = float(value.strip().removesuffix("%")) / 100 if percent else float(value)
    except (TypeError, ValueError):
        share = -1.0
    if isinstance(value, bool) or not 0 <= share <= 1:
        raise ValueError("should be a share such as 95% or 0.95")
    return share


def _confidence(value: Any) -> float:
    share = _share(value)
    if not 0.5 <= share < 1:
        raise ValueError("should be a share from 50% to below 100%")
    return share


def _quantifier(value: Any) -> str:
    if value not in QUANTIFIERS:
        raise ValueError(f"should be one of: {', '.join(QUANTIFIERS)}")
    return str(value)


def _scenarios(value: Any) -> tuple[str, ...]:
    names = value if isinstance(value, list) else [value]
    if not names or not all(isinstance(name, str) and name.strip() for name in names):
        raise ValueError("should be the name of a scenario, or a list of names; * and ? match anything")
    return tuple(name.strip() for name in names)


class RuleKey(NamedTuple):
    """A key of a rule file: the field of the rule, the reader of its value, its meaning and schema."""

    field: str
    read: Callable[[Any], Any]
    meaning: str
    schema: Mapping[str, Any]


_CODE = {"type": ["string", "boolean", "number"]}
_SHARE = {"type": "string", "pattern": r"^\s*[0-9.]+\s*%?\s*$"}
_NAMES = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]}
_NUMBER_OR_ALL = {
    "anyOf": [
        {"type": "integer", "minimum": 1, "maximum": MAX_CONVERSATIONS},
        {"enum": ["all", *map(str, range(1, MAX_CONVERSATIONS + 1))]},
    ]
}

KEYS = {
    "name": RuleKey("name", _name, "what it is called in reports", {"type": ["string", "number", "boolean"]}),
    "description": RuleKey(
        "description", _text, "what it is about, for people", {"type": ["string", "number", "boolean", "null"]}
    ),
    "scenarios": RuleKey("scenarios", _scenarios, "scenarios it is about; * and ? match anything", _NAMES),
    "conversations": RuleKey(
        "conversations", _conversations, "number of conversations that the rule compares, or all", _NUMBER_OR_ALL
    ),
    "active": RuleKey("active", _flag, "false leaves it out", {"type": "boolean"}),
    "when": RuleKey("when", _expression, "for which conversations it holds", _CODE),
    "if": RuleKey("if_", _expression, "the same, of one conversation", _CODE),
    "then": RuleKey("then", _expression, "what must hold", _CODE),
    "oracle": RuleKey("then", _expression, "the same as `then`, as SENSEI calls it", _CODE),
    "yields": RuleKey("yields", _expression, "text that explains a failure", _CODE),
    "on-error": RuleKey("yields", _expression, "the same as `yields`", _CODE),
    "quantifier": RuleKey(
        "quantifier", _quantifier, "the conversations for which `then` must hold", {"enum": list(QUANTIFIERS)}
    ),
    "at least": RuleKey(
        "at_least",
        _share,
        "for what share of them: 95% or 0.95",
        {"anyOf": [_SHARE, {"type": "number", "minimum": 0, "maximum": 1}]},
    ),
    "confidence": RuleKey(
        "confidence",
        _confidence,
        "how sure to be of that share, beyond what was seen: 95%",
        {"anyOf": [_SHARE, {"type": "number", "minimum": 0.5, "exclusiveMaximum": 1}]},
    ),
}


def rule_schema() -> dict[str, Any]:
    """Return the JSON Schema of a rule file."""
    return {
        "$schema": JSON_SCHEMA,
        "title": "A rule: what must hold in one conversation, several, or all",
        "type": "object",
        "properties": {name: {"description": key.meaning, **key.schema} for name, key in KEYS.items()},
        "additionalProperties": False,
        "required": ["name"],
        "anyOf": [{"required": ["then"]}, {"required": ["oracle"]}],
    }


RULE_KEYS = frozenset({"then", "oracle", "when", "if", "yields"})
"""Top-level keys that identify a rule file; scenarios have none of them."""


MAX_BYTES = 64_000
_YAML_HINT = "quote an expression that contains { } : or #, or put | before it"
_FIELDS: dict[Clause, str] = {"when": "when", "if": "if_", "then": "then", "yields": "yields"}


def read_rules(paths: Iterable[Path | str]) -> list[Rule | InvalidRule]:
    """Read the rules of files, and of folders recursively, sorted by name."""
    found: list[Rule | InvalidRule] = []
    for path in map(Path, paths):
        files = sorted(p for p in path.rglob("*") if p.suffix in (".yaml", ".yml")) if path.is_dir() else [path]
        if not files:
            raise InputError(
                Problem(file=str(path), message="contains no rules", hint="rule files end in .yaml or .yml")
            )
        found += map(read_rule, files)
    return found


def read_rule(path: Path | str) -> Rule | InvalidRule:
    """Read the rule of one file. Raise InputError only if the file cannot be read."""
    path = Path(path)
    if path.is_file() and path.stat().st_size > MAX_BYTES:
        return _too_large(path.stem, str(path))
    if path.is_fifo():  # process substitution of a shell: readable only once
        return parse_rule(_read_fifo(path), str(path))
    try:
        document = load(path)
    except InputError as error:
        if not path.is_file():
            raise
        return _not_yaml(error, path.stem, str(path))
    return _rule_of_document(document, path.read_text("utf-8-sig"), path.stem)


def _read_fifo(path: Path) -> str:
    try:
        with path.open(encoding="utf-8-sig") as stream:
            return stream.read(MAX_BYTES + 1)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(Problem(file=str(path), message="cannot be read as UTF-8 text")) from error


def parse_rule(text: str, file: str = "rule") -> Rule | InvalidRule:
    """Parse the rule in a text. `file` is the name used in problems."""
    if len(text) > MAX_BYTES:
        return _too_large(file, file)
    try:
        return _rule_of_document(parse(text, file), text, file)
    except InputError as error:
        return _not_yaml(error, file, file)


def require_valid(rules: Iterable[Rule | InvalidRule]) -> tuple[Rule, ...]:
    """Return the rules. Raise InputError with all problems if any rule is invalid."""
    found = tuple(rules)
    problems = [problem for rule in found if isinstance(rule, InvalidRule) for problem in rule.problems]
    if problems:
        raise InputError(problems)
    return tuple(rule for rule in found if isinstance(rule, Rule))


def require_active_rule(rules: Sequence[Rule | InvalidRule]) -> None:
    """Raise InputError if every rule is inactive, because a check of nothing would pass."""
    if rules and all(isinstance(rule, Rule) and not rule.active for rule in rules):
        raise InputError("all rules have 'active: false', so there is nothing to check", hint="active: true")


def rule_of(expression: str, *, conversations: int | Literal["all"] | None = None) -> Rule | InvalidRule:
    """Return the rule of an expression on the command line, over as many conversations as it names."""
    conversations = conversations or _conversations_of(expression)
    places: dict[Clause, SourcePosition] = {"then": SourcePosition(line=1, column=1)}
    rule = Rule(name=expression[:200], conversations=conversations, then=expression, file="--rule", places=places)
    return _compiled(rule, [])


def _conversations_of(expression: str) -> int | Literal["all"]:
    try:
        nodes = list(ast.walk(parse_expression(expression)))
    except RuleRejected:
        return 1
    called = {aggregate_call(node) for node in nodes} - {None}
    if any(not lookup(str(name)) for name in called):
        return "all"
    return min(max((position(node) or 0 for node in nodes), default=0) + 1, MAX_CONVERSATIONS)


def _too_large(name: str, file: str) -> InvalidRule:
    problem = Problem(file=file, message=f"is larger than {MAX_BYTES:,} bytes, the maximum of a rule file")
    return InvalidRule(name=name, file=file, problems=(problem,))


def _not_yaml(error: InputError, name: str, file: str) -> InvalidRule:
    problems = [
        p if p.hint or "YAML" not in p.message else p.model_copy(update={"hint": _YAML_HINT}) for p in error.problems
    ]
    return InvalidRule(name=name, file=file, problems=tuple(problems))


def _rule_of_document(document: Document, text: str, name: str) -> Rule | InvalidRule:
    problems = list(_alias_problems(document, text))
    data = document.data
    if not isinstance(data, dict):
        problems.append(document.problem((), "expected a mapping with at least the keys 'name' and 'then'"))
        return InvalidRule(name=name, file=document.file, problems=tuple(problems))
    fields: dict[str, Any] = {}
    written: dict[str, str] = {}
    for key, value in data.items():
        problems += _read(document, key, value, fields, written)
    if "name" not in data:
        problems.append(document.problem((), "'name' is missing"))
    if "then" not in written:
        problems.append(
            document.problem((), "'then' is missing", "add 'then' (or 'oracle'), the condition that must hold")
        )
    problems += _contradictions(document, fields, written)
    fields = {"name": name, "then": "True"} | fields
    places = {
        c: _position_of(document, text, written[_FIELDS[c]], fields[_FIELDS[c]])
        for c in CLAUSES
        if _FIELDS[c] in fields and _FIELDS[c] in written
    }
    rule = Rule(**fields, file=document.file, line=document.place(())[0], places=places)
    return _compiled(rule, problems)


def _read(
    document: Document, key: str, value: Any, fields: dict[str, Any], written: dict[str, str]
) -> Iterator[Problem]:
    """Read the value of one key into `fields`, or yield its problems."""
    if key not in KEYS:
        yield document.problem((key,), f"unknown key {key[:40]!r}", did_you_mean(key, KEYS), key=True)
        return
    field, reader, *_ = KEYS[key]
    if field in written:
        yield document.problem((key,), f"{key!r} and {written[field]!r} mean the same; use one of them", key=True)
        return
    written[field] = key
    try:
        fields[field] = reader(value)
    except ValueError as error:
        yield document.problem((key,), str(error))


def _contradictions(document: Document, fields: dict[str, Any], written: dict[str, str]) -> Iterator[Problem]:
    """Keys that do not go together."""
    together = fields.get("conversations", 1)
    if together in (1, "all") and " " in fields.get("quantifier", ""):
        yield document.problem(("quantifier",), "needs conversations: 2 or more", key=True)
    if together == "all" and ("at_least" in written or fields.get("quantifier", "forall") == "exists"):
        key = written.get("at_least", "quantifier")
        yield document.problem(
            (key,), "not available in a rule over all conversations", "use percent(...) or exists(...)", key=True
        )
    if "at_least" in written and "quantifier" in written:
        yield document.problem(("quantifier",), "cannot be combined with 'at least'; use one of the two", key=True)
    if "confidence" in written and "at_least" not in written:
        yield document.problem(("confidence",), "needs 'at least', the share it applies to", key=True)


def _alias_problems(document: Document, text: str) -> Iterator[Problem]:
    for event in YAML(typ="safe", pure=True).parse(text):
        mark = event.start_mark
        if isinstance(event, AliasEvent) or getattr(event, "anchor", None) is not None:
            message = "anchors (&) and aliases (*) are not supported in rules"
            yield Problem(file=document.file, line=mark.line + 1, column=mark.column + 1, message=message)


def _compiled(rule: Rule, problems: list[Problem]) -> Rule | InvalidRule:
    compiled = compile_rule(rule)
    problems = problems + (compiled if isinstance(compiled, list) else [])
    if not problems:
        return rule
    by_place = sorted(problems, key=lambda problem: (problem.line or 0, problem.column or 0))
    return InvalidRule(name=rule.name, file=rule.file, conversations=rule.conversations, problems=tuple(by_place))


def _position_of(document: Document, text: str, key: str, expression: str) -> SourcePosition:
    """Return the position of an expression: after its quote, in the line after `|`, or right there."""
    line, column = document.place((key,))
    lines = text.splitlines()
    start = lines[line - 1][column - 1 :]
    if start[:1] in ("|", ">"):
        following = next((at for at in range(line, len(lines)) if lines[at].strip()), line - 1)
        indent = len(lines[following]) - len(lines[following].lstrip())
        return SourcePosition(line=following + 1, column=indent + 1, exact=start[0] == "|" and following == line)
    column += start[:1] in ("'", '"')
    return SourcePosition(line=line, column=column, exact=lines[line - 1][column - 1 :].startswith(expression))
