"""Whatever the order API is sent: it answers as it documents, and never with a 500."""

from datetime import UTC, datetime

import schemathesis
from hypothesis import HealthCheck, Phase, settings

from sparring_bots.service.api import application
from sparring_bots.service.shop import sample_shop

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)
schema = schemathesis.openapi.from_asgi("/openapi.json", application(sample_shop(lambda: NOW)))


@schema.parametrize()
@settings(
    max_examples=25,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_any_request_is_answered_as_documented(case: schemathesis.Case):
    case.call_and_validate()
