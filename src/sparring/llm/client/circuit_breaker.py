"""Whether there is any point in asking a model again: a batch need not find out for each of its conversations."""

from sparring.llm.client.provider_errors import ProviderError

_IN_A_ROW = 3
_ABOUT_US = (*range(300, 400), 401, 402, 403, 404, 405, 410)


class CircuitBreaker:
    """What became of the calls of one model so far.

    Whoever was never answered well has a wrong key, address or name, which the first refusal shows. Later, and where a
    refusal may be about what was said (some gateways use 403 for that), it takes several in a row. A refusal for what
    was asked says nothing about other calls.
    """

    def __init__(self) -> None:
        self._in_vain = 0
        self._ever = False

    def answered(self) -> None:
        """A call was answered well."""
        self._in_vain = 0
        self._ever = True

    def refused(self, refusal: ProviderError) -> bool:
        """Whether, after this refusal for good, other calls will come to the same."""
        if refusal.no_credit:
            return True
        if refusal.status not in _ABOUT_US:
            return False
        return self._once_more() or not (self._ever or refusal.status == 403)

    def unanswered(self, *, reached: bool) -> bool:
        """The same after a call that had no answer in all of its time; `reached` says whether anybody ever answered."""
        return self._once_more() or not reached

    def nonsense(self) -> bool:
        """The same after a call whose answers were of no use, which may be for what was asked."""
        return not self._ever and self._once_more()

    def _once_more(self) -> bool:
        self._in_vain += 1
        return self._in_vain >= _IN_A_ROW
