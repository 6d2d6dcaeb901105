from collections.abc import Callable
from pathlib import Path

import pytest

from sparring.core.errors import InputError
from sparring.llm.grammar import load
from sparring.llm.model import Tool

KNOWN = "there are: copies, extras, format, title"


def problems(path: Path, tools: tuple[Tool, ...] | None = None) -> list[str]:
    with pytest.raises(InputError) as caught:
        load(path, tools)
    return [str(problem).replace(str(path), "g.yaml") for problem in caught.value.problems]


def test_all_problems_of_a_grammar_are_reported_at_once(write: Callable[[str], Path]):
    path = write(
        r"""
fallback: Sorry?
intents:
  - {name: a, patterns: ['(x', 'y*', '(?=z)'], tool: t}
  - {name: b, patterns: [x], tool: t, reply: Hi}
  - {name: c}
  - {name: d, patterns: [x], needs: [y], reply: Hi}
replies:
  t: [{say: "{{a"}]
closing: [{say: "{{#b}}"}]
"""
    )

    assert problems(path) == [
        "g.yaml:4:26: intents[0].patterns[0]: is not a pattern: missing ): (x (RE2 has no lookaround)",
        "g.yaml:4:32: intents[0].patterns[1]: the pattern matches no words at all (it would apply to everything)",
        "g.yaml:4:38: intents[0].patterns[2]: is not a pattern: invalid perl operator: (?= (RE2 has no lookaround)",
        "g.yaml:5:39: intents[1].reply: an intent has a tool or a reply, not both",
        "g.yaml:6:5: intents[2]: an intent has patterns, or needs, or both",
        "g.yaml:7:30: intents[3].needs: means nothing without a tool",
        "g.yaml:9:13: replies.t[0].say: {{ belongs to no field (a field is written {{name}})",
        "g.yaml:10:17: closing[0].say: {{#b}} is never closed",
    ]


def test_a_name_that_does_not_fit_the_tools_is_reported_with_the_nearest_one(
    write: Callable[[str], Path], tools: tuple[Tool, ...]
):
    path = write(
        r"""
fallback: Sorry?
intents:
  - {name: a, patterns: [x], tool: order_bok}
  - name: b
    patterns: ['(?P<titel>.+)']
    needs: [size|title]
    tool: order_book
    arguments: {a: 1}
    slots: [copy]
    each: b
  - {name: c, patterns: [x], tool: hours}
replies:
  order_book: [{say: x}]
  our: [{say: x}]
"""
    )

    assert problems(path, tools) == [
        "g.yaml:4:36: intents[0].tool: unknown tool 'order_bok' (did you mean 'order_book'?)",
        "g.yaml:6:16: intents[1].patterns[0]: unknown parameter of order_book 'titel' (did you mean 'title'?)",
        f"g.yaml:7:13: intents[1].needs[0]: unknown parameter of order_book 'size' ({KNOWN})",
        f"g.yaml:9:20: intents[1].arguments.a: unknown parameter of order_book 'a' ({KNOWN})",
        "g.yaml:10:13: intents[1].slots[0]: unknown parameter of order_book 'copy' (did you mean 'copies'?)",
        f"g.yaml:11:11: intents[1].each: unknown parameter of order_book 'b' ({KNOWN})",
        "g.yaml:12:36: intents[2].tool: there are no replies for 'hours'",
        "g.yaml:15:3: replies.our: unknown tool 'our' (did you mean 'hours'?)",
    ]


def test_a_wrong_key_and_a_missing_fallback_are_reported(write: Callable[[str], Path]):
    path = write("intents: [{name: a, pattern: [x]}]\n")

    assert problems(path) == [
        "g.yaml:1:1: fallback: is missing",
        "g.yaml:1:21: intents[0].pattern: unknown key (did you mean 'patterns'?)",
    ]
