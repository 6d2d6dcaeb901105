"""Null bots: chatbots that do nothing useful, and cases whose checks they pass."""
