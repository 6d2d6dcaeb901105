"""The guard before all routes: access, rate limits, login."""
