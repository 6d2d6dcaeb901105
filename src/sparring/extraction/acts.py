"""Acts that a user wants and a chatbot reports: placing, cancelling, changing, blocking and so on.

A completion reports an act as done. "I can cancel it", "shall I cancel it" and "it is not cancelled" are none.
"""

import re
from collections.abc import Callable, Mapping
from enum import StrEnum

from sparring.extraction.speech_acts import is_denial
from sparring.extraction.speech_words import by_language
from sparring.extraction.speech_words.speech_words import SpeechWords, Words
from sparring.extraction.tokens import cached, factor, fold, pattern, tokens


class Act(StrEnum):
    """Class of verbs with which an act is wanted or reported."""

    PLACE = "place"
    CANCEL = "cancel"
    RETURN = "return"
    CHANGE = "change"
    BLOCK = "block"
    ACTIVATE = "activate"
    SEND = "send"
    PAY = "pay"
    EXTEND = "extend"


_WANTED = {
    Act.PLACE: (
        r"(?:order|book|reserv|schedul|plac(?:e|ing)|add|buy|purchas|regist|arrang|sign|enrol|rent|appointment)\w*",
        r"(?:set(?:ting)?|make|making|get(?:ting)?) (?:up |an? )?\w*",
        r"(?:pedir|encarg|compr|anad|anot|cita|matricul|inscri|alquil|program)\w*",
        r"(?:заказ|заброн|брон|запис|записать|оформ|куп|добав|зарегистр|арендов)\w*",
    ),
    Act.CANCEL: (
        r"(?:cancel|annul|delet|remov|unsubscrib)\w*",
        r"(?:cancel|anul|elimin|borr)\w*",
        r"(?:отмен|аннулир|удал|убра|убер|убир)\w*",
    ),
    Act.RETURN: (r"(?:return|refund)\w*", r"(?:devol|devuel|reembols)\w*", r"(?:вернут|верни|возвра)\w*"),
    Act.CHANGE: (
        r"(?:chang|updat|modif|reschedul|edit|mov(?:e|ing)|swap|replac)\w*",
        r"(?:cambi|modific|actualiz|reprogram)\w*",
        r"(?:измен|перенес|помен|обнов|замен)\w*",
    ),
    Act.BLOCK: (
        r"(?:block|freez|lock|suspend|disabl|deactivat)\w*",
        r"(?:bloque|congel|suspend|desactiv)\w*",
        r"(?:заблок|замороз|блокир|отключ)\w*",
    ),
    Act.ACTIVATE: (
        r"(?:unblock|unfreez|unlock|activat|enabl|reset)\w*",
        r"(?:desbloq|activ|restablec)\w*",
        r"(?:разблок|актив|включ)\w*",
    ),
    Act.SEND: (
        r"(?:send|ship|transfer|forward)\w*",
        r"(?:envi|transfer)\w*",
        r"(?:отправ|перевед|перевест|перечис)\w*",
    ),
    Act.PAY: (r"(?:pay|charg|top up)\w*", r"(?:pagar|abonar|recarg)\w*", r"(?:оплат|заплат|пополн)\w*"),
    Act.EXTEND: (r"(?:extend|renew|prolong)\w*", r"(?:renov|prorrog|prolong|ampli)\w*", r"(?:продл)\w*"),
}
_REPORTED = {
    Act.PLACE: (
        r"(?:ordered|booked|reserved|scheduled|placed|added|purchased|bought|registered|arranged|enrolled|rented)\b",
        r"(?:noted|recorded|received|created|signed you up|put (?:you )?down|set up|down for)\b",
        r"(?:thanks|thank you) for (?:ordering|booking|your (?:order|booking|reservation))\b",
        r"(?:order|booking|reservation|appointment)\b[^.!?]{0,60}? (?:is|will be) (?:on (?:its|the) way|ready|in)\b",
        r"(?:pedid|encargad|reservad|comprad|anadid|anotad|registrad|inscrit|matriculad|agendad|programad)[oa]s?\b",
        r"gracias por (?:tu|su) (?:pedido|reserva|compra)\b",
        r"(?:заказан|забронирован|оформлен|записан|записал|добавлен|добавил|куплен|принят|принял|зарегистрирован)\w*",
    ),
    Act.CANCEL: (
        r"(?:cancell?ed|annulled|deleted|removed|unsubscribed)\b",
        r"(?:cancelad|anulad|eliminad|borrad)[oa]s?\b",
        r"(?:отменен|отменил|аннулирован|удален|удалил|убран|убрал)\w*",
    ),
    Act.RETURN: (
        r"(?:returned|refunded)\b",
        r"(?:devuelt|reembolsad)[oa]s?\b",
        r"(?:возвращен|вернул|возвратил)\w*",
    ),
    Act.CHANGE: (
        r"(?:changed|updated|modified|rescheduled|edited|moved|swapped|replaced)\b",
        r"(?:cambiad|modificad|actualizad|reprogramad)[oa]s?\b",
        r"(?:изменен|изменил|перенес|обновлен|обновил|заменен|заменил)\w*",
    ),
    Act.BLOCK: (
        r"(?:blocked|frozen|locked|suspended|disabled|deactivated)\b",
        r"(?:bloquead|congelad|suspendid|desactivad)[oa]s?\b",
        r"(?:заблокирован|заблокировал|заморожен|отключен)\w*",
    ),
    Act.ACTIVATE: (
        r"(?:unblocked|unfrozen|unlocked|activated|enabled|reset)\b",
        r"(?:desbloquead|activad|restablecid)[oa]s?\b",
        r"(?:разблокирован|активирован|включен)\w*",
    ),
    Act.SEND: (
        r"(?:sent|shipped|transferred|forwarded)\b",
        r"(?:enviad|transferid)[oa]s?\b",
        r"(?:отправлен|отправил|переведен|перевел|перечислен)\w*",
    ),
    Act.PAY: (
        r"(?:paid|charged|topped up)\b",
        r"(?:pagad|abonad|recargad)[oa]s?\b",
        r"(?:оплачен|оплатил|пополнен)\w*",
    ),
    Act.EXTEND: (
        r"(?:extended|renewed|prolonged)\b",
        r"(?:renovad|prorrogad|ampliad)[oa]s?\b",
        r"(?:продлен|продлил)\w*",
    ),
}
_ANY = (
    r"(?:done|completed|confirmed|processed|successful(?:ly)?|all set|taken care of|finished|finali[sz]ed)\b",
    r"(?:i|we) (?:can )?confirm\b",
    r"(?:hech[oa]|list[oa]|completad[oa]|confirmad[oa]|realizad[oa]|procesad[oa]|tramitad[oa])s?\b",
    r"(?:готово|сделано|выполнен|подтвержден|успешно)\w*",
)


def _expression(alternatives: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{factor(fold(each) for each in alternatives)})")


_OfAct = Mapping[Act, Callable[[str], re.Pattern[str]]]


def _of_acts(table: Mapping[Act, Words], of: Callable[[SpeechWords], Mapping[str, Words]]) -> _OfAct:
    def of_act(act: Act) -> Callable[[str], re.Pattern[str]]:
        return by_language(table[act], lambda words: of(words)[act], _expression)

    return {act: of_act(act) for act in table}


_WANTED_RE = _of_acts(_WANTED, lambda words: words.wanted)
_REPORTED_RE = _of_acts(_REPORTED, lambda words: words.reported)
_ANY_RE = by_language(_ANY, lambda words: words.any_done, _expression)
_REPORT = by_language(
    (*_ANY, *[form for forms in _REPORTED.values() for form in forms]),
    lambda words: (*words.any_done, *[form for forms in words.reported.values() for form in forms]),
    _expression,
)
"""All forms at once, because most sentences report nothing."""

_UNREAL = by_language(
    (
        r"(?:would|could|shall|should|might|may|must|will|can|let me|let's|going to|want|wish|needs?|ready) ",
        r"(?:if|once|when|before|after|until|unless|whether|to be|being|almost|nearly|cannot be|as soon as) ",
        r"(?:\w+'ll|\w+'d) ",
        r"(?:podria|puedo|puede|podemos|quiere|quieres|desea|debe|hay que|cuando|una vez|sera|vamos a) ",
        r"(?:могу|можем|можно|хотите|нужно|надо|будет|буду|если|когда|после|чтобы|сейчас) ",
    ),
    lambda words: words.unreal,
    lambda words: pattern(*words),
    guess=False,
)
"""Words before a completion that make it a plan, an offer or a condition."""

_OFFERS = by_language(
    (
        r"(?:have|has|offer|offers|sell|sells|serve|serves|available|option|options|choose|costs?|prices?)\b",
        r"(?:tenemos|hay|ofrecemos|vendemos|servimos|disponib\w+|opcion\w*|cuesta\w*|precios?|vale)\b",
        r"(?:у нас есть|имеется|предлагаем|продаем|доступ\w+|на выбор|стоит|стоят|цен[аы])\b",
    ),
    lambda words: words.offers,
    lambda words: pattern(*words),
)
"""Words of sentences that say what there is, and what it costs."""


@cached
def wanted_act(goal: str) -> Act | None:
    """Return the act that a goal names first, or None."""
    said = fold(goal)
    first = [
        (found.start(), act) for act, wanted in _WANTED_RE.items() for found in [wanted(goal).search(said)] if found
    ]
    return min(first)[1] if first else None


@cached
def reported_acts(sentence: str) -> frozenset[Act | None]:
    """Return the acts that a sentence reports; None stands for a word that fits any, such as "done"."""
    said = fold(sentence)
    first = _REPORT(sentence).search(said)
    if first is None:
        return frozenset()
    confirms = said.startswith(("i can confirm", "we can confirm", "can confirm"), max(0, first.start() - 4))
    before = said[: first.start()]
    if not confirms and (_UNREAL(sentence).search(before) or is_denial(sentence)):
        return frozenset()
    acts: set[Act | None] = {act for act, reported in _REPORTED_RE.items() if reported(sentence).search(said)}
    if _ANY_RE(sentence).search(said):
        acts.add(None)
    return frozenset(acts)


@cached
def asserts(sentence: str) -> bool:
    """Return True if a sentence is no plan, offer, condition or price; its values count as agreed."""
    said = fold(sentence)
    return not (_OFFERS(sentence).search(said) or _UNREAL(sentence).search(said))


def calls_for(tool: str, wanted: Act | None) -> bool:
    """Return True if the name of a tool, such as `cancel_order`, is that of the wanted act."""
    return wanted_act(" ".join(tokens(tool))) is (wanted or Act.PLACE)


def reports(sentence: str, wanted: Act | None) -> bool:
    """Return True if a sentence reports the wanted act as done. An order without a verb is placed."""
    acts = reported_acts(sentence)
    if not acts:
        return False
    act = wanted or Act.PLACE
    return act in acts or acts == {None}
