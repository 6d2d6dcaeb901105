"""A report in which every field from outside has a hostile text."""

from reports.summing import decided, summarise
from reports.whole import Whole
from sparring.core.case import Case, Goal, OutputSpec, Persona
from sparring.core.checks import Rule
from sparring.core.conversation import Conversation, Ending, Evidence, Output, goal_progress
from sparring.core.errors import Problem
from sparring.core.message import Button, Image, Link, Message, Text, ToolCall, message
from sparring.core.usage import Usage
from sparring.core.verdict import Cause, CheckOutcome, Example, Finding, Offender, QuotedEvidence, Verdict
from sparring.reports.gate import Gated, GateLine
from sparring.reports.reported import ReportedConversation
from sparring.testing.factories import a_batch


def a_report_that_says(*texts: str) -> Whole:
    """A batch with two conversations and one rule for each text, and the text in every field."""
    told = [each for text in texts for each in (_reported(text, f"{text}/one"), _reported(text, f"{text}/two"))]
    everything = " ".join(texts)
    batch = a_batch().model_copy(
        update={
            "id": everything,
            "name": everything,
            "tags": texts,
            "cases": tuple(each.conversation.case for each in told),
            "rules": tuple(_rule(text) for text in texts),
            "who": a_batch().who.model_copy(update={"chatbot": everything, "user": everything, "judge": everything}),
        }
    )
    findings = [_finding(text) for text in texts]
    verdicts = [verdict for each in told for verdict in each.verdicts]
    summary = summarise(batch, [each.conversation for each in told], verdicts, findings)
    lines = tuple(GateLine(asks=text, wanted=text, measured=text, came="failed") for text in texts)
    return Whole(batch, summary, Gated(lines=lines), told=tuple(told))


def _reported(text: str, id: str) -> ReportedConversation:
    shown = Evidence(at=1, start=0, end=len(text), text=text)
    verdict = Verdict(
        check=text,
        outcome=CheckOutcome.FAIL,
        conversation=id,
        reason=text,
        evidence=(shown,),
        by=text,
        judge=text,
        score=1,
    )
    return decided(_conversation(text, id, shown), (verdict,))


def _conversation(text: str, id: str, shown: Evidence) -> Conversation:
    persona = Persona(name=text, role=text, traits=(text,), language=text)
    case = Case(
        id=id,
        persona=persona,
        goals=(Goal(text=text),),
        outputs=(OutputSpec(name=text),),
        variables={text: [text]},
        tags=(text,),
    )
    return Conversation(
        case=case,
        messages=(message("user", text), _reply(text)),
        ending=Ending.GOALS_ANSWERED,
        error=text,
        goals=(goal_progress(text, 0, shown),),
        outputs=(Output(name=text, value={text: text}, evidence=shown),),
        warnings=(text,),
        usage={text: Usage(calls=1)},
    )


def _reply(text: str) -> Message:
    calls = (
        ToolCall(name=text, arguments={text: text}, result={text: [text]}),
        ToolCall(name=text, arguments={text: text}, error=text),
    )
    parts = (
        Text(text=text),
        Image(url=text, alt=text),
        Button(title=text, payload=text),
        Link(url=text, title=text),
    )
    return Message(role="chatbot", parts=parts, tool_calls=calls)


def _rule(text: str) -> Rule:
    return Rule(name=text, file=text, description=text, conversations=2, when=text, if_=text, then=text, yields=text)


def _finding(text: str) -> Finding:
    both = (f"{text}/one", f"{text}/two")
    witness = QuotedEvidence(conversation=both[0], at=1, start=0, end=len(text), text=text)
    return Finding(
        rule=text,
        file=text,
        description=text,
        conversations=2,
        total=2,
        applicable=2,
        violated=1,
        satisfied=1,
        examples=(Example(conversations=both, reason=text, evidence=(witness,)),),
        culprits=(Offender(conversation=both[0], violated=1, applicable=2),),
        causes=(Cause(clause="if", reason=text, conversations=1, first=both[1]),),
        invalid=(Problem(message=text, file=text, line=1),),
        judged=CheckOutcome.FAIL,
    )
