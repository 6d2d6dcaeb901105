"""Links to the downloads of a batch: reports and results in every format."""

from collections.abc import Iterator

from sparring.core.batch import Batch
from sparring.reports.formats import formats
from sparring.web.api.use_cases import MAX_REPORTED


def downloads(batch: Batch, stored: int) -> Iterator[tuple[str, str]]:
    """Yield label and address of what can be downloaded of a batch with this number of conversations."""
    if not stored:
        return
    if stored <= MAX_REPORTED:
        for each in formats():
            if each.batch:
                yield f"Report ({each.label})", f"/api/batches/{batch.id}/report?format={each.name}"
    for each in formats():
        if each.results:
            query = f"partial=true&transcripts=true&format={each.name}"
            yield f"Results ({each.label})", f"/api/batches/{batch.id}/results?{query}"
