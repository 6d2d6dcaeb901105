"""Calls to OpenAI-compatible servers: transport, retries, rate limits, circuit breaker. Knows no prompts or batches."""
