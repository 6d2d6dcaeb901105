"""Preset files: the keys that show one, and the chatbot that reads it."""

from collections.abc import Mapping

PRESET_KEYS = frozenset({"url", "command"})
"""A YAML file with one of these keys is a preset, unless it is a scenario."""

SCHEMES: Mapping[str, str] = {"http": "http", "websocket": "ws", "command": "http"}
"""Chatbots that read presets, with the scheme of their URLs."""


def preset_chatbot(data: object) -> str:
    """Return the chatbot that reads a preset with this content."""
    if not isinstance(data, dict):
        return "http"
    if "command" in data:
        return "command"
    socket = str(data.get("url", "")).startswith("ws") or not data.keys().isdisjoint(("until", "quiet"))
    return "websocket" if socket else "http"
