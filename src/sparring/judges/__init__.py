"""How well the chatbot did: verdicts over recorded conversations."""
