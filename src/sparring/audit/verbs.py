"""Classes of verbs with which users ask for something to be done."""

import re
from enum import StrEnum

from sparring.extraction.acts import Act
from sparring.extraction.tokens import cached, factor, fold


class VerbClass(StrEnum):
    """Class of verbs of users: what is to be done with a thing."""

    PLACE = "place"
    CANCEL = "cancel"
    RETURN = "return"
    CHANGE = "change"
    TRACK = "track"
    BLOCK = "block"
    EXTEND = "extend"


_VERBS = {
    VerbClass.PLACE: (
        r"(?:buy|purchas|reserv|schedul|book(?:ing)? (?:a|an|the|me)\b)\w*",
        r"(?:to|i|want|please|and) (?:order|book)\b",
        r"order (?:a|an|one|two|three|some|\d+)\b",
        r"(?:comprar|reservar|encargar|pedir|compro|reservo)\b",
        r"(?:заказать|закажу|заброниров|купить|куплю)\w*",
    ),
    VerbClass.CANCEL: (
        r"(?:cancel|annul|delet|remov|call(?:ing)? off|unsubscrib|drop the)\w*",
        r"(?:cancel|anul|elimin|borr|quit[ae])\w*",
        r"(?:отмен|аннулир|удал|убрать|убери)\w*",
    ),
    VerbClass.RETURN: (
        r"return(?!\w*\s+(?:ticket|flight|trip|journey|address|to the|date))\w*",
        r"(?:refund\w*|send(?:ing)? (?:it |them |\w+ )?back|give (?:it |them )?back|money back)\b",
        r"(?:devol|devuel|reembols)\w*",
        r"(?:вернуть|верните|возвра)\w*",
    ),
    VerbClass.CHANGE: (
        r"(?:exchang|chang|swap|replac|modif|updat|reschedul|switch)\w*",
        r"(?:cambi|modific|actualiz|reemplaz|reprogram|sustitu)\w*",
        r"(?:обмен|замен|измен|помен|перенес|обнов)\w*",
    ),
    VerbClass.TRACK: (
        r"(?:track|locat|trac)(?:e|ing|k)?\b",
        r"(?:where (?:is|are)|where my|status of|when (?:will|does|do) .{1,40} (?:arrive|come|get here))\b",
        r"(?:rastre|localiz|donde esta|estado de)\w*",
        r"(?:отслед|где (?:мой|моя|мое|мои|находится|заказ)|статус)\w*",
    ),
    VerbClass.BLOCK: (r"(?:block|freez|suspend|deactivat)\w*", r"(?:bloque|congel)\w*", r"(?:заблок|замороз)\w*"),
    VerbClass.EXTEND: (r"(?:extend|renew|prolong)\w*", r"(?:renov|prorrog|prolong)\w*", r"(?:продл)\w*"),
}
_PATTERNS = {verb: re.compile(rf"\b(?:{factor(fold(form) for form in forms)})") for verb, forms in _VERBS.items()}
_ANY = re.compile(rf"\b(?:{factor(fold(form) for forms in _VERBS.values() for form in forms)})")
REPORTS = {
    VerbClass.PLACE: Act.PLACE,
    VerbClass.CANCEL: Act.CANCEL,
    VerbClass.RETURN: Act.RETURN,
    VerbClass.CHANGE: Act.CHANGE,
    VerbClass.BLOCK: Act.BLOCK,
    VerbClass.EXTEND: Act.EXTEND,
}
"""Acts of which chatbots report that they did what was asked for."""


@cached
def verb_classes(text: str) -> frozenset[VerbClass]:
    """Return the classes of verbs in a text."""
    said = fold(text)
    if not _ANY.search(said):
        return frozenset()
    return frozenset(verb for verb, form in _PATTERNS.items() if form.search(said))


@cached
def verb_words(text: str) -> str:
    """Return the first verb of these classes in a text; empty if there is none."""
    found = _ANY.search(fold(text))
    return found[0] if found else ""
