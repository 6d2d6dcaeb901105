from pathlib import Path

import pytest

from sparring.scenarios import external_values
from sparring.scenarios.external_values import FunctionValues, compute_values

pytestmark = pytest.mark.process


def call(folder: Path, code: str, arguments: str = "[]", *, seed: str = "7") -> FunctionValues:
    (folder / "listed.py").write_text(code)
    return FunctionValues(folder, "listed.py", "f", "", arguments, seed)


def test_a_function_gets_plain_and_named_arguments_and_may_print(tmp_path: Path):
    code = "def f(a, b, *, c=0):\n print('noise')\n return range(a, b + c)"

    assert compute_values(call(tmp_path, code, '[1, {"c": 2}, 3]')) == (1, 2, 3, 4)


def test_chance_and_sets_come_out_the_same_for_the_same_seed(tmp_path: Path):
    code = "import random\ndef f(): return [random.random(), *{'a', 'b', 'c', 'd'}]"
    once, again, other = (compute_values(call(tmp_path, code, seed=seed)) for seed in ("7", "7", "8"))

    assert once == again != other


def test_a_function_sees_none_of_our_environment_and_none_of_our_modules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("PYTHONPATH", "somewhere")
    code = "import os, sys\ndef f(): return [k for k in os.environ if 'KEY' in k or k == 'PYTHONPATH'] + [sys.path[0]]"

    (first_on_the_path,) = compute_values(call(tmp_path, code))

    assert not Path(str(first_on_the_path)).is_relative_to(Path(external_values.__file__).parent)


@pytest.mark.parametrize(
    ("code", "complaint"),
    [
        ("def f(): raise KeyError('what')", "f() failed: KeyError: 'what'"),
        ("def f(a): return [a]", "f() failed: TypeError: f() missing 1 required positional argument: 'a'"),
        ("def g(): return []", "f() failed: AttributeError: module 'listed' has no attribute 'f'"),
        ("def f(:", "f() failed: SyntaxError: invalid syntax"),
        ("def f(): return [float('nan')]", "f() returned values that are not JSON"),
        ("def f(): return [object()]", "f() failed: TypeError: Object of type object is not JSON serializable"),
        ("def f(): return range(10_001)", "f() should return a list of up to 10,000 values"),
        ("def f(): return ['x' * 2_000_000]", "f() returned values that are not JSON"),
    ],
)
def test_a_function_that_does_not_list_values_is_a_complaint(tmp_path: Path, code: str, complaint: str):
    with pytest.raises(ValueError, match=r"f\(\)") as caught:
        compute_values(call(tmp_path, code))

    assert str(caught.value) == complaint


def test_a_function_runs_where_its_path_starts(tmp_path: Path):
    (tmp_path / "lists").mkdir()
    (tmp_path / "lists" / "names.txt").write_text("Ann Bob")
    (tmp_path / "lists" / "f.py").write_text("def f(path): return open(path).read().split()")

    assert compute_values(FunctionValues(tmp_path, "lists/f.py", "f", "", '["lists/names.txt"]')) == ("Ann", "Bob")


@pytest.mark.parametrize("folder", [None, Path("/")])
def test_a_file_that_is_nowhere_near_is_a_complaint(folder: Path | None):
    with pytest.raises(
        ValueError, match=r"there is no file '/etc/f.py' in the folder of this file, or in one above it"
    ):
        compute_values(FunctionValues(folder, "/etc/f.py", "f", ""))


def test_a_function_does_not_run_for_ever(tmp_path: Path):
    with pytest.raises(ValueError, match=r"f\(\) took longer than 0.2 s"):
        compute_values(call(tmp_path, "def f():\n while True: pass"), seconds=0.2)
