"""What the players of a batch are told, as versions that are kept with it."""

from sparring.chatbots.chatbot import Chatbot
from sparring.core.batch import PlayerNames
from sparring.core.errors import InputError
from sparring.core.prompts import SHORT, Prompts
from sparring.runner.players import ResolvedPlayers
from sparring.store.store import StoreReader
from sparring.users import simulated
from sparring.users.simulated import Simulated


def prompt_versions(players: ResolvedPlayers) -> tuple[Prompts, ...]:
    """The prompts of the chatbot and of a simulated user; what a judge is told is kept with its rubrics."""
    user = (simulated.prompts(),) if isinstance(players.user, Simulated) else ()
    return (*chatbot_told(players.chatbot), *user)


def chatbot_told(chatbot: Chatbot) -> tuple[Prompts, ...]:
    """The prompts of a chatbot, as far as they are known."""
    return chatbot.capabilities.prompts


async def pinned_prompts(choice: PlayerNames, store: StoreReader) -> Prompts | None:
    """The version that a choice names; an InputError where it is not kept any more."""
    if not choice.prompts:
        return None
    found = await store.prompts(choice.prompts)
    if len(found) != 1:
        raise InputError(f"the prompts {choice.prompts[:SHORT]} are not kept here")
    return found[0]


def check_told(prompts: Prompts, chatbot: Chatbot, name: str, *, pinned: bool) -> None:
    """An InputError if a chatbot is not told these prompts, or, where they are `pinned`, has other tools than then."""
    plain = prompts.model_copy(update={"tools": ()})
    found = [each for each in chatbot_told(chatbot) if each.agents.keys() == plain.agents.keys()]
    if not any(each.entry == plain.entry and each.name == plain.name for each in found):
        raise InputError(f"{name} is not made of prompts, or takes none but its own")
    if pinned and prompts.hash not in {each.hash for each in found}:
        raise InputError(f"the tools of {name} have changed since prompt version {prompts.short} was saved")


def read_by(chatbot: Chatbot, played_by: str) -> str:
    """The short hashes of what a chatbot goes by: a grammar reads no prompt, but hands over as a spec says."""
    prompts = chatbot_told(chatbot)
    reads = bool(played_by) and played_by != NO_MODEL
    return " ".join(each.short for each in prompts if reads or len(each.agents) > 1)


NO_MODEL = "grammar, no model"
"""What plays a chatbot that is made of a model where there is none."""
