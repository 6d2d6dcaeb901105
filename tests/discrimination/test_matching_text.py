"""Texts that patterns match."""

from sparring.discrimination.trial import matching_text
from sparring.parsing.regex import compiled
from tables import table


@table(
    "pattern",
    [
        "refund",
        r"(?i)\brefund(s|ed)?\b",
        r"order \d{5}",
        r"[^a-z]x[0-9]",
        r"(yes|no), .{3,}!",
        r"^\S+@\w+\.(com|org)$",
        r"\$\d+(\.\d\d)?",
        r"[\d ]+\W",
        r"[^\d\s]{2}",
    ],
)
def test_a_text_is_made_that_the_pattern_matches(pattern: str):
    assert compiled(pattern).search(matching_text(pattern))


@table("pattern", ["(", r"\p{Greek}x", r"(?=a)b", r"a$b", "x{5000}"])
def test_no_text_is_made_of_a_pattern_that_is_unsupported_or_matches_nothing(pattern: str):
    assert matching_text(pattern) == ""
