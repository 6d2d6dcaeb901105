import pytest

from sparring.core.case import Case, Goal, OutputSpec, Persona, Style
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError, ModelTimeout, UserStuck
from sparring.core.message import message
from sparring.llm.model import Completion, ToolRequest
from sparring.testing.scripted import ScriptedModel
from sparring.users.simulated import END, Simulated, system_prompt

CASE = Case(
    id="order/1",
    persona=Persona(
        role="You order a pizza for {{goals}}.",
        traits=("You are in a hurry.",),
        language="Spanish",
        styles=(Style(name="long phrases"), Style(name="change language", languages=("Italian", "French"))),
    ),
    goals=(Goal(text="a small pizza"), Goal(text="a coke")),
    outputs=(OutputSpec(name="price", description="the price"),),
    seed=7,
)


def test_the_prompt_says_who_it_is_what_it_wants_and_how_it_talks():
    prompt = system_prompt(CASE)

    assert all(
        words in prompt
        for words in (
            "- You are in a hurry.",
            "in Spanish.",
            "- a small pizza\n- a coke",
            "Italian, French",
        )
    )
    assert "the price" not in prompt, "the user is not told which outputs are read"


def test_cases_that_are_told_the_same_hold_it_once():
    assert system_prompt(CASE) is system_prompt(CASE.model_copy(update={"id": "order/2", "seed": 8}))


def test_what_an_author_writes_is_never_expanded_again():
    assert "You order a pizza for {{goals}}." in system_prompt(CASE)


def test_an_unknown_style_is_an_error_that_names_the_styles():
    case = Case(id="a", persona=Persona(styles=(Style(name="long phrase"),)))

    with pytest.raises(InputError, match="unknown interaction style 'long phrase'"):
        system_prompt(case)


async def test_the_model_sees_its_own_lines_as_its_own():
    model = ScriptedModel("A coke, please.")
    talk = Conversation(case=CASE, messages=(message("user", "A pizza"), message("chatbot", "Sure. A drink?")))

    said = await Simulated(model).speak(talk)

    assert said == message("user", "A coke, please.")
    assert [(line.role, line.content) for line in model.requests[0].messages[-2:]] == [
        ("assistant", "A pizza"),
        ("user", "Sure. A drink?"),
    ]


async def test_the_model_that_opens_is_told_that_it_does():
    model = ScriptedModel("Hello")

    await Simulated(model).speak(Conversation(case=CASE))

    assert [said.role for said in model.requests[0].messages] == ["system", "user"]


async def test_ending_is_a_tool_and_the_farewell_is_kept():
    model = ScriptedModel(Completion(text="Thanks, bye!", tool_requests=(ToolRequest("1", END.name, "{}"),)))

    assert await Simulated(model).speak(Conversation(case=CASE)) == message("user", "Thanks, bye!", ends=True)


async def test_leaked_thoughts_are_not_said():
    model = ScriptedModel("<think>I should order.\nNow.</think>\nA pizza, please.")

    assert await Simulated(model).speak(Conversation(case=CASE)) == message("user", "A pizza, please.")


async def test_a_model_that_says_nothing_is_asked_once_more_and_then_the_user_is_stuck():
    assert await Simulated(ScriptedModel("", "Hi")).speak(Conversation(case=CASE)) == message("user", "Hi")

    with pytest.raises(UserStuck):
        await Simulated(ScriptedModel("", "<think>hm")).speak(Conversation(case=CASE))


INVERTED = (
    "Sure! How can I help you today?",
    "I'm sorry, but I can't assist with that.",
    "I cannot comply with this.",
    "I am not able to continue with this roleplay.",
    "Is there anything else I can help you with?",
    "As an AI language model, I cannot order pizza.",
    "I'm the user simulator, so I will say: a pizza.",
    "Здравствуйте! Чем я могу вам помочь?",
    "Я языковая модель.",
    "¿En qué puedo ayudarle?",
    "Womit kann ich Ihnen helfen?",
)


@pytest.mark.parametrize("said", INVERTED)
async def test_a_model_that_takes_itself_for_the_assistant_is_asked_once_more_and_then_the_user_is_stuck(said: str):
    assert await Simulated(ScriptedModel(said, "Hi")).speak(Conversation(case=CASE)) == message("user", "Hi")

    with pytest.raises(UserStuck, match="as if it were the assistant"):
        await Simulated(ScriptedModel(said, said)).speak(Conversation(case=CASE))


async def test_a_model_that_refuses_is_asked_once_more_and_then_the_user_is_stuck():
    refusal = Completion("No, I will not say that.", refused=True)

    assert await Simulated(ScriptedModel(refusal, "Hi")).speak(Conversation(case=CASE)) == message("user", "Hi")
    with pytest.raises(UserStuck, match="the model that plays the user refused to"):
        await Simulated(ScriptedModel(refusal, refusal)).speak(Conversation(case=CASE))


@pytest.mark.parametrize(
    "said",
    [
        "Can you help me?",
        "How can you help me with my order?",
        "I can't help with that, I don't know the number.",
        "I cannot continue without a drink.",
        "Why can you not comply with that?",
        "I am here to pick up a pizza.",
        "Is there anything else I can order?",
        "Are you an AI, or a language model?",
        "My assistant will pick it up. I'm an assistant manager, and you know me as a model customer?",
        "I'm an AI researcher, and as an AI engineer I ask: is there a fashion model discount?",
        "Помогите мне, пожалуйста. Как я могу заказать?",
    ],
)
async def test_what_users_say_is_left_alone(said: str):
    assert await Simulated(ScriptedModel(said)).speak(Conversation(case=CASE)) == message("user", said)


async def test_a_model_that_fails_is_not_hidden():
    with pytest.raises(ModelTimeout):
        await Simulated(ScriptedModel(ModelTimeout("60 s"))).speak(Conversation(case=CASE))


async def test_equal_turns_ask_with_equal_seeds_and_others_with_others():
    model = ScriptedModel("a", "b", "c")
    first = Conversation(case=CASE)
    second = first.with_message(message("user", "a")).with_message(message("chatbot", "b"))

    for talk in (first, first, second):
        await Simulated(model).speak(talk)

    one, again, other = (request.seed for request in model.requests)
    assert (one == again, one == other) == (True, False)
