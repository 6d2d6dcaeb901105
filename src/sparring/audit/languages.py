"""Users that write in a language that is not theirs.

Languages are told apart by their scripts and by function words, each of which counts much less if languages share it.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from sparring.audit.context import declared
from sparring.audit.view import AuditView
from sparring.core.audit import EVERYTHING, Blame, Fault
from sparring.core.case import Case
from sparring.core.message import Message
from sparring.extraction.tokens import fold, tokens

_MIN_LETTERS = 25
_CONFIDENCE = 0.8
_MIN_WEIGHT = 3.0
"""Weight of function words, each counting at most 1, that tells a language."""

_FUNCTION_WORDS = {
    "en": "the a an of to in on at for from by with and or but if is are was were be been have has had will"
    " would can could"
    " should may not it this that these i you he she we they my your our what which who when where how please"
    " thanks i'd i'm"
    " i'll it's don't do does did there any some just also need like want about me",
    "es": "el la los las un una unos de del al en por para con y o pero si que como es son era ser estar este"
    " esta esto eso no"
    " se me te lo le su sus mi mis yo tu usted cual cuando donde quiero quisiera puedo puede podria gracias"
    " favor hola muy mas"
    " hay tengo tiene necesito quien porque tambien estoy buenos buenas dias estan tienen ustedes ya aqui hoy cuanto",
    "fr": "le la les un une des de du au aux en dans pour avec et ou mais si que qui comme est sont je tu il"
    " elle nous vous ce"
    " cette ces mon ma mes votre vos ne pas plus on me se son sa ses merci bonjour voudrais j'aimerais quel"
    " quelle quand c'est"
    " j'ai suis avez pouvez plait sur tres bien aussi",
    "de": "der die das den dem des ein eine einen einem einer und oder aber wenn ist sind war ich du er sie es"
    " wir ihr mein"
    " meine meinen dein ihre ihren nicht kein keine zu zum zur mit fur von vom bei auf im am an in aus danke"
    " bitte hallo mochte"
    " kann konnen wie was wann wo auch noch haben habe gerne hatte sehr",
    "it": "il lo la gli le un uno una di del della dei delle a al alla da dal in nel nella con su per tra e o ma"
    " se che chi come"
    " e' sono era io tu lui lei noi voi mio mia suo sua non piu mi ti si ci vorrei grazie ciao buongiorno posso"
    " puo potrebbe"
    " quale quando dove favore anche questo questa ho",
    "pt": "o a os as um uma uns umas de do da dos das em no na nos nas por para com e ou mas se que como sou sao"
    " era eu tu voce"
    " ele ela nos meu minha seu sua nao mais me te lhe isto isso este esta quero gostaria posso pode poderia"
    " obrigado obrigada"
    " ola qual quando onde tambem muito tenho preciso favor bom boa dia estao voces tem hoje ja aqui quanto pela pelo",
    "ru": "и в во на с со к ко от до по за из у о об не нет да что кто как где когда это этот эта эти тот я ты"
    " он она мы вы мне"
    " вам нам мой ваш быть есть был была хочу можно пожалуйста спасибо ли же бы для мне меня у вас какой какая"
    " какие сколько"
    " здравствуйте добрый нужно очень еще уже",
}
_NAMES = {
    "en": "en english ingles anglais englisch inglese английскии",
    "es": "es spanish espanol castellano castilian испанскии",
    "fr": "fr french francais frances французскии",
    "de": "de german deutsch aleman немецкии",
    "it": "it italian italiano итальянскии",
    "pt": "pt portuguese portugues португальскии",
    "ru": "ru russian русскии ruso",
}
_CODES = {name: code for code, names in _NAMES.items() for name in names.split()}
_OTHER_SCRIPTS = {
    "cyrillic": "ukrainian bulgarian serbian macedonian belarusian kazakh mongolian украинскии",
    "other": "greek chinese mandarin cantonese japanese korean arabic hebrew hindi thai persian farsi urdu"
    " bengali tamil telugu"
    " georgian armenian",
}
_SCRIPT_OF = {name: script for script, names in _OTHER_SCRIPTS.items() for name in names.split()}
_LATIN, _CYRILLIC = re.compile(r"[a-z]"), re.compile(r"[\u0400-\u052f]")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def _weights() -> dict[str, tuple[tuple[str, ...], float]]:
    """Return the languages of each function word, and its weight."""
    found: dict[str, list[str]] = {}
    for code, words in _FUNCTION_WORDS.items():
        for word in dict.fromkeys(fold(words).split()):
            found.setdefault(word, []).append(code)
    return {word: (tuple(codes), len(codes) ** -2) for word, codes in found.items()}


_WEIGHTS = _weights()


def wrong_language(view: AuditView) -> Iterator[Fault]:
    """Yield messages in a language that the user was not to write in."""
    case = view.conversation.case
    spoken = _spoken(case)
    found = [at for at, said in view.user if _is_in_other(said, case, spoken)]
    if not found:
        return
    certain = found[0] == view.user[0][0] or len(found) > 1
    yield Fault(
        kind="wrong_language",
        blame=Blame.USER,
        certainty="certain" if certain else "likely",
        reason="the user does not write in its language" + ("" if certain else "; it does so once only"),
        evidence=tuple(view.quote(at) for at in found[:3]),
        touches=(EVERYTHING,),
    )


def unmeasured_language(view: AuditView) -> Iterable[str]:
    """Return the kind that cannot be decided if a language of the user is not known here."""
    return () if all(_known(language) for language in view.sheet.languages) else ("wrong_language",)


def is_in_other_language(said: Message, case: Case) -> bool:
    """Return True if a message is surely in none of the languages that it may be in."""
    return _is_in_other(said, case, _spoken(case))


def _is_in_other(said: Message, case: Case, languages: tuple[str, ...]) -> bool:
    text = said.text
    if len(text) < _MIN_LETTERS:
        return False
    if said.manner and said.manner.language:
        languages = (said.manner.language,)
    if _plainly_in(text, languages):
        return False
    if _has_own_script(text, languages) and not _may_be_other(tokens(text), languages):
        return False
    known = declared(case).values
    words = [word for word in tokens(text) if word not in known and not word.isdigit()]
    letters = "".join(words)
    if len(letters) < _MIN_LETTERS:
        return False
    return _is_other_script(letters, languages) or _is_other(words, languages)


def _has_own_script(text: str, languages: tuple[str, ...]) -> bool:
    """Return True if a text has no letters of another script than that of the language."""
    script = _script(languages[0])
    return (script == "latin" and text.isascii()) or (script == "cyrillic" and not _LATIN.search(text.lower()))


def _may_be_other(words: Iterable[str], languages: tuple[str, ...]) -> bool:
    """Return True if function words, goals and values included, may show another language."""
    expected = _codes(languages)
    return sum(1 for word in words if word in _WEIGHTS and expected.isdisjoint(_WEIGHTS[word][0])) >= _MIN_WEIGHT


def _spoken(case: Case) -> tuple[str, ...]:
    return (case.persona.language, *(language for style in case.persona.styles for language in style.languages))


def _plainly_in(text: str, languages: tuple[str, ...]) -> bool:
    """Return True if a text has words that only one of its languages has. Most messages are accepted here."""
    words = tokens(text)
    own = _OWN_WORDS.get(_code(languages[0]), frozenset())
    found = len(own.intersection(words))
    return found > 1 and found * 5 >= len(words)


_OWN_WORDS = {
    code: frozenset(word for word, (codes, _) in _WEIGHTS.items() if codes == (code,)) for code in _FUNCTION_WORDS
}
"""Function words of each language that no other language has."""


@lru_cache(maxsize=256)
def _codes(languages: tuple[str, ...]) -> frozenset[str]:
    return frozenset(filter(None, (_code(language) for language in languages)))


@lru_cache(maxsize=256)
def _code(language: str) -> str:
    """Return the code of a language by its name or code, or an empty string."""
    return next((_CODES[word] for word in re.findall(r"\w+", fold(language)) if word in _CODES), "")


@lru_cache(maxsize=256)
def _known(language: str) -> bool:
    return bool(_code(language))


def _is_other_script(letters: str, languages: tuple[str, ...]) -> bool:
    """Return True if nearly all letters are of a script that none of the languages has."""
    scripts = {_script(language) for language in languages}
    if "" in scripts or "other" in scripts:
        return False
    own = sum(len((_CYRILLIC if script == "cyrillic" else _LATIN).findall(letters)) for script in scripts)
    return own <= (1 - _CONFIDENCE) * len(letters)


@lru_cache(maxsize=256)
def _script(language: str) -> str:
    code = _code(language)
    if code:
        return "cyrillic" if code == "ru" else "latin"
    return next((_SCRIPT_OF[word] for word in fold(language).split() if word in _SCRIPT_OF), "")


def _is_other(words: list[str], languages: tuple[str, ...]) -> bool:
    """Return True if the function words are nearly all of another language."""
    expected = _codes(languages)
    if len(expected) < len(set(languages)):
        return False
    scores = dict.fromkeys(_FUNCTION_WORDS, 0.0)
    for word in words:
        codes, weight = _WEIGHTS.get(word, ((), 0.0))
        for code in codes:
            scores[code] += weight
    best = max(scores, key=lambda code: scores[code])
    own = sum(scores[code] for code in expected)
    return best not in expected and scores[best] >= _MIN_WEIGHT and scores[best] >= _CONFIDENCE * (scores[best] + own)
