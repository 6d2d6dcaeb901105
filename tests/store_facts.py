"""Facts that every store of Sparring must satisfy: those of `check_store`, of rows of lists, and of figures."""

from sparring.testing.conformance.store import FACTS
from store_aggregates import FACTS as AGGREGATE_FACTS
from store_listing import FACTS as LISTING_FACTS

EVERY = (*FACTS, *LISTING_FACTS, *AGGREGATE_FACTS)
