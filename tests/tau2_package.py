"""A stand-in for the package of τ²-bench, with one domain, `shop`."""

from pathlib import Path

import pytest

from sparring.chatbots.prompted.tau2 import domain

PACKAGE = """
print("the benchmark prints what it has")


class DB:
    def __init__(self):
        self.orders = {"W1": "pending"}

    def model_dump(self, mode):
        return {"orders": dict(self.orders)}


class Tool:
    def __init__(self, name):
        self.name = name
        parameters = {"type": "object", "properties": {"order": {"type": "string"}}, "required": ["order"]}
        self.openai_schema = {"function": {"name": name, "description": "Cancel.", "parameters": parameters}}


class Kit:
    def __init__(self):
        self.db = DB()

    def cancel(self, order):
        if self.db.orders[order] != "pending":
            raise ValueError("not pending")
        self.db.orders[order] = "cancelled"
        return "done"

    def update_db(self, update_data):
        self.db.orders = {**self.db.orders, **update_data["orders"]}

    def register(self, name):
        self.db.orders[name] = "pending"

    def is_cancelled(self, order):
        return self.db.orders[order] == "cancelled"


class Environment:
    user_tools = None

    def __init__(self):
        self.tools = Kit()

    def get_policy(self):
        return "Cancel orders only if they are pending."

    def get_tools(self):
        return [Tool("cancel")]

    def sync_tools(self):
        pass


def get_environment():
    return Environment()
"""


def install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the package importable, with its data in the folder."""
    package = folder / "src" / "tau2" / "domains" / "shop"
    package.mkdir(parents=True, exist_ok=True)
    (package / "environment.py").write_text(PACKAGE)
    monkeypatch.syspath_prepend(folder / "src")
    monkeypatch.setenv("TAU2_DATA_DIR", str(folder))
    domain.cache_clear()
