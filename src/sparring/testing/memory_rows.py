"""Search and totals over the rows of conversations, for the store that forgets."""

from collections import Counter
from collections.abc import Collection, Sequence
from operator import attrgetter

from sparring.core.case import Case
from sparring.core.conversation import Conversation
from sparring.core.listing import ConversationQuery, ConversationRow, RowTotals
from sparring.core.outcome import Outcome
from sparring.store.store import ConversationFilter


def found_rows(rows: Sequence[tuple[ConversationRow, Case]], wanted: ConversationQuery) -> list[ConversationRow]:
    """Return the rows that a query finds, in its order; those without the value it sorts by come last."""
    found = [row for row, case in rows if _wanted(row, case, wanted)]
    if wanted.order == "case":
        return found
    by = attrgetter("first_outcome" if wanted.order == "outcome" else wanted.order)
    known = [row for row in found if by(row) is not None]
    unknown = [row for row in found if by(row) is None]
    return [*sorted(known, key=by, reverse=wanted.descending), *unknown]


def totals_of(rows: Collection[ConversationRow]) -> RowTotals:
    """Return the totals of rows."""
    return RowTotals(
        conversations=len(rows),
        outcomes=Counter(row.first_outcome for row in rows),
        scores=Counter(row.score for row in rows if row.score is not None),
        failed=Counter(check for row in rows if row.outcome is Outcome.FAILED for check in row.failed),
        tokens=sum(row.tokens for row in rows),
        cost=sum(row.cost or 0 for row in rows),
        unpriced=sum(row.cost is None for row in rows),
    )


def matches(conversation: Conversation, wanted: ConversationFilter) -> bool:
    """Return True if a filter lets a conversation through."""
    return (
        (wanted.only is None or conversation.ending in wanted.only)
        and (not wanted.tag or wanted.tag in conversation.case.tags)
        and conversation.case.id.startswith(wanted.case)
    )


def _wanted(row: ConversationRow, case: Case, wanted: ConversationQuery) -> bool:
    return (
        (not wanted.endings or row.ending in wanted.endings)
        and (not wanted.outcomes or row.first_outcome in wanted.outcomes)
        and (not wanted.scores or row.score in wanted.scores)
        and (not wanted.check or wanted.check in row.failed)
        and wanted.text.casefold() in row.words
        and (not wanted.tag or wanted.tag in case.tags)
        and case.id.startswith(wanted.case)
    )
