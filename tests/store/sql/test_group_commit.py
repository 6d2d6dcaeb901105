import asyncio

import pytest

from sparring.store.sql.group_commit import GroupCommit


async def test_a_commit_that_fails_unforeseen_is_answered_and_the_next_goes_on():
    broken = True

    def commit(writes):
        if broken:
            raise ValueError("unforeseen")
        return [write(None) for write in writes]

    commits = GroupCommit(commit)
    failed = await asyncio.gather(*(commits.write(lambda _: 1) for _ in range(3)), return_exceptions=True)
    broken = False

    assert [str(each) for each in failed] == ["unforeseen"] * 3
    assert await commits.write(lambda _: 2) == 2
    await commits.close()


async def test_what_is_closed_takes_no_write():
    commits = GroupCommit(lambda writes: [])
    await commits.close()

    with pytest.raises(Exception, match="closed"):
        await commits.write(lambda _: 1)


async def test_loops_of_other_threads_write_as_well_and_may_end_at_any_time():
    commits = GroupCommit(lambda writes: [write(None) for write in writes])

    async def others() -> list[int]:
        asyncio.create_task(commits.write(lambda _: -1))  # noqa: RUF006 - its loop ends before it is written
        return list(await asyncio.gather(*(commits.write(lambda _, n=n: n) for n in range(50))))

    here = asyncio.gather(*(commits.write(lambda _, n=n: n) for n in range(50)))
    there = [asyncio.to_thread(asyncio.run, others()) for _ in range(4)]

    assert [*await asyncio.gather(*there), await here] == [list(range(50))] * 5
    await commits.close()
