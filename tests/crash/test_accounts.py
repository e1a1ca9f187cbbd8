"""The judge counts what was used from the log alone."""

from longrein.core import events as e
from longrein.core.outcomes import Finished, Problem
from longrein.core.usage import Spent, Usage
from longrein.testing.crash.accounts import count, miscounted
from longrein.testing.crash.view import View

LOST = Problem("lost", "the process is gone")
USED = Usage(100, 10)


def log(*, ended: bool = False) -> list[e.Event]:
    """A call that was lost and made again, and one in flight."""
    events: list[e.Event] = [
        e.RunStarted(("c1",), run="run_1"),
        e.StepStarted("step_1", 1, "m", reserved=50),
        e.StepFailed("step_1", LOST, retry_at=1),
        e.StepStarted("step_2", 1, "m", reserved=60),
        e.StepEnded("step_2", (), "end", USED, 7),
    ]
    if ended:
        return [*events, e.RunEnded(Finished("done"))]
    return [*events, e.StepStarted("step_3", 2, "m", reserved=70)]


def test_a_lost_call_counts_as_it_was_reserved() -> None:
    account = count(log())
    assert account.run == account.thread == Spent(USED, 57, steps=1)
    assert account.reserved == 70


def test_a_run_that_is_over_is_not_counted_as_one_under_way() -> None:
    account = count(log(ended=True))
    assert (account.run, account.open) == (Spent(), False)


def test_where_money_is_limited_the_resource_knows_what_is_reserved() -> None:
    spent = Spent(USED, 57, steps=1)
    view = View(run_spent=spent, spent=spent, resource_spent=Spent(USED, 127, steps=1))
    assert not list(miscounted(log(), view, limited=True))
    behind = View(run_spent=spent, spent=spent)
    assert list(miscounted(log(), behind, limited=True))
    assert not list(miscounted(log(), behind, limited=False))


def test_a_resource_has_spent_what_its_threads_have() -> None:
    spent = Spent(USED, 57, steps=1)
    view = View(spent=spent, beside_spent=Spent(USED, 3, steps=1), resource_spent=spent)
    assert len(list(miscounted(log(ended=True), view, limited=False))) == 1
