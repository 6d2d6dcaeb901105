"""A grammar instead of a language model: the same requests, the same tool calls, and nothing to pay.

A grammar is a data file of one chatbot: what users may mean, which tools that asks for, and how to say what the tools
returned. It holds no facts; those come from the tools. The format is in docs/reference/grammar.md.
"""

from sparring.llm.grammar.model import Grammar, load

__all__ = ["Grammar", "load"]
