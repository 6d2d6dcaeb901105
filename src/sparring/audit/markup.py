"""Markup, markers and labels that language models leave in the words of a user."""

import re
from collections.abc import Iterator

from sparring.audit.out_of_role import Excuse, MisbehaviorSign
from sparring.audit.phrases import LANGUAGES
from sparring.extraction.tokens import fold

_TAGS = re.compile(
    r"</?(?:think|thinking|thoughts?|reasoning|reflection|scratchpad|analysis|answer|response|output|user"
    r"|customer|message|eos"
    r"|end|s)>|<\|[a-z_]{2,30}\|>|</[a-z_]{2,20}>|<[a-z_]{2,20} ?/>|<[a-z]+_[a-z_]+/?>"
    r"|\[/?INST\]|<</?SYS>>|^#{1,6} ?[^\W\d_]{3,}"
    r"|#{3,}\s*$"
    r"|^/(?:end|quit|exit|stop|bye|done|leave)\b",
    re.IGNORECASE | re.MULTILINE,
)
_TALK = r"(?:conversation|chat|call|dialog(?:ue)?|role-?play|simulation)"
_END = r"END|STOP|DONE|EXIT|QUIT|TERMINATED?|FINISH(?:ED)?|EOF|EOS|EOT|FIN|КОНЕЦ|СТОП|NO_?REPLY|TASK_?COMPLETED?"
_MARKERS = re.compile(
    rf"[\[<(*#{{|]{{1,8}} ?(?i:{_END}|ENDE|FINE|FIM"
    rf"|(?:the )?(?:ends?|exits?|leaves?|closes?|hangs? up)(?: of)?(?: the| this)? {_TALK}"
    rf"|{_TALK} (?:has |is )?(?:ends?|ended|over|completed?|finished|closed)|fin de (?:la )?conversaci[oó]n"
    r"|конец (?:разговора|диалога)|ende des gesprächs|fine della conversazione|fim da conversa"
    r"|no (?:further )?(?:response|reply)) ?[.!]? ?[\]>)*#}|]{1,8}"
    r"|\bTERMINATE\b|\b[a-z]+_(?:conversation|chat|dialogue)\b|^[A-Z]{2,}(?:_[A-Z]{2,})+$"
)
_LAST = re.compile(rf"(?:^|[\n.!?] ?)(?:{_END})[.!]?$")
_DIRECTION = re.compile(r"^(?:\*(?!\*)[^*\n]+\*|\((?=[^()\n]* )[^()\n]*[^\W\d_][^()\n]*\)|_[^_\n]+ [^_\n]+_)$")
_THINKS = re.compile(
    r"\[(?:think|thought|reason|plan|silen|paus|wait|nod|sigh|laugh|pens|espera|дума|ждет|ждёт)\w*\]", re.IGNORECASE
)
_BRACKETED = re.compile(r"\[(?=[^\[\]\n]*[^\W\d_]{2,} [^\[\]\n]*[^\W\d_]{2,})[^\[\]\n]{3,200}\](?!\()")
_STAGED = re.compile(
    r"\((?:[\w']+ ){0,3}(?:hangs?|hung|waits?|sighs?|pauses?|smiles?|laughs?|nods?|disconnects?|thinks?|leaves"
    r"|hesitates?"
    r"|ends|cuelga"
    r"|espera|suspira|sonríe|вешает|кладет|кладёт|ждет|ждёт|вздыхает|улыбается|кивает)(?: [\w']+){0,4}[.!]?\)",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"\[(?:your|insert|my|user|customer|client|name|first name|last name|full name|order|enter|phone|e-?mail|address"
    r"|date|time|company|number|su|tu|nombre|ваш[аеи]?|имя|номер|телефон|адрес)(?:[ _'/-][^\[\]\n]{0,40})?\](?!\()"
    r"|\{\{? ?[A-Za-z_]\w{1,30} ?\}\}?|<(?:your|insert|user|customer|enter)[ _][^<>\n]{1,40}>",
    re.IGNORECASE,
)
_JSON = re.compile(r"^(?:```|[{\[]\s{0,9}[\"'][\w ]{1,40}[\"'] ?:)|\{\s{0,9}\"\w{1,40}\" ?:", re.MULTILINE)
_ACTION = re.compile(
    r"(?<![\w*])\*(?!\*)[^\W\d_][^*\n]{2,80}\*(?![\w*])|(?<![\w~])~[^\W\d_][^~\n]{2,80}~(?![\w~])"
    r"|(?<!\w)_[^\W\d_][^_\n]{2,80}_(?!\w)|^[(\[](?=[^()\[\]\n]*[^\W\d_]{3})[^()\[\]\n]{3,80}[)\]] ?\w"
    r"|^-{2,} ?[^\W\d_][^\n]{2,60} ?-{2,}"
)
_ASIDE = re.compile(r"^ ?\((?=[^()\n]{2,200}\)$)[^()\n]* [^()\n]*\)$", re.MULTILINE)
_THOUGHT = re.compile(
    r"^\((?=[^()\n]* [^()\n]* )[^()\n]{12,200}\)\s|\s\((?=[^()\n]* [^()\n]* [^()\n]* )[^()\n]{20,200}\)$"
    r"|^[\"“«][^\"“”«»\n]+ [^\"“”«»\n]+[\"”»]$|^[-=~]{3,}$",
    re.MULTILINE,
)
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
