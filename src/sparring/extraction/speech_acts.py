"""Speech acts: agreement, denial, ignorance, delay and questions.

The words here are English, Spanish and Russian; `speech_words` has those of the other languages.
"""

from sparring.extraction.speech_words import spoken
from sparring.extraction.tokens import cached, fold, pattern, tokens

_NOT_KNOWN = (
    r"(?:do not|don't|did not|didn't|does not|doesn't) (?:know|have (?:that|this|any|the) information)",
    r"no (?:idea|information|clue|record|data)\b",
    r"(?:not (?:sure|certain|aware|able)|unable|unknown)\b",
    r"(?:can|could)(?: not|not|n't) (?:\w+ )?(?:say|tell|help|answer|find|do|process|complete|assist|provide|see)\b",
    r"(?:let me|i will|i'll|i have to|allow me to) (?:just )?(?:check|see|look|find out|ask|transfer|connect|forward)",
    r"(?:one|just a|a) (?:moment|second|minute)\b",
    r"(?:hold on|please (?:wait|hold)|bear with me|try again later)",
    r"(?:error|exception|traceback|fail(?:ed|ure|s)?|went wrong|out of (?:order|service)|crash(?:ed)?)\b",
    r"no (?:lo )?sé\b",
    r"no (?:tengo|dispongo de) (?:esa |ninguna |la )?información",
    r"(?:un momento|desconozco)\b",
    r"if you (?:call|visit|come|go|press|log|register)\b",
    r"no (?:puedo|podemos) (?:\w+ )?(?:decir|ayudar|responder|encontrar|acceder)",
    r"не (?:знаю|уверен\w*|могу (?:\w+ )?(?:сказать|помочь|ответить|найти))",
    r"нет (?:информации|данных)",
    r"(?:минут(?:у|ку|очку)|секунд(?:у|ку|очку)|подождите|сейчас (?:уточню|проверю|посмотрю)|ошибк\w*|сбой)\b",
)
_UNKNOWING = spoken(lambda words: words.unknown, *_NOT_KNOWN)
_DENIES = spoken(
    lambda words: words.denies,
    r"\w+n't",
    r"(?:not|no|nope|never|none|nothing|neither|nor|without|cannot|refuse\w*|closed)",
    r"(?:sorry|unfortunately|unavailable|afraid)",
    r"(?:out of|sold out|run out|instead of|except)",
    r"only (?:offer|have|sell|serve|accept|deliver)",
    r"(?:ningun[oa]?|nunca|nada|tampoco|sin|cerrad[oa]s?|agotad\w+)",
    r"(?:lamentablemente|desgraciadamente|lo siento|solo (?:tenemos|ofrecemos))",
    r"(?:не|нет|ни|никогда|ничего|закончил\w*|закрыт\w*|только|к сожалению|извините|простите)",
    r"(?:expired|impossible|excluded|fully booked|too late|(?:is|are|already) (?:already )?(?:taken|gone))",
    r"(?:caducad|ocupad|excluid|complet)[oa]s?",
    r"(?:imposible|demasiado tarde)",
    r"(?:занят\w*|поздно|невозможно|истек\w*|исключен\w*)",
    end=r"\b",
)
_IDIOMS = pattern(
    r"no (?:worries|worry|problem|need)",
    r"(?:don't|do not) (?:forget|worry|hesitate)",
    r"(?:pas de (?:souci|probleme)|n'(?:hesitez|oubliez)|ne vous inquietez|sans probleme)",
    r"(?:kein problem|keine (?:ursache|sorge)|nicht vergessen|vergessen sie nicht|zogern sie nicht)",
    r"(?:nessun problema|senza problemi|non (?:si preoccupi|dimentichi|esiti))",
    r"(?:sem problemas?|nao (?:se preocupe|esqueca|hesite|ha problema))",
    r"(?:sin problema|no te preocupes|no se preocupe|no olvid(?:es|e)|no dud(?:es|e))",
    r"(?:без проблем|не (?:беспокойтесь|забудьте|волнуйтесь))",
    end=r"\b",
)
_UNDONE = (
    r"(?:cancel+ed|revoked|withdrawn|rejected|declined|not (?:been )?(?:saved|booked|placed|made|confirmed|possible))",
    r"(?:cancelad|anulad|rechazad)[oa]",
    r"(?:отменен|отклонен|аннулирован)\w*",
)
_REVOKES = spoken(lambda words: words.undone, *_UNDONE, end=r"\b")
_UNDOES = spoken(lambda words: words.unknown + words.undone, *_NOT_KNOWN, *[rf"{each}\b" for each in _UNDONE])
"""Both at once, because nearly all replies contain neither."""

_AGREES = spoken(
    lambda words: words.agrees,
    r"(?:ok|okay|yes|sure|alright|all (?:right|set)|certainly|absolutely|of course)",
    r"(?:got it|noted|understood|done|very well|good choice|will do|right away|coming up|on (?:its|the) way)",
    r"(?:confirm\w*|added|placed|ordered|reserved|booked|booking|scheduled|registered|updated|changed|cancel+ed)",
    r"(?:vale|sí|claro|entendido|de acuerdo|list[oa]|hech[oa])",
    r"(?:anotad|confirmad|reservad|añadid|cancelad)\w+",
    r"(?:да|хорошо|готово|конечно|понятно|принят\w*|записал\w*|оформ\w+|добав\w+)",
    r"(?:подтвержд|забронир|отмен)\w+",
    end=r"\b",
)
_COMPLETES = spoken(
    lambda words: words.completes,
    r"(?:booked|placed|ordered|reserved|scheduled|registered|confirmed|cancel+ed|updated|changed|completed)",
    r"(?:all set|done)",
    r"(?:reservad|confirmad|cancelad|registrad|realizad|anotad|completad)\w+",
    r"(?:оформлен|забронирован|заказан|принят|отменен|записан|подтвержден)\w*",
    end=r"\b",
)
_REQUESTS = spoken(
    lambda words: words.requests,
    r"please (?:tell|give|enter|provide|specify|choose|select|indicate|send|type|state|share|leave|write|confirm)",
    r"let me know",
    r"(?:tell|give|send) (?:me|us)",
    r"(?:i|we)(?:'ll| will)? need (?:your|to know|the)",
    r"may i have",
    r"(?:reply|type|press|say|answer)(?: with)?[^\w]+\w+[^\w]+(?:to|if|for)",
    r"(?:responda|responde|pulse|pulsa)[^\w]+\w+[^\w]+(?:para|si)",
    r"(?:indique|indica|dime|dígame|díganos|introduzca|introduce|facilite|facilita|deje|escriba|elija)(?:me|nos)?",
    r"(?:назовите|скажите|укажите|выберите|введите|сообщите|уточните|подскажите|напишите|оставьте|ответьте|нажмите)",
    end=r"\b",
)
_START = r"[^\w]*"
_MAX_FAILURE = 40
"""Maximum number of words in a report of an error. A longer reply contains more than that."""

_REFUSES = spoken(
    lambda words: words.refuses,
    r"(?:i|we)(?: am| are|'m|'re)?(?: \w+)? (?:cannot|can't|can not|couldn't|unable to|not able to|not allowed to)",
    r"(?:i|we|it) (?:\w+ )?(?:do not|don't|does not|doesn't|no longer) (?:\w+ )?"
    r"(?:offer|have|serve|sell|provide|accept|deliver|support|carry|do|make|ship|cover|take)",
    r"(?:cannot|can't|could not|couldn't|can not) be \w+",
    r"(?:is|are|was|it's|that's|currently) (?:not|no longer) (?:possible|available|allowed|offered|supported)",
    r"(?:is|are) (?:sold out|unavailable|out of stock|fully booked|impossible|too late)",
    r"(?:unfortunately|regrettably|against (?:our|the) policy|not eligible|there is no|there are no|we are out of)",
    r"(?:no|lo siento,? pero no) (?:puedo|podemos|tenemos|ofrecemos|vendemos|servimos|aceptamos|hacemos|hay|queda\w*)",
    r"no (?:es posible|esta disponible|estan disponibles|se puede|se permite)",
    r"(?:lamentablemente|desgraciadamente|desafortunadamente|agotad\w+)",
    r"не (?:могу|можем|продаем|предлагаем|делаем|принимаем|получится|доставляем)",
    r"(?:нельзя|невозможно|к сожалению|нет в наличии|закончил\w+|недоступ\w+|у нас нет)",
    end=r"\b",
)
_CONDITIONS = spoken(
    lambda words: words.conditions,
    r"(?:if|once|when|after|unless|until)",
    r"(?:si|cuando|una vez|hasta que)",
    r"(?:если|когда|после|пока)",
    start=_START,
    end=r" ",
    guess=False,
)
_FAILS = spoken(
    lambda words: words.fails,
    r"(?:internal )?server error",
    r"(?:error:|exception:|traceback|status code|http [45]\d\d|bad gateway|time(?:d )?out)",
    r"(?:something|anything) (?:went wrong|broke)",
    r"(?:try|come back) again (?:later|in a)",
    r"(?:algo (?:salio|ha salido|fue) mal|error del servidor|intentalo mas tarde|intentelo mas tarde)",
    r"(?:ошибка:|ошибка сервера|что-то пошло не так|попробуйте позже|произошла ошибка)",
)
_PARAPHRASES = spoken(
    lambda words: words.paraphrases,
    r"you(?:'d| would| want| wanted| are| were|'re)(?: \w+)? (?:like|want|to|looking|interested|trying|asking)",
    r"(?:it )?(?:looks|seems|sounds) like (?:you|we)",
    r"(?:quieres|quiere|te gustaria|le gustaria|deseas|desea)",
    r"(?:вы|ты) (?:хотите|хочешь|хотели|желаете|просите)",
    end=r"\b",
)
_CORRECTS = spoken(
    lambda words: words.corrects,
    r"(?:no|nope|wrong|not|actually|sorry|instead|wait|on second thoughts?|rather|i meant|i said|change|make it)",
    r"(?:en realidad|mejor|perdon|espera|cambia|cambie|me refiero|he dicho|dije)",
    r"(?:нет|вообще-то|лучше|извините|подождите|измените|поменяйте|я имел|я сказал\w*)",
    start=_START,
    end=r"\b",
)
_MORE = spoken(
    lambda words: words.more,
    r"(?:any ?thing|something|what) (?:else|more|other)",
    r"(?:algo|alguna cosa|que) mas",
    r"(?:что-нибудь|что-то|чего-нибудь|что) еще",
    end=r"\b",
)
_CONFIRMS = spoken(
    lambda words: words.confirms,
    r"(?:correct|right|is that ok(?:ay)?|confirm\w*|go ahead|proceed|agree|shall i|should i|shall we)",
    r"(?:would you like me to|want me to|are you sure|is this|sound good|all good|everything ok)",
    r"(?:correcto|confirm\w+|de acuerdo|quiere que|quieres que|procedo|esta bien|es asi|seguro que|segura que)",
    r"(?:верно|правильно|подтвер\w+|так ли|оформляем|оформить|все так|уверены|согласны)",
    end=r"\b",
)
_REPEATS = spoken(
    lambda words: words.repeats,
    r"(?:so,? )?you (?:said|asked|wrote|want|wanted|would like|mean|meant)",
    r"(?:has dicho|dijo|usted (?:quiere|dijo|pidió)|quieres?)",
    r"вы (?:сказали|хотите|просили)",
    start=_START,
    end=r"\b",
)
_INTERROGATIVE = spoken(
    lambda words: words.interrogative,
    r"(?:(?:i (?:want|need|would like) )?to )?(?:know|learn|find out)",
    r"(?:saber|conocer|averiguar)",
    r"узнать",
    r"(?:what|how|when|where|who|whom|whose|which|why)",
    r"(?:qué|cómo|cuándo|dónde|quién|cuál|cuáles|cuánto|cuánta|cuántos|cuántas)",
    r"(?:что|как|когда|где|кто|какой|какая|какие|какое|почему|сколько|куда|чем)",
    start=_START,
    end=r"\b",
)
_YES_OR_NO_QUESTION = spoken(
    lambda words: words.yes_or_no_question,
    r"(?:whether|if|is|are|am|was|were|do|does|did|can|could|will|would|should|may|has|have)",
    r"(?:si|hay|es|son|está|puedo|puede|tienen|tienes|ofrecen)",
    r"(?:есть|можно|возможно)",
    start=_START,
    end=r"\b",
)
_YES_OR_NO = spoken(
    lambda words: words.yes_or_no,
    r"(?:yes|no|yeah|nope|of course|certainly|sure|absolutely|unfortunately not)",
    r"(?:we|i|you|it) (?:do|don't|can|can't|is|isn't)",
    r"(?:sí|claro|por supuesto)",
    r"(?:да|нет|конечно)",
    start=_START,
    end=r"\b",
)
_OPEN = spoken(
    lambda words: words.open,
    r"(?:what|which|when|where|who|whom|whose|how|why)",
    r"(?:qué|cuál|cuáles|cuándo|dónde|quién|cómo|cuánto|cuánta)",
    r"(?:что|какой|какая|какое|какие|какую|когда|где|куда|кто|кого|как|сколько)",
    start=r"[^\w]*(?:[\w']+[^\w]+){0,2}",
    end=r"\b",
)


@cached
def is_uncertain(text: str) -> bool:
    """Return True if `text` expresses ignorance, inability, a promise to check, or an error."""
    return _UNKNOWING(text)


@cached
def is_denial(text: str) -> bool:
    """Return True if `text` denies something; "no worries" and "don't forget" do not."""
    return _DENIES(text) and _DENIES(_IDIOMS.sub("", fold(text)))


def is_retraction(text: str) -> bool:
    """Return True if `text` says that something done or planned is not done."""
    return _UNDOES(text)


@cached
def is_agreement(text: str) -> bool:
    """Return True if `text` says that something is done or will be done."""
    return _AGREES(text) and not is_denial(text)


@cached
def is_completion(text: str) -> bool:
    """Return True if `text` says that something was just done."""
    return _COMPLETES(text) and not is_denial(text)


@cached
def is_open_question(text: str) -> bool:
    """Return True if a question cannot be answered by yes or no: a question word is among its first three."""
    return _OPEN(text)


def is_request(text: str) -> bool:
    """Return True if `text` asks for information without a question mark."""
    return _REQUESTS(text)


@cached
def starts_with_yes_or_no(text: str) -> bool:
    """Return True if `text` begins with a yes or no."""
    return _YES_OR_NO(text)


@cached
def is_yes_or_no_question(text: str) -> bool:
    """Return True if a goal can be answered by yes or no."""
    return _YES_OR_NO_QUESTION(text)


@cached
def is_question(text: str) -> bool:
    """Return True if a goal asks for information, directly or indirectly, rather than for an action."""
    return text.rstrip().endswith("?") or _INTERROGATIVE(text) or is_yes_or_no_question(text)


def is_repetition(text: str) -> bool:
    """Return True if `text` only repeats the user: "you want a haircut on Tuesday"."""
    return _REPEATS(text)


@cached
def is_refusal(text: str) -> bool:
    """Return True if `text` says that something cannot be done or had, without a condition."""
    return _REFUSES(text) and not _CONDITIONS(text)


@cached
def is_failure(text: str) -> bool:
    """Return True if a reply reports an error instead of answering."""
    return _FAILS(text) and len(tokens(text)) <= _MAX_FAILURE


@cached
def is_paraphrase(text: str) -> bool:
    """Return True if `text` says what the user wants: "it looks like you want a large pizza"."""
    return _PARAPHRASES(text)


@cached
def is_correction(text: str) -> bool:
    """Return True if a user message may take back or correct what was said before."""
    return _CORRECTS(text)


@cached
def asks_for_more(text: str) -> bool:
    """Return True if a question asks if the user wants anything else."""
    return _MORE(text)


@cached
def asks_to_confirm(text: str) -> bool:
    """Return True if a question asks the user to confirm something."""
    return _CONFIRMS(text)


def is_revocation(text: str) -> bool:
    """Return True if `text` says that something done is no longer valid."""
    return _REVOKES(text)
