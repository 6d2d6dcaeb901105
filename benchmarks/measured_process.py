"""CPU and peak memory of a process."""

import os
import subprocess
import sys

_MEASURE = """
import os, subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
_, status, used = os.wait4(child.pid, 0)
print(os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, used.ru_maxrss)
"""
"""The peak of a process counts that of its parent at the start, so that a small one starts what is measured."""


def measured(*arguments: str, **environment: str) -> tuple[int, float, float]:
    """Run Python; return its exit code, the seconds of CPU, and the megabytes of memory at most."""
    command, variables = [sys.executable, "-c", _MEASURE, sys.executable, *arguments], {**os.environ, **environment}
    done = subprocess.run(command, env=variables, capture_output=True, check=True)
    code, seconds, kilobytes = done.stdout.split()
    return int(code), float(seconds), int(kilobytes) / 1024
