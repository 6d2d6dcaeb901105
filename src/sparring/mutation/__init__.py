"""Mutants of a chatbot: faults put into what it says, calls and hears, to see if any check notices."""
