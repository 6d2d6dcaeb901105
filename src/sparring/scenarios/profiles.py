"""SENSEI's user profiles.

Both published formats are accepted: sections (`user`, `chatbot`, `conversation`), and the older flat one. In the flat
format `is_starter` is True if the *user* starts, in the newer one if the *chatbot* does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Literal

from sparring.core.case import Case, Persona
from sparring.parsing import Document
from sparring.scenarios.changes_of_mind import with_changes
from sparring.scenarios.conversation_settings import GOAL_STYLE, NUMBER, GoalStyle, check_number, goal_style, number
from sparring.scenarios.expansion import Expansion, LoadOptions, Share, expand
from sparring.scenarios.field_reader import FieldReader, ProblemList
from sparring.scenarios.field_types import (
    AMOUNT,
    ANYTHING,
    NOTHING,
    TEXT,
    TEXTS,
    AnyOf,
    Key,
    ListOf,
    OneOf,
    Plain,
    Record,
    Shared,
    schema_of_file,
)
from sparring.scenarios.file_names import stem
from sparring.scenarios.goals import OUTPUTS, PROFILE_GOALS, Goals, asking_goals, goals, outputs
from sparring.scenarios.kinds import ScenarioKind, SourceDocument
from sparring.scenarios.personas import (
    CONTEXT,
    INTERACTION_STYLES,
    LANGUAGES,
    Personality,
    Styles,
    conjunction,
    context,
    styles,
)
from sparring.scenarios.placeholders import check_placeholders
from sparring.scenarios.role_facts import ROLE_FACTS, RoleFacts, role_facts
from sparring.scenarios.variable_data import VariableSpec
from sparring.scenarios.variables import Variable, choices

_TEXT_FORMAT = OneOf(("text",))
_FORMAT = Record({"type": Key(_TEXT_FORMAT), "config": Key(ANYTHING)})
_LLM = Record(
    {
        "model": Key(TEXT, "the model that plays the user, where nothing else chooses one"),
        "temperature": Key(AMOUNT),
        "format": Key(_FORMAT),
        "model_prov": Key(TEXT, "whose model it is"),
    }
)
_USER = Record(
    {
        "language": Key(Plain(("string", "null")), "what the user speaks"),
        "role": Key(TEXT, "who the user is", required=True),
        "context": Key(CONTEXT),
        "goals": Key(
            PROFILE_GOALS, "phrases, and between them the variables that they use", required=True, also=("ask_about",)
        ),
        **ROLE_FACTS.keys,
    }
)
_CHATBOT = Record(
    {
        "is_starter": Key(
            Plain(("boolean", "string")),
            "true if the chatbot speaks first; in the flat format, if the user does",
            also=("isstarter",),
        ),
        "fallback": Key(AnyOf((TEXTS, NOTHING)), "what the chatbot says when it does not understand"),
        "output": Key(AnyOf((*OUTPUTS, NOTHING)), "values to read out of what the chatbot says"),
    }
)
_CONVERSATION = Record(
    {
        "number": NUMBER,
        "goal_style": Key(GOAL_STYLE, "when it is over"),
        "interaction_style": Key(INTERACTION_STYLES),
        "max_cost": Key(AMOUNT),
    }
)
_ONE = Shared("conversation", lambda: _CONVERSATION)
_CONVERSATIONS = Shared("conversations", lambda: AnyOf((_ONE, ListOf(_ONE))))
_TOP = Record(
    {
        "test_name": Key(TEXT, "a name, for people"),
        "llm": Key(Shared("llm", lambda: AnyOf((_LLM, NOTHING)))),
        "conversation": Key(_CONVERSATIONS, also=("conversations",)),
    }
)
_SECTIONS = _TOP | Record(
    {
        "user": Key(Shared("user", lambda: _USER), required=True),
        "chatbot": Key(Shared("chatbot", lambda: _CHATBOT)),
    }
)
_FLAT = _TOP | Record({"temperature": Key(AMOUNT)}) | _USER | _CHATBOT


@dataclass(frozen=True, slots=True)
class _Profile:
    """A parsed profile, with everything that its conversations share."""

    shared: Case
    goals: Goals
    number: int | Share
    goal_style: GoalStyle
    styles: Styles
    facts: RoleFacts


_OWN_KEYS = frozenset({"chatbot", "role", "ask_about", "fallback"})
_TOP_KEYS = frozenset({"test_name", "llm", "conversation", "user"})
_USER_KEYS = frozenset({"goals", "context"})
_PERSON_KEYS = frozenset({"personality", "traits", "styles"})


def recognises(document: SourceDocument) -> bool:
    """Return True if a document is a profile: it has a key of either published format.

    A scenario file has a `user`, too, who may have traits and styles; if its `goals` are misspelt, it stays one.
    """
    data = document.data if isinstance(document, Document) else None
    if not isinstance(data, dict) or not data.keys().isdisjoint(_OWN_KEYS):
        return isinstance(data, dict)
    user = data.get("user")
    if not isinstance(user, dict) or not user.keys().isdisjoint(_PERSON_KEYS):
        return False
    return data.keys() <= _TOP_KEYS or not user.keys().isdisjoint(_USER_KEYS)


def cases(document: SourceDocument, options: LoadOptions) -> Expansion:
    """Return the conversations of a profile; raise an `InputError` with all problems."""
    root = FieldReader(document.data, document, ProblemList())
    fields = _fields(root)
    profile = _profile(Path(document.file), fields, options)
    model, temperature = _model(fields)
    max_cost = fields["max_cost"].positive() if "max_cost" in fields else None
    root.problems.require_none()
    return Expansion(_expanded(profile, options), model, temperature, max_cost)


def _fields(root: FieldReader) -> dict[str, FieldReader]:
    """Return all fields of a profile by name, from either format."""
    if isinstance(root.data, dict) and "user" not in root.data and "chatbot" not in root.data:
        return _flat(root)
    top = root.fields(_SECTIONS)
    fields = dict(top)
    if "user" in top:
        fields |= top["user"].fields(_USER)
    if "chatbot" in top:
        fields |= top["chatbot"].fields(_CHATBOT)
    return fields | _conversation(top)


def _flat(root: FieldReader) -> dict[str, FieldReader]:
    fields = root.fields(_FLAT)
    if "is_starter" in fields:
        fields["user_starts"] = fields.pop("is_starter")
    return fields | _conversation(fields)


def _conversation(fields: Mapping[str, FieldReader]) -> dict[str, FieldReader]:
    return fields["conversation"].fields(_CONVERSATION) if "conversation" in fields else {}


def _profile(file: Path, fields: Mapping[str, FieldReader], options: LoadOptions) -> _Profile:
    id = stem(file)
    given = VariableSpec(f"{options.seed}/{id}", options.today, file, options.outside)
    wanted = goals(fields["goals"], given) if "goals" in fields else Goals((), ())
    wanted_number = number(fields["number"]) if "number" in fields else 1
    if "goals" in fields:
        check_number(wanted_number, wanted.variables, fields.get("number", fields["goals"]))
    known = role_facts({name: (part,) for name, part in fields.items()}, [each.name for each in wanted.variables])
    check_placeholders(known.phrases, [each.name for each in wanted.variables])
    style = goal_style(fields["goal_style"], options.limits) if "goal_style" in fields else GoalStyle(options.limits)
    return _Profile(
        shared=_shared(id, file, fields, options),
        goals=wanted,
        number=wanted_number,
        goal_style=style,
        styles=styles(fields["interaction_style"]) if "interaction_style" in fields else Styles(),
        facts=known,
    )


def _shared(id: str, file: Path, fields: Mapping[str, FieldReader], options: LoadOptions) -> Case:
    return Case(
        id=id,
        persona=_persona(file, fields),
        outputs=outputs(fields["output"]) if "output" in fields else (),
        fallbacks=tuple(text for text in fields["fallback"].texts() if text) if "fallback" in fields else (),
        starts=_starts(fields),
        tags=(fields["test_name"].text(),) if "test_name" in fields else (),
        seed=options.seed,
    )


def _persona(file: Path, fields: Mapping[str, FieldReader]) -> Persona:
    known = context(fields["context"], file) if "context" in fields else Personality("default", ())
    return Persona(
        name=known.name,
        role=fields["role"].text() if "role" in fields else "",
        traits=known.traits,
        language=(fields["language"].one_of(LANGUAGES) if "language" in fields else "") or "English",
    )


def _starts(fields: Mapping[str, FieldReader]) -> Literal["user", "chatbot", "either"]:
    if "user_starts" in fields:
        return "user" if fields["user_starts"].boolean() else "chatbot"
    if "is_starter" in fields:
        return "chatbot" if fields["is_starter"].boolean() else "user"
    return "either"


def _model(fields: Mapping[str, FieldReader]) -> tuple[str, float | None]:
    llm = fields["llm"].fields(_LLM) if "llm" in fields else {}
    kind = llm["format"].fields(_FORMAT) if "format" in llm else {}
    if "type" in kind:
        kind["type"].one_of(_TEXT_FORMAT)
    warmth = llm.get("temperature", fields.get("temperature"))
    provider = llm["model_prov"].text() if "model_prov" in llm else "openai"
    model = llm["model"].text() if "model" in llm else ""
    return f"{provider}:{model}" if model else "", warmth.number() if warmth else None


def _expanded(profile: _Profile, options: LoadOptions) -> tuple[Case, ...]:
    rows = expand(profile.goals.variables, profile.number, seed=f"{options.seed}/{profile.shared.id}")
    word = conjunction(profile.shared.persona.language)
    listed = _listed(profile.goals.variables)
    cases = (
        profile.shared.model_copy(
            update={
                "id": f"{profile.shared.id}/{index}",
                "persona": profile.shared.persona.model_copy(
                    update={"styles": profile.styles.pick(_random(profile, options, "styles", index))}
                ),
                "goals": (*profile.goals.filled(row, conjunction=word), *asking_goals(profile.shared.outputs)),
                "variables": row,
                "choices": choices(profile.goals.variables),
                "listed": listed,
                "limits": profile.goal_style.pick(_random(profile, options, "steps", index)),
            }
        )
        for index, row in enumerate(rows, 1)
    )
    return tuple(with_changes(profile.facts.added(case), profile.goals.variables) for case in cases)


def _listed(variables: Sequence[Variable]) -> tuple[str, ...]:
    """Return the variables that SENSEI's files hold as a list of one value: those without nesting."""
    masters = {each.function.argument for each in variables if each.function.name == "forward"}
    return tuple(each.name for each in variables if each.name not in masters and not _is_nested_or_several(each))


def _is_nested_or_several(variable: Variable) -> bool:
    return bool(variable.function.argument) and variable.function.name != "covering"


def _random(profile: _Profile, options: LoadOptions, purpose: str, index: int) -> Random:
    return Random(f"{options.seed}/{profile.shared.id}/{purpose}/{index}")


KIND = ScenarioKind(
    label="profile",
    schema=lambda: schema_of_file(
        "A user profile in SENSEI's format, with sections or flat", AnyOf((_SECTIONS, _FLAT))
    ),
    signature="a user with goals",
    precedence=30,
    keys=_OWN_KEYS,
    recognises=recognises,
    cases=cases,
)
"""The plug-in `profile`."""
