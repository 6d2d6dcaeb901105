"""Estimates of model calls, tokens and cost before a run, as ranges."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import orjson

from sparring.chatbots.chatbot import Chatbot
from sparring.chatbots.prompted.chatbot import Prompted
from sparring.core.case import Case
from sparring.core.checks import Rubric
from sparring.core.prompts import Prompts, ToolSchema
from sparring.extraction.model_extractor import reading_instructions
from sparring.judges.model import instructions
from sparring.llm.model import Tool
from sparring.llm.pricing import ListedPrice, Price, rate_of, unknown_price
from sparring.llm.provider_addresses import PROVIDERS
from sparring.users.simulated_prompt import END, PROMPT, system_prompt

SHORT, LONG = 10, 120
ROUNDS = 3
ASSUMED = (
    f"messages of {SHORT} to {LONG} tokens; from one turn to the last that the limits allow; "
    f"1 to {ROUNDS} calls a turn where a chatbot has tools"
)

ASSUMED_RATES = "pass rate 80 %, intraclass correlation 0.3"
"""Assumed pass rate and spread between cases in `sizes_for`."""

_OFTEN = (1, 5, 20)

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
    """The estimate of one role. Unknown tokens and unknown prices are None."""

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
        """Cost in US dollars; None if the price or the tokens are unknown."""
        if self.input_tokens is None or self.output_tokens is None:
            return None
        low = _cost(price, self.calls.low, self.input_tokens.low, self.output_tokens.low)
        high = _cost(price, self.calls.high, self.input_tokens.high, self.output_tokens.high)
        return None if low is None or high is None else Range(low, high)


WISH = Estimate(Range(1, 1), Range(100, 400), Range(SHORT, 4 * LONG))
"""The calls and tokens for the values of one `any(...)`."""


def user_takes(cases: Iterable[Case], prompt: str = PROMPT) -> Estimate:
    """Return the estimate of the simulated user for each case once; a case with a script needs no model."""
    return sum((_user(case, prompt) for case in cases if not case.script), Estimate())


def chatbot_takes(cases: Iterable[Case], chatbot: Chatbot | None) -> Estimate:
    """Return the estimate of the model of the chatbot for each case once."""
    return sum((_chatbot(case, chatbot) for case in cases), Estimate())


def judge_takes(asked: Iterable[tuple[Case, Rubric]]) -> Estimate:
    """Return the estimate of a model judge for each case and rubric once, if all its answers are valid."""
    return sum((_judge(case, rubric) for case, rubric in asked), Estimate())


def reader_takes(cases: Iterable[Case], *, each_turn: bool) -> Estimate:
    """Return the estimate of a model reader for each case once; a case with nothing to extract needs none.

    It reads once at the end, or after `each_turn` if the user or the case depends on answered goals.
    """
    return sum((_reader(case, each_turn) for case in cases if case.goals or case.outputs), Estimate())


def turns(case: Case) -> Range:
    """Return the range of user turns."""
    if case.script:
        return Range(1, max(1, min(len(case.lines), case.limits.turns)))
    return Range(1, case.limits.steps or case.limits.turns)


def price_of(model: str, prices: Mapping[str, Price]) -> Price:
    """Return the price of a model from `prices`, or else from the price list."""
    if own := rate_of(prices, model):
        return own
    kind, _, name = model.partition(":")
    provider = PROVIDERS.get(kind)
    return ListedPrice(kind, name) if provider is not None and provider.priced else unknown_price


def sizes_for(fall: float, cases: int) -> list[tuple[int, int]]:
    """Return numbers of cases and repeats that detect a fall, each with the fewest conversations.

    The first has these cases with more repeats, the others more cases with few repeats.
    """
    from sparring.statistics.sizes import detectable, fewest  # numpy takes longer than a short command

    sizes = [(cases, fewest(lambda repeats: detectable(cases, repeats) <= fall))]
    sizes += [(fewest(lambda number: detectable(number, often) <= fall), often) for often in _OFTEN]  # noqa: B023
    return list(dict.fromkeys(sizes))


def _user(case: Case, prompt: str) -> Estimate:
    spoken = turns(case)
    prompt_tokens = _tokens(system_prompt(case, prompt), (END,))
    return _talk(case, spoken, prompt_tokens, calls_a_turn=1)


def _chatbot(case: Case, chatbot: Chatbot | None) -> Estimate:
    spoken = turns(case)
    if not isinstance(chatbot, Prompted):
        sizes = [
            _agent_tokens(prompts, id)
            for prompts in (chatbot.capabilities.prompts if chatbot is not None else ())
            for id in prompts.agents
        ]
        if not sizes:
            return Estimate(Range(spoken.low, spoken.high), None, None)
        size = Range(min(each.low for each in sizes), max(each.high for each in sizes))
        return _talk(case, spoken, size, calls_a_turn=ROUNDS)
    tools = chatbot.toolbox.tools
    rounds = min(ROUNDS, chatbot.rounds + 1) if tools else 1
    return _talk(case, spoken, _tokens(chatbot.prompt.text, tools), calls_a_turn=rounds)


def _agent_tokens(prompts: Prompts, id: str) -> Range:
    agent = prompts.agents[id]
    return _tokens(agent.prompt, [tool for tool in prompts.tools if tool.name in agent.tools])


def _reader(case: Case, each_turn: bool) -> Estimate:
    spoken, prompt_tokens = turns(case), _tokens(reading_instructions(case), ())
    ends = case.ends == "goals" and not case.script and case.limits.steps is None
    if each_turn or ends or any(expected.after is not None for expected in case.expectations):
        return _talk(case, spoken, prompt_tokens, calls_a_turn=1)
    return _at_the_end(case, prompt_tokens)


def _judge(case: Case, rubric: Rubric) -> Estimate:
    return _at_the_end(case, _tokens(instructions(rubric, ""), ()))


def _at_the_end(case: Case, prompt_tokens: Range) -> Estimate:
    """Return the tokens of a prompt of this size, sent once with the whole transcript."""
    spoken, past = turns(case), len(case.history)
    low, high = past + 2 * spoken.low, past + 2 * spoken.high
    return Estimate(
        Range(1, 1), Range(prompt_tokens.low + low * SHORT, prompt_tokens.high + high * LONG), Range(SHORT, 4 * LONG)
    )


def _talk(case: Case, spoken: Range, prompt_tokens: Range, *, calls_a_turn: int) -> Estimate:
    """Return the tokens of a prompt of this size, sent with the transcript so far in every call."""
    past = len(case.history)
    calls = Range(spoken.low, spoken.high * calls_a_turn)
    return Estimate(
        calls,
        Range(
            _input_tokens(calls.low, prompt_tokens.low + past * SHORT, SHORT),
            _input_tokens(calls.high, prompt_tokens.high + past * LONG, LONG),
        ),
        Range(calls.low * SHORT, calls.high * LONG),
    )


def _input_tokens(calls: float, prompt_tokens: float, message: int) -> float:
    """Input tokens if the first call contains one message, and each other one two more than the last."""
    return calls * (prompt_tokens + message) + calls * (calls - 1) * message


def _tokens(text: str, tools: Iterable[Tool | ToolSchema]) -> Range:
    described = [f"{tool.name} {tool.description} {orjson.dumps(dict(tool.parameters)).decode()}" for tool in tools]
    whole = "\n".join([text, *described])
    return Range(len(whole) // _FEWEST, len(whole.encode()) // _MOST)


def _cost(price: Price, calls: float, input_tokens: float, output_tokens: float) -> float | None:
    """Return the cost of this many equal calls. Prices may depend on the size of a call."""
    if not calls:
        return 0.0
    each = price(round(input_tokens / calls), round(output_tokens / calls), 0)
    return None if each is None else each * calls


def _sum(one: Range | None, other: Range | None) -> Range | None:
    return None if one is None or other is None else one + other
