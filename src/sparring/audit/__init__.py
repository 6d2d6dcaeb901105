"""Audit of simulated users: faults that make a conversation say nothing about the chatbot."""
