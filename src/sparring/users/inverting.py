"""Whether a model that plays a user forgot that it does: it offers help, declines, or speaks of being a model."""

import re

_INVERTED = re.compile(
    r"""
      \b(?:how|what)\ (?:can|may|could)\ i\ (?:help|assist|do\ for)\ you\b
    | \banything\ else\ (?:that\ )?i\ can\ (?:help|assist|do\ for)\b
    | \bi(?:['’]m|\ am)\ here\ to\ (?:help|assist)\ you\b
    | \b(?:as|i['’]m|i\ am)\ (?:an?|the)\ (?:
          (?:ai\ |virtual\ )?assistant(?=\W*$|[,.!])
        | ai(?=\W*$|[,.!;])
        | (?:large\ )?(?:ai\ |language\ |ai\ language\ )model\b
        | (?:user\ )?simulator\b
        | simulated\ (?:user|customer)\b
      )
    | \bi(?:\ can(?:no|['’])t|['’]m\ (?:un|not\ )able\ to|\ am\ (?:un|not\ )able\ to)\ (?:
          (?:assist|comply)\ with\ (?:that|this|your)
        | (?:help|continue)\ with\ (?:that|this)\ (?:request|role[- ]?play|conversation|scenario)
      )
    | (?:чем|как)\ (?:я\ )?могу\ (?:вам\ |тебе\ )?помочь
    | \b(?:я|как)\ (?:[—-]\ )?(?:языковая\ модель|искусственный\ интеллект|симулятор)
    | \ben\ qu[eé]\ (?:le\ |te\ )?puedo\ ayudar
    | \bcomment\ puis-je\ vous\ aider\b
    | \b(?:wie|womit)\ kann\ ich\ (?:ihnen|dir)\ helfen\b
    | \bcomo\ posso\ (?:te\ )?ajud[aá]
    """,
    re.IGNORECASE | re.VERBOSE,
)

_SIGNS = (
    *("help", "assist", "comply", "continue", "do for", " ai", "model", "simulat"),
    *("помочь", "модель", "интеллект", "симулятор"),
    *("ayudar", "aider", "helfen", "ajud"),
)
"""One of them is in whatever the pattern finds; most of what users say has none."""


def inverted(text: str) -> bool:
    """Whether these are words of an assistant, or of a simulator, and no user's."""
    lowered = text.lower()
    return any(map(lowered.__contains__, _SIGNS)) and _INVERTED.search(text) is not None
