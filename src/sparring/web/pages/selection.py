"""Conversations that a page selects: the filter in its address, and links to what it selects."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from urllib.parse import parse_qsl, urlencode

from sparring.core.listing import ConversationQuery
from sparring.core.outcome import Outcome
from sparring.reports.html.result import Addresses
from sparring.reports.measures import family
from sparring.reports.overview import Entry, Overview
from sparring.store.store import Store

_LONGEST = 500
_EARLIER = {"text": "q"}
"""Names of earlier versions in addresses."""


@dataclass(frozen=True)
class Selection:
    """A filter of conversations; empty fields match all, `outcome` several, `q` a part of a message."""

    cause: str = ""
    outcome: str = ""
    blame: str = ""
    check: str = ""
    turn: str = ""
    scenario: str = ""
    tag: str = ""
    q: str = ""

    @property
    def query(self) -> str:
        """The filter as the query of an address."""
        return urlencode({name: value for name, value in asdict(self).items() if value})

    def matches(self, entry: Entry) -> bool:
        """Return True if an entry is selected, regardless of its messages."""
        return (
            entry.cause.startswith(self.cause)
            and (not self.outcome or entry.outcome in self.outcome.split())
            and self.blame in ("", entry.blame)
            and (not self.check or self.check in entry.failed)
            and self.turn in ("", entry.role)
            and self.scenario in ("", family(entry.case))
            and (not self.tag or self.tag in entry.tags)
        )

    def words(self, overview: Overview) -> str:
        """Return the filter in words."""
        titles = [title for id, title in overview.titles.items() if self.cause and id.startswith(self.cause)]
        said = [
            ", ".join(titles) or self.cause,
            " or ".join(self.outcome.split()),
            self.blame and f"blame: {self.blame}",
            self.check,
            self.turn.replace("_", " "),
            self.scenario,
            self.tag and f"tag: {self.tag}",
            self.q and f"“{self.q}”",
        ]
        return ", ".join(filter(None, said)) or "all conversations"


def selection(asked: Mapping[str, str]) -> Selection:
    """Return the filter in the query of an address; unknown parts are left out."""
    known = {_EARLIER.get(name, name): value for name, value in asked.items() if value and len(value) <= _LONGEST}
    return Selection(**{name: value for name, value in known.items() if name in Selection.__dataclass_fields__})


def selection_of(text: str) -> Selection:
    """Return the filter that a `Selection.query` says."""
    return selection(dict(parse_qsl(text)))


async def selected(found: Selection, overview: Overview, batch: str, store: Store) -> list[Entry]:
    """Return the conversations of a batch that a filter selects, in their order."""
    entries = [each for each in overview.entries if found.matches(each)]
    if not found.q:
        return entries
    _, rows = await store.search(batch, ConversationQuery(text=found.q), offset=0, limit=max(overview.planned, 1))
    saying = {row.conversation for row in rows}
    return [each for each in entries if each.id in saying or found.q.casefold() in each.id.casefold()]


def failures(**fields: str) -> Selection:
    """Return a filter of failed conversations."""
    return Selection(outcome=Outcome.FAILED, **fields)


def conversation_url(batch: str, id: str, found: Selection | None = None, part: str = "") -> str:
    """Return the address of a conversation's page, in the list `found`, at `part` of the page.

    The id is a query parameter, as it may contain any character.
    """
    values = {"id": id, **({"in": found.query} if found and found.query else {})}
    return f"/batches/{batch}/conversation?{urlencode(values)}{f'#{part}' if part else ''}"


def address(path: str, /, **values: str) -> str:
    """Return a path with the values that are not empty as its query."""
    query = urlencode({name: value for name, value in values.items() if value})
    return f"{path}?{query}" if query else path


def addresses(batch: str) -> Addresses:
    """Return the addresses that the result of a batch links to."""

    def inside(**fields: str) -> str:
        return f"/batches/{batch}/conversations?{Selection(**fields).query}"

    return Addresses(
        cause=lambda id: inside(cause=id),
        example=lambda id, cause: conversation_url(batch, id, Selection(cause=cause), "evidence"),
        family=lambda name: inside(scenario=name),
        conversation=lambda id, name: conversation_url(batch, id, Selection(scenario=name)),
    )
