"""Chatbots under test: in process, behind HTTP and other protocols, or made of a model."""
