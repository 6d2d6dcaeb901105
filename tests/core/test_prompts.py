from sparring.core.prompts import Agent, Prompts, PromptVariable, ToolSchema


def version(**changes: object) -> Prompts:
    tools = (ToolSchema(name="add", parameters={"type": "object"}), ToolSchema(name="end"))
    agents = {"entry": Agent(prompt="Hello", tools=("add", "end")), "last": Agent(prompt="Bye")}
    return Prompts(name="a", entry="entry", agents=agents, tools=tools).model_copy(update=changes)


def test_the_hash_depends_on_content_and_not_on_names_or_order():
    here = version()
    turned = version(
        name="b",
        tools=here.tools[::-1],
        agents={"last": here.agents["last"], "entry": Agent(prompt="Hello", tools=("end", "add"))},
    )

    assert here.hash == turned.hash
    assert here.hash.startswith(here.short)


def test_everything_else_makes_another_version():
    here = version()
    others = [
        version(entry="last"),
        version(greeting="Hi"),
        version(handoffs_per_turn=2),
        version(variables={"x": PromptVariable()}),
        version(tools=(here.tools[0], ToolSchema(name="end", description="Hang up"))),
        version(agents={**here.agents, "last": Agent(prompt="Bye!")}),
        version(agents={**here.agents, "last": Agent(prompt="Bye", handoffs={"entry": "never"})}),
    ]

    assert len({here.hash, *(other.hash for other in others)}) == 8


def test_an_agent_of_a_chatbot_may_be_called_as_a_player_is():
    named = {"name": "a", "entry": "user", "agents": {"user": Agent(prompt="Hello")}}

    own, bundled = Prompts(**named, role="chatbot"), Prompts(**named)

    assert (own.role, bundled.role, version().role) == ("chatbot", "user", "chatbot")
    assert own.hash != bundled.hash
    assert Prompts.model_validate_json(own.model_dump_json()) == own
