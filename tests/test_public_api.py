"""The public API is what this file says: names, signatures, and the fields of values."""

import dataclasses
import doctest
import inspect
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from pydantic import BaseModel

import sparring

PINNED = Path(__file__).parent / "public_api.txt"


def described() -> str:
    """Describe every public name: a signature of each function and method, the fields of each value."""
    lines: list[str] = []
    for name in sparring.__all__:
        value = getattr(sparring, name)
        if inspect.isclass(value):
            lines += [f"class {name}", *(f"    {line}" for line in _members(value))]
        elif inspect.isfunction(value):
            lines.append(f"def {name}{_signature(value)}")
        else:
            lines.append(name)
    return "\n".join(lines) + "\n"


def _members(kind: type) -> list[str]:
    if issubclass(kind, BaseModel):
        return [f"{name}: {_text(field.annotation)}" for name, field in kind.model_fields.items()]
    found: list[str] = []
    if dataclasses.is_dataclass(kind):
        found += [f"{field.name}: {_text(field.type)}" for field in dataclasses.fields(kind)]
    found += getattr(kind, "_fields", ())  # of a named tuple
    for name, member in vars(kind).items():
        if name.startswith("_") and name not in ("_repr_html_", "__getitem__", "__len__"):
            continue
        if isinstance(member, property):
            found.append(f"{name} -> property")
        elif inspect.isfunction(member):
            found.append(f"def {name}{_signature(member)}")
    return found


def _signature(function: object) -> str:
    assert callable(function)
    return _short(str(inspect.signature(function)))


def _text(annotation: object) -> str:
    return annotation.__name__ if isinstance(annotation, type) else _short(str(annotation))


def _short(text: str) -> str:
    """Leave out modules and addresses, which are no part of the API. Python 3.11 writes `Unpack` in another way."""
    text = re.sub(r"\*<class '([\w.]+)'>", r"Unpack[\1]", text)
    return re.sub(r"\b(?:[a-z_]+\.)+(?=[A-Z])", "", re.sub(r" at 0x[0-9a-f]+", "", text))


def test_names_signatures_and_fields_are_pinned():
    """After an intended change: `python tests/test_public_api.py`, and a line in CHANGELOG.md."""
    assert described().splitlines() == PINNED.read_text(encoding="utf-8").splitlines()


@pytest.mark.slow
def test_the_examples_in_docstrings_run():
    homes = {
        getattr(sparring, name).__module__
        for name in sparring.__all__
        if hasattr(getattr(sparring, name), "__module__")
    }
    modules = [import_module(home) for home in sorted(homes) if home.startswith("sparring.api")]

    tried = [doctest.testmod(module) for module in modules]

    assert (sum(each.failed for each in tried), sum(each.attempted for each in tried) >= 5) == (0, True)


def test_every_public_name_is_importable_and_documented():
    undocumented = [name for name in sparring.__all__ if not (inspect.getdoc(getattr(sparring, name)) or "")]

    assert [name for name in undocumented if name not in ("Event", "__version__")] == []
    assert set(sparring.__all__) <= set(dir(sparring))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        getattr(sparring, "nothing")  # noqa: B009 - not an attribute at all


def test_type_checkers_and_the_import_read_the_same_names():
    stub = Path(sparring.__file__).with_suffix(".pyi").read_text(encoding="utf-8")

    assert {line.rpartition(" as ")[2] for line in stub.splitlines() if line.startswith("from ")} == {*sparring.__all__}


@pytest.mark.process
def test_importing_sparring_loads_neither_pydantic_nor_anything_of_its_own():
    program = "import sys, sparring; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()

    assert [name for name in loaded if name.startswith(("pydantic", "numpy", "typing_extensions"))] == []
    assert [name for name in loaded if name.startswith("sparring")] == ["sparring"]


@pytest.mark.process
def test_importing_the_pytest_plugin_loads_pytest_only():
    program = (
        "import sys, pytest; before = {*sys.modules}; import sparring.pytest_plugin; print(*{*sys.modules} - before)"
    )
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()

    assert {name for name in loaded if name.startswith("sparring")} <= {
        "sparring",
        "sparring.core",
        "sparring.core.version",
        "sparring.pytest_plugin",
    }


if __name__ == "__main__":
    PINNED.write_text(described(), encoding="utf-8")
