"""A batch as one self-contained HTML file without scripts, of limited size."""

import base64
import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from typing import Any

from markupsafe import Markup

from sparring.core.conversation import Conversation, conversation_id
from sparring.core.outcome import Decision, Outcome, first_attempt
from sparring.core.verdict import CheckOutcome, Finding, Verdict
from sparring.reports.causes import cause_of
from sparring.reports.consistency import consistency_text
from sparring.reports.findings import status, what
from sparring.reports.formats import Report
from sparring.reports.html.charts import batch_charts
from sparring.reports.html.conversation import RenderedTurn, follows, render_conversation
from sparring.reports.html.result import Addresses, result_view
from sparring.reports.html.templates import environment
from sparring.reports.measures import Measuring
from sparring.reports.overview import OverviewTally
from sparring.reports.rate_text import agreement_text, score_lines, statistics_lines
from sparring.reports.reported import ReportedConversation
from sparring.reports.sentence import sentence
from sparring.reports.usage import Costs
from sparring.store.derived import StoredResult

MAX_BYTES = 5_000_000
"""Maximum size of the file, so that it can be sent by mail. The file says how much is left out."""

_MIN_BYTES = 300
"""Least bytes of a conversation in the file, without its messages."""

_MOST_EXAMPLES = 60
_ORDER = (Outcome.FAILED, Outcome.UNDECIDED, Outcome.VOID, Outcome.PASSED)
_FINDINGS = (CheckOutcome.FAIL, CheckOutcome.ERROR, CheckOutcome.NOT_APPLICABLE, CheckOutcome.PASS)


class PageBudget:
    """Holds the conversations of the lowest ranks that fit into `budget` bytes; counts others.

    Iterates by rank, and by order of arrival within a rank.
    """

    def __init__(self, budget: float) -> None:
        self._budget = budget
        self._ranks: defaultdict[float, list[ReportedConversation]] = defaultdict(list)
        self._held = 0
        self.left_out: Counter[Outcome] = Counter()

    def add(self, rank: float, reported: ReportedConversation) -> None:
        """Add a conversation, and drop the last ones that no longer fit."""
        self._ranks[rank].append(reported)
        self._held += _estimated_size(reported)
        while self._held > self._budget:
            worst = max(self._ranks)
            last = self._ranks[worst].pop()
            if not self._ranks[worst]:
                del self._ranks[worst]
            self._held -= _estimated_size(last)
            self.left_out[last.counted().outcome] += 1

    def __iter__(self) -> Iterator[ReportedConversation]:
        for rank in sorted(self._ranks):
            yield from self._ranks[rank]


def _estimated_size(reported: ReportedConversation) -> int:
    """Return a lower bound of the bytes of a conversation in the file."""
    return _MIN_BYTES + sum(100 + len(message.text) for message in reported.conversation.messages)


@dataclass(frozen=True)
class ReportEntry:
    """A conversation in the file: its anchor and turns, and its checks by outcome."""

    anchor: str
    reported: ReportedConversation
    turns: Sequence[RenderedTurn]
    passed: Sequence[str]
    others: Sequence[Verdict]
    follows: Mapping[str, str]

    @property
    def decision(self) -> Decision:
        return self.reported.counted()

    @property
    def detailed(self) -> bool:
        """False for a conversation with nothing to explain, of which only words and tools are shown."""
        return bool(self.others) or self.decision.outcome is not Outcome.PASSED


@dataclass
class Page:
    """Builds the file from an example of each cause and outcome, or all conversations if `whole`.

    Conversations that rules over several name as their first examples are in it too.
    """

    largest: int = MAX_BYTES
    whole: bool = False
    _held: PageBudget = field(init=False)
    _examples: dict[str, str] = field(default_factory=dict)
    _tally: OverviewTally = field(default_factory=OverviewTally)
    _measuring: Measuring = field(default_factory=Measuring)

    def __post_init__(self) -> None:
        self._held = PageBudget(self.largest)

    def count(self, found: StoredResult) -> None:
        """Count a conversation by its row."""
        counted, last = first_attempt(found.decision, found.first, found.attempt), found.decision
        self._tally.add(found.case, found.repeat, counted, last, turns=found.turns, attempt=found.attempt)
        if counted.outcome is not Outcome.PASSED and len(self._examples) < _MOST_EXAMPLES:
            caused = counted.outcome is not Outcome.VOID
            kind = cause_of(counted, last).id if caused else f"void: {counted.blame}"
            self._examples.setdefault(kind, conversation_id(found.case, found.repeat))

    def examples(self, findings: Sequence[Finding]) -> list[str]:
        """Return the first conversations of each cause and outcome, and those that findings name first."""
        named = (id for each in findings if each.examples for id in each.examples[0].conversations[:4])
        return list(dict.fromkeys((*self._examples.values(), *named)))

    def measure(self, conversation: Conversation) -> None:
        """Measure the reply times of one of the first conversations."""
        self._measuring.add(conversation)

    def add(self, reported: ReportedConversation) -> None:
        """Add a conversation that the file shows, if it fits."""
        self._held.add(_ORDER.index(reported.counted().outcome), reported)

    def text(self, report: Report) -> str:
        """Render the file from the added conversations and the findings."""
        entries = [_entry(f"c{number}", each) for number, each in enumerate(self._held, 1)]
        template, kept = environment().get_template("report.html"), len(entries)
        while True:
            shown, rest = entries[:kept], entries[kept:]
            left_out = self._held.left_out + Counter(each.decision.outcome for each in rest)
            values = self._values(report, {each.reported.conversation.id: each.anchor for each in shown})
            text: str = template.render(**values, entries=shown, left_out=left_out)
            if not kept or _size(text) <= self.largest:
                return text
            kept = min(kept - 1, int(kept * self.largest / _size(text)))

    def _values(self, report: Report, anchors: Mapping[str, str]) -> dict[str, Any]:
        batch, summary, measures = report.batch, report.summary, self._measuring.measures()
        glance = replace(
            self._tally.overview(batch, summary.causes),
            gone=summary.gone,
            findings=summary.findings,
            statistics=summary.statistics,
        )
        style = Markup(files("sparring.reports.html").joinpath("static/sparring.css").read_text(encoding="utf-8"))
        said = sentence(summary, report.gated)
        scored = [each for each in summary.scores if each.distribution]
        rules = {(rule.name, rule.file): rule for rule in batch.rules}
        found = sorted(summary.findings, key=lambda finding: _FINDINGS.index(finding.outcome))
        return {
            **result_view(glance, _addresses(anchors)),
            "found": glance,
            "batch": batch,
            "summary": summary,
            "sentence": said,
            "gated": report.gated,
            "measures": measures,
            "charts": batch_charts({each.value: count for each, count in summary.endings.items()}, {}, measures),
            "costs": Costs(
                batch=batch.id,
                total=sum(summary.usage.values(), summary.unkept),
                roles=summary.usage,
                unkept=summary.unkept,
            ),
            "claims": list(statistics_lines(summary.statistics)) if summary.statistics else (),
            "agreements": [*map(agreement_text, summary.agreements), *map(consistency_text, summary.consistency)],
            "scores": [(each, list(score_lines(each))) for each in scored],
            "rules": [(each, rules.get((each.rule, each.file)), status(each), what(each)) for each in found],
            "anchors": anchors,
            "whole": self.whole,
            "style": style,
            "policy": f"default-src 'none'; style-src {_hash(style)}; img-src data:; base-uri 'none'",
        }


def _entry(anchor: str, reported: ReportedConversation) -> ReportEntry:
    passed = [each.check for each in reported.verdicts if each.outcome is CheckOutcome.PASS]
    silent = (CheckOutcome.PASS, CheckOutcome.NOT_APPLICABLE)
    others = [each for each in reported.verdicts if each.outcome not in silent]
    turns = render_conversation(reported.conversation, reported.verdicts, reported.decision)
    return ReportEntry(anchor, reported, turns, passed, others, follows(reported.conversation, reported.verdicts))


def _addresses(anchors: Mapping[str, str]) -> Addresses:
    """Return links to conversations in the file."""

    def link(id: str, _: str) -> str:
        return f"#{anchors[id]}" if id in anchors else ""

    return Addresses(cause=lambda _: "", example=link, family=lambda _: "", conversation=link)


def _size(text: str) -> int:
    return len(text.encode(errors="replace"))


def _hash(text: str) -> str:
    """Return the hash of an inline style for the Content-Security-Policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
