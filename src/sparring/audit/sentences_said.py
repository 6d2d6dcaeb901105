"""Sentences of a user: statements, wishes in the form of questions, and words that are taken back."""

import re

from sparring.extraction.speech_acts import is_denial
from sparring.extraction.tokens import Sentence, cached, fold, pattern, tokens

_WISHES = pattern(
    r"(?:can|could|may|might) (?:i|we)\b",
    r"(?:can|could|would|will) you (?:please )?(?!tell|say|explain|confirm|repeat|check|clarify|let)",
    r"(?:how about|what about) (?:we|you|making|an?|some|extra|another|one|two|\d+)\b",
    r"(?:(?:is|would) it (?:still |also )?(?:be )?possible to|is there (?:still )?(?:a way|any way|time|a chance) to"
    r"|any chance)\b",
    r"(?:would|do) you mind\b|(?:es|seria) posible|hay (?:forma|manera) de|(?:возможно|нельзя) ли\b",
    r"(?:i|we)(?:'d| would| want| need| will|'ll)\b",
    r"(?:puedo|podria|podriamos|me (?:puede|podria|pone|da|trae)|quisiera|quiero|querria)\b",
    r"(?:можно|могу я|можете|не могли бы|хочу|хотел\w*)\b",
)
"""Questions that order or ask for something to be done."""

_WANTS = pattern(
    r"(?:i|we)(?:'d| would)(?: also| really)? (?:like|love|prefer|want)\b",
    r"(?:i|we)(?: will|'ll| do)?(?: also)? (?:want|need|have|take) (?:to |a |an |some |one |two |\d)",
    r"(?:can|could|may) (?:i|we|you)(?: please| also)? (?:have|get|order|add|book|bring|send|give|include)\b",
    r"(?:add|order|book|reserve|include|bring|send|give|plus)\b",
    r"(?:and|also|plus|with) (?:a|an|one|two|three|some|another|\d+)\b",
    r"(?:quiero|quisiera|querria|me gustaria|pon(?:ga|me|game)?|anad\w+|puedo|me (?:da|trae|pone)|tambien|y un[ao]?)\b",
    r"(?:хочу|хотел\w*|нужн\w*|можно|добав\w*|еще|также|возьму|закаж\w*|заказать|дайте|и (?:од\w+|два|две))\b",
)
_MAX_BARE = 6
"""Maximum number of words of a sentence that names a thing and nothing else."""

_TAG = re.compile(
    r", (?:(?:is|are|was|were|do|does|did|have|has|can|could|will|would)(?:n't)? (?:i|it|that|we|you)"
    r"|right|ok(?:ay)?|please|yes|no|si|vale|verdad|por favor|да|хорошо|ладно|пожалуйста|верно)\?$"
)
"""Question tags of statements and wishes."""

_CLAUSE = re.compile(r"[,;:.!?()—–]+\s*|\s+-\s+|\s+(?:but|sino|pero|но|а)\s+")
_NEGATION = re.compile(
    r"\b(?:not|no longer|never|without|except|instead of|rather than|other than|don't|didn't|doesn't|isn't|wasn't"
    r"|do not|wouldn't|nor|than|sin|ni|nunca|excepto|en (?:lugar|vez) de|tampoco|не|ни|без|кроме|вместо|никак\w+)\b"
    r"|\bno (?=(?:\w+ ){0,1}$)"
    r"|^no (?:es|era|quiero|quise|queria|quisiera|me|necesito|pedi|ponga|pongas|lleve|ha|he)\b"
)
_REPLACES = re.compile(
    r"\b(?:chang\w*|replac\w*|swap\w*|switch\w*|from|cambi\w*|reempla\w*|sustitu\w*|замен\w*|помен\w*|измен\w*"
    r"|верн\w*)\b"
)
_BY = re.compile(r"^\W*(?:\w+ ){0,2}?(?:back to|to|with|for|by|into|por|a|обратно на|на|все-таки)\b")
_GIVES_UP = pattern(
    r"(?:not?|never|no longer|\w+n't) .{0,40}\b(?:want|wanted|need|needed|needing|require|required|necessary|like"
    r"|care for|take|taking|order|buy|interested in|relevant)\b",
    r"(?:decided against|changed my mind (?:about|on)|no use for|pass on|hold the|had enough of|has to go|have to go"
    r"|(?:can|must|should) go|(?:is|are) unwanted|want (?:\w+ ){0,3}no)\b",
    r"(?:no|ya no|tampoco) .{0,40}\b(?:quier\w*|necesit\w*|falta|dese\w*|preciso|interesa\w*)\b",
    r"(?:he cambiado de (?:idea|opinion) (?:sobre|con)|me arrepiento de)\b",
    r"не .{0,40}\b(?:хоч\w*|нуж\w*|надо|буд\w*|возьм\w*|треб\w*|понадоб\w*|актуальн\w*|интерес\w*)",
    r"(?:не надо|не нужн\w+|передумал\w* (?:насчет|про|с|о))\b",
    r"(?:no|sin|без) (?=(?:[\w-]+ ){0,6}[\w-]+[^\w]*$)",
    r"not (?=.{1,60} (?:after all|any ?more|any longer)\b)",
)
"""Words of clauses that give up a thing."""

_QUOTES = re.compile(
    r"\b(?:you|he|she|they) (?:said|put|wrote|have|had|noted|told|gave|booked|ordered|added|repeated|mentioned)\b"
    r"|\b(?:dijo|dijiste|ha (?:dicho|puesto|anotado)|puso)\b|\b(?:вы (?:сказали|записали|написали|назвали|указали))\b"
)
CORRECTS = re.compile(
    r"\b(?:no|wait|sorry|actually|i mean|i meant|rather|change|instead|on second thoughts?|make (?:it|that)|scratch"
    r"|perdon|mejor|digo|espere?|cambi\w*|vuelva"
    r"|нет|извините|простите|хотя|лучше|верните|замените|точнее|вернее|то есть)\b"
)
"""Words with which a user takes back what it has just said."""


@cached
def is_asking(sentence: str) -> bool:
    """Return True if a sentence only asks; "can I have a coke?" is a wish."""
    said = fold(sentence).rstrip("\"'»)] ")
    return said.endswith("?") and not _WISHES.search(said) and not _TAG.search(said)


@cached
def is_wish(sentence: str) -> bool:
    """Return True if a sentence asks for something to be had or done, or only names it."""
    if is_asking(sentence):
        return False
    return bool(_WANTS.search(fold(sentence))) or (len(tokens(sentence)) <= _MAX_BARE and not is_denial(sentence))


@cached
def is_negated(text: str) -> bool:
    """Return True if a text has words that deny something or give it up."""
    said = fold(text)
    return _NEGATION.search(said) is not None or _GIVES_UP.search(said) is not None


@cached
def gives_up(clause: str) -> bool:
    """Return True if a clause says that something is not or no longer wanted."""
    return not clause.rstrip().endswith("?") and _GIVES_UP.search(fold(clause)) is not None


def is_wanted(text: str, value: str) -> bool:
    """Return True if a text wants a value: it does not only deny, quote or replace it."""
    return bool(_wanted_ends(text, value))


def takes_back(text: str, value: str, wanted: tuple[str, ...]) -> bool:
    """Return True if a text goes on to a wanted value after another one: "a big, no, a small one"."""
    said = fold(text)
    last = max(_wanted_ends(text, value), default=0)
    ends = [end for each in wanted for end in _wanted_ends(text, each) if end > last]
    return bool(ends) and CORRECTS.search(said[last : max(ends)]) is not None


def _wanted_ends(text: str, value: str) -> list[int]:
    """Return the places after each mention of a value that wants it; 0 if it is said in another form."""
    said, plain = fold(text), fold(value)
    spans = [match.span() for match in re.finditer(rf"\b{re.escape(plain)}", said)] or [_first_word(said, plain)]
    return [end for start, end in spans if _is_wanted_at(said, start, end)]


def _is_wanted_at(said: str, start: int, end: int) -> bool:
    before = said[:start]
    clause = before[max([0, *[match.end() for match in _CLAUSE.finditer(before)]]) :]
    if _NEGATION.search(clause) or _QUOTES.search(clause):
        return False
    return not (_REPLACES.search(clause) and _BY.match(said[end:]))


def _first_word(said: str, value: str) -> tuple[int, int]:
    """Return the span of the first word of a value that is said in another form; the start if none is."""
    for word in value.split():
        found = re.search(rf"\b{re.escape(word[: max(3, len(word) - 2)])}\w*", said)
        if found:
            return found.span()
    return 0, 0


def sentence_at(found: tuple[Sentence, ...], at: int) -> Sentence:
    """Return the sentence that holds a place of a text."""
    return next((each for each in found if each.start <= at < each.end), found[-1])


_UNKNOWN = pattern(
    r"(?:don't|do not|haven't|didn't) (?:(?:have|got)(?! (?:all|(?:the |any |much )?time|patience|long))"
    r"|know|remember|recall)\b|no idea|not sure\b",
    r"no (?:lo )?(?:se|tengo|recuerdo)\b",
    r"(?:не (?:знаю|помню)|нет у меня|у меня нет)\b",
)
_ASKS_WHY = pattern(
    r"(?:what for|need (?:that|it|this|to know))",
    r"why(?:[^\w]*$| (?:\w+ ){1,4}(?:need\w*|ask\w*|want|necessary|important|matter|know|relevant)\b)",
    r"(?:por|para) que(?:[^\w]*$| .{0,30}(?:necesit|quier|pregunt|import|falta|saber))|зачем\b",
)
_INDIFFERENT = pattern(
    r"(?:(?:don't|do not|wouldn't) (?:\w+ )?(?:mind|care)|doesn't matter|whatever|none|up to you"
    r"|any (?:of|one|day|time|will|is))\b|\bany[^\w]*$",
    r"(?:cualquier\w*|da igual|любой|любая|все равно|неважно)\b",
)


_REFUSES_TO_SAY = pattern(
    r"(?:rather|prefer|want|going|won't|can't|cannot|will) .{0,20}\b(?:not|say|tell|give|share|disclose|answer)\b",
    r"(?:prefiero no|no (?:quiero|voy a|puedo)) .{0,20}\b(?:dec|dar|facilit|contest|respond)\w*",
    r"не (?:скажу|дам|(?:могу|хочу|буду) .{0,20}(?:говор|сказ|наз|отвеч|дава|сообщ)\w*)",
)


def says_unknown(text: str) -> bool:
    """Return True if a message says that the user does not have or know something."""
    return _UNKNOWN.search(fold(text)) is not None


def has_no_answer(text: str) -> bool:
    """Return True if a message says that the user does not know, does not mind or does not want to say."""
    return says_unknown(text) or asks_why(text) or _INDIFFERENT.search(fold(text)) is not None


def asks_why(text: str) -> bool:
    """Return True if a message asks what an answer is needed for."""
    return _ASKS_WHY.search(fold(text)) is not None


def refuses_to_say(text: str) -> bool:
    """Return True if a message says that the user does not want to tell something."""
    return _REFUSES_TO_SAY.search(fold(text)) is not None
