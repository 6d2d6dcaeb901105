import asyncio
import contextvars
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from sparring.chatbots.python_code import imported, in_thread

WHO = contextvars.ContextVar("WHO", default="nobody")


async def test_a_call_is_made_in_another_thread_with_the_same_context():
    WHO.set("me")

    assert await in_thread(lambda one: (one, WHO.get(), threading.current_thread() is threading.main_thread()), 1) == (
        1,
        "me",
        False,
    )


@pytest.mark.parametrize("error", [ValueError("no"), SystemExit(3), KeyboardInterrupt()])
async def test_the_exception_of_a_call_reaches_the_waiting_caller(error: BaseException):
    def fails() -> None:
        raise error

    with pytest.raises(type(error)) as caught:
        await in_thread(fails)

    assert caught.value is error


async def test_hanging_calls_do_not_block_others():
    hanging = threading.Event()
    hung = [asyncio.create_task(in_thread(hanging.wait)) for _ in range(40)]
    try:
        async with asyncio.timeout(5):
            answers = await asyncio.gather(*(in_thread(lambda n: n, number) for number in range(40)))
    finally:
        for task in hung:
            task.cancel()
        await asyncio.gather(*hung, return_exceptions=True)
        hanging.set()

    assert answers == list(range(40))


async def test_the_late_end_of_an_abandoned_call_is_ignored():
    hanging = threading.Event()
    task = asyncio.create_task(in_thread(hanging.wait))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    hanging.set()

    assert (task.cancelled(), await in_thread(lambda: 1)) == (True, 1)


@pytest.mark.process
@pytest.mark.parametrize("ending", ["", "hanging.set()"])
def test_a_call_that_hangs_does_not_keep_the_program_from_ending(ending: str):
    code = f"""
import asyncio, threading
from sparring.chatbots.python_code import imported, in_thread
hanging = threading.Event()
async def main():
    try:
        await asyncio.wait_for(in_thread(hanging.wait), 0.01)
    except TimeoutError:
        print("given up")
asyncio.run(main())
{ending}
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=240, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (0, "given up\n", "")


def test_an_edit_that_keeps_size_and_time_is_seen(tmp_path: Path):
    file = tmp_path / "bot.py"
    for reply in ("one", "two"):
        file.write_text(f"def reply(messages, variables):\n    return {reply!r}\n")
        os.utime(file, (0, 0))

        assert imported(f"{file}:reply")([], {}) == reply
