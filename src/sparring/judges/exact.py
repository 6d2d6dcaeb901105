"""The judges that follow from a conversation alone, and so are asked anew whenever somebody wants to know."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from sparring.core.conversation import Conversation
from sparring.core.verdict import Verdict
from sparring.judges.checklist import CHECKLIST, checklist
from sparring.judges.order import ORDER, order

EXACT: Mapping[str, Callable[[Conversation], Verdict]] = MappingProxyType({CHECKLIST: checklist, ORDER: order})
