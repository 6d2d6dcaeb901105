"""Forms of personal data in texts, as `words.toml` has them, and the words around them."""

import re

from sparring.extraction.numbers import AMOUNT, CURRENCY, SIGN
from sparring.extraction.word_tables import words_of_module

_WORDS = words_of_module(__name__)
_SEPARATED = r"[ \u00a0().\-/–]"
RECENT = 2020
_LETTER = _WORDS["letter_form"]
EMAIL = re.compile(_WORDS["email"], re.IGNORECASE)
SPOKEN_EMAIL = re.compile(_WORDS["spoken_email"], re.IGNORECASE)
LINK = re.compile(r"\b(?:https?://|www\.)[^\s<>\"')\]]+", re.IGNORECASE)
CARD = re.compile(r"(?<!\w)\d(?:[ -]?\d){12,18}(?!\w)")
IBAN = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?(?!\w)")
_NUMBER_WORD = _WORDS["number_word"]
_JOINT = _WORDS["joint_form"]
_SIGN_WORD = f"(?:{_NUMBER_WORD}|{_WORDS['letter']})"
SPOKEN = re.compile(rf"(?<!\w){_SIGN_WORD}(?:{_JOINT}{_SIGN_WORD}){{2,}}(?!\w)", re.IGNORECASE)
SPOKEN_DATE = re.compile(_WORDS["spoken_date"], re.IGNORECASE)
LIVES = re.compile(rf"\b(?:{_WORDS['lives']}) $", re.IGNORECASE)
HEALTH = re.compile(rf"\b(?:{_WORDS['health']})(?: (?:an?|l[ae]|el|une?|una|uma|os?))?(?: | l')$", re.IGNORECASE)
ILLNESS = re.compile(_WORDS["illness"])
SPELLED = re.compile(_WORDS["spelled"])
UNITS = f"(?:{_WORDS['unit']})"
AMOUNTS = re.compile(
    rf"(?<!\w)(?:{SIGN})\s?(?:{AMOUNT})\b|(?<![\w.,])(?:{AMOUNT})(?:,[-–—])?\s?(?:(?:{SIGN})|(?:{CURRENCY})(?!\w))"
    rf"|\b(?:EUR|USD|GBP|CHF|Rs\.?)\s?(?:{AMOUNT})\b"
    rf"|(?<![\w.,/-])\d{{1,5}}[.,]\d{{2}}(?![\w/-]|[.,]\d)|(?<![\w.,])\d{{1,3}}(?:,\d{{3}})+(?![\w,])"
    rf"|(?<![\w.,/-])(?<!\d )\d{{1,5}}(?:[.,]\d{{1,2}})?\s?{UNITS}(?!\w)",
    re.IGNORECASE,
)
AGE = re.compile(_WORDS["age"], re.IGNORECASE)
TIME = re.compile(_WORDS["time"], re.IGNORECASE)
SMALL = re.compile(_WORDS["small"], re.IGNORECASE)
DATE = re.compile(_WORDS["date"])
WORDED = re.compile(_WORDS["worded"])
EXPIRY = re.compile(r"(?<![\w/.-])(?:0[1-9]|1[0-2]) ?[/.-] ?(?:20)?(?:2[4-9]|3\d)(?![\w/-]|\.\d)")
GROUPS = re.compile(rf"(?<![\w.,])(?<![A-Za-z][-/])[+(*#]{{0,2}}\d(?:{_SEPARATED}{{0,3}}[\d*•])+(?![\w])")
COORDINATE = re.compile(r"(?<![\w.])-?\d{1,3}\.\d{3,}(?!\w|[.-]\d)")
CAPITALS = re.compile(r"(?<![\w-])(?=[A-Z -]*\d)(?=[0-9 -]*[A-Z])[A-Z0-9]{1,8}(?:[ -][A-Z0-9]{1,8})+(?![\w-]|\.\d)")
RUN = re.compile(r"[^\s,;!?()\[\]{}\"'«»“”„<>|]+(?:[!?;][^\s,;!?()\[\]{}\"'«»“”„<>|]+)*")
WORD = re.compile(rf"{_LETTER}(?:{_LETTER}|[\u0300-\u036f])*")
FLAT = re.compile(_WORDS["flat_form"], re.IGNORECASE)
STREET = re.compile(_WORDS["street_form"], re.IGNORECASE)
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
LINKED = re.compile(_WORDS["linked"])
ASKS_NAME = re.compile(rf"\b(?:{_WORDS['asks_name']})\b", re.IGNORECASE)
NAMED = re.compile(rf"(?:\b(?:{_WORDS['named']})|[:(])\.?,? ?$", re.IGNORECASE)
STRONG = re.compile(rf"\b(?:{_WORDS['strong']}) $", re.IGNORECASE)
INTRO = re.compile(r"\b(?:i'?m|this is|ich bin|soy|c'est|sono|sou(?: [ao])?|это) $", re.IGNORECASE)
PERSON = re.compile(rf"\b(?:{_WORDS['person']})\.? $")
GREETED = re.compile(_WORDS["greeted"], re.IGNORECASE)
INTRODUCED = re.compile(rf"(?:{_WORDS['introduced']})\b", re.IGNORECASE)
PEOPLE = re.compile(rf"^(?:{_WORDS['people']})$", re.IGNORECASE)
PLACES = re.compile(_WORDS["places"], re.IGNORECASE)
CODES = re.compile(_WORDS["codes"], re.IGNORECASE)
AMOUNT_KEY = re.compile(_WORDS["amount_key"], re.IGNORECASE)
TITLES = frozenset(_WORDS["titles"].split("|"))
DETERMINER = re.compile(rf"\b(?:{_WORDS['determiner']}) $", re.IGNORECASE)
"""Words before a noun in English, which no name follows."""

WEEKDAYS = frozenset(_WORDS["weekdays"].split("|"))
