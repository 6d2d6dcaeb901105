"""Answers of a user to a confirmation or a question: yes, no, a doubt, or that it has no answer."""

from typing import Literal

from sparring.extraction.tokens import cached, fold, pattern, stems

Answer = Literal["yes", "no", "doubt", ""]

_NO_BUT_YES = pattern(
    r"no (?:further |more |other )?(?:changes?|problems?|objections?|worries|complaints?|issues?|doubts?|mistakes?"
    r"|errors?)\b",
    r"nothing (?:to|else|more|wrong|needs)\b",
    r"(?:why|not) (?:not|bad|a problem)\b",
    r"(?:could|can)(?:n't| not|not) (?:be better|complain|agree more)",
    r"(?:don't|do not|won't|would not|wouldn't|no need to|need not) (?:mind|change|worry|hesitate|alter|object)",
    r"(?:sin|no hay|ningun) (?:\w+ )?(?:problemas?|cambios|objecion\w*|errores|inconveniente\w*|duda)",
    r"no (?:tengo |hay )?nada que\b",
    r"(?:por que|como) no\b",
    r"no me (?:importa|opongo)|no cambie|no (?:hay )?que cambiar",
    r"не (?:возража\w+|против|нужно (?:ничего )?менять|надо (?:ничего )?менять)",
    r"(?:ничего|менять) (?:менять |не )*(?:надо|нужно|не)",
    r"(?:без|нет) (?:изменени|проблем|возражени|вопрос|ошиб)\w*",
    r"почему (?:бы )?(?:и )?нет\b",
)
"""A yes in words of a no: "no changes"."""

_NO = pattern(
    r"(?:no|nope|nah|not|never|none|cannot|wrong\w*|incorrect\w*|mistake\w*|negative|false|untrue|error|disagree\w*"
    r"|refuse|decline|reject|misunderst\w+|misheard|mistaken|\w+n't|hardly|forget it|leave it)\b",
    r"(?:nunca|tampoco|incorrect[oa]|equivoc\w+|mal|error|falso|rechazo|niego|ningun\w*|nada de|para nada)\b",
    r"en absoluto\b",
    r"(?:нет|не|неа|ни|неверно|неправильно|неточно|ошиб\w+|вовсе|нельзя|отказываюсь)\b",
)
_YES = pattern(
    r"(?:yes|yeah|yea|yep|yup|aye|sure|of course|certainly|absolutely|definitely|indeed|affirmative|precisely|naturally"
    r"|correct|right|exactly|ok|okay|okey|k|perfect\w*|great|good|fine|lovely|excellent|wonderful|super|brilliant"
    r"|uh-?huh|mhm|mm-?hmm|confirm\w*|agree\w*|accept\w*|approve\w*|deal|done|by all means|spot on|very well|alright"
    r"|all right|works|happy|go ahead|go for it|go on|go with|do (?:it|so|that)|please do|proceed|you got it|that's it"
    r"|it is|book it|what i want(?:ed)?)\b",
    r"(?:si|sip|claro|por supuesto|desde luego|correcto|exact\w+|vale|de acuerdo|adelante|confirm\w+|perfecto|eso"
    r"|asi es|ok|okey|bien|genial|estupendo|conforme|tal cual|efectivamente|aja|dele|siga|hagalo|lo que queria)\b",
    r"(?:да|ага|угу|конечно|верно|правильно|хорошо|подтвержда\w+|согласен|согласна|так|именно|точно|ладно|отлично"
    r"|прекрасно|замечательно|идет|годится|устраивает|окей|ок|договорились|давайте|можно|разумеется|безусловно"
    r"|оформляйте|бронируйте)\b",
)
_DOUBT = pattern(
    r"(?:wait|hold on|hang on|stop|repeat|pardon|correct (?:that|this|it|me)|correction|please correct|fix|change"
    r"|swap|replace|almost|nearly|but|except|instead|rather|off|let me|moment|second|meant?|said|actually"
    r"|again|mixed|confus\w+|you sure|sorry|excuse me|maybe|perhaps|hm+|er+m?)\b",
    r"(?:espere?|momento|repi\w+|corri\w+|casi|pero|sino|mejor|dije|he dicho|perdon\w*|disculp\w+|cambie|como"
    r"|que dice|seguro que|quizas?|tal vez)\b",
    r"(?:подожд\w+|стоп|повтор\w+|исправ\w+|почти|но|сказал\w*|измен\w+|помен\w+|замен\w+|минут\w+|секунд\w+|простите"
    r"|извините|вообще-то|точнее|вернее|лучше|может быть|что)\b",
)
_THUMBS = frozenset("👍👌✅")
_GOES_ON = pattern(
    r"(?:wait|hold on|hang on|moment|second|change|swap|replace|instead|make|i meant?|it should|let's|let me)\b",
    r"(?:espere?|momento|cambi\w+|sino|mejor (?!no\b)|quise decir|que sea)\b",
    r"(?:подожд\w+|минут\w+|секунд\w+|измен\w+|помен\w+|замен\w+|лучше|имел\w* в виду|давайте)\b",
)
_REFERS = stems(
    "sorry afraid thanks thank please now yet today all quite way like absolutely certainly definitely think so rather"
    " well hmm er said say ask asked request mean order book do look leave happen expect wish thing got estoy"
    " gracias ahora todavia aun favor lo siento pedi pedido dije quiero quise eso esto asi nada ninguna manera absoluto"
    " haga hace parece creo pues mejor entendido acuerdo cosa"
    " но этого спасибо сейчас пока благодарю пожалуйста простите извините просил говорил сказал хотел надо нужно делать"
    " думаю пожалуй совсем вовсе коем случае то тот поняли меня конечно все"
)
"""Stems of words that are polite or refer to what was said, and add nothing to a no."""


@cached
def answer(text: str) -> Answer:
    """Return how a message answers a confirmation; empty if its words do not tell."""
    said = fold(text)
    plain = _NO_BUT_YES.sub(" yes ", said)
    if _NO.search(plain) or plain.lstrip(" ¡¿").startswith("no"):
        return "no"
    if _DOUBT.search(plain) or "?" in text:
        return "doubt"
    return "yes" if _YES.search(plain) or not _THUMBS.isdisjoint(text) else ""


@cached
def agrees(text: str) -> bool:
    """Return True if a message agrees to what the chatbot asked to confirm."""
    return answer(text) == "yes"


@cached
def added_to_no(text: str) -> frozenset[str] | None:
    """Return the stems that a no has besides its own words; None for what is no no, or goes on."""
    if answer(text) != "no" or "?" in text or _GOES_ON.search(fold(text)):
        return None
    return stems(_YES.sub(" ", _NO.sub(" ", fold(text)))) - _REFERS
