"""Personal data in a conversation, and made-up values of the same type and shape in its place."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sparring.core.conversation import Conversation
from sparring.core.value import Json
from sparring.extraction.facts import canonical_slot, stated_facts

_EMAIL = re.compile(r"[\w.+%-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
_CARD = re.compile(r"(?<!\w)\d(?:[ -]?\d){12,18}(?!\w)")
_IBAN = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?(?!\w)")
_PHONE = re.compile(r"(?<![\w.,-])(?:\+|00)?\(?\d[\d ().\-/]{5,20}\d(?![\w-])")
_DATE = re.compile(r"\d{4}-\d\d?-\d\d?|\d\d?[./]\d\d?[./]\d{2,4}")
_CAPITAL = r"[A-ZÀ-ÖØ-ÞĀ-ŽА-ЯЁ]"
_NAME = (
    rf"{_CAPITAL}[^\W\d_]+(?:[ '’-](?:(?:de|del|la|van|von|der|da|di|dos|el|bin|al) ){{0,2}}{_CAPITAL}[^\W\d_]+){{0,3}}"
)
_TITLE = r"(?:mrs?|ms|frau|herrn?|madame|monsieur|signora?|señora?|sra?)"
_GREETING = (
    r"(?:hello|hi|dear|thanks|thank you|welcome|regards|sincerely|this is|hola|gracias|estimad[oa]|saludos|hallo|danke|"
    r"vielen dank|lieber?|sehr geehrter?|bonjour|merci|cordialement|ciao|grazie|gentile|olá|obrigad[oa]|prezad[oa]|"
    r"здравствуйте|привет|спасибо|уважаем(?:ый|ая)|добрый день)"
)
_GREETED = re.compile(rf"\b(?:(?i:{_GREETING}),? (?:(?i:{_TITLE})\.? )?|(?i:{_TITLE})\.? )({_NAME})(?=[\s,.!?;:]|$)")
_ALONE = re.compile(
    rf"(?:[^\w\s]|\b(?i:it is|it's|i am|sure|yes|of course|claro|soy|sí|oui|ja|sì|sim|да)\b|[\s,])*({_NAME})[\s.!]*"
)
_STREET = re.compile(
    rf"\d{{1,5}}[a-z]?,? (?:{_CAPITAL}[\w'’.-]+ ){{1,3}}"
    r"(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Court|Way|Square)\b\.?"
    rf"|(?i:calle|avenida|plaza|rua|via|viale|piazza|rue|boulevard|ул\.?|улица|проспект) "
    rf"(?:(?i:de|du|des|de la|della|das|do|d')? ?{_CAPITAL}[\w'’.-]+ ?){{1,4}},?(?: (?:д\. ?)?\d{{1,5}}[a-z]?)?"
    rf"|{_CAPITAL}\w+(?:straße|strasse|str\.|weg|platz|allee|gasse) \d{{1,4}}[a-z]?"
    rf"|\d{{1,4}},? (?:rue|avenue|boulevard|place) (?:(?:de|du|des|de la) )?(?:{_CAPITAL}[\w'’-]+ ?){{1,3}}"
)
_KEYS = re.compile(
    r"(?P<name>(?:^|_)(?:name|(?:first|last|full|user|customer|guest|passenger|contact)_?name|nombre|apellido|nom|prenom|nome|"
    r"nachname|vorname)$)|(?P<address>(?:^|_)(?:address\d?|street|adresse|direccion|indirizzo|endereco|line1|line2)$)"
    r"|(?P<birth_date>(?:^|_)(?:dob|birth_?date|date_of_birth|birthday)$)",
    re.IGNORECASE,
)
_CYRILLIC = re.compile(r"[А-Яа-яЁё]+")
_CODE = re.compile(r"#?(?=[\w-]*\d)[A-Za-z0-9][\w-]{3,30}")
_SLOTS = ("name", "address", "birth_date", "email", "phone")
_FIRST = ("Alex", "Robin", "Kim", "Sam", "Jo", "Chris", "Pat", "Lee")
_LAST = ("Example", "Sample", "Placeholder", "Specimen", "Muster", "Test", "Model", "Proof")
_LEAST = 3
"""Letters of a name that is replaced inside other words, as of `emma_kim_99`."""


@dataclass(frozen=True, slots=True)
class PersonalValue:
    """A value that was found, the variable that stands for it, and the value that is made up for it."""

    value: str
    variable: str
    made_up: str


def personal_values(conversation: Conversation, *, ids: bool = True) -> tuple[PersonalValue, ...]:
    """Return the personal data in a conversation, longest values first.

    Codes that the user says and that tools take or return are personal, too, unless `ids` is False.
    """
    found: dict[str, str] = {}
    for slot, value in _found(conversation, ids=ids):
        if len(value.strip()) >= 2:
            found.setdefault(value.strip(), slot)
    for value in [value for value, slot in found.items() if slot == "name"]:
        found |= {
            part: "name" for part in re.findall(r"[^\W\d_]{2,}", value) if part[0].isupper() and part not in found
        }
    names = [value.casefold() for value, slot in found.items() if slot == "name" and len(value) > _LEAST]
    said = "\n".join(each.text for each in conversation.messages if each.role == "user")
    found |= {code: "id" for code in _codes(said) if any(name in code.casefold() for name in names)}
    inner = {value for value, slot in found.items() if slot == "id" and any(value in more != value for more in found)}
    return tuple(_made_up({value: slot for value, slot in found.items() if value not in inner}, conversation))


def _made_up(found: Mapping[str, str], conversation: Conversation) -> Iterator[PersonalValue]:
    counts: dict[str, int] = {}
    parts: dict[str, str] = {}
    taken = {*conversation.case.variables}
    for value in sorted(found, key=len, reverse=True):
        slot = found[value]
        if value in parts:
            made = parts[value]
        else:
            counts[slot] = counts.get(slot, 0) + 1
            made = made_up(slot, value, counts[slot])
        if slot == "name" and len(words := value.split()) > 1:
            parts |= {words[0]: made.split()[0], **{word: made.split()[-1] for word in words[1:]}}
        variable = next(name for name in _names(slot) if name not in taken)
        taken.add(variable)
        yield PersonalValue(value, variable, made)


def _names(base: str) -> Iterator[str]:
    yield base
    number = 2
    while True:
        yield f"{base}_{number}"
        number += 1


def _found(conversation: Conversation, *, ids: bool) -> Iterator[tuple[str, str]]:
    said = [each for each in conversation.messages if each.text]
    user = "\n".join(each.text for each in said if each.role == "user")
    values = [
        (key, text)
        for each in conversation.messages
        for call in each.tool_calls
        for key, text in _leaves({"arguments": call.arguments, "result": call.result})
    ]
    values += list(_leaves(conversation.case.variables))
    everything = [each.text for each in said] + [text for _, text in values]
    for text in everything:
        yield from _typed(text)
    for key, text in values:
        named = _KEYS.search(key)
        slot = str(named.lastgroup) if named else ""
        if slot in ("name", "birth_date", "address") and text and not text.isnumeric():
            yield slot, text
    for fact in conversation.case.facts:
        if fact.slot in _SLOTS:
            yield from ((fact.slot, value) for value in fact.values)
    persona = conversation.case.persona
    for text in (persona.role, *persona.traits):
        yield from _typed(text)
        yield from _stated(text, "")
    asked = ""
    for each in said:
        if each.role == "user":
            yield from _stated(each.text, asked)
        yield from (("name", match[1]) for match in _GREETED.finditer(each.text) if not _is_word(match[1]))
        asked = each.text if each.role == "chatbot" else ""
    if ids:
        used = {text for _, text in values}
        yield from (("id", code) for code in _codes(user) if any(code in text for text in used))


def _codes(text: str) -> list[str]:
    found = dict.fromkeys(code.strip("#") for code in _CODE.findall(text))
    return [code for code in found if not _DATE.fullmatch(code)]


def _typed(text: str) -> Iterator[tuple[str, str]]:
    yield from (("email", value) for value in _EMAIL.findall(text))
    left = _EMAIL.sub(" ", text)
    for slot, pattern in (("iban", _IBAN), ("card", _CARD)):
        for value in [value for value in pattern.findall(left) if slot == "iban" or is_card(value)]:
            yield slot, value
            left = left.replace(value, " ")
    for value in _PHONE.findall(_DATE.sub(" ", left)):
        if 7 <= sum(map(str.isdigit, value)) <= 15 and (value[0] in "+(0" or not value.isdigit() or len(value) >= 9):
            yield "phone", value
    yield from (("address", match[0].strip(" ,")) for match in _STREET.finditer(left))


def _stated(text: str, asked: str) -> Iterator[tuple[str, str]]:
    """Yield what a message of the user says of itself, and the name that answers a question."""
    for fact in stated_facts(text):
        if fact.slot in _SLOTS:
            yield from ((fact.slot, value) for value in fact.values)
    last = asked.rpartition("?")[0].rpartition(".")[2] if "?" in asked else asked
    if asked and any(canonical_slot(word) == "name" for word in re.findall(r"\w+", last)):
        alone = _ALONE.match(text)
        if alone and not _is_word(alone[1]):
            yield "name", alone[1]
    short = len(text) <= 100 and any(map(str.isdigit, text))
    if asked and short and any(canonical_slot(word) == "address" for word in re.findall(r"\w+", last)):
        yield "address", text.strip(" .!")


_WORDS = frozenset(
    "yes no hello hi hey thanks thank you welcome sure okay ok please great there again all everyone sir madam "
    "customer team support your our the for so how what when where mr mrs ms sí no hola gracias hallo danke ja "
    "nein frau herr bonjour merci oui non madame monsieur ciao grazie sì olá obrigado sim não да нет "
    "спасибо здравствуйте".split()
)


def _is_word(text: str) -> bool:
    return text.split()[0].lower() in _WORDS


def _leaves(value: Json, key: str = "") -> Iterator[tuple[str, str]]:
    """Yield the texts and numbers in a value with the key of each."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _leaves(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner, key)
    elif isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
        yield key, str(value)


def made_up(slot: str, value: str, number: int) -> str:
    """Return an invented value of the same type and shape."""
    if slot == "email":
        return f"person{number}@example.com"
    if slot == "name":
        words = re.findall(r"\w+", value)
        name = _FIRST[(number - 1) % len(_FIRST)]
        return name if len(words) == 1 else f"{name} {_LAST[(number - 1) % len(_LAST)]}"
    if slot == "address":
        return (
            re.sub(r"[^\W\d_]{3,}", _counted("Example", "Sample"), re.sub(r"\d", "1", value))
            if " " in value
            else "Example"
        )
    if slot == "birth_date":
        return re.sub(r"\d{4}", "1990", re.sub(r"\b\d{1,2}\b", lambda match: "01"[-len(match[0]) :], value))
    if slot == "iban":
        return _iban(value, number)
    if slot == "card":
        return _card(value, number)
    return _shaped(value, number, keep=2 if slot == "phone" else 0)


def _counted(*words: str) -> Callable[[re.Match[str]], str]:
    left = iter(words)
    return lambda match: next(left, words[-1])


def _shaped(value: str, number: int, *, keep: int = 0) -> str:
    """Return a value with other digits, and other letters among digits, in the same places."""
    digits = sum(map(str.isdigit, value))
    counted = iter(f"{number:0{max(digits - keep, 1)}d}"[-max(digits - keep, 1) :])
    seen, made = 0, ""
    for char in value:
        if char.isdigit():
            seen += 1
            made += char if seen <= keep else next(counted)
        else:
            made += char
    return re.sub(r"[^\W\d_]{3,}", lambda match: "x" * len(match[0]), made)


def _card(value: str, number: int) -> str:
    digits = sum(map(str.isdigit, value))
    start = f"4{number:0{digits - 2}d}"
    check = next(digit for digit in "0123456789" if is_card(start + digit))
    return _filled(value, start + check)


def _iban(value: str, number: int) -> str:
    plain = value.replace(" ", "")
    account = f"{number:0{len(plain) - 4}d}"
    digits = "".join(str(int(char, 36)) for char in f"{account}{plain[:2]}00")
    whole = f"{plain[:2]}{98 - int(digits) % 97:02d}{account}"
    left = iter(whole)
    return "".join(char if char == " " else next(left) for char in value)


def _filled(shape: str, digits: str) -> str:
    left = iter(digits)
    return "".join(next(left) if char.isdigit() else char for char in shape)


def is_card(text: str) -> bool:
    """Return True if the digits pass the check of card numbers (Luhn)."""
    digits = [int(char) for char in text if char.isdecimal()]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def replaced(text: str, values: Sequence[PersonalValue], written: Mapping[str, str]) -> str:
    """Return a text with what `written` has for each variable in place of its value.

    Inside other words, and in other letters, the made-up value stands as it is.
    """
    held: list[str] = []

    def hold(new: str) -> str:
        held.append(new)
        return f"\0{len(held) - 1}\0"

    for each in values:
        whole = re.compile(rf"(?<!\w){re.escape(each.value)}(?!\w)")
        text = whole.sub(lambda _, each=each: hold(written[each.variable]), text)  # type: ignore[misc]
        for pattern in _elsewhere(each.value):
            text = pattern.sub(lambda match, each=each: hold(_in_case(match[0], each.made_up)), text)  # type: ignore[misc]
    while "\0" in text:
        text = re.sub("\0(\\d+)\0", lambda match: held[int(match[1])], text)
    return text


def _elsewhere(value: str) -> Iterator[re.Pattern[str]]:
    """Yield patterns of a value in other letters, with other endings, inside ids, and without its spaces."""
    words = value.split()
    if not any(map(str.isdigit, value)) and "@" not in value:
        inner = r"[\s._-]?".join(map(re.escape, words))
        edges = ("", "") if len(words) > 1 else (r"(?<![^\W\d_])", r"(?![^\W\d_])")
        if len(value) >= _LEAST:
            yield re.compile(inner.join(edges), re.IGNORECASE)
        if _CYRILLIC.fullmatch(value) and len(value) > _LEAST:
            stem = value[:-1] if value[-1] in "аяйь" else value
            yield re.compile(rf"\b{re.escape(stem)}\w{{0,3}}\b", re.IGNORECASE)
    elif sum(map(str.isdigit, value)) >= 5 and "@" not in value:
        digits = r"[ ().\-/]*".join(map(re.escape, (char for char in value if char.isalnum())))
        yield re.compile(rf"(?<![^\W_]){digits}(?![^\W_])", re.IGNORECASE)
    else:
        yield re.compile(re.escape(value), re.IGNORECASE)


def _in_case(found: str, made: str) -> str:
    if found.islower():
        return made.lower() if "_" not in found else made.lower().replace(" ", "_")
    return made.upper() if found.isupper() and len(found) > 1 else made


def leaked(text: str, values: Sequence[PersonalValue]) -> list[str]:
    """Return the values that a text still contains, in any letters and inside ids."""
    made = {each.made_up.casefold() for each in values}
    found = []
    for each in values:
        if len(each.value) >= _LEAST and each.value.casefold() not in made:
            found += [each.value] if any(pattern.search(text) for pattern in _elsewhere(each.value)) else []
    return found
