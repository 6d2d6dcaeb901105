"""A grammar in place of a language model: the same requests and tool calls, without cost.

A grammar is a data file of one chatbot: intents of users, the tools they need, and replies to the results of tools.
Facts come from the tools. The format is in docs/reference/grammar.md.
"""

from sparring.llm.grammar.model import Grammar, load

__all__ = ["Grammar", "load"]
