"""Claims of chatbots that they did something, in English, Spanish and Russian."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sparring.extraction.acts import DEEDS, Deed

_CODES = ("en", "es", "ru")


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence that says that an act was done.

    The chatbot says so of itself in an `own` claim. A `stative` one may also describe what was done before.
    """

    deed: Deed
    start: int
    end: int
    text: str
    own: bool
    stative: bool


_DONE = "|".join(f"(?P<{deed.name}>{'|'.join(deed.forms(*_CODES))})" for deed in DEEDS)
_SOFT = r"(?:(?:just|now|also|successfully|already|hereby|therefore|all) ){0,3}"
_OWN = rf"(?:i|we)(?: have|'ve|’ve)? {_SOFT}|(?:he|hemos) |(?:я|мы) (?:уже |только что )?"
_FRESH = (
    rf"(?:has|have) {_SOFT}been {_SOFT}|(?:is|are) (?:now|hereby) (?:successfully )?|successfully |(?:ha|han) sido "
)
_STATIVE = r"(?:is|are|was|were) (?:successfully )?|están? |(?=[а-яё])"
_CLAIM = re.compile(rf"\b(?:(?P<own>{_OWN})|(?P<fresh>{_FRESH})|(?P<stative>{_STATIVE}))(?:{_DONE})\b", re.IGNORECASE)
_REPORTS = {deed.name: re.compile(rf"\b(?:{'|'.join(deed.forms(*_CODES))})\b", re.IGNORECASE) for deed in DEEDS}
_ANY_DONE = re.compile("|".join(each.pattern for each in _REPORTS.values()), re.IGNORECASE)
_BLOCKS = re.compile(
    r"\b(?:if|once|when|unless|until|after|before|whether|will|would|shall|should|could|can|cannot|may|might|must|not"
    r"|never|unable|fail(?:ed|s)?|want|need|wish|going|let|please|case|soon|had|order to|able to"
    r"|previously|earlier|yesterday|last|ago|si|cuando|cuándo|después|antes|no|ya"
    r"|если|когда|после|не|был[аио]?|ранее|уже)\b|n['’]t\b",
    re.IGNORECASE,
)
_BEFORE = re.compile(r"\balready\b", re.IGNORECASE)
_LATER = re.compile(r"(?: \w+){0,3}?,? (?:on|by|from|until|since|last|yesterday|earlier|ago|already)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"[^.!?\n;]+(?:\.(?=\S)[^.!?\n;]*)*[.!?\n;]*")


def claims(reply: str) -> Iterator[Claim]:
    """Yield the acts that a reply says are done; questions, conditions, plans and denials are none."""
    if not _ANY_DONE.search(reply):
        return
    for sentence in _SENTENCE.finditer(reply):
        text = sentence[0]
        if "?" in text:
            continue
        blocked, before, quote = _BLOCKS.search(text), _BEFORE.search(text), text.strip()
        for found in _CLAIM.finditer(text, 0, blocked.end() if blocked else len(text)):
            own = found["own"] is not None
            past = before is not None and before.start() < found.end()
            if not own and (past or _LATER.match(text, found.end())):
                continue
            stative = not own and found["fresh"] is None
            deed = next(deed for deed in DEEDS if found[deed.name] is not None)
            yield Claim(deed, sentence.start(), sentence.end(), quote, own, stative)


def says_done(text: str, deed: Deed) -> bool:
    """Return True if a text has a word for a deed that is done."""
    return _REPORTS[deed.name].search(text) is not None
