"""Playbooks: scripted conversations with expectations between their steps.

A file holds one case (`steps`), or several (`cases`, or a list of cases). Keys beside `cases` apply to all of them. A
key of a case replaces a common one; variables and tags are merged.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import re2

from sparring.core.case import Case, InjectReply, InjectTool, Limits, Say, Step
from sparring.core.checks import Expectation
from sparring.core.state import shown
from sparring.core.value import Json
from sparring.extraction.stated_answers import FLAGS
from sparring.parsing import Document
from sparring.parsing.regex import pattern_problem
from sparring.scenarios.conversation_settings import FAULTS, LIMITS, fault_phrases, filled_faults, limits, tool_faults
from sparring.scenarios.effects import EFFECTS, SETUP, effect_phrases, effects, filled_actions, setup
from sparring.scenarios.expansion import Expansion, LoadOptions
from sparring.scenarios.expectations import is_sound, rule_at
from sparring.scenarios.field_reader import MAX_CASES, FieldReader, ProblemList
from sparring.scenarios.field_types import (
    MAPPING,
    RIGHT,
    SEED,
    TAGS,
    TEXT,
    AnyOf,
    Key,
    ListOf,
    Record,
    Shared,
    schema_of_file,
)
from sparring.scenarios.file_names import slug, stem
from sparring.scenarios.kinds import ScenarioKind, SourceDocument
from sparring.scenarios.placeholders import check_placeholders, fill, fill_json, texts, to_json
from sparring.scenarios.role_facts import ROLE_FACTS, role_facts
from sparring.scenarios.script_steps import HISTORY, MODE, SINCE, STEP_KINDS, STEPS, TIMES, history

CHECK = "playbook"
_LONGEST = 120


@dataclass
class Steps:
    """The steps of a case read so far; `number` is the current one, counted from 1."""

    values: Mapping[str, Json]
    about: str = ""
    script: list[Step] = field(default_factory=list)
    expectations: list[Expectation] = field(default_factory=list)
    number: int = 0
    of_end: FieldReader | None = None

    def read(self, part: FieldReader) -> None:
        """Parse one step, or report a problem."""
        self.number += 1
        kinds = [kind for kind in STEPS if isinstance(part.data, dict) and kind in part.data]
        if len(kinds) != 1:
            one = f"a step is one of {', '.join(STEPS)}"
            part.report(one, "write one step for each" if kinds else _meant(part))
            return
        if kinds[0].startswith("expect") and not self.script:
            part.report("no message precedes this expectation")
        if kinds[0] in EFFECTS.keys:
            self._effects(part)
            return
        if self.of_end and not kinds[0].startswith("expect"):
            self.of_end.report("the state is read at the end", "put this expectation behind the last message")
        options = _options(part, kinds[0])
        check_placeholders([text for each in options.values() for text in texts(each)], list(self.values))
        {
            "user": self._user,
            "inject_bot_response": self._reply,
            "inject_tool": self._tool,
            "expect_tool": self._expect_tool,
            "expect_bot_regex": self._expect_regex,
        }[kinds[0]](part, options)

    def _effects(self, part: FieldReader) -> None:
        fields = part.fields(EFFECTS)
        check_placeholders(effect_phrases(fields), list(self.values))
        for effect in effects(fields):
            about = {"name": f"step {self.number}", "about": self.about, "check": CHECK}
            self.expectations.append(effect.expectation(self._filled, after=len(self.script) or None, **about))
            if effect.at_end:
                self.of_end = part

    def _user(self, part: FieldReader, options: Mapping[str, FieldReader]) -> None:
        if "text" in options:
            self.script.append(Say(text=self._said(options["text"].text())))

    def _reply(self, part: FieldReader, options: Mapping[str, FieldReader]) -> None:
        if "text" in options:
            ends = options["ends"].boolean() if "ends" in options else False
            self.script.append(InjectReply(text=self._said(options["text"].text()), ends=ends))

    def _tool(self, part: FieldReader, options: Mapping[str, FieldReader]) -> None:
        mode = options["mode"].one_of(MODE) if "mode" in options else "history"
        if "name" in options and (name := options["name"].text()):
            result = self._filled(to_json(options["result"].data)) if "result" in options else None
            stub = InjectTool(name=name, arguments=self._args(options), result=result)
            self.script.append(stub.model_copy(update={"mode": mode or "history"}))

    def _expect_tool(self, part: FieldReader, options: Mapping[str, FieldReader]) -> None:
        never = options["not"].boolean() if "not" in options else False
        times = options["times"].integer(TIMES) if "times" in options else None
        since = options["since"].one_of(SINCE) if "since" in options else "start"
        if never and times is not None:
            options["times"].report("cannot be combined with `not`", key=True)
        if "name" not in options or not (name := options["name"].text()):
            return
        args = self._args(options)
        result = self._filled(to_json(options["result"].data)) if "result" in options else None
        status = "attempted" if never else "executed" if result is not None else "succeeded"
        returned = "" if result is None else f", {result!r}"
        used = f"calls({name!r}, {args!r}, {since or 'start'!r}, {status!r}{returned})"
        tool = name + (f"({', '.join(f'{key}={value!r}' for key, value in args.items())})" if args else "")
        often = "" if times is None else f" {times} time{'s' * (times != 1)}"
        wanted = f"expected the tool {tool}{often}" if not never else f"expected the tool {tool} not to be used"
        when = f" with the result {shown(result)}" if result is not None else ""
        when += " after the user's last message" if since == "last_user" else ""
        self._expect(
            part,
            f"{used} == 0" if never else f"{used} >= 1" if times is None else f"{used} == {times}",
            f"{f'{wanted}{when}; called were: '!r} + tools_used({since or 'start'!r})",
        )

    def _expect_regex(self, part: FieldReader, options: Mapping[str, FieldReader]) -> None:
        flags = {name for name in ("any", "not", "repeated") if name in options and options[name].boolean()}
        if "pattern" not in options or not (pattern := options["pattern"].text()):
            return
        before = options["if_said"].text() if "if_said" in options else ""
        meant = fill(pattern, {name: re2.escape(_text(value)) for name, value in self.values.items()})
        if problem := pattern_problem(FLAGS + before):
            options["if_said"].report(f"is not a supported regular expression: {problem}")
        if problem or not is_sound(FLAGS + meant, options["pattern"]):
            return
        if {"any", "repeated"} <= flags:
            options["any"].report("is not supported together with repeated, which compares the last reply")
            return
        called = "last_reply_repeats" if "repeated" in flags else "last_reply_says"
        where, seen, said = "the last reply", "it was", "last_reply()"
        if "any" in flags:
            called, where, seen, said = "chatbot_says", "any reply", "they were", "' | '.join(chatbot_phrases)"
        holds = "not " * ("not" in flags) + f"{called}({FLAGS + meant!r})"
        holds += f" or not chatbot_says({FLAGS + before!r})" if before else ""
        brief = meant if len(meant) <= _LONGEST else meant[: _LONGEST - 1] + "…"
        brief = f"/{brief}/" + " of an earlier reply" * ("repeated" in flags)
        wanted = f"expected {'no ' * ('not' in flags)}{brief} in {where}; {seen}: "
        self._expect(part, holds, f"{wanted!r} + {said}")

    def _expect(self, part: FieldReader, then: str, yields: str) -> None:
        """Add an expectation at the current position."""
        name, file = f"step {self.number}", part.source.file
        rule = rule_at(then, name=name, yields=yields, about=self.about, file=file, place=part.place)
        self.expectations.append(Expectation(rule=rule, after=len(self.script) or None, check=CHECK))

    def _args(self, options: Mapping[str, FieldReader]) -> dict[str, Json]:
        if "args" not in options:
            return {}
        return {name: self._filled(to_json(value.data)) for name, value in options["args"].entries()}

    def _filled(self, value: Json) -> Json:
        return fill_json(value, self.values, self._said)

    def _said(self, text: str) -> str:
        return fill(text, self.values)


def _options(part: FieldReader, kind: str) -> dict[str, FieldReader]:
    """Return the options of a step: `expect_tool: refund` with options beside it, or all in one mapping."""
    step = part.fields(STEPS[kind])
    main = step.pop(kind, None)
    if main is None:
        return {}
    if not isinstance(main.data, dict):
        return {STEP_KINDS[kind].first: main, **step}
    for beside in step.values():
        beside.report(f"must be inside of {kind}", key=True)
    return main.fields(STEP_KINDS[kind].options)


def _meant(part: FieldReader) -> str:
    return part.suggestion(next(iter(part.data)), STEPS) if isinstance(part.data, dict) and part.data else ""


def _text(value: Json) -> str:
    return value if isinstance(value, str) else fill("{{x}}", {"x": value})


_SHARED = Record(
    {
        "description": Key(TEXT, "what it is about"),
        "customer_id": Key(TEXT, "who the user is: the variable customer_id"),
        "variables": Key(MAPPING, "values for {{placeholders}}, and for the chatbot"),
        "right": Key(RIGHT, "what a right chatbot does"),
        **ROLE_FACTS.keys,
        **FAULTS.keys,
        **SETUP.keys,
        "tags": TAGS,
        "limits": Key(Shared("limits", lambda: LIMITS)),
        "seed": Key(SEED),
    }
)
KEYS = (
    Record({"id": Key(TEXT, "what the case is called"), "name": Key(TEXT, "what it is called, if it has no id")})
    | _SHARED
    | Record(
        {
            "history": Key(HISTORY, "what was said before"),
            "steps": Key(
                ListOf(Shared("step", lambda: AnyOf(tuple(STEPS.values())))), "what happens, in order", required=True
            ),
        }
    )
)
_CASE = Shared("case", lambda: KEYS)
_CASES = (
    Record({"name": Key(TEXT, "what the playbook is called")})
    | _SHARED
    | Record({"cases": Key(ListOf(_CASE, most=MAX_CASES), required=True)})
)
Fields = Mapping[str, FieldReader]
_OWN_KEYS = frozenset({"steps", "cases"})


def recognises(document: SourceDocument) -> bool:
    """Return True if a document is a playbook: it has steps, or cases with steps."""
    data = document.data if isinstance(document, Document) else None
    if isinstance(data, dict):
        return not data.keys().isdisjoint(_OWN_KEYS)
    return isinstance(data, list) and any(isinstance(item, dict) and "steps" in item for item in data)


def cases(document: SourceDocument, options: LoadOptions) -> Expansion:
    """Return the cases of a playbook; raise an `InputError` with all problems."""
    root = FieldReader(document.data, document, ProblemList())
    found = tuple(_cases(root, stem(Path(document.file)), options))
    root.problems.require_none()
    return Expansion(found)


def _cases(root: FieldReader, file: str, options: LoadOptions) -> Iterator[Case]:
    """Yield the cases of a file, as far as they are valid."""
    if isinstance(root.data, dict) and "steps" in root.data:
        yield _case(file, root.fields(KEYS), {}, root, options)
        return
    common = root.fields(_CASES) if isinstance(root.data, dict) else {}
    several = common.get("cases", root)
    items = several.items(most=MAX_CASES, what="cases")
    if not items:
        several.report("there is no case")
    for index, part in enumerate(items, 1):
        own = part.fields(KEYS)
        name = slug(next((own[key].text() for key in ("id", "name") if key in own), ""))
        yield _case(f"{file}/{name or index}", own, common, part, options)


def _case(id: str, own: Fields, common: Fields, whole: FieldReader, options: LoadOptions) -> Case:
    last = {**common, **own}
    values = {**_variables(common), **_variables(own)}
    steps = Steps(values, about=last["description"].text() if "description" in last else "")
    written = last["steps"].items() if "steps" in own else []
    for step in written:
        steps.read(step)
    case = Case(
        id=id,
        script=tuple(steps.script),
        expectations=tuple(steps.expectations),
        variables=values,
        history=history(last["history"]) if "history" in last else (),
        faults=filled_faults(tool_faults(last), values),
        setup=filled_actions(setup(last), lambda value: fill_json(value, values, lambda text: fill(text, values))),
        right=(last["right"].one_of(RIGHT) if "right" in last else "") or "act",
        tags=tuple(dict.fromkeys(tag for each in (common, own) if "tags" in each for tag in each["tags"].texts())),
        seed=last["seed"].integer(SEED) if "seed" in last else options.seed,
    )
    known = role_facts({key: [each[key] for each in (common, own) if key in each] for key in ROLE_FACTS.keys}, values)
    check_placeholders([*known.phrases, *fault_phrases(last), *effect_phrases(last)], values)
    if "steps" in own and own["steps"].data == []:
        whole.report("there is no step")
    elif written and not any(isinstance(step.data, dict) and "user" in step.data for step in written):
        whole.report("the user says nothing: there is no step `user`")
    room = _limits(last.get("limits"), len(case.lines), options.limits)
    return known.added(case.model_copy(update={"limits": room}))


def _variables(fields: Fields) -> dict[str, Json]:
    """Return the variables of a case; its customer is one of them."""
    found = {name: to_json(part.data) for name, part in fields["variables"].entries()} if "variables" in fields else {}
    if "customer_id" in fields:
        if "customer_id" in found:
            fields["customer_id"].report("is also set in `variables`", key=True)
        found["customer_id"] = fields["customer_id"].text()
    return found


def _limits(part: FieldReader | None, lines: int, common: Limits) -> Limits:
    """Return limits with room for all lines, so that the case always runs to its end."""
    set_here = limits(part, common) if part else common
    if part and isinstance(part.data, dict) and "turns" in part.data and set_here.turns < lines:
        part.at("turns", part.data["turns"]).report(f"is less than the {lines} messages of the user")
    given = part.data if part and isinstance(part.data, dict) else {}
    fallbacks_allowed = set_here.fallbacks if "fallbacks" in given else max(set_here.fallbacks, lines + 1)
    return set_here.model_copy(update={"turns": max(set_here.turns, lines), "fallbacks": fallbacks_allowed})


KIND = ScenarioKind(
    label="playbook",
    schema=lambda: schema_of_file(
        "A playbook: conversations that are written out, and what is expected on the way",
        AnyOf((_CASE, _CASES, ListOf(_CASE, most=MAX_CASES))),
    ),
    signature="steps or cases",
    precedence=10,
    keys=_OWN_KEYS,
    recognises=recognises,
    cases=cases,
)
"""The plug-in `playbook`."""
