"""Intervals, paired tests and agreement: numbers in, numbers out. Imports nothing else of Sparring."""
