"""Limits that all workers share: one row for each model, one for each batch with a budget."""

from sparring.core.usage import Budget
from sparring.llm.client.leased_rate_limiter import BLOCK_SECONDS, Lease, LeaseRequest
from sparring.store.sql.connection import SqlConnection

_LEASE = """
    WITH seen AS (
        SELECT model, clock_timestamp() AS now,
            least(:most, requests + :rate * extract(epoch FROM clock_timestamp() - refilled)) AS requests,
            least(:most_tokens, tokens + :token_rate * extract(epoch FROM clock_timestamp() - refilled)) - :excess
                AS tokens,
            greatest(0, extract(epoch FROM blocked_until - clock_timestamp())) AS blocked
        FROM rate_limits WHERE model = :model FOR UPDATE
    ), given AS (
        SELECT *, CASE WHEN blocked > 0 OR (:rate > 0 AND requests < 1) OR (:token_rate > 0 AND tokens < :tokens)
            THEN 0 ELSE 1 END AS open FROM seen
    )
    UPDATE rate_limits SET refilled = given.now, tokens = given.tokens - open * CAST(:tokens AS FLOAT),
        requests = given.requests - open * least(CAST(:requests AS FLOAT), floor(given.requests))
    FROM given WHERE rate_limits.model = given.model
    RETURNING open * least(CAST(:requests AS FLOAT), floor(given.requests)), open * CAST(:tokens AS FLOAT),
        CAST(given.blocked AS FLOAT)
"""


def lease(connection: SqlConnection, asked: LeaseRequest) -> Lease:
    """Take calls and tokens from the row of a model, which is refilled by the time that has passed."""
    rate, token_rate = ((each or 0) / 60 for each in (asked.limit.requests_per_minute, asked.limit.tokens_per_minute))
    connection.execute(
        "INSERT INTO rate_limits (model, requests, tokens) VALUES (?, ?, 0) ON CONFLICT (model) DO NOTHING",
        (asked.model, min(1.0, rate)),
    )
    values = {
        "model": asked.model,
        "rate": float(rate),
        "token_rate": float(token_rate),
        "most": max(1.0, rate * BLOCK_SECONDS) if rate else float(asked.requests),
        "most_tokens": max(token_rate * BLOCK_SECONDS, float(asked.tokens)),
        "requests": asked.requests,
        "tokens": asked.tokens if token_rate else 0,
        "excess": float(asked.excess),
    }
    requests, tokens, blocked = connection.execute(_LEASE, values).fetchone()
    return Lease(requests, tokens, blocked)


def block(connection: SqlConnection, model: str, seconds: float) -> None:
    """Pause the calls of a model in all processes."""
    connection.execute(
        "UPDATE rate_limits SET blocked_until = greatest(blocked_until, clock_timestamp() +"
        " make_interval(secs => CAST(? AS FLOAT))) WHERE model = ?",
        (seconds, model),
    )


def reserve(connection: SqlConnection, batch: str, budget: Budget, wanted: tuple[float, float]) -> tuple[float, float]:
    """Reserve cost and tokens of a batch's budget; return at most what is left of it."""
    row = connection.execute(
        "UPDATE remote SET"
        " cost_reserved = cost_reserved + greatest(0, least(CAST(? AS FLOAT), CAST(? AS FLOAT) - cost_reserved)),"
        " tokens_reserved = tokens_reserved + greatest(0, least(CAST(? AS FLOAT), CAST(? AS FLOAT) - tokens_reserved))"
        " FROM (SELECT batch, cost_reserved AS cost, tokens_reserved AS tokens FROM remote WHERE batch = ? FOR UPDATE)"
        " AS before WHERE before.batch = remote.batch RETURNING cost_reserved - cost, tokens_reserved - tokens",
        (wanted[0], _most(budget.cost), wanted[1], _most(budget.tokens), batch),
    ).fetchone()
    return (float(row[0]), float(row[1])) if row else (0.0, 0.0)


def give_back(connection: SqlConnection, batch: str, unused: tuple[float, float]) -> None:
    """Return unused reservations."""
    connection.execute(
        "UPDATE remote SET cost_reserved = cost_reserved - CAST(? AS FLOAT),"
        " tokens_reserved = tokens_reserved - CAST(? AS FLOAT) WHERE batch = ?",
        (*unused, batch),
    )


def _most(limit: float | None) -> float:
    return float("inf") if limit is None else float(limit)
