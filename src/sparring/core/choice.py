"""Who is to play, as people name them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Choice:
    """Who is to play: names as people write them, the model names resolved for each role."""

    chatbot: str
    chatbot_model: str
    user: str
    reader: str = "patterns"
    temperature: float | None = None
    """Of the model that plays the user; the model's own where nobody says."""
    judge: str = "checklist"
    prompts: str = ""
    """The hash of the version that the chatbot is told instead of its own, if it is."""
