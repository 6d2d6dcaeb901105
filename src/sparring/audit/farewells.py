"""Words of thanks and farewell."""

from sparring.audit.phrases import LANGUAGES, patterns
from sparring.extraction.tokens import cached, fold, stems, tokens

_TAKES_LEAVE = patterns("farewells")
_LEAVES = patterns("farewells", "enough")
_CLOSING = patterns("farewells", "enough", "polite")

_WORDS = frozenset(fold(" ".join(language.closing for language in LANGUAGES)).split())
_ACKNOWLEDGED = frozenset(
    "ok okay perfect nice great well and now vale perfecto y хорошо отлично ладно и everything all it".split()
)


@cached
def takes_leave(text: str) -> bool:
    """Return True if a message has words of farewell."""
    return _TAKES_LEAVE(text).search(fold(text)) is not None


@cached
def is_leaving(text: str) -> bool:
    """Return True if a message takes leave or says that there is nothing else."""
    return _LEAVES(text).search(fold(text)) is not None


def without_farewell(text: str) -> str:
    """Return what a message says besides thanks and farewell, folded."""
    return _CLOSING(text).sub(" ", fold(text))


@cached
def only_closes(text: str) -> bool:
    """Return True if a message only thanks or takes leave."""
    words = tokens(text)
    if not words or _ACKNOWLEDGED.issuperset(words):
        return False
    return _WORDS.issuperset(words) or (takes_leave(text) and not stems(without_farewell(text)))
