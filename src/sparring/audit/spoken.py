"""Faults in what a user says: it acts as the chatbot, refuses, narrates, or works on the chatbot."""

import re
from collections.abc import Callable, Iterator

from sparring.audit.out_of_role import PLAUSIBLE, Excuse, Kind, MisbehaviorSign, fallen_out, weighed
from sparring.audit.phrases import LANGUAGES
from sparring.audit.view import AuditView, declared, is_declared, is_offered
from sparring.core.audit import EVERYTHING, Blame, Fault
from sparring.core.conversation import Evidence
from sparring.extraction.tokens import Sentence, cached, fold, sentences, stems, word_matcher
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


def _all(name: str) -> tuple[str, ...]:
    return tuple(each for language in LANGUAGES for each in getattr(language, name))


_MATCHERS: tuple[tuple[Kind, Callable[[str], bool], Excuse], ...] = (
    ("model_refusal", word_matcher(*_all("refusal")), ""),
    ("role_flip", word_matcher(*_all("assistant")), ""),
    ("role_flip", word_matcher(*_all("business")), "business"),
    ("meta", word_matcher(*_all("meta")), ""),
    ("jailbreak", word_matcher(*_all("jailbreak")), "attack"),
    ("jailbreak", word_matcher(*_all("authority")), "authority"),
)
"""Plain wordings of each kind. They are certain, as the model is not where a few words say it all."""

_REPORTED = re.compile(
    r"\b(?:you|he|she|they|it|bot) (?:just )?(?:said|told|asked|wrote|say)\b"
    r"|(?:dijo|dijiste|has dicho|сказали|написали)\b"
)
"""Words that report what was said."""

_QUOTES = re.compile(r"[\"“«]")
_LONGEST = 4_000
"""Characters of a message that are searched, from its beginning; models that ramble do so from the first line."""


@cached
def signs(text: str) -> tuple[MisbehaviorSign, ...]:
    """Return the signs of misbehavior in a message of a user, at most one of each kind and certainty."""
    text = text[:_LONGEST]
    found = [*markup_signs(text)]
    marked = bool(found)
    plausible = [sentence for sentence in sentences(text) if weighed(sentence.text)[0] >= PLAUSIBLE]
    for sentence in plausible:
        said = fold(sentence.text)
        plain = not _REPORTED.search(said) and not _QUOTES.search(said)
        spoken = _spoken(sentence) if plain else None
        sign = spoken or fallen_out(sentence)
        if sign and not (marked and sign is not spoken and sign.kind == "meta"):
            found.append(sign)
    if plausible and not found and (fallen := fallen_out(Sentence(text, 0, len(text)))):
        found.append(fallen)
    return tuple({(sign.kind, sign.certain, sign.excuse): sign for sign in reversed(found)}.values())[::-1]


def _spoken(sentence: Sentence) -> MisbehaviorSign | None:
    for kind, matches, excuse in _MATCHERS:
        if matches(sentence.text) and not (excuse == "business" and sentence.asks):
            return MisbehaviorSign(kind, sentence.text, certain=True, excuse=excuse)
    return None


_REASONS = {
    "role_flip": "the user serves or speaks for the business as a chatbot does",
    "model_refusal": "the user refuses to play its part, or says that it is a model",
    "meta": "the user says something about the conversation that no person says in it",
    "speaks_for_bot": "the user writes the chatbot's part",
    "jailbreak": "the user attacks the chatbot, which the case does not ask for",
    "coaching": "the user tells the chatbot how it works",
}
_INNOCENT = {
    "role_flip": "a person may say so out of politeness",
    "model_refusal": "a person may refuse so, too",
    "meta": "a person may write so for emphasis or to think aloud",
    "speaks_for_bot": "it may be a label of its own line only",
    "coaching": "a person may know so",
    "jailbreak": "a person may say so in another sense",
}
_IN_BUSINESS = re.compile(rf"\b(?:{_WORDS['in_business']})\b")
_TASKS = re.compile(r"\b(?:goals?|objectives?|objetivos?|metas?|цел[ьи]\w*|задач\w*)\b")
_OFFICES = re.compile(rf"\b(?:{_WORDS['offices']})\b")


def spoken_faults(view: AuditView) -> Iterator[Fault]:
    """Yield role_flip, model_refusal, meta, speaks_for_bot, jailbreak, and coaching by words."""
    for at, said in view.user:
        for sign in signs(said.text):
            if not _is_excused(sign, at, view):
                yield _fault(sign, view.quote(at, sign.words))


def _fault(sign: MisbehaviorSign, evidence: Evidence) -> Fault:
    return Fault(
        kind=sign.kind,
        blame=Blame.USER,
        certainty="certain" if sign.certain else "likely",
        reason=_REASONS[sign.kind]
        + (f", by {sign.named}" if sign.named else "")
        + ("" if sign.certain else f"; {_INNOCENT[sign.kind]}"),
        evidence=(evidence,),
        touches=() if sign.kind == "meta" else (EVERYTHING,),
    )


def _is_excused(sign: MisbehaviorSign, at: int, view: AuditView) -> bool:
    """Return True if the context explains the words of a sign."""
    case = view.conversation.case
    wrote = declared(case)
    if is_declared(sign.words, case):
        return True
    match sign.excuse:
        case "attack":
            return "attack" in case.tags
        case "authority":
            held = set(_OFFICES.findall(fold(sign.words)))
            return "attack" in case.tags or bool(held & set(_OFFICES.findall(wrote.text)))
        case "business":
            return bool(_IN_BUSINESS.search(wrote.text)) or bool(stems(sign.words) & wrote.stems)
        case "goals":
            return bool(_TASKS.search(wrote.text) or _TASKS.search(fold(view.reply_before(at))))
        case "button":
            return is_offered(sign.words, at, view)
        case "heard":
            return fold(sign.words) in fold(view.reply_before(at))
    return False
