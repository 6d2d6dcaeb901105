"""Words in which users are described, one module for each language.

A new language is a module here and an entry below.
"""

from sparring.extraction.role_words.english import ENGLISH
from sparring.extraction.role_words.french import FRENCH
from sparring.extraction.role_words.german import GERMAN
from sparring.extraction.role_words.italian import ITALIAN
from sparring.extraction.role_words.portuguese import PORTUGUESE
from sparring.extraction.role_words.role_words import RoleWords
from sparring.extraction.role_words.russian import RUSSIAN
from sparring.extraction.role_words.spanish import SPANISH

ROLE_WORDS: tuple[RoleWords, ...] = (ENGLISH, SPANISH, RUSSIAN, FRENCH, GERMAN, ITALIAN, PORTUGUESE)
"""Words of all languages. Authors may describe a user in another language than it speaks, so all of them are tried."""
