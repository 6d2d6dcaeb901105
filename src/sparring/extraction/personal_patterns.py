"""Forms of personal data in texts; the words in and around them are in `words.toml`."""

import re

from sparring.extraction.numbers import AMOUNT, CURRENCY, SIGN
from sparring.extraction.word_tables import words_of_module

_WORDS = words_of_module(__name__)
_SEPARATED = r"[ \u00a0().\-/–]"
RECENT = 2020
_LETTER = r"[^\W\d_]"
EMAIL = re.compile(
    r"[\w.+%*•-]{1,64}(?:@|\s?[\[({]\s?(?:at|@|arroba)\s?[\])}]\s?)[\w*-]{1,63}"
    r"(?:\s?(?:\.|[\[({]\s?(?:dot|punkt|punto|point)\s?[\])}])\s?[\w*-]{2,63}){1,8}",
    re.IGNORECASE,
)
SPOKEN_EMAIL = re.compile(
    rf"\b[\w.]+(?: (?:{_WORDS['marks']}) [\w.]+){{0,5}}"
    rf" (?:{_WORDS['at']}) [\w.-]+(?: (?:{_WORDS['last_dot']}) [\w.]+){{1,3}}",
    re.IGNORECASE,
)
LINK = re.compile(r"\b(?:https?://|www\.)[^\s<>\"')\]]+", re.IGNORECASE)
CARD = re.compile(r"(?<!\w)\d(?:[ -]?\d){12,18}(?!\w)")
IBAN = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?(?!\w)")
_NUMBER_WORD = f"(?:{_WORDS['number']})"
_JOINT = rf"[ ,-]+(?:(?:{_WORDS['joint']}) )?"
_SIGN_WORD = f"(?:{_NUMBER_WORD}|{_WORDS['letter']})"
SPOKEN = re.compile(rf"(?<!\w){_SIGN_WORD}(?:{_JOINT}{_SIGN_WORD}){{2,}}(?!\w)", re.IGNORECASE)
_YEAR_WORD = rf"(?:{_NUMBER_WORD}|\w*(?:hundert|hundred)\w*|mil(?:le)?|cents?|\w+[cz]i?ent[oa]s|тысяч\w+)"
SPOKEN_DATE = re.compile(
    rf"(?<!\w){_NUMBER_WORD}(?:{_JOINT}{_NUMBER_WORD}){{0,2}}(?: (?:of|de|di|do))? (?P<m>{_LETTER}{{3,}})"
    rf"(?: (?:de|del|di|do))?(?:{_JOINT}{_YEAR_WORD})+(?!\w)"
    rf"|(?<!\w)(?P<m2>{_LETTER}{{3,}})(?: the)?(?:{_JOINT}{_YEAR_WORD}){{3,}}(?!\w)",
    re.IGNORECASE,
)
LIVES = re.compile(rf"\b(?:{_WORDS['lives']}) $", re.IGNORECASE)
HEALTH = re.compile(rf"\b(?:{_WORDS['health']})(?: (?:an?|l[ae]|el|une?|una|uma|os?))?(?: | l')$", re.IGNORECASE)
ILLNESS = re.compile(_WORDS["illness"])
_SPELLED_WORD = r"[A-ZÀ-ÞА-Я] (?:as in|for|wie(?: in)?|como|comme|come|как) \w+"
SPELLED = re.compile(
    rf"(?<![\w'’]){_LETTER}(?:[ .-]{{1,2}}{_LETTER}){{2,}}(?!\w)"
    rf"|(?<!\w){_SPELLED_WORD}(?:[, ]+(?:and )?{_SPELLED_WORD})+|(?<!\w)[A-Z] as in \w+"
)
UNITS = f"(?:{_WORDS['unit']})"
AMOUNTS = re.compile(
    rf"(?<!\w)(?:{SIGN})\s?(?:{AMOUNT})\b|(?<![\w.,])(?:{AMOUNT})(?:,[-–—])?\s?(?:(?:{SIGN})|(?:{CURRENCY})(?!\w))"
    rf"|\b(?:EUR|USD|GBP|CHF|Rs\.?)\s?(?:{AMOUNT})\b"
    rf"|(?<![\w.,/-])\d{{1,5}}[.,]\d{{2}}(?![\w/-]|[.,]\d)|(?<![\w.,])\d{{1,3}}(?:,\d{{3}})+(?![\w,])"
    rf"|(?<![\w.,/-])(?<!\d )\d{{1,5}}(?:[.,]\d{{1,2}})?\s?{UNITS}(?!\w)",
    re.IGNORECASE,
)
AGE = re.compile(
    r"(?<!\w)\d{1,3}(?: years? old| ?y/?o| jahre alt)(?!\w)"
    r"|\b(?:aged?|age is|tengo|tiene|j'ai|ho|tenho|tem|мне|ему|ей) (\d{1,3})(?: (?:años|ans|anni|anos|лет|"
    r"года?))?(?!\w)",
    re.IGNORECASE,
)
TIME = re.compile(
    r"(?:[01]?\d|2[0-4])(?:[:.hч][0-5]\d(?::[0-5]\d)?(?:[ap]m|h|z)?|[hч]|[ap]m)(?:[-–](?:[01]?\d|"
    r"2[0-4])[:.h][0-5]\d)?",
    re.IGNORECASE,
)
SMALL = re.compile(
    r"[#x×*(+-]?\d{1,2}(?:st|nd|rd|th|er|e|º|ª|°|o|a|-?[йяе]|-го|x|×|\+|%)?|\d{1,2}[-–/]\d{1,2}|\d{1,3}%|\d[.,]\d"
    r"|[a-z]{1,2}\d{1,2}|\d{1,2}[a-z]{1,2}|20[2-4]\d",
    re.IGNORECASE,
)
DATE = re.compile(
    r"(?<![\w/.-])(?:(?P<iso>\d{4})[-/.]\d{1,2}[-/.]\d{1,2}(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?"
    r"|\d{1,2}(?P<mark>[/.-])\d{1,2}(?P=mark)(?P<year>\d{4}|\d{2}))(?![\w/-]|\.\d)"
)
WORDED = re.compile(
    r"(?<!\w)(?P<d>\d{1,2})(?:st|nd|rd|th|er|º|°|\.)?"
    r"(?: (?:day )?(?:of |de |du |di )?|[-/])(?P<m>[^\W\d_]{3,})(?:\.(?= \d))?"
    r"(?:(?:,? (?:de |of |del )?|[-/])(?P<y>(?:19|20)\d\d))?(?!\w)"
    r"|(?<!\w)(?P<m2>[^\W\d_]{3,})\.? (?P<d2>\d{1,2})(?:st|nd|rd|th)?(?:,? (?P<y2>(?:19|20)\d\d))?(?![\w:]|[.,]\d)"
)
EXPIRY = re.compile(r"(?<![\w/.-])(?:0[1-9]|1[0-2]) ?[/.-] ?(?:20)?(?:2[4-9]|3\d)(?![\w/-]|\.\d)")
GROUPS = re.compile(rf"(?<![\w.,])(?<![A-Za-z][-/])[+(*#]{{0,2}}\d(?:{_SEPARATED}{{0,3}}[\d*•])+(?![\w])")
COORDINATE = re.compile(r"(?<![\w.])-?\d{1,3}\.\d{3,}(?!\w)")
CAPITALS = re.compile(r"(?<![\w-])(?=[A-Z -]*\d)(?=[0-9 -]*[A-Z])[A-Z0-9]{1,8}(?:[ -][A-Z0-9]{1,8})+(?![\w-])")
RUN = re.compile(r"[^\s,;!?()\[\]{}\"'«»“”„<>|]+(?:[!?;][^\s,;!?()\[\]{}\"'«»“”„<>|]+)*")
WORD = re.compile(rf"{_LETTER}(?:{_LETTER}|[\u0300-\u036f])*")
FLAT = re.compile(
    rf"\b(?:{_WORDS['flat']})(?: (?:no\.?|nr\.?|nº|№|number))? ?#?\d{{1,4}}[a-z]?\b"
    r"|\b\d{1,2}[ºª°] ?(?:izq\w*|der\w*|dcha|esq\w*|dto|[A-Z]\b)\.?",
    re.IGNORECASE,
)
STREET = re.compile(
    rf"(?<!\w)(?:\d{{1,5}}[a-z]?|{_NUMBER_WORD}(?:[ -]{_NUMBER_WORD})?(?: [a-d])?),? "
    rf"(?P<inner>(?:{_LETTER}[\w'’-]*\.? ){{1,3}})(?:{_WORDS['street']})\b\.?"
    rf"|(?<!\w)(?:\d{{1,4}}(?: bis| ter)?,? )(?:{_WORDS['rue']}) (?:[\w'’-]+ ?){{1,5}}"
    rf"|\b(?:(?:{_WORDS['calle']})\b\.?|c/|пр\.|пер\.)"
    r" ?(?:[\w'’.-]+ ){0,4}[\w'’.-]+,? (?:n[º°.]? ?|д(?:ом|\.) ?)?\d{1,4}[a-z]?\b"
    rf"|\b(?:{_WORDS['am']}) (?:[A-ZÄÖÜ][\wß-]+ ){{1,2}}\d{{1,3}} ?[a-z]?(?=\s*(?:[,.;\n]|$))"
    rf"|\b[\w-]+(?:{_WORDS['strasse']}) \d{{1,4}}[a-z]?\b",
    re.IGNORECASE,
)
NAMED_STREET = re.compile(rf"(?:[A-Z][\w'’-]+ ){{1,3}}(?:{_WORDS['named_street']})\b")
LAST_FOUR = re.compile(rf"\b(?:{_WORDS['last_four']})\b", re.IGNORECASE)
TITLED = re.compile(rf"\b(?:{_WORDS['title']})\.?(?: (?:Dr|Prof)\.?)? $")
POSTCODE = re.compile(r"(?<![\d.,])(?:\d{4,5}|\d{4}-\d{3}|\d{5}-\d{3}),? $")
ASKS_ADDRESS = re.compile(rf"\b(?:{_WORDS['asks_address']})\b", re.IGNORECASE)
REQUEST = re.compile(rf"\?|\b(?:{_WORDS['request']})\b", re.IGNORECASE)
REPLY = 12
"""Words of a reply that answers a question for an address."""

BIRTH = re.compile(rf"\b(?:{_WORDS['birth']})\b", re.IGNORECASE)
SECRET = re.compile(rf"\b(?:{_WORDS['secret']})\b(?! ?(?:reset|zurück))", re.IGNORECASE)
LOGIN = re.compile(rf"\b(?:{_WORDS['login']})\b", re.IGNORECASE)
LINKED = re.compile(
    rf"(?: (?:for|of|on|para|de|für|du|my|the)(?: \w+){{1,2}})?\s*(?::|=|-|–|\b(?:{_WORDS['link']})\b:?)\s*[\"'«“]?"
)
ASKS_NAME = re.compile(rf"\b(?:{_WORDS['asks_name']})\b", re.IGNORECASE)
NAMED = re.compile(rf"(?:\b(?:{_WORDS['named']})|[:(])\.?,? ?$", re.IGNORECASE)
STRONG = re.compile(rf"\b(?:{_WORDS['strong']}) $", re.IGNORECASE)
INTRO = re.compile(r"\b(?:i'?m|this is|ich bin|soy|c'est|sono|sou(?: [ao])?|это) $", re.IGNORECASE)
PERSON = re.compile(rf"\b(?:{_WORDS['person']})\.? $")
GREETED = re.compile(
    r"\s*(?:(?:hi|hello|hey|hallo|hola|bonjour|ciao|olá|oi|привет)(?: there| again)?[,.!]? ?)?", re.IGNORECASE
)
INTRODUCED = re.compile(
    r"(?:here|speaking|again|from|calling|hier|aus|am apparat|de|à l'appareil|qui)\b", re.IGNORECASE
)
PEOPLE = re.compile(rf"^(?:{_WORDS['people']})$", re.IGNORECASE)
PLACES = re.compile(_WORDS["places"], re.IGNORECASE)
CODES = re.compile(_WORDS["codes"], re.IGNORECASE)
AMOUNT_KEY = re.compile(_WORDS["amount_key"], re.IGNORECASE)
TITLES = frozenset(_WORDS["titles"].split("|"))
DETERMINER = re.compile(
    r"\b(?:an?|the|this|that|these|those|some|any|no|every|each|another|which|its) $", re.IGNORECASE
)
"""Words before a noun in English, which no name follows."""

WEEKDAYS = frozenset(_WORDS["weekdays"].split("|"))
