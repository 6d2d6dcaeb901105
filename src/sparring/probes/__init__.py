"""Probes: conversations that look for ordinary bugs in an unknown chatbot.

A probe follows the chatbot's questions and offers, and does one thing that chatbots often get wrong. Its checks need no
expectation by an author.
"""
