"""Facts that every store must satisfy: about batches, rows of lists, and counted figures."""

from store_aggregates import FACTS as AGGREGATE_FACTS
from store_batches import FACTS
from store_listing import FACTS as LISTING_FACTS

EVERY = (*FACTS, *LISTING_FACTS, *AGGREGATE_FACTS)
