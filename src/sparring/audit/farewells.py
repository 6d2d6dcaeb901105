"""Words of thanks and farewell."""

from sparring.audit.phrases import LANGUAGES
from sparring.extraction.tokens import cached, fold, pattern, stems, tokens

_FAREWELLS = (
    r"(?:good ?bye|bye|farewell|ciao|cheerio|so long|take care|(?:see|catch) (?:you|ya)(?: later| soon| around)?|see ya"
    r"|(?:talk|speak)(?: to you)?(?: again)? (?:later|soon|tomorrow)|(?:till|until) (?:next time|then|later)"
    r"|(?:have|enjoy) (?:a|your|the) (?:\w+ )?(?:day|one|evening|weekend|time|night|afternoon|morning)|good night)\b",
    r"(?:(?:have|need|got|gotta|must|better|should)(?: really)?(?: to)?(?: be)? (?:go|going|run|running|dash|leave"
    r"|leaving|off|hang up)(?: now| soon)?|(?:i'm|i am|we're|we are)(?: all| now)? (?:off|out of here|leaving|done"
    r"|finished|going|hanging up|through)|(?:call|come|be|write) back (?:later|tomorrow|soon|another)"
    r"|another time|leave it (?:there|here|at that)|stop here|no (?:more )?time)\b",
    r"(?:adios|hasta (?:luego|pronto|la vista|manana|otra|la proxima)|chao|chau|nos vemos|cuidese|cuidate|saludos"
    r"|que (?:tenga|tengas|pase|pases) (?:un |una )?(?:buen|feliz|lindo)\w*(?: dia| tarde| noche| fin de semana)?"
    r"|buenas noches|(?:me tengo|tengo) que ir\w*|me (?:voy|marcho)|lo dejo aqui|cuelgo|he terminado|otro dia"
    r"|tengo prisa|(?:luego|manana) llamo)\b",
    r"(?:до (?:свидания|встречи|связи|скорого|завтра)|всего (?:доброго|хорошего)|прощайте|счастливо|увидимся"
    r"|мне (?:уже )?(?:пора|надо идти|нужно идти)|хорошего (?:дня|вечера)|спокойной ночи|отключаюсь|кладу трубку"
    r"|я (?:пошел|пошла|побежал\w*|ухожу|закончил\w*)|перезвон\w+|пока)\b",
)
_ENOUGH = (
    r"(?:that|this)(?: is|'s| will be|'ll be| was| would be| wraps)(?: then)? (?:all|everything|it|me done)\b",
    r"(?:nothing (?:else|more)|no (?:more|further) questions|all for (?:now|today)|that's all)\b",
    r"(?:eso (?:es|seria) todo|nada mas|ya esta|es todo)\b",
    r"(?:это (?:все|всё)|(?:на )?этом все|больше ничего|все)\b",
)
_POLITE = (
    r"(?:thank you|thanks|many thanks|cheers|thx|ta|ok(?:ay)?|great|good|perfect|fine|alright|all right|well|right"
    r"|never mind|sorry)\b",
    r"(?:very much|so much|a lot|for (?:your|the|all|everything)(?: (?:\w+ )?(?:help|time|assistance|information))?)\b",
    r"(?:then|now|for now|today|from me)\b",
    r"(?:muchas gracias|gracias|vale|bueno|bien|perfecto|por (?:todo|(?:su|tu|la) ayuda)|entonces|lo siento)\b",
    r"(?:хорошо|ладно|ясно|понятно|большое спасибо|спасибо(?: большое)?|благодарю|вам|за (?:помощь|все)|извините"
    r"|ну)\b",
)
_TAKES_LEAVE = pattern(*_FAREWELLS)
_LEAVES = pattern(*_FAREWELLS, *_ENOUGH)
_CLOSING = pattern(*_FAREWELLS, *_ENOUGH, *_POLITE)

_WORDS = frozenset(fold(" ".join(language.closing for language in LANGUAGES)).split())
_ACKNOWLEDGED = frozenset(
    "ok okay perfect nice great well and now vale perfecto y хорошо отлично ладно и everything all it".split()
)


@cached
def takes_leave(text: str) -> bool:
    """Return True if a message has words of farewell."""
    return _TAKES_LEAVE.search(fold(text)) is not None


@cached
def is_leaving(text: str) -> bool:
    """Return True if a message takes leave or says that there is nothing else."""
    return _LEAVES.search(fold(text)) is not None


def without_farewell(text: str) -> str:
    """Return what a message says besides thanks and farewell, folded."""
    return _CLOSING.sub(" ", fold(text))


@cached
def only_closes(text: str) -> bool:
    """Return True if a message only thanks or takes leave."""
    words = tokens(text)
    if not words or _ACKNOWLEDGED.issuperset(words):
        return False
    return _WORDS.issuperset(words) or (takes_leave(text) and not stems(without_farewell(text)))
