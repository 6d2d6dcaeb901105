"""Judges and checks: verdicts on recorded conversations."""
