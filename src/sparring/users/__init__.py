"""Who talks to the chatbot: a model, an agenda without one, a script, or a person."""
