"""The Python examples of how-to pages: the cells of a notebook in a running event loop, and plug-ins."""

import ast
import importlib
import inspect
import sys
from pathlib import Path

import pytest

from pages import write_files
from sparring.rules.functions import registry

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/how-to/test-in-python.md"


@pytest.mark.slow
async def test_the_cells_of_the_notebook_run_in_a_running_event_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    write_files(PAGE.read_text(encoding="utf-8"), tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    names: dict[str, object] = {}

    for cell in (tmp_path / "notebook.py").read_text(encoding="utf-8").split("# %%\n")[1:]:
        code = compile(cell, "cell", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        if inspect.iscoroutine(running := eval(code, names)):
            await running

    sys.modules.pop("bot", None)
    assert "PASSED: all 2 passed" in names["results"]._repr_html_()  # type: ignore[attr-defined]
    assert "chatbot One big pizza." in capsys.readouterr().out


async def test_the_plugins_of_the_page_conform(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    write_files((ROOT / "docs/how-to/write-a-plug-in.md").read_text(encoding="utf-8"), tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))

    monkeypatch.setattr(registry, "_registered", {})

    await importlib.import_module("test_my_plugins").test_the_plugins_conform()
    importlib.import_module("rule_functions").test_the_chatbot_is_calm()

    plugins = importlib.import_module("my_plugins")
    assert (plugins.shouts.name, plugins.TSV.of_batches) == ("shouts", True)
