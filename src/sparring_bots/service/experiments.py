"""The experiments of the customer service, for `sparring experiment` and `inspect eval sparring/tracking`."""

from pathlib import Path

from sparring.integrations.inspect_ai.experiment import Experiment

_PLAYBOOKS = Path(__file__).parent / "playbooks"


def tracking() -> Experiment:
    """Where is my order?"""
    return Experiment(chatbot="service", files=(_PLAYBOOKS / "tracking.yaml",))


def cancellation() -> Experiment:
    """May this order be cancelled?"""
    return Experiment(chatbot="service", files=(_PLAYBOOKS / "cancellation.yaml",))
