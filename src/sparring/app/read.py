"""Reading goals and outputs of conversation files, without storing or judging anything."""

from collections.abc import AsyncIterator, Iterable

from sparring.app.config import AppConfig
from sparring.app.wiring import reader_alone
from sparring.core.conversation import Conversation
from sparring.extraction.extractor import Extraction


async def read_conversations(
    conversations: Iterable[Conversation], config: AppConfig
) -> AsyncIterator[tuple[str, Extraction]]:
    """Yield the id of each conversation with the extraction by the reader of `config`."""
    async with reader_alone(config.players.reader, config) as reader:
        for conversation in conversations:
            yield conversation.id, await reader.read(conversation)
