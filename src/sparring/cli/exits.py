"""Exit codes."""

PASSED = 0
FAILED = 1
BAD_INPUT = 2
UNDECIDED = 3
INCONCLUSIVE = 4
INTERRUPTED = 130


def of_gate(came: str) -> int:
    """What a gate makes the exit code."""
    return {"passed": PASSED, "failed": FAILED}.get(came, INCONCLUSIVE)
