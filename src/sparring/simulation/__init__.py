"""The first stage: a user and a chatbot talk until there is a reason to stop."""

from sparring.simulation.simulate import simulate
from sparring.simulation.timeouts import TURN_SECONDS

__all__ = ["TURN_SECONDS", "simulate"]
