"""Rules over two or more conversations, and over all of them; with NumPy, which rules over one do not need."""

from sparring.checking import overall, tuples
from sparring.checking.answers import Answers
from sparring.checking.columns import Columns
from sparring.checking.compiled import Compiled
from sparring.checking.leaves import Leaves
from sparring.checking.limits import Limits
from sparring.core.verdict import Finding


def keep(compiled: Compiled, leaves: Leaves) -> None:
    """Have everything kept that a rule will need of each conversation."""
    if compiled.rule.conversations == "all":
        overall.keep(compiled, leaves)
    else:
        tuples.keep_tuples(compiled, leaves)


class Several:
    """What is known of the conversations when all have been seen; columns serve all rules that need them."""

    def __init__(self, leaves: Leaves, answers: Answers, limits: Limits) -> None:
        self._leaves = leaves
        self._answers = answers
        self._limits = limits
        self._columns = Columns(leaves, answers)

    async def finding(self, compiled: Compiled) -> Finding:
        """What a rule finds."""
        find = overall.finding if compiled.rule.conversations == "all" else tuples.finding
        return await find(compiled, self._leaves, self._columns, self._answers, self._limits)
