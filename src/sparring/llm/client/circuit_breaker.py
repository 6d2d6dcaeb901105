"""Circuit breaker of a model: decides from failures if other calls of the same model are worth making."""

from sparring.llm.client.provider_errors import ABOUT_CALLER, ProviderError

_IN_A_ROW = 3


class CircuitBreaker:
    """Outcomes of the calls of one model so far.

    A model that never answered has a wrong key, address or name, so one rejection is enough. Later, and for status 403,
    which some gateways use for the content of a request, it takes several rejections in a row. A rejection of one
    request says nothing about other requests.
    """

    def __init__(self) -> None:
        self._in_vain = 0
        self._ever = False

    def answered(self) -> None:
        """Record a successful call."""
        self._in_vain = 0
        self._ever = True

    def refused(self, refusal: ProviderError) -> bool:
        """Return True if other calls will be rejected, too, after this final rejection."""
        if refusal.no_credit:
            return True
        if refusal.status not in ABOUT_CALLER:
            return False
        return self._once_more() or not (self._ever or refusal.status == 403)

    def unanswered(self, *, reached: bool) -> bool:
        """Return True if other calls will fail, too, after one without any answer.

        `reached` is true if the server ever answered.
        """
        return self._once_more() or not reached

    def nonsense(self) -> bool:
        """Return True if other calls will fail, too, after one with useless answers."""
        return not self._ever and self._once_more()

    def _once_more(self) -> bool:
        self._in_vain += 1
        return self._in_vain >= _IN_A_ROW
