"""`kill -9` of `sparring run` and of `sparring serve` at random moments under load, beside a server that counts calls.

After every kill, the calls that the store counts must be those that the model server received, but for those that it
marks as unconfirmed. In the end, all conversations must equal those of a program that is not killed.

    python benchmarks/kills.py [--kills 20] [--conversations 400]
"""

import argparse
import asyncio
import random
import sys
import tempfile
from pathlib import Path

from arguments import positive

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from killing import KilledRuns, KilledServer
from model_server import LoopbackModelServer
from talking import talk


async def main(kills: int, conversations: int) -> None:
    for name, program in (("run", KilledRuns), ("serve", KilledServer)):
        async with LoopbackModelServer(otherwise=talk, latency=0.02, keep=False) as server:
            with tempfile.TemporaryDirectory() as folder:
                killed, moments = program(Path(folder), server, cases=conversations), random.Random(11)
                for _ in range(kills):
                    await killed.kill(after=moments.randint(1, 8 * conversations // kills))
                    counted, unconfirmed = await killed.counted()
                    if not counted - unconfirmed <= server.calls <= counted:
                        raise SystemExit(f"{server.calls} calls, {counted} counted, {unconfirmed} unconfirmed")
                await killed.finish()
                counted, unconfirmed = await killed.counted()
                calls, equal = server.calls, await killed.said() == await killed.undisturbed()
        print(f"{name}: {kills} kills; the server received {calls:,} calls; {counted:,} are counted,")
        compared = "equal" if equal else "DIFFER FROM"
        print(f"{unconfirmed:,} of them unconfirmed; results {compared} an undisturbed run's")
        if not equal or not counted - unconfirmed <= calls <= counted:
            raise SystemExit(1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=positive, default=20)
    parser.add_argument("--conversations", type=positive, default=400)
    chosen = parser.parse_args()
    asyncio.run(main(chosen.kills, chosen.conversations))
