"""The part of a reply that asks, the example that it gives, and the thing that a wish is for."""

import re

from sparring.probes.invitations import without_buttons, without_invitations
from sparring.probes.offers import without_list

_EXAMPLE = re.compile(
    r"(?:for example|for instance|e\.g\.|such as|(?:looks?|is|something) like|in the (?:form|format)"
    r"|por ejemplo|(?:es|algo) como|zum beispiel|z\. ?b\.|(?:sieht|etwa) (?:so )?(?:aus )?wie|par exemple|est comme"
    r"|ad esempio|per esempio|por exemplo|например)[:,]? *[\"“«']?(?P<value>[^.?!\"”»'\n()]{2,60})",
    re.IGNORECASE,
)
_CODE = re.compile(r"[A-Za-z]{0,5}[-/ ]?\d[\w/-]*(?: \d[\w-]*)*")
"""A number or code at the beginning of an example: "NB-204815 and is at the top"."""

_BRACKETS = re.compile(r"\s*\([^()]{1,40}\)")
_NAME_ONE = re.compile(r"(?<![^\W_])name (?=(?:an?|the|one|any|your choice)\b)", re.IGNORECASE)
"""Requests to name a thing, which ask for no name of a person."""

_IN_A_SENTENCE = re.compile(
    r" in (?:an?|one|\d) (?:short |few |couple of )?(?:sentence|word|line)s?(?: or (?:two|so))?\b"
)
"""How long an answer should be, which offers nothing."""

_THING = re.compile(r"\b(?!order\b)\w+ (?:an?|my|the) (?P<thing>(?!order\b)[a-z]+)(?=,|\.|$)")


def asking_part(reply: str) -> str:
    """Return a reply without lists, buttons, brackets, words to say and how long an answer should be."""
    plain = _BRACKETS.sub("", without_invitations(without_list(without_buttons(reply))))
    return _NAME_ONE.sub("Choose ", _IN_A_SENTENCE.sub("", plain))


def in_brackets(reply: str) -> list[str]:
    """Return the short texts in brackets of a reply."""
    return [each.strip("() ") for each in _BRACKETS.findall(reply)]


def example_in(reply: str) -> str:
    """Return the example of an answer in a reply, or the code that begins it; empty if there is none."""
    found = _EXAMPLE.search(reply)
    code = _CODE.match(found["value"].strip()) if found else None
    return code[0] if code else found["value"].strip() if found else ""


def thing_of(wish: str) -> str:
    """Return the thing of a wish, as the "appointment" to book, unless it is ordered."""
    found = _THING.search(wish)
    return found["thing"] if found else ""
