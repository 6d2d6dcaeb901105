"""Acts that chatbots claim to have done, in English, Spanish and Russian, and the tools that do them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sparring.extraction.tool_names import ACT_NOUNS, looks_up, words_of_tool


@dataclass(frozen=True, slots=True)
class ClaimedAct:
    """An act: its verbs in names of tools, words for it once it is done, and how users ask for it.

    A `vague` act is done by many tools, so that a tool also has to be about the same thing. An act that `marks` changes
    a record that exists already.
    """

    name: str
    verbs: frozenset[str]
    done: str
    asked: str
    vague: bool = False

    @property
    def marks(self) -> bool:
        return self.name in ("cancel", "block", "unblock", "renew", "reschedule")


def _act(name: str, verbs: str, done: str, asked: str, *, vague: bool = False) -> ClaimedAct:
    return ClaimedAct(name, frozenset(verbs.split()), done, asked, vague)


ACTS = (
    _act(
        "cancel",
        "cancel revoke cancellation",
        r"cancell?ed|called off|revoked|cancelad[oa]s?|anulad[oa]s?|отменил[аи]?|отмен[её]н[аоы]?",
        r"cancel\w*|call off|anul\w+|отмен\w+",
    ),
    _act("refund", "refund reimburse", r"refunded|reimbursed|reembolsad[oa]s?", r"refund\w*|money back|reembols\w+"),
    _act(
        "book",
        "book reserve schedule booking reservation",
        r"booked|reserved|scheduled|reservad[oa]s?|забронировал[аи]?|забронирован[аоы]?",
        r"book\w*|reserv\w+|schedul\w*|appointment|забронир\w+|брон\w+",
    ),
    _act(
        "place",
        "place order submit checkout",
        r"placed|submitted|ordered|оформил[аи]?|оформлен[аоы]?",
        r"order\w*|place|submit|buy|оформ\w+|закаж\w+|заказ\w*",
    ),
    _act(
        "block",
        "block freeze lock suspend deactivate disable",
        r"blocked|frozen|locked|suspended|deactivated|disabled|bloquead[oa]s?|заблокировал[аи]?|заблокирован[аоы]?",
        r"block\w*|freeze|lock|suspend\w*|deactivat\w+|disable|stolen|lost|bloque\w+|заблокир\w+",
    ),
    _act(
        "unblock",
        "unblock unlock activate enable reactivate",
        r"unblocked|unlocked|activated|enabled|reactivated|activad[oa]s?|desbloquead[oa]s?",
        r"unblock\w*|unlock\w*|activat\w+|enable|activ\w+|desbloque\w+",
    ),
    _act("transfer", "transfer pay wire", r"transferred|wired|transferid[oa]s?", r"transfer\w*|pay|wire|send"),
    _act("exchange", "exchange replace", r"exchanged|cambiad[oa]s?", r"exchange\w*|replace\w*|swap"),
    _act("renew", "renew extend", r"renewed|extended|renovad[oa]s?", r"renew\w*|extend\w*|renov\w+"),
    _act(
        "reschedule",
        "reschedule postpone",
        r"rescheduled|postponed|reprogramad[oa]s?",
        r"reschedul\w*|postpone|move|change|reprogram\w+",
    ),
    _act("delete", "delete remove erase", r"deleted|removed|erased|eliminad[oa]s?|удалил[аи]?", r".", vague=True),
    _act("add", "add", r"added|añadid[oa]s?|agregad[oa]s?|добавил[аи]?|добавлен[аоы]?", r".", vague=True),
    _act("change", "change update modify edit", r"changed|updated|modified|modificad[oa]s?", r".", vague=True),
    _act("send", "send email", r"sent|emailed|enviad[oa]s?|отправил[аи]?|отправлен[аоы]?", r".", vague=True),
    _act("create", "create open register", r"created|opened|registered|cread[oa]s?", r".", vague=True),
)


def acts_of_tool(name: str, description: str) -> frozenset[str]:
    """Return the acts that a tool does, by its name and by the first word of its description."""
    if looks_up(name):
        return frozenset()
    tokens = words_of_tool(name)
    described = set(words_of_tool(description)[:1])
    for words in ({*tokens, *described} - ACT_NOUNS, {*tokens, *described}):
        if found := frozenset(act.name for act in ACTS if words & act.verbs):
            return found
    return frozenset()


def things_of_tool(name: str) -> frozenset[str]:
    """Return what a tool is about, by its name: the words that are no verbs, in the singular."""
    tokens = words_of_tool(name)
    verbs = frozenset().union(*(act.verbs for act in ACTS)) - ACT_NOUNS
    return frozenset(token.removesuffix("s") for token in tokens if token not in verbs)


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence that says that an act was done.

    The chatbot says so of itself in an `own` claim. A `stative` one may also describe what was done before.
    """

    act: ClaimedAct
    start: int
    end: int
    text: str
    own: bool
    stative: bool


_DONE = "|".join(f"(?P<{act.name}>{act.done})" for act in ACTS)
_SOFT = r"(?:(?:just|now|also|successfully|already|hereby|therefore|all) ){0,3}"
_OWN = rf"(?:i|we)(?: have|'ve|’ve)? {_SOFT}|(?:he|hemos) |(?:я|мы) (?:уже |только что )?"
_FRESH = (
    rf"(?:has|have) {_SOFT}been {_SOFT}|(?:is|are) (?:now|hereby) (?:successfully )?|successfully |(?:ha|han) sido "
)
_STATIVE = r"(?:is|are|was|were) (?:successfully )?|están? |(?=[а-яё])"
_CLAIM = re.compile(rf"\b(?:(?P<own>{_OWN})|(?P<fresh>{_FRESH})|(?P<stative>{_STATIVE}))(?:{_DONE})\b", re.IGNORECASE)
_ANY_DONE = re.compile(rf"\b(?:{'|'.join(act.done for act in ACTS)})\b", re.IGNORECASE)
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
            act = next(act for act in ACTS if found[act.name] is not None)
            yield Claim(act, sentence.start(), sentence.end(), quote, own, stative)
