"""Contacts of a batch with its chatbot: a chatbot that was never reached did not crash."""

from collections.abc import Callable

from sparring.core.conversation import Ending
from sparring.core.errors import ChatbotUnreachable

_IN_A_ROW = 3
"""Conversations in a row that do not reach the chatbot before the batch stops."""


def _ignore(reason: str, at_once: bool) -> None:
    """Do nothing: there are no other conversations to stop."""


class ChatbotReachability:
    """Decides from failed contacts if the chatbot is to blame, and if the batch should stop.

    Until the chatbot has answered once, one failed contact stops the batch at once. Later, a server that is gone has
    crashed, and several failures without an answer in between stop the batch. `stop` is called with the reason; the
    second argument is True if running conversations should stop, too.
    """

    def __init__(self, stop: Callable[[str, bool], None] = _ignore) -> None:
        self._stop = stop
        self._answered = False
        self._in_vain = 0

    def answered(self) -> None:
        """Record that the chatbot's server answered, if only with a failure of its own."""
        self._answered = True
        self._in_vain = 0

    def unreachable(self, error: ChatbotUnreachable) -> Ending:
        """Record a failed contact and return the ending of its conversation."""
        if not self._answered:
            self._stop(f"the chatbot cannot be reached: {error}{f'; {error.hint}' if error.hint else ''}", True)
            return Ending.INFRASTRUCTURE_FAILED
        self._in_vain += 1
        if self._in_vain >= _IN_A_ROW:
            self._stop(f"the chatbot answers no further conversation: {error}", False)
        return Ending.INFRASTRUCTURE_FAILED if error.infrastructure else Ending.CHATBOT_FAILED
