"""Names and ids that are the same however often a batch is exported."""

from uuid import UUID, uuid5

from sparring.core.batch import Batch, Who

_SPARRING = UUID("b3f6a1de-6a51-5f0e-9c52-3a1f3a0f2b77")


def id_of(*parts: object) -> str:
    """An id that follows from what it names."""
    return uuid5(_SPARRING, "/".join(map(str, parts))).hex


def task_of(batch: Batch) -> str:
    """What Inspect is to call the task: the batch's name, else the one file its cases come from, else `batch`."""
    files = {case.id.partition("/")[0] for case in batch.cases}
    return batch.name or (files.pop() if len(files) == 1 else "batch")


def model_of(role: str, who: Who) -> str:
    """The model that plays a role, as Inspect writes it (`openai/gpt-4o-mini`); who plays it where it is no model."""
    named = {
        "chatbot": who.chatbot_model or who.chatbot,
        "user": who.user.removeprefix("simulated (").removesuffix(")"),
        "reader": who.reader,
        "judge": who.judge,
    }
    return named.get(role, role).replace(":", "/", 1) or role
