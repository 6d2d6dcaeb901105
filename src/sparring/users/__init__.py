"""Simulated users: agenda, scripted, played by a model, and human. Each kind is a plug-in."""
