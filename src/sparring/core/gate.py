"""What a batch has to reach before its chatbot may go live."""

from typing import Annotated

from pydantic import Field, NonNegativeFloat, NonNegativeInt

from sparring.core.value import Value

Share = Annotated[float, Field(ge=0, le=1)]


class Gate(Value):
    """What a batch has to reach: `gate:` in sparring.yaml. It is strict where it says nothing.

    Shares are from 0 to 1; `errors` and `not_run` may be whole numbers too, of conversations.
    """

    pass_rate: Share = Field(1, description="the share of conversations that has to pass")
    confidence: float | None = Field(
        None, gt=0.5, lt=1, description="with it, the share must hold beyond the conversations that were held"
    )
    errors: NonNegativeInt | Share = Field(
        0, description="how many may stay undecided: the chatbot, user or check failed"
    )
    not_run: NonNegativeInt | Share = Field(0, description="how many of what is planned may lack")
    not_exercised: NonNegativeInt = Field(0, description="how many rules may have applied to nothing")
    violated: NonNegativeInt = Field(0, description="how many rules over several conversations may be violated")
    max_cost: NonNegativeFloat | None = Field(None, description="US dollars the batch may have cost")
    baseline: str = Field("", description="a batch, by id or name, than which it may not be worse")
