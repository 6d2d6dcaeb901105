"""A program is killed at any moment: every call it made is counted, and those are marked that it may not have made."""

from pathlib import Path

import pytest

from killing import KilledRuns, KilledServer
from model_server import LoopbackModelServer
from talking import talk

pytestmark = [pytest.mark.extended, pytest.mark.process]


@pytest.mark.parametrize("program", [KilledRuns, KilledServer])
async def test_counts_after_kills_equal_the_calls_made_but_for_marked_ones(tmp_path: Path, program: type[KilledRuns]):
    async with LoopbackModelServer(otherwise=talk, latency=0.05, keep=False) as server:
        killed = program(tmp_path, server, cases=24)
        for calls in (31, 47):
            await killed.kill(after=calls)
            counted, unconfirmed = await killed.counted()
            assert counted - unconfirmed <= server.calls <= counted
            assert unconfirmed <= 2 * killed.at_once
        await killed.finish()
        counted, unconfirmed = await killed.counted()

        assert counted - unconfirmed <= server.calls <= counted
        assert unconfirmed > 0, "what was under way when it was killed"
        assert await killed.said() == await killed.undisturbed()
