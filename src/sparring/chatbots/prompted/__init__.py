"""Chatbots made of a model, prompts and tools. Chatbots behind a protocol live one level up."""
