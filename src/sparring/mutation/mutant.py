"""Mutants: an operator at a site, which is a reply or a message of the user in the baseline."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from random import Random

from sparring.chatbots.chatbot import Capabilities
from sparring.core.case import Case
from sparring.core.conversation import Conversation
from sparring.core.message import Message
from sparring.extraction.goals import texts
from sparring.mutation.operator import ChatbotChange, EditContext, MutationOperator, Observed

MOST_CONVERSATIONS = 8
"""Conversations that a mutant is played in, at most."""

_UNKNOWN = Capabilities()

_NUMBER = re.compile(r"\d+")


def signature(said: Message, case: Case) -> str:
    """Return the form of a message: its tools, and its words without numbers and values of the case."""
    text = said.text.casefold()
    values = {value.casefold() for each in case.variables.values() for value in texts(each) if len(value) > 1}
    if values:
        longest_first = sorted(values, key=len, reverse=True)
        text = re.sub(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)", "*", text)
    return "\0".join([_NUMBER.sub("#", text), *(call.name for call in said.tool_calls)])


def family_of(conversation: Conversation) -> str:
    """Return the scenario of its case, without the number of the combination."""
    return re.sub(r"/\d+$", "", conversation.case.id)


@dataclass(frozen=True, slots=True)
class Mutant:
    """An operator at a site, with the conversations that have the site, the one of its id first.

    The site of an operator on replies is the reply with this `signature`; that of others is the user's message `number`
    (from 1), or the first later one where the operator applies. A `change` affects the chatbot itself.
    """

    operator: MutationOperator
    number: int
    conversations: tuple[Conversation, ...] = field(repr=False)
    signature: str = field(default="", repr=False)
    change: ChatbotChange | None = field(default=None, repr=False)

    @property
    def id(self) -> str:
        """The operator, the conversation, and the number of the reply or message or the site of the change."""
        if self.change is not None:
            return f"{self.operator.name}@{self.conversations[0].id}:{self.change.site}"
        site = "*" if self.operator.everywhere else f"{'u' if self.operator.live else 'r'}{self.number}"
        return f"{self.operator.name}@{self.conversations[0].id}:{site}"

    def random(self, seed: int) -> Random:
        """Return the generator of the parameters, which are the same in every conversation."""
        return Random(f"{seed}/mutate/{self.id}")


@dataclass
class _Sites:
    """Messages of one form in the baseline."""

    number: int
    conversations: list[Conversation]
    index: int
    """Index of the message in the first conversation."""


def mutants(
    operators: Sequence[MutationOperator],
    conversations: Sequence[Conversation],
    seen: Observed,
    *,
    budget: int,
    seed: int = 0,
    chatbot: Capabilities = _UNKNOWN,
) -> Iterator[Mutant]:
    """Yield mutants of each operator in turn, up to a budget; sites of most conversations come first."""
    replies, lines = _sites(conversations, "chatbot"), _sites(conversations, "user")
    queues = [
        _of_operator(each, lines if each.live else replies, seen, seed)
        if each.makes is None
        else _of_chatbot(each, each.makes(conversations, chatbot))
        for each in operators
    ]
    yield from islice(_in_turn(queues), budget)


def _in_turn(queues: list[Iterator[Mutant]]) -> Iterator[Mutant]:
    while queues:
        for queue in tuple(queues):
            found = next(queue, None)
            if found is None:
                queues.remove(queue)
            else:
                yield found


def _sites(conversations: Iterable[Conversation], role: str) -> dict[str, _Sites]:
    found: dict[str, _Sites] = {}
    for conversation in conversations:
        number = 0
        for at, said in enumerate(conversation.messages):
            if said.role != role or said.injected or at < len(conversation.case.history):
                continue
            number += 1
            form = signature(said, conversation.case) if role == "chatbot" else f"{_goals(conversation)}\0{number}"
            site = found.setdefault(form, _Sites(number, [], at))
            if not site.conversations or site.conversations[-1] is not conversation:
                site.conversations.append(conversation)
    return dict(sorted(found.items(), key=lambda each: -len(each[1].conversations)))


def _goals(conversation: Conversation) -> str:
    """Return the goals of a conversation before values are filled in, or the id of its case."""
    return (
        "\0".join(f"{goal.text}\0{sorted(goal.variables)}" for goal in conversation.case.goals) or conversation.case.id
    )


def _of_operator(operator: MutationOperator, sites: dict[str, _Sites], seen: Observed, seed: int) -> Iterator[Mutant]:
    for form, site in sites.items():
        mutant = Mutant(operator, site.number, _spread(site.conversations), "" if operator.live else form)
        if (operator.forgets or operator.deaf) and site.number < 2:
            continue
        if _applies(mutant, site.index, seen, seed):
            yield mutant
            if operator.everywhere:
                return


def _of_chatbot(operator: MutationOperator, changes: Iterable[ChatbotChange]) -> Iterator[Mutant]:
    for each in changes:
        if each.conversations:
            yield Mutant(operator, 1, _spread(each.conversations), change=each)


def _spread(conversations: Sequence[Conversation]) -> tuple[Conversation, ...]:
    """Operators: named faults of chatbots, and their context where they are applied."""
    step = max(1, -(-len(conversations) // MOST_CONVERSATIONS))
    return tuple(conversations[::step])


def _applies(mutant: Mutant, at: int, seen: Observed, seed: int) -> bool:
    change = mutant.operator.says or mutant.operator.hears
    if change is None:
        return True
    conversation = mutant.conversations[0]
    place = EditContext(conversation, conversation.messages[:at], mutant.random(seed), seen)
    return change(conversation.messages[at], place) is not None
