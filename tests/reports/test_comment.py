"""The comment on a pull request, and texts in it that want to be more than words."""

import re

from markdown_it import MarkdownIt

from hostile_texts import HOSTILE
from sparring.reports.markdown import LARGEST_COMMENT as LARGEST
from sparring.reports.markdown import cut, safe
from tables import table

MENTIONS = ("@admin", "#12", "GH-7", "https://evil.example", "www.evil.example", "[a](javascript:b)", "**b**", "| a |")


@table("said", [*HOSTILE, *MENTIONS])
def test_words_of_a_chatbot_are_only_words(said: str):
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(f"| a |\n|---|\n| {safe(said)} |\n")

    assert set(re.findall(r"<(\w+)", html)) <= {"table", "thead", "tbody", "tr", "th", "td"}
    assert html.count("<td") == 1
    assert not re.search(r"@\w|#\d|://|www\.|GH-", html)


def test_a_long_comment_ends_with_a_line():
    shortened = cut("\n".join(["line " + "x" * 500] * 300), LARGEST)

    assert len(shortened.encode()) <= LARGEST
    assert shortened.endswith("xx\n\n… the rest is left out: more than GitHub takes.\n")
