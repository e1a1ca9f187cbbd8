"""Why an event cannot be rewritten, in the same words for every store."""

from longrein.core.errors import UsageError


def missing(thread: str, seq: int) -> UsageError:
    return UsageError(f"Thread {thread} has no event {seq} to rewrite.")


def shared(thread: str, seq: int, writer: str, *, deleted: bool) -> UsageError:
    """For an event that `thread` reads in the log of `writer`, from which it was forked."""
    if deleted:
        return UsageError(
            f"Event {seq} of thread {thread} was written by thread {writer}, which is deleted; "
            "what its forks share of it goes when the last of them is deleted."
        )
    return UsageError(
        f"Event {seq} of thread {thread} was written by thread {writer}, from which it was "
        "forked: rewrite it there."
    )
