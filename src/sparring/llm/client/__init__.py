"""Calls to OpenAI-compatible servers: transport, retries, rate limits, circuit breaker."""
