"""The first stage: a user and a chatbot talk until there is a reason to stop."""

from sparring.simulating.bounds import TURN_SECONDS
from sparring.simulating.play import simulate

__all__ = ["TURN_SECONDS", "simulate"]
