"""Summaries, report formats and transcripts, based on recordings alone."""
