"""Changes of mind in a conversation, by what its user meant."""

from sparring.core.case import ChangeOfMind
from sparring.core.conversation import Conversation


def missed_changes(conversation: Conversation) -> tuple[ChangeOfMind, ...]:
    """Return the changes of a case that its user did not make, or not all the way."""
    said = [meant for each in conversation.messages for meant in each.meant if meant.act == "change"]
    return tuple(
        change
        for change in conversation.case.changes
        if sum(change.variable in meant.slots for meant in said) <= (change.mode == "detour")
    )


def is_changing(conversation: Conversation) -> bool:
    """Return True if the user said a value last that is not the final one of a change."""
    said: dict[str, str] = {}
    for each in conversation.messages if conversation.case.changes else ():
        for meant in each.meant:
            said.update(meant.slots)
    return any(said.get(change.variable, change.final) != change.final for change in conversation.case.changes)


def warnings_of_changes(conversation: Conversation) -> tuple[str, ...]:
    """Return a warning for each change that the user did not make; none if no message says what it meant."""
    if not any(each.meant for each in conversation.messages):
        return ()
    return tuple(
        f"user.change_missed: the user never changed {each.variable} from {each.first} to {each.final}"
        if each.mode == "for good"
        else f"user.change_missed: the user never changed {each.variable} to {each.first} and back to {each.final}"
        for each in missed_changes(conversation)
    )
