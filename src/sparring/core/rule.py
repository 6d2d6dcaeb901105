"""What must hold, as an exact rule."""

from typing import Literal

from pydantic import Field

from sparring.core.value import Value


class Rule(Value):
    """`when` and `if_` say whether it applies, `then` must hold, `yields` explains a failure.

    `conversations` says how many it looks at together: 1, 2, 3, ... or all of them at once.
    """

    name: str
    description: str = ""
    conversations: int | Literal["all"] = 1
    active: bool = True
    when: str = "True"
    if_: str = Field("True", alias="if")
    then: str
    yields: str = ""
    file: str = ""
    line: int | None = None


class Expectation(Value):
    """A rule for one case only; `after` is the script step after which it holds, or the end if there is none."""

    rule: Rule
    after: int | None = None
