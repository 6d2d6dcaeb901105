"""What conversations would take of a language model, from the least to the most, before any of them is held.

Nobody knows beforehand how long messages will be, so the assumptions are stated with every estimate.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import orjson

from sparring.chatbots.prompted.chatbot import Prompted
from sparring.core.case import Case
from sparring.core.checks import Rubric
from sparring.judges.model import instructions
from sparring.llm.model import Tool
from sparring.llm.pricing import ListedPrice, Price, rate_of, unknown_price
from sparring.llm.provider_addresses import PROVIDERS
from sparring.users.simulated import END, system_prompt

SHORT, LONG = 10, 120
ROUNDS = 3
ASSUMED = (
    f"messages of {SHORT} to {LONG} tokens; from one turn to the last that the limits allow; "
    f"1 to {ROUNDS} calls a turn where a chatbot has tools"
)

_FEWEST, _MOST = 5, 2.5  # characters a token in plain English, and bytes a token in languages that take more


@dataclass(frozen=True, slots=True)
class Range:
    """From the least to the most."""

    low: float
    high: float

    def __add__(self, other: "Range") -> "Range":
        return Range(self.low + other.low, self.high + other.high)

    def __mul__(self, times: int) -> "Range":
        return Range(self.low * times, self.high * times)


NOTHING = Range(0, 0)


@dataclass(frozen=True, slots=True)
class Estimate:
    """What one role would take. Tokens that nobody can estimate, and a price that nobody knows, are None."""

    calls: Range = NOTHING
    input_tokens: Range | None = NOTHING
    output_tokens: Range | None = NOTHING

    def __add__(self, other: "Estimate") -> "Estimate":
        return Estimate(
            self.calls + other.calls,
            _sum(self.input_tokens, other.input_tokens),
            _sum(self.output_tokens, other.output_tokens),
        )

    def __mul__(self, times: int) -> "Estimate":
        return Estimate(
            self.calls * times,
            self.input_tokens and self.input_tokens * times,
            self.output_tokens and self.output_tokens * times,
        )

    def cost(self, price: Price) -> Range | None:
        """US dollars, or None where the price or the tokens are unknown."""
        if self.input_tokens is None or self.output_tokens is None:
            return None
        low = _cost(price, self.calls.low, self.input_tokens.low, self.output_tokens.low)
        high = _cost(price, self.calls.high, self.input_tokens.high, self.output_tokens.high)
        return None if low is None or high is None else Range(low, high)


WISH = Estimate(Range(1, 1), Range(100, 400), Range(SHORT, 4 * LONG))
"""What it takes to make up the values of one `any(...)`."""


def user_takes(cases: Iterable[Case]) -> Estimate:
    """What a model takes that plays the user in each of these cases once; a case with a script needs none."""
    return sum((_user(case) for case in cases if not case.script), Estimate())


def chatbot_takes(cases: Iterable[Case], chatbot: object) -> Estimate:
    """What a chatbot takes of its model in each of these cases once."""
    return sum((_chatbot(case, chatbot) for case in cases), Estimate())


def judge_takes(asked: Iterable[tuple[Case, Rubric]]) -> Estimate:
    """What a model takes that judges each of these cases by this rubric once, if all its answers hold."""
    return sum((_judge(case, rubric) for case, rubric in asked), Estimate())


def turns(case: Case) -> Range:
    """How often the user may speak."""
    if case.script:
        return Range(1, max(1, min(len(case.lines), case.limits.turns)))
    return Range(1, case.limits.steps or case.limits.turns)


def price_of(model: str, prices: Mapping[str, Price]) -> Price:
    """The price of a model by its name: one of one's own `prices`, or what the list knows."""
    if own := rate_of(prices, model):
        return own
    kind, _, name = model.partition(":")
    provider = PROVIDERS.get(kind)
    return ListedPrice(kind, name) if provider is not None and provider.priced else unknown_price


def _user(case: Case) -> Estimate:
    spoken = turns(case)
    told = _tokens(system_prompt(case), (END,))
    return _talk(case, spoken, told, calls_a_turn=1)


def _chatbot(case: Case, chatbot: object) -> Estimate:
    spoken = turns(case)
    if not isinstance(chatbot, Prompted):
        return Estimate(Range(spoken.low, spoken.high), None, None)
    tools = chatbot.toolbox.tools
    rounds = min(ROUNDS, chatbot.rounds + 1) if tools else 1
    return _talk(case, spoken, _tokens(chatbot.prompt.text, tools), calls_a_turn=rounds)


def _judge(case: Case, rubric: Rubric) -> Estimate:
    told, spoken = _tokens(instructions(rubric, ""), ()), turns(case)
    low, high = len(case.history) + 2 * spoken.low, len(case.history) + 2 * spoken.high
    return Estimate(Range(1, 1), Range(told.low + low * SHORT, told.high + high * LONG), Range(SHORT, 4 * LONG))


def _talk(case: Case, spoken: Range, told: Range, *, calls_a_turn: int) -> Estimate:
    """What it takes to be told so much, and everything that was said until then, in every call."""
    past = len(case.history)
    calls = Range(spoken.low, spoken.high * calls_a_turn)
    return Estimate(
        calls,
        Range(
            _heard(calls.low, told.low + past * SHORT, SHORT),
            _heard(calls.high, told.high + past * LONG, LONG),
        ),
        Range(calls.low * SHORT, calls.high * LONG),
    )


def _heard(calls: float, told: float, message: int) -> float:
    """Tokens in, when each call hears two messages more than the one before it, and the first hears one."""
    return calls * (told + message) + calls * (calls - 1) * message


def _tokens(text: str, tools: Iterable[Tool]) -> Range:
    described = [f"{tool.name} {tool.description} {orjson.dumps(dict(tool.parameters)).decode()}" for tool in tools]
    whole = "\n".join([text, *described])
    return Range(len(whole) // _FEWEST, len(whole.encode()) // _MOST)


def _cost(price: Price, calls: float, input_tokens: float, output_tokens: float) -> float | None:
    """So many calls of the same size: prices may depend on how much one call is told."""
    if not calls:
        return 0.0
    each = price(round(input_tokens / calls), round(output_tokens / calls), 0)
    return None if each is None else each * calls


def _sum(one: Range | None, other: Range | None) -> Range | None:
    return None if one is None or other is None else one + other
