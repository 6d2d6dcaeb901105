"""Wordings by which a misbehaving user is known, one module for each language.

A new language is a module here and an entry in `LANGUAGES`. All languages are searched, because a model that falls out
of its role often falls out of its language.
"""

from sparring.audit.phrases.english import ENGLISH
from sparring.audit.phrases.others import OTHERS
from sparring.audit.phrases.phrases import MisbehaviorPhrases
from sparring.audit.phrases.russian import RUSSIAN
from sparring.audit.phrases.spanish import SPANISH

LANGUAGES: tuple[MisbehaviorPhrases, ...] = (ENGLISH, SPANISH, RUSSIAN, OTHERS)
"""Wordings of all languages."""
