"""The simulation of one conversation between a user and a chatbot."""
