import asyncio

from sparring.chatbots.isolation import guard_exceptions


async def test_a_call_that_was_left_behind_can_be_thrown_away_while_another_task_runs():
    async def hang() -> None:
        await asyncio.Event().wait()

    left = guard_exceptions(hang())
    task = asyncio.ensure_future(left)
    await asyncio.sleep(0)

    left.close()

    task.cancel()
    await asyncio.wait([task])
    assert isinstance(task.exception(), RuntimeError)  # it cannot go on
