"""Probes: conversations that look for ordinary bugs in a chatbot of which nothing is known.

A probe walks through a conversation by what the chatbot asks and offers, and does one thing that chatbots often get
wrong. Its checks need no expectation by an author.
"""
