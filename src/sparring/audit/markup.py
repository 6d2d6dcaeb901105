"""Markup, markers and labels that language models leave in the words of a user."""

import re
from collections.abc import Iterator

from sparring.audit.out_of_role import Excuse, MisbehaviorSign
from sparring.audit.phrases import LANGUAGES
from sparring.extraction.tokens import fold
from sparring.extraction.word_tables import words_of_module

_WORDS = words_of_module(__name__)

_TAGS = re.compile(_WORDS["tags"], re.IGNORECASE | re.MULTILINE)
_END = _WORDS["end"]
_MARKERS = re.compile(_WORDS["markers"])
_LAST = re.compile(rf"(?:^|[\n.!?] ?)(?:{_END})[.!]?$")
_DIRECTION = re.compile(r"^(?:\*(?!\*)[^*\n]+\*|\((?=[^()\n]* )[^()\n]*[^\W\d_][^()\n]*\)|_[^_\n]+ [^_\n]+_)$")
_THINKS = re.compile(_WORDS["thinks"], re.IGNORECASE)
_BRACKETED = re.compile(r"\[(?=[^\[\]\n]*[^\W\d_]{2,} [^\[\]\n]*[^\W\d_]{2,})[^\[\]\n]{3,200}\](?!\()")
_STAGED = re.compile(_WORDS["staged"], re.IGNORECASE)
_PLACEHOLDER = re.compile(_WORDS["placeholder"], re.IGNORECASE)
_JSON = re.compile(r"^(?:```|[{\[]\s{0,9}[\"'][\w ]{1,40}[\"'] ?:)|\{\s{0,9}\"\w{1,40}\" ?:", re.MULTILINE)
_ACTION = re.compile(_WORDS["action"])
_ASIDE = re.compile(r"^ ?\((?=[^()\n]{2,200}\)$)[^()\n]* [^()\n]*\)$", re.MULTILINE)
_THOUGHT = re.compile(_WORDS["thought"], re.MULTILINE)
"""A remark in parentheses before or after what is said, a message in quotation marks, or a rule."""

_NARRATED = re.compile("|".join(fold(each.label) for each in LANGUAGES))
_MARKUP: tuple[tuple[re.Pattern[str], bool, Excuse], ...] = (
    (_TAGS, True, ""),
    (_MARKERS, True, "button"),
    (_DIRECTION, True, ""),
    (_STAGED, True, ""),
    (_THINKS, True, "button"),
    (_BRACKETED, True, "button"),
    (_PLACEHOLDER, True, "button"),
    (_JSON, True, ""),
    (_ACTION, False, ""),
    (_ASIDE, False, ""),
    (_THOUGHT, False, ""),
)
_MARKED = re.compile(r"[*(\[{<#`_|~]|^[/\"“«]|^[-=~]{3}", re.MULTILINE)

_PARENTHESIS = re.compile(r"\([^()]*\)|[\[\]()]")
_ACTORS = frozenset(word for each in LANGUAGES for word in fold(each.actors).split())
_SELF = frozenset("my our your mi su mon votre mein ihr mio suo meu seu мой ваш number id no name service".split())
"""Words of a label that names a person in the third person, and words that name something of one's own."""

_OWN_LABELS = frozenset(fold(" ".join(language.user_labels for language in LANGUAGES)).split())
_CHATBOT_LABELS = frozenset(fold(" ".join(language.chatbot_labels for language in LANGUAGES)).split())
_LONGEST_LABEL = 60
"""Characters at the beginning of a line in which the colon of a label stands."""

_MAX_LABEL_WORDS = 3
_AROUND_LABEL = " \t>*_#[](){}\"'-"


def markup_signs(text: str) -> Iterator[MisbehaviorSign]:
    """Yield signs in markup, markers and labels of speakers. Most texts have none of their letters."""
    text = text.strip()
    if _MARKED.search(text):
        for pattern, certain, excuse in _MARKUP:
            if found := pattern.search(text):
                yield MisbehaviorSign("meta", found[0], certain, excuse)
    if text[-12:].rstrip(".!")[-3:].isupper() and (found := _LAST.search(text)):
        yield MisbehaviorSign("meta", found[0].strip(".!?\n "), True, "button")
    if ":" in text:
        yield from _labels(text)


def _labels(text: str) -> Iterator[MisbehaviorSign]:
    """Yield signs in the words before the first colon of each line."""
    labels: dict[str, str] = {}
    for line in text.split("\n"):
        head, colon, rest = line.partition(":")
        label = fold(head.strip(_AROUND_LABEL)) if len(head) <= _LONGEST_LABEL else ""
        if not colon or not label or rest.startswith("//"):
            continue
        words = _PARENTHESIS.sub("", label).split()
        if label not in _OWN_LABELS and _NARRATED.fullmatch(" ".join(words)):
            yield MisbehaviorSign("meta", f"{head.strip()}:")
        elif not _ACTORS.isdisjoint(words) and _SELF.isdisjoint(words) and (len(words) > 1 or "(" in head):
            yield MisbehaviorSign("meta", f"{head.strip()}:", certain=False)
        elif label.count(" ") < _MAX_LABEL_WORDS and label.replace(" ", "").replace("-", "").isalpha():
            labels.setdefault(label, f"{head.strip()}:")
    own = [words for label, words in labels.items() if label in _OWN_LABELS]
    others = [words for label, words in labels.items() if label.split()[-1] in _CHATBOT_LABELS]
    if others:
        yield MisbehaviorSign("speaks_for_bot", others[0])
    elif own:
        yield MisbehaviorSign("speaks_for_bot", own[0], certain=len(labels) > 1)
