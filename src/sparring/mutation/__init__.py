"""Mutants of a chatbot: faults put into its replies, tool calls and messages, to see if any check notices."""
