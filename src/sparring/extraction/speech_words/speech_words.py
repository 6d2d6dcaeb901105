"""Words of a language by which sentences of chatbots and goals are read.

All of them are regular expressions that begin a word; groups are written `(?:...)`. They are read in texts that are in
this language, or in none that is known, so that words which other languages share mean what they mean here.
"""

from collections.abc import Mapping
from dataclasses import dataclass

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SpeechWords:
    """Words of one language, by the speech act, the act or the kind of question that they belong to.

    `unreal` words before a completion make it a plan, and `offers` are words of sentences that say what there is.
    `kinds` of questions are those of `QuestionKind`, and `wanted` and `reported` those of `Act`.
    """

    unknown: Words
    denies: Words
    undone: Words
    agrees: Words
    completes: Words
    requests: Words
    refuses: Words
    conditions: Words
    fails: Words
    paraphrases: Words
    corrects: Words
    more: Words
    confirms: Words
    repeats: Words
    interrogative: Words
    yes_or_no_question: Words
    yes_or_no: Words
    open: Words
    wanted: Mapping[str, Words]
    reported: Mapping[str, Words]
    any_done: Words
    unreal: Words
    offers: Words
    kinds: Mapping[str, Words]
