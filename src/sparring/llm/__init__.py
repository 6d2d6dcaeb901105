"""Language models: the protocol, metering, pricing, the cache and replay.

Prompts of roles live with the roles.
"""
