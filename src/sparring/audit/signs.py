"""MisbehaviorSign of a fault in the words of a user."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["role_flip", "model_refusal", "meta", "speaks_for_bot", "jailbreak", "coaching"]
Excuse = Literal["", "business", "goals", "button", "authority", "attack", "heard"]


@dataclass(frozen=True, slots=True)
class MisbehaviorSign:
    """Words that show a fault, unless the context that `excuse` names explains them."""

    kind: Kind
    words: str
    certain: bool = True
    excuse: Excuse = ""
    named: str = ""
