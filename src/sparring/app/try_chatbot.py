"""`sparring try`: look for ordinary bugs in a chatbot, and write a scenario for each that is found."""

import asyncio
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import yaml

from sparring.app.config import AppConfig
from sparring.app.wiring import OFFLINE, connect, plugin_context, user_model
from sparring.chatbots.chatbot import Chatbot
from sparring.core.case import Case, Limits, Say
from sparring.core.conversation import Conversation, Ending
from sparring.core.text import visible
from sparring.extraction.pattern_extractor import PatternReader
from sparring.judges.builtin import built_in_failures
from sparring.llm.plugin_context import PluginContext
from sparring.probes.battery import BATTERY, MOST_TURNS, Notes, Probe, ProbeUser
from sparring.probes.checks import Found, find
from sparring.probes.walker import lines_of
from sparring.simulation.simulate import simulate
from sparring.users.scripted import Scripted

REPLAYS = 2
"""Times that the same words are said again for each finding."""

_AT_ONCE = 4
_SECONDS = 30
_ABILITY = re.compile(
    r"\bI (?:can|could|am able to|'m able to)(?: also)? (?:help you (?:to |with )?)?(?P<what>[^.?!\n]{3,60})",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Tried:
    """One finding: what it is, in which probe, and in how many of the replays it was seen again."""

    found: Found
    probe: Probe
    conversation: Conversation
    again: int
    replays: int = REPLAYS
    others: int = 0
    """Number of other probes that saw the same."""
    fails: bool = True
    """True if the scenario for it failed in all replays."""

    @property
    def certain(self) -> bool:
        """True if the finding is certain, and every replay showed it and failed its scenario."""
        return self.found.certain and self.again == self.replays and self.fails


@dataclass
class TryResult:
    """What the battery found, and what could not be tried, by the name of the probe with the reason.

    `unreachable` is the error if no conversation got a reply.
    """

    tried: list[Tried] = field(default_factory=list)
    missed: dict[str, str] = field(default_factory=dict)
    probes: int = 0
    conversations: int = 0
    messages: int = 0
    unreachable: str = ""

    @property
    def certain(self) -> list[Tried]:
        """Findings that are certain."""
        return [each for each in self.tried if each.certain]

    @property
    def doubtful(self) -> list[Tried]:
        """Findings to look at."""
        return [each for each in self.tried if not each.certain]


async def try_chatbot(name: str, config: AppConfig, *, about: Sequence[str] = ()) -> TryResult:
    """Play the battery against a chatbot, and play each finding again with the same words."""
    from sparring.llm.client.http_transport import HttpTransport  # heavy

    played_by = config.players.chatbot_model or config.players.model
    as_user = config.with_players(user=played_by, model="")
    async with HttpTransport() as connections, user_model(as_user) as model:
        offline = frozenset({"chatbot"} if played_by == OFFLINE else ())
        context: PluginContext = plugin_context(
            config, connections, models={"chatbot": model} if model else {}, offline=offline
        )
        return await Trial(connect(name, context), about).run()


class Trial:
    """One chatbot and the battery that is played against it."""

    def __init__(self, chatbot: Chatbot, about: Sequence[str] = ()) -> None:
        self._chatbot = chatbot
        self._about = list(about)
        self._language = "en"
        self._result = TryResult(probes=len(BATTERY))
        self._slots = asyncio.Semaphore(_AT_ONCE)

    async def run(self) -> TryResult:
        """Play the battery, and each finding again."""
        first, user = await self._play(BATTERY[0])
        if _is_silent(first) and _is_silent((await self._play(BATTERY[0]))[0]):
            self._result.unreachable = first.error or "it does not reply"
            return self._result
        self._language = user.walker.language
        if not self._about:
            self._about = await self._abilities(first)
            if self._about:
                first, user = await self._play(BATTERY[0])
        played = [(BATTERY[0], first, user.notes)]
        async with asyncio.TaskGroup() as group:
            tasks = [(probe, group.create_task(self._play(probe))) for probe in BATTERY[1:]]
        played += [(probe, task.result()[0], task.result()[1].notes) for probe, task in tasks]
        self._result.missed = {probe.name: notes.missed for probe, _, notes in played if notes.missed}
        await self._confirm(_first_of_each(played))
        return self._result

    async def _play(self, probe: Probe) -> tuple[Conversation, ProbeUser]:
        user = ProbeUser(probe, self._wishes(), self._language)
        case = Case(id=f"try/{probe.name}", limits=_LIMITS)
        async with self._slots:
            conversation = await simulate(case, user, self._chatbot, reader=PatternReader())
        return self._counted(conversation), user

    async def _say(self, lines: Sequence[str]) -> Conversation:
        case = Case(id="try/again", script=tuple(Say(text=line) for line in lines), limits=_LIMITS)
        async with self._slots:
            return self._counted(await simulate(case, Scripted(), self._chatbot, reader=PatternReader()))

    def _counted(self, conversation: Conversation) -> Conversation:
        self._result.conversations += 1
        self._result.messages += conversation.turns
        return conversation

    def _wishes(self) -> list[str]:
        lines = lines_of(self._language)
        return [lines["wish"].format(about=each) for each in self._about] or [lines["order"]]

    async def _abilities(self, first: Conversation) -> list[str]:
        """Return what the chatbot says that it can do, when it is asked or in its first conversation."""
        asked = await self._say([lines_of(self._language)["abilities"]])
        said = "\n".join(each.text for each in (*asked.messages, *first.messages) if each.role == "chatbot")
        found = _ABILITY.search(said)
        if found is None:
            return []
        return [wish] if (wish := _wish(found["what"])) else []

    async def _confirm(self, found: Iterable[tuple[Probe, Conversation, Notes, Found, int]]) -> None:
        for probe, conversation, notes, each, others in found:
            lines = [said.text for said in conversation.messages if said.role == "user"][: each.turn]
            again = [await self._say(lines) for _ in range(REPLAYS)]
            seen = sum(_has(each.kind, replay, notes) for replay in again)
            fails = all(each.shows_in(replay) for replay in again)
            self._result.tried.append(Tried(each, probe, conversation, seen, others=others, fails=fails))
        self._result.tried.sort(key=lambda tried: not tried.certain)


_LIMITS = Limits(turns=MOST_TURNS + 6, reply_seconds=_SECONDS)


_AS_WISHED = (
    (r"^(?:take|process|handle) (?:your |an? |the )?orders?(?: for)?", "order"),
    (r"^answer (?:your |any )?questions? (?:about|on)", "ask about"),
    (r"^(?:help|assist)(?: you)? with", "get help with"),
    (r" for you\b", ""),
    (r"\byour\b", "my"),
    (r"\byou\b", "me"),
)


def _wish(ability: str) -> str:
    """Return what a user wishes of a chatbot that says what it can do: "take your order" becomes "order"."""
    wish = re.split(r",| or | and ", ability)[0].strip()
    for pattern, instead in _AS_WISHED:
        wish = re.sub(pattern, instead, wish, flags=re.IGNORECASE)
    words = wish.split()
    return wish if words and words[0].isalpha() and len(words) > 1 else ""


def _is_silent(conversation: Conversation) -> bool:
    """Return True if the chatbot broke before its first reply."""
    replied = any(each.role == "chatbot" for each in conversation.messages)
    return not replied and conversation.ending is Ending.CHATBOT_FAILED


def _has(kind: str, conversation: Conversation, notes: Notes) -> bool:
    return any(each.kind == kind for each in _findings(conversation, notes))


def _findings(conversation: Conversation, notes: Notes) -> list[Found]:
    built_in = [verdict for _, verdict in built_in_failures(conversation, trial=True)]
    return find(conversation, notes, built_in)


def _first_of_each(
    played: Sequence[tuple[Probe, Conversation, Notes]],
) -> Iterator[tuple[Probe, Conversation, Notes, Found, int]]:
    """Yield the first finding of each kind and title, with the number of other probes that saw it."""
    seen: dict[str, list[tuple[Probe, Conversation, Notes, Found]]] = {}
    for probe, conversation, notes in played:
        for each in _findings(conversation, notes):
            key = each.title if each.kind in ("crash", "silence") else each.kind
            seen.setdefault(key, []).append((probe, conversation, notes, each))
    for found in seen.values():
        best = min(found, key=lambda each: (not each[3].certain, each[3].turn))
        yield (*best, len({each[0].name for each in found}) - 1)


def scenario(tried: Tried) -> str:
    """Return a playbook that fails as long as the bug is there."""
    found, turn = tried.found, tried.found.turn
    lines = [said.text for said in tried.conversation.messages if said.role == "user"][:turn]
    steps: list[dict[str, object]] = [{"user": line} for line in lines]
    if found.wanted:
        steps.append({"expect_bot_regex": found.wanted})
    elif found.unwanted:
        steps.append({"expect_bot_regex": {"pattern": found.unwanted, "not": True}})
    else:  # a crash fails by itself
        steps.append({"expect_bot_regex": {"pattern": "Traceback|Internal Server Error", "not": True}})
    case = {"id": f"{tried.probe.name}-{found.kind}", "tags": ["found"], "steps": steps}
    quotes = "".join(f"#   turn {at}: {visible(' '.join(quote.split()))}\n" for at, quote in found.quotes if quote)
    head = f"# {visible(found.title)}\n{quotes}"
    return head + yaml.safe_dump({"cases": [case]}, sort_keys=False, allow_unicode=True, width=10_000)
