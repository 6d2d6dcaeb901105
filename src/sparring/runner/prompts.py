"""What the players of a batch are told, as versions that are kept with it."""

from sparring.chatbots.chatbot import Told
from sparring.core.prompts import Prompts
from sparring.runner.players import Players
from sparring.users import simulated
from sparring.users.simulated import Simulated


def told(players: Players) -> tuple[Prompts, ...]:
    """The prompts of the chatbot and of a simulated user; what a judge is told is kept with its rubrics."""
    user = (simulated.prompts(),) if isinstance(players.user, Simulated) else ()
    return (*chatbot_told(players.chatbot), *user)


def chatbot_told(chatbot: object) -> tuple[Prompts, ...]:
    """The prompts of a chatbot, as far as they are known."""
    return chatbot.prompts() if isinstance(chatbot, Told) else ()


def read_by(chatbot: object, played_by: str) -> str:
    """The short hashes of what a chatbot goes by: a grammar reads no prompt, but hands over as a spec says."""
    prompts = chatbot_told(chatbot)
    reads = bool(played_by) and played_by != NO_MODEL
    return " ".join(each.short for each in prompts if reads or len(each.agents) > 1)


NO_MODEL = "grammar, no model"
"""What plays a chatbot that is made of a model where there is none."""
