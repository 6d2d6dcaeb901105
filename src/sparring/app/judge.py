"""Judging of recorded conversations by another judge, rubric or person; canaries that test a judge."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing

from sparring.app.config import AppConfig
from sparring.app.rubrics import RubricSelection, asked, fitting
from sparring.app.wiring import chosen_judge, judge_alone, only_models
from sparring.core.batch import NO_JUDGE, Batch, Decides, judges_of
from sparring.core.checks import Rubric, Scale
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.core.events import Event
from sparring.core.usage import Budget
from sparring.core.verdict import HUMAN, CheckOutcome, Verdict
from sparring.judges.injection_probes import Canary, judge_canaries
from sparring.judges.rubric_files import GENERAL
from sparring.runner.judge_worker import NamedJudge, judge_stored, verdict_of
from sparring.runner.spending import BatchSpending
from sparring.store.store import Store


async def judge_batch(
    batch: Batch,
    store: Store,
    config: AppConfig,
    questions: RubricSelection,
    *,
    times: int = 1,
    again: bool = False,
    decides: Decides | None = None,
    stop: asyncio.Event | None = None,
    given_up: Callable[[str], None],
) -> AsyncGenerator[Event | Batch]:
    """Judge the stored conversations of a batch, and yield verdicts as they come.

    The first value is the batch with its judge or panel and rubrics: the chosen ones, or its own. Every judge judges
    each conversation `times` times, counting earlier judgements unless `again`. With `decides`, these judgements decide
    the outcomes of the stored batch from then on. Setting `stop` ends the run after the running conversations.
    `given_up` receives the reason if a model cannot be reached.
    """
    name = chosen_judge(config) if config.players.judge else batch.who.judge
    members, stop = judges_of(name), stop or asyncio.Event()
    for number, member in enumerate(members):
        async with judge_alone(member, config, rejudge=again) as judge:
            if (times > 1 or len(members) > 1) and (judge is None or not judge.judge.reads_rubrics):
                raise only_models(member)
            if not number:
                batch = _with_judge(batch, name, judge, questions)
                batch = batch.changed(who=batch.who.changed(decides=decides)) if decides else batch
                yield batch
            verdicts = judge_stored(
                batch,
                judge,
                store,
                concurrency=config.concurrency,
                stop=stop,
                times=times,
                rejudge=again,
                given_up=given_up,
            )
            async with aclosing(verdicts) as events:
                async for event in events:
                    yield event
    if decides is not None and not stop.is_set():
        await store.appoint(batch)


def _with_judge(batch: Batch, name: str, judge: NamedJudge | None, questions: RubricSelection) -> Batch:
    """Return the batch as if it had this judge and these rubrics."""
    changes: dict[str, object] = {"who": batch.who.model_copy(update={"judge": name})}
    if questions.rubrics or judge is None:
        changes |= {"rubrics": fitting(batch.cases, questions.rubrics, (), judge)}
    elif judge.judge.reads_rubrics:
        changes |= {"rubrics": batch.rubrics or fitting(batch.cases, (), batch.case_rubrics, judge)}
    else:
        changes |= {"rubrics": (), "case_rubrics": ()}
    return batch.model_copy(update=changes)


async def judge_by_hand(
    batch: Batch, store: Store, conversation: str, outcome: CheckOutcome, *, score: int | None = None, comment: str = ""
) -> Verdict:
    """Store the verdict of a person on one conversation, in place of an earlier one, and return it.

    Raises:
        InputError: the conversation is void, or the score is not on a scale of the batch.
    """
    judged = await store.conversation(batch.id, conversation)
    if judged.ending is None or not judged.ending.completed:
        reason = f"{judged.ending or 'it did not end'}: it says nothing about how well the chatbot did"
        raise InputError(f"conversation {judged.id!r} cannot be judged: {reason}")
    require_on_scale(score, batch.rubrics_for(judged.case))
    verdict = Verdict(
        check=HUMAN, outcome=outcome, conversation=judged.id, reason=comment, score=score, by=HUMAN, judge=HUMAN
    )
    await store.judge(batch.id, verdict, rejudge=True)
    return verdict


def require_on_scale(score: int | None, rubrics: Sequence[Rubric]) -> None:
    """Raise InputError for a score on no scale; without rubrics, the scale is the checklist's, 1 to 3."""
    scales = list(dict.fromkeys(str(rubric.scale) for rubric in rubrics)) or [str(Scale())]
    if score is not None and not any(score in scale for scale in [rubric.scale for rubric in rubrics] or [Scale()]):
        raise InputError(f"--score {score}: is not on the scale of this batch, {' or '.join(scales)}")


async def try_canaries(
    config: AppConfig, questions: RubricSelection, *, given_up: Callable[[str], None]
) -> tuple[str, dict[str, list[Canary]]]:
    """Try to manipulate a judge; return its name and the canaries of each rubric, the unchanged one first."""
    name = chosen_judge(config)
    rubrics = questions.rubrics or asked((), [GENERAL]).rubrics
    async with judge_alone(name, config) as judge:
        if judge is None or name == NO_JUDGE or not judge.judge.reads_rubrics:
            raise InputError(
                f"canaries test judges that read rubrics: {name} reads none", hint="choose a model as judge"
            )
        spending = BatchSpending(Budget(), given_up=given_up)

        async def ask(conversation: Conversation, rubric: Rubric) -> Verdict:
            if spending.spent:
                about = {"check": rubric.name, "conversation": conversation.id}
                return Verdict(outcome=CheckOutcome.ERROR, reason="not asked", by=name, **about)
            return await verdict_of(judge, conversation, rubric)

        with spending.account():
            return name, {rubric.name: [canary async for canary in judge_canaries(ask, rubric)] for rubric in rubrics}
