from sparring.core.usage import Usage
from sparring.llm.client.rate_limiter import TokenEstimator
from sparring.llm.model import ChatMessage, Request, Schema, Tool

ASK = Request((ChatMessage("user", "word " * 200),))
GUESS = (1000 + 20) // 4 + 256


def usage(tokens: int) -> Usage:
    return Usage(calls=1, input_tokens=tokens)


def test_a_guess_is_a_quarter_of_what_is_sent_and_what_may_be_answered():
    assert TokenEstimator().guess(ASK) == GUESS


def test_letters_of_several_bytes_are_guessed_to_take_more():
    assert TokenEstimator().guess(Request((ChatMessage("user", "пицца" * 200),))) == (2000 + 20) // 4 + 256


def test_tools_and_the_shape_of_an_answer_are_sent_too():
    tool = Tool("order", "Order a pizza. " * 20, {"type": "object"})
    schema = Schema("score", {"type": "object", "description": "how good it was " * 20})

    guesses = [
        TokenEstimator().guess(Request(ASK.messages, (tool,))),
        TokenEstimator().guess(Request(ASK.messages, answer=schema)),
    ]

    assert all(guess > GUESS + 75 for guess in guesses)


def test_a_larger_usage_raises_the_estimate_at_once_and_it_decays_slowly():
    sizing = TokenEstimator()
    sizing.learn(ASK, usage(GUESS * 3))
    at_once = sizing.guess(ASK)
    sizing.learn(ASK, usage(GUESS))

    assert (at_once, sizing.guess(ASK)) == (GUESS * 3 + 256, GUESS * 11 // 4 + 256)


def test_an_answer_that_was_long_says_nothing_about_how_much_is_sent():
    sizing, long = TokenEstimator(), Request((ChatMessage("user", "word " * 8000),))
    sizing.learn(ASK, Usage(calls=1, input_tokens=200, output_tokens=8000))

    assert (sizing.guess(ASK), sizing.guess(long)) == (GUESS - 256 + 8000, 10_005 + 8000)


def test_overhead_of_short_requests_hardly_changes_the_estimate_of_long_ones():
    sizing, long = TokenEstimator(), Request((ChatMessage("user", "word " * 8000),))
    sizing.learn(Request((ChatMessage("user", "Hi"),)), usage(300))

    assert 10_261 < sizing.guess(long) < 30_000


def test_a_guess_is_never_less_than_the_first():
    sizing = TokenEstimator()
    for _ in range(50):
        sizing.learn(ASK, usage(10))

    assert sizing.guess(ASK) == GUESS


def test_a_call_with_unknown_usage_does_not_change_the_estimate():
    sizing = TokenEstimator()
    sizing.learn(ASK, Usage(calls=2, input_tokens=10**6, unknown_tokens=1))

    assert sizing.guess(ASK) == GUESS
