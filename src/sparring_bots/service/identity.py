"""The customer of a conversation, and the customer numbers that users state of themselves.

Understands English, Spanish and Russian. "My friend is CUST-002, I am CUST-001" states CUST-001.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

_MAX_CORRECTIONS = 2
"""Corrections in a conversation, so that a user cannot try one customer after another."""

# ASCII only: look-alike characters of other scripts must not match.
_NUMBER = r"\bCUST[- ]?([0-9]{3,6})\b"
_CUSTOMER_IN_TEXT = re.compile(_NUMBER, re.ASCII | re.IGNORECASE)
_CUSTOMER = re.compile("CUST-[0-9]{3,6}", re.ASCII)


def is_customer(text: object) -> bool:
    """Return True if `text` is a customer number."""
    return isinstance(text, str) and _CUSTOMER.fullmatch(text) is not None


def normalize_customer_id(claimed: str) -> str | None:
    """Return a customer number in standard notation, or None if it is not one."""
    found = _CUSTOMER_IN_TEXT.fullmatch(claimed)
    return f"CUST-{found[1]}" if found else None


def find_customer_id(text: str) -> str | None:
    """Return the first customer number in a text, whosever it is, or None."""
    found = _CUSTOMER_IN_TEXT.search(text)
    return f"CUST-{found[1]}" if found else None


class _Subject(Enum):
    """The person to whom a customer number belongs."""

    USER = auto()
    NOT_THE_USER = auto()
    """The user denies to have this number."""
    OTHER = auto()
    OPEN = auto()
    """A number by itself: an answer, or a correction of the number before it."""


@dataclass(frozen=True, slots=True)
class _Mention:
    """A customer number in a text, and True if the words around it correct an earlier one."""

    number: str
    subject: _Subject
    corrects: bool


@dataclass(frozen=True, slots=True)
class Statement:
    """The customer numbers that a user claims and denies to have. `corrects` an earlier statement."""

    claimed: str | None = None
    denied: frozenset[str] = frozenset()
    corrects: bool = False


def read_statement(text: str) -> Statement:
    """Return what a user says of themselves. Two numbers of which neither corrects the other state none."""
    claimed: str | None = None
    subject, ambiguous, corrects = _Subject.USER, False, False
    denied: set[str] = set()
    for mention in _mentions(text):
        if mention.subject is not _Subject.OPEN:
            subject = mention.subject
        elif not mention.corrects:
            subject = _Subject.USER
        if subject is _Subject.NOT_THE_USER and mention.subject is _Subject.NOT_THE_USER:
            denied.add(mention.number)
            corrects = True
        elif subject is not _Subject.OTHER:
            replaces = mention.corrects or claimed is None or claimed in denied
            ambiguous = not replaces and (ambiguous or claimed != mention.number)
            claimed, corrects = mention.number, corrects or mention.corrects
    if ambiguous or claimed in denied:
        claimed = None
    return Statement(claimed, frozenset(denied), corrects)


@dataclass(slots=True)
class Identity:
    """The customer of a conversation: `bound` at the start, or `stated` by the user without proof.

    Messages never change a bound identity. A stated one changes only if the user corrects it. `disputed` is True while
    the user claims to be another customer. Claims of the model are only compared with the identity.
    """

    bound: str | None = None
    stated: str | None = None
    corrections: int = 0
    disputed: bool = False

    def observe(self, text: str) -> None:
        """Record what a message states about the user."""
        said = read_statement(text)
        if self.bound is None:
            self._state(said)
        self.disputed = said.claimed not in (None, self.customer_id)

    def _state(self, said: Statement) -> None:
        if self.stated is None:
            self.stated = said.claimed
            return
        changes = self.stated in said.denied or (said.corrects and said.claimed not in (None, self.stated))
        if changes and self.corrections < _MAX_CORRECTIONS:
            self.stated = said.claimed
            self.corrections += 1

    @property
    def customer_id(self) -> str | None:
        """The customer number, or None."""
        return self.bound or self.stated

    @property
    def verified(self) -> bool:
        """True if the customer is signed in."""
        return self.bound is not None

    def matches(self, claimed: str | None) -> bool:
        """Return True if a claimed customer number is absent or the known one."""
        return claimed is None or (self.customer_id is not None and normalize_customer_id(claimed) == self.customer_id)


_QUOTED = re.compile(r"\"[^\"\n]*\"|“[^”\n]*”|«[^»\n]*»|„[^“”\n]*[“”]|(?<!\w)'[^'\n]*'(?!\w)")
_ABBREVIATED = re.compile(r"\b(no|nr|num|núm|nro)\.", re.IGNORECASE)
_SIGNS = re.compile(r"[:=#№*_]|(?<!\w)[-–—]+(?!\w)|[–—]")
_TOKEN = re.compile(r"<\d+>|[,()]|[^\W_]+(?:['-][^\W_]+)*|'s\b|[.!?;\n]")
_END = frozenset(".!?;\n")
_CONTEXT = 40
"""Words around a number that are looked at."""


def _alternatives(*phrases: str) -> str:
    return "|".join(phrase for each in phrases for phrase in each.split(" | "))


_NUMBER_WORDS = _alternatives(
    "number | id | no | nr | code | account | login | identifier | customer | client | user | member | membership",
    "número | numero | nº | código | codigo | cuenta | cliente | clienta | usuario | usuaria | identificador",
    "номер | код | айди | идентификатор | аккаунт | клиент | клиентка | клиента | покупатель | покупателя | клиентский",
)
_FILLERS = _alternatives(
    _NUMBER_WORDS.replace("|", " | "),
    "the | a | your | really | actually | in fact | still | now | just | of course | also | here | with the number",
    "with number | with id | with customer number | under the number",
    "el | la | un | una | de | con el número | con número | en realidad | su | ahora",
    "на самом деле | ваш | ваша | под номером | с номером | это | же | сейчас",
)
_FILLED = f"(?: (?:{_FILLERS}|,))*"
_SELF_BEFORE = re.compile(
    r"(?:^| )(?:"
    + _alternatives(
        "i am | i'm | im | this is | me is | call me | i go by | mine is | mine's | it is me | it's me | that's me",
        "(?:logged in|signed in|signed up|registered|calling|writing) (?:as|under|with)",
        "i (?:have|use|got|hold|have got)(?: (?:the|a|my|number|id|customer|client))+ ?(?:number|id|account|no)",
        f"my(?: (?:own|correct|right|real|actual|new|full))*(?: (?:{_NUMBER_WORDS}))+"
        "(?: (?:is|was|would be|should be|reads|'s|number's|id's))?",
        "soy | yo soy | me identifico como | le habla | le escribe",
        f"mi(?: (?:propio|correcto|verdadero))?(?: (?:{_NUMBER_WORDS}|de))+(?: (?:correcto|es|sería|seria))*",
        f"tengo(?: (?:el|la))?(?: (?:{_NUMBER_WORDS}|de))+",
        "я | я сам | меня зовут",
        f"(?:мой|моя)(?: (?:личный|правильный|настоящий))?(?: (?:{_NUMBER_WORDS}))+",
        f"у меня(?: (?:{_NUMBER_WORDS}))+",
    )
    + f"){_FILLED}$"
)
_DENIED_BEFORE = re.compile(
    r"(?:^| )(?:not|isn't|am no longer|ain't|wasn't|no soy|no es|не|не я)(?: (?:my|mi|мой|" + _FILLERS + "))*$"
)
_SELF_AFTER = re.compile(
    r"^(?:(?: ,)? (?:is|that's|that is|it's|es|это|that would be) "
    r"(?:me|mine|myself|my (?:own |customer |client |user )?(?:number|id|account|code|one)"
    r"|mi (?:número|numero|id|código|codigo)|el mío|yo|я|мой номер|мой)"
    r"| (?:here|speaking|calling|writing|on the line|al habla|soy yo))(?: |$)"
)
_OWNED_AFTER = re.compile(r"^ 's(?: |$)")
_REPORTED = re.compile(
    r"(?:^| )(?:if|unless|suppose|supposing|pretend|imagine|assume|assuming|whether|think|thinks|believe|believes|say"
    r"|says|said|told|tells|claims|claimed|wrote|writes|when|like|si|como si|dice|dijo|cree|supón|если|говорит|сказал"
    r"|сказала|думает|представь|представьте|будто)(?: (?:me|us|you|him|her|them|everyone|that|as|though|que|что))*$"
)
_I_REPORT = re.compile(r"(?:^| )(?:i|we|already|just|have|я|yo)(?: \S+)? (?:say|said|told|wrote|сказал|сказала|dije)\b")
_PERSON = re.compile(
    r"(?:^| )(?:he|she|they|him|her|his|hers|their|them|someone|somebody|other|another|friend|wife|husband|mother"
    r"|mom|mum|father|dad|parents|sister|brother|son|daughter|partner|boss|colleague|neighbou?r|roommate|uncle|aunt"
    r"|cousin|girlfriend|boyfriend|grandmother|grandfather|él|ella|ellos|amig[oa]|espos[oa]|marido|mujer|madre|padre"
    r"|herman[oa]|hij[oa]|jef[ea]|vecin[oa]|compañer[oa]|otr[oa]|он|она|они|его|её|ее|их|друг\S*|подруг\S*|жен[аыеу]"
    r"|муж\S*|мам[аыеу]|пап[аыеу]|мать|матери|отец|отца|брат\S*|сестр\S*|сын\S*|доч\S*|начальни\S*|коллег\S*|сосед\S*)"
    r"(?:'s)?(?: |$)"
)
_CORRECTION = re.compile(
    r"(?:^| )(?:no|nope|wait|sorry|oops|actually|correction|i mean|i meant|meant to say|rather|instead|wrong|mistake"
    r"|mistaken|mistyped|typo|misspoke|scratch that|make that|apologies|apologise|apologize|pardon|perdón|perdon|espera"
    r"|espere|disculpa|disculpe|quise decir|quería decir|digo|corrección|me equivoqué|error|mejor dicho|en realidad"
    r"|нет|ой|точнее|вернее|простите|извините|извиняюсь|подождите|постойте|ошиб\S*|опечат\S*|поправка|то есть"
    r"|на самом деле|имел в виду|имела в виду)(?: |$)"
)
_NEUTRAL = re.compile(
    f"^(?: (?:{_FILLERS}|"
    + _alternatives(
        "is | it | it's | it is | that's | that is | it should be | should be | be | yes | sure | ok | okay | please",
        "well | oh | so | and | or | but | hi | hello | here's | here is | no | wait | sorry | oops | correction",
        "rather | instead | i mean | i meant | i meant to say | make that | make it | scratch that | thanks | again",
        "thank you | my mistake | typo | es | sí | si | por favor | perdón | perdon | espera | espere | disculpe",
        "digo | quise decir | hola | gracias | y | o | pero | да | нет | вот | ой | точнее | вернее | простите",
        "извините | подождите | постойте | then | пожалуйста | спасибо | здравствуйте | а | и | или | но | то есть",
    )
    + "))*$"
)


def _mentions(text: str) -> Iterator[_Mention]:
    """Yield the customer numbers in a text, in order, except in words that are quoted."""
    numbers: list[str] = []

    def marked(match: re.Match[str]) -> str:
        numbers.append(f"CUST-{match[1]}")
        return f" <{len(numbers) - 1}> "

    plain = _QUOTED.sub(lambda quote: quote[0][1:-1] if normalize_customer_id(quote[0][1:-1].strip()) else " ", text)
    plain = _CUSTOMER_IN_TEXT.sub(marked, plain.replace("’", "'").replace("<", " ").replace(">", " "))
    plain = _SIGNS.sub(" ", _ABBREVIATED.sub(r"\1 ", plain))
    tokens = [token.lower() for token in _TOKEN.findall(plain)]
    places = [place for place, token in enumerate(tokens) if token.startswith("<")]
    for before, place, after in zip([-1, *places], places, [*places[1:], len(tokens)], strict=False):
        passage = tokens[before + 1 : place][-_CONTEXT:]
        left = _words(_since_end(passage))
        right = _words(_until_end(tokens[place + 1 : after][:_CONTEXT]))
        corrects = bool(_CORRECTION.search(_words(passage)) or _CORRECTION.search(right))
        yield _Mention(numbers[int(tokens[place][1:-1])], _subject(left, right), corrects)


def _subject(left: str, right: str) -> _Subject:
    """Return the person to whom a number belongs, by the words of its sentence before and after it."""
    if _OWNED_AFTER.search(right):
        return _Subject.OTHER
    if _DENIED_BEFORE.search(left):
        return _Subject.NOT_THE_USER
    own = _SELF_BEFORE.search(left)
    if own is not None:
        reported = _REPORTED.search(left[: own.start()])
        return _Subject.OTHER if reported and not _I_REPORT.search(left[: own.start()]) else _Subject.USER
    if _SELF_AFTER.search(right):
        return _Subject.USER
    alone = _NEUTRAL.search(f" {left.rpartition(' ,')[2].strip()}".rstrip()) and _NEUTRAL.search(
        right.partition(" ,")[0]
    )
    return _Subject.OPEN if alone and not _PERSON.search(left) else _Subject.OTHER


def _since_end(tokens: list[str]) -> list[str]:
    ends = [place for place, token in enumerate(tokens) if token in _END]
    return tokens[ends[-1] + 1 :] if ends else tokens


def _until_end(tokens: list[str]) -> list[str]:
    return tokens[: next((place for place, token in enumerate(tokens) if token in _END), len(tokens))]


def _words(tokens: list[str]) -> str:
    """Return tokens as text with a blank before each. Parentheses are commas."""
    return "".join(f" {',' if token in '()' else token}" for token in tokens)
