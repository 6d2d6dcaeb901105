"""A judge on a server of its own: what its model answers."""

import json
from typing import Any


def judging(body: bytes) -> dict[str, Any]:
    """Answer as a judge whose score depends on the number of messages; a request to restate replies is not met."""
    asked = json.loads(body)["messages"][-1]["content"]
    record = [json.loads(line) for line in asked.splitlines() if line.startswith('{"n"')]
    said = [each for each in record if each.get("who") == "chatbot" and each["text"]]
    quotes = [{"n": each["n"], "words": each["text"]} for each in said[:1]]
    content = json.dumps({"quotes": quotes, "comment": "Read.", "score": 3 - len(record) % 2})
    return {"choices": [{"message": {"role": "assistant", "content": content}, "finish_reason": "stop"}]}
