"""Check the house rules of src/: plain docstrings and messages, module size, unique public class names.

Usage: python tools/house.py [ROOT]. Prints one line for each offence and exits with 1 if a package has more offences
than `ALLOWED`. Reads the source only and imports nothing of it.
"""

import ast
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MAX_FIRST_LINE = 100
MAX_MODULE_LINES = 400
MAX_EXEMPTIONS = 10
EXEMPT = "# plain: ok"

ALLOWED: dict[str, dict[str, int]] = {
    "indefinite person": {"sparring_bots": 1},
    "interrogative docstring": {"sparring_bots": 3},
    "long first line": {"sparring_bots": 7},
}
"""Offences that each package may have, by rule: these docstrings describe tools, so models read them."""

_PERSONS = re.compile(r"\b(?:nobody|whoever|somebody|anybody|no one)\b", re.IGNORECASE)
_INTERROGATIVES = re.compile(r"\W*(?:What|Whether|How|Who|Whose|Where|Which|When)\b")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Offence:
    """A violated rule with its position."""

    rule: str
    package: str
    file: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.rule}: {' '.join(self.text.split())[:100]}"


@dataclass(frozen=True)
class Module:
    """A parsed module of src/."""

    file: str
    package: str
    lines: list[str]
    tree: ast.Module

    def offence(self, rule: str, line: int, text: str) -> Offence:
        return Offence(rule, self.package, self.file, line, text)

    def is_exempt(self, node: ast.expr) -> bool:
        """Return True if the first or last line of the node carries the exemption."""
        return any(EXEMPT in self.lines[line - 1] for line in (node.lineno, node.end_lineno or node.lineno))


def modules(root: Path) -> list[Module]:
    """Parse every module below `root`/src."""
    source = root / "src"
    found = []
    for path in sorted(source.rglob("*.py")):
        parts = path.relative_to(source).parts
        package = parts[1] if parts[0] == "sparring" and len(parts) > 2 else parts[0]
        text = path.read_text(encoding="utf-8")
        found.append(Module(path.relative_to(root).as_posix(), package, text.splitlines(), ast.parse(text)))
    return found


def offences(module: Module) -> Iterator[Offence]:
    """Yield every offence of one module, apart from shared class names."""
    if len(module.lines) > MAX_MODULE_LINES:
        yield module.offence("module length", MAX_MODULE_LINES + 1, f"{len(module.lines)} lines")
    owners = {id(expression): owner for owner, expression in _docstrings(module.tree)}
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and not module.is_exempt(node):
            if _PERSONS.search(node.value):
                yield module.offence("indefinite person", node.lineno, node.value)
            if id(node) in owners:
                yield from _docstring_offences(module, node, node.value, owners[id(node)])


def _docstring_offences(module: Module, node: ast.Constant, text: str, owner: ast.AST) -> Iterator[Offence]:
    if isinstance(owner, _FUNCTIONS) and _INTERROGATIVES.match(text):
        yield module.offence("interrogative docstring", node.lineno, text)
    first = text.strip().partition("\n")[0]
    if len(first) > MAX_FIRST_LINE:
        yield module.offence("long first line", node.lineno, first)


def _docstrings(tree: ast.Module) -> Iterator[tuple[ast.AST, ast.Constant]]:
    for owner in ast.walk(tree):
        if isinstance(owner, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and owner.body:
            first = owner.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                yield owner, first.value


def shared_class_names(found: list[Module]) -> dict[str, list[str]]:
    """Return public class names of src/sparring that several modules define, with these modules."""
    names: defaultdict[str, list[str]] = defaultdict(list)
    for module in found:
        for node in module.tree.body if module.package != "sparring_bots" else ():
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                names[node.name].append(module.file)
    return {name: files for name, files in sorted(names.items()) if len(files) > 1}


def exemptions(found: list[Module]) -> int:
    """Return the number of exempted lines."""
    return sum(EXEMPT in line for module in found for line in module.lines)


def check(root: Path) -> list[str]:
    """Return a line for each rule that a package violates more often than allowed, with its offences."""
    found = modules(root)
    by_rule: defaultdict[tuple[str, str], list[Offence]] = defaultdict(list)
    for module in found:
        for offence in offences(module):
            by_rule[offence.rule, offence.package].append(offence)
    report = []
    for (rule, package), several in sorted(by_rule.items()):
        allowed = ALLOWED.get(rule, {}).get(package, 0)
        if len(several) > allowed:
            report += [f"{package}: {len(several)} × {rule}, allowed {allowed}", *map(str, several)]
    for name, files in shared_class_names(found).items():
        report.append(f"class {name} is defined in {', '.join(files)}")
    if exemptions(found) > MAX_EXEMPTIONS:
        report.append(f"{exemptions(found)} lines with '{EXEMPT}', allowed {MAX_EXEMPTIONS}")
    return report


def counts(root: Path) -> dict[str, dict[str, int]]:
    """Return the number of offences by rule and package, in the form of `ALLOWED`."""
    totals = Counter((each.rule, each.package) for module in modules(root) for each in offences(module))
    return {
        rule: {package: number for (own, package), number in sorted(totals.items()) if own == rule}
        for rule in sorted({rule for rule, _ in totals})
    }


def main() -> int:
    """Print the report for the repository, or for the folder given."""
    report = check(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1])
    print("\n".join(report) or "house rules: ok")
    return 1 if report else 0


if __name__ == "__main__":
    sys.exit(main())
