from hypothesis import given
from hypothesis import strategies as st

from sparring.chatbots.html import parts_of_html
from sparring.core.message import Image, Link, Part, Text
from tables import table


@table(
    ("html", "parts"),
    [
        ("Just words", [Text(text="Just words")]),
        ("a < b &amp; c &lt; d &eacute;&#233;&#xE9; &nosuch; R&D", [Text(text="a < b & c < d ééé &nosuch; R&D")]),
        ("&#99999999999; &#x110000;", [Text(text="\ufffd9999; \ufffd")]),
        ("<p>One</p><P CLASS=x>Two<br/>Three", [Text(text="One\nTwo\nThree")]),
        ("<b>Hi</b><!-- <a href=x>no</a> --> you<!DOCTYPE html>", [Text(text="Hi you")]),
        ("Hi<script>if (a < b) say('</p>')</script> you<style>p {}", [Text(text="Hi you")]),
        ("<img alt='a &gt; b' src=\"x.png?a=1&amp;b=2\">", [Image(url="x.png?a=1&b=2", alt="a > b")]),
        ("<IMG SRC = x.png><img>", [Image(url="x.png")]),
        ("<image> x.png </image><image></image>", [Image(url="x.png")]),
        (
            "See <a title='a>b' href=y.pdf>the <b>menu</b></a>, <a>nothing</a>",
            [Text(text="See the menu, nothing"), Link(url="y.pdf", title="the menu")],
        ),
        ("<a href=x>never closed", [Text(text="never closed")]),
        ('<a href="x>never closed', [Text(text='<a href="x>never closed')]),
        ("Hi<!-- never closed", [Text(text="Hi")]),
        ("<p></p>", []),
    ],
)
def test_words_images_and_links_are_found(html: str, parts: list[Part]):
    assert parts_of_html(html) == parts


@table(
    "piece", ["<a ", '<a href="', "<!--", "<", "</", "<a href='\"", "<script>", "<script", "<!", "<?", "&#", "&", "<p "]
)
def test_endlessly_broken_markup_is_parsed_in_one_pass(piece: str):
    parts = parts_of_html(piece * 100_000)

    assert len(parts) <= 1


@given(st.lists(st.sampled_from(["<", ">", "a", "/", '"', "'", " ", "href=", "!--", "-->", "script", "&", "#1", ";"])))
def test_nothing_that_is_said_breaks_it(pieces: list[str]):
    assert all(part.kind in ("text", "link", "image") for part in parts_of_html("".join(pieces)))
