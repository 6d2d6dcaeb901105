"""The metered model: the one place that every call of a model in a conversation passes."""

import asyncio
from dataclasses import dataclass

from sparring.core.errors import BadCompletion, ModelError, ModelTimeout
from sparring.core.usage import Usage
from sparring.llm.call_context import metered_call
from sparring.llm.metering import CallAttempts, Meter
from sparring.llm.model import Completion, Model, Request
from sparring.llm.pricing import Price


@dataclass(frozen=True)
class MeteredModel:
    """A model in a `role` whose calls are recorded, if the provider may bill them.

    Usage of a failed or cancelled call is unknown unless its answers state it; one that was refused at every attempt is
    none. Cancellation carries no accounting: the retry policy counts attempts in the call context, and this class reads
    them there.
    """

    model: Model
    role: str

    @property
    def price(self) -> Price:
        """Price of the model's calls."""
        return self.model.price

    async def complete(self, request: Request) -> Completion:
        attempts = CallAttempts()
        with metered_call(attempts) as call:
            spending, meter = call.spending, call.meter
            if spending is not None:
                if allowed := spending.acquire():
                    await allowed
                spending.running.add(attempts)
                attempts.intend = spending.intend
            begun = meter.now() if meter else 0.0
            asked = call.clock.talking() if call.clock else 0.0
            try:
                completion = await self.model.complete(request)
            except asyncio.CancelledError:
                if call.clock:
                    call.clock.unanswered = call.clock.talking() - asked
                if billable := attempts.billable:
                    call.record_usage(self.role, attempts.usage(billable), _since(meter, begun))
                raise
            except ModelError as error:
                attempts.stated = error.usage or attempts.stated
                if unknown := max(error.charged, isinstance(error, ModelTimeout | BadCompletion)):
                    call.record_usage(self.role, attempts.usage(unknown), _since(meter, begun))
                elif spending:
                    spending.record(Usage())
                if spending and error.pointless:
                    spending.stop(error.one_line)
                raise
            finally:
                if spending is not None:
                    spending.running.discard(attempts)
            call.record_usage(self.role, completion.usage, _since(meter, begun))
        if completion.stopped:
            what = f"cut off in what it said ({completion.stopped})"
            call.warn(f"the model of the {self.role} was {what}: some of it is missing")
        return completion


def _since(meter: Meter | None, begun: float) -> float | None:
    return max(0.0, meter.now() - begun) if meter else None
