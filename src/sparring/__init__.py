"""Sparring: the test bench for chatbots that tells you whether to trust the result.

This is the public API. Every name is imported when it is first used, so `import sparring` loads nothing else.
"""

from importlib import import_module

from sparring.core.version import __version__ as __version__

TYPE_CHECKING = False  # `typing` would take most of the time of `import sparring`; type checkers know the name
if TYPE_CHECKING:
    from sparring.api.conversation_result import ConversationResult as ConversationResult
    from sparring.api.files import load as load
    from sparring.api.files import validate as validate
    from sparring.api.recorded import check as check
    from sparring.api.recorded import compare as compare
    from sparring.api.recorded import gate as gate
    from sparring.api.recorded import import_logs as import_logs
    from sparring.api.recorded import judge as judge
    from sparring.api.recorded import read as read
    from sparring.api.recorded import report as report
    from sparring.api.recorded import results as results
    from sparring.api.results import Results as Results
    from sparring.api.rule_functions import rule_function as rule_function
    from sparring.api.simulate import RunFinished as RunFinished
    from sparring.api.simulate import plan as plan
    from sparring.api.simulate import rerun as rerun
    from sparring.api.simulate import resume as resume
    from sparring.api.simulate import run as run
    from sparring.api.simulate import run_async as run_async
    from sparring.api.simulate import simulate as simulate
    from sparring.api.simulate import simulate_async as simulate_async
    from sparring.api.simulate import stream as stream
    from sparring.app.plan import Planned as Planned
    from sparring.chatbots.chatbot import BaseChatbot as BaseChatbot
    from sparring.chatbots.chatbot import Capabilities as Capabilities
    from sparring.chatbots.chatbot import Chatbot as Chatbot
    from sparring.chatbots.chatbot import Session as Session
    from sparring.core.batch import Batch as Batch
    from sparring.core.case import Case as Case
    from sparring.core.case import Goal as Goal
    from sparring.core.case import GoalAnswer as GoalAnswer
    from sparring.core.case import Persona as Persona
    from sparring.core.checks import Gate as Gate
    from sparring.core.checks import Rubric as Rubric
    from sparring.core.checks import Rule as Rule
    from sparring.core.conversation import Conversation as Conversation
    from sparring.core.conversation import Ending as Ending
    from sparring.core.conversation import Evidence as Evidence
    from sparring.core.errors import ChatbotError as ChatbotError
    from sparring.core.errors import ChatbotTimeout as ChatbotTimeout
    from sparring.core.errors import ConversationsFailed as ConversationsFailed
    from sparring.core.errors import InputError as InputError
    from sparring.core.errors import ModelError as ModelError
    from sparring.core.errors import Problem as Problem
    from sparring.core.errors import SparringError as SparringError
    from sparring.core.errors import SparringWarning as SparringWarning
    from sparring.core.errors import StoreError as StoreError
    from sparring.core.events import BatchFinished as BatchFinished
    from sparring.core.events import BatchStarted as BatchStarted
    from sparring.core.events import CallRetried as CallRetried
    from sparring.core.events import ConversationEnded as ConversationEnded
    from sparring.core.events import ConversationStarted as ConversationStarted
    from sparring.core.events import Event as Event
    from sparring.core.events import MessageSaid as MessageSaid
    from sparring.core.events import ModelPaused as ModelPaused
    from sparring.core.events import VerdictGiven as VerdictGiven
    from sparring.core.listing import ConversationQuery as ConversationQuery
    from sparring.core.message import Message as Message
    from sparring.core.message import ToolCall as ToolCall
    from sparring.core.message import message as message
    from sparring.core.usage import Usage as Usage
    from sparring.core.verdict import CheckOutcome as CheckOutcome
    from sparring.core.verdict import Finding as Finding
    from sparring.core.verdict import Findings as Findings
    from sparring.core.verdict import Verdict as Verdict
    from sparring.extraction.extractor import Extraction as Extraction
    from sparring.judges.judge import BaseJudge as BaseJudge
    from sparring.judges.judge import Judge as Judge
    from sparring.llm.model import ChatMessage as ChatMessage
    from sparring.llm.model import Completion as Completion
    from sparring.llm.model import Model as Model
    from sparring.llm.model import Request as Request
    from sparring.llm.plugin_context import PluginContext as PluginContext
    from sparring.reports.comparison import Comparison as Comparison
    from sparring.reports.gate import Gated as Gated
    from sparring.reports.summary import Summary as Summary
    from sparring.rules.recording import Recording as Recording
    from sparring.settings import Settings as Settings
    from sparring.store.store import Store as Store
    from sparring.users.user import BaseUser as BaseUser
    from sparring.users.user import User as User

_HOMES = {
    "sparring.api.conversation_result": ("ConversationResult",),
    "sparring.api.files": ("load", "validate"),
    "sparring.api.recorded": ("check", "compare", "gate", "import_logs", "judge", "read", "report", "results"),
    "sparring.api.results": ("Results",),
    "sparring.api.rule_functions": ("rule_function",),
    "sparring.api.simulate": (
        *("RunFinished", "plan", "rerun", "resume", "run", "run_async", "simulate", "simulate_async", "stream"),
    ),
    "sparring.app.plan": ("Planned",),
    "sparring.chatbots.chatbot": ("BaseChatbot", "Capabilities", "Chatbot", "Session"),
    "sparring.core.batch": ("Batch",),
    "sparring.core.case": ("Case", "Goal", "GoalAnswer", "Persona"),
    "sparring.core.checks": ("Gate", "Rubric", "Rule"),
    "sparring.core.conversation": ("Conversation", "Ending", "Evidence"),
    "sparring.core.errors": (
        *("ChatbotError", "ChatbotTimeout", "ConversationsFailed", "InputError", "ModelError", "Problem"),
        *("SparringError", "SparringWarning", "StoreError"),
    ),
    "sparring.core.events": (
        *("BatchFinished", "BatchStarted", "CallRetried", "ConversationEnded", "ConversationStarted", "Event"),
        *("MessageSaid", "ModelPaused", "VerdictGiven"),
    ),
    "sparring.core.listing": ("ConversationQuery",),
    "sparring.core.message": ("Message", "ToolCall", "message"),
    "sparring.core.usage": ("Usage",),
    "sparring.core.verdict": ("CheckOutcome", "Finding", "Findings", "Verdict"),
    "sparring.extraction.extractor": ("Extraction",),
    "sparring.judges.judge": ("BaseJudge", "Judge"),
    "sparring.llm.model": ("ChatMessage", "Completion", "Model", "Request"),
    "sparring.llm.plugin_context": ("PluginContext",),
    "sparring.reports.comparison": ("Comparison",),
    "sparring.reports.gate": ("Gated",),
    "sparring.reports.summary": ("Summary",),
    "sparring.rules.recording": ("Recording",),
    "sparring.settings": ("Settings",),
    "sparring.store.store": ("Store",),
    "sparring.users.user": ("BaseUser", "User"),
}
"""The module of every public name."""

_HOME = {name: module for module, names in _HOMES.items() for name in names}
_PACKAGES = ("statistics", "testing")
"""Packages that are public, too."""

__all__ = sorted(["__version__", *_HOME])


if not TYPE_CHECKING:  # or type checkers would accept every name

    def __getattr__(name):
        """Import a public name when it is first used."""
        if name in _HOME:
            value = globals()[name] = getattr(import_module(_HOME[name]), name)
            return value
        if name in _PACKAGES:
            return import_module(f"sparring.{name}")
        raise AttributeError(f"module 'sparring' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_PACKAGES})
