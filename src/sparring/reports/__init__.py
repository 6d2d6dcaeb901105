"""Summaries, report formats and transcripts, made from recordings alone."""
