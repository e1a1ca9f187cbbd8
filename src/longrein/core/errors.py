"""Every exception that Longrein raises, grouped by who must act.

    LongreinError
      UsageError             the caller asked for something that cannot be; nothing was changed
        SessionClosed        the session was closed before it could be done
      NotFound               no such thread, run, approval, ... for this resource
      StoreError             the store could not do it; nothing was changed
        LeaseLost            another process writes this thread now
        StoreFull            no room left on the device
        StoreNewer           the database was written by a newer Longrein
      ModelError             the provider did not answer as asked
        Auth  RateLimited  Overloaded  ContextOverflow  Filtered  BadRequest  Network
      InternalError          a defect of ours

`ToolError` stands alone: a tool raises it to tell the model what went wrong.
"""


class LongreinError(Exception):
    """The root of everything that Longrein raises on purpose."""


class UsageError(LongreinError):
    """The caller asked for something that cannot be; the text says what to do instead."""


class SessionClosed(UsageError):
    """The session was closed meanwhile. What it had begun goes on when it is opened again."""


class NotFound(LongreinError):
    """There is no such thing for this resource."""


class StoreError(LongreinError):
    """The store could not do it; nothing that was acknowledged is lost."""


class LeaseLost(StoreError):
    """Another process writes this thread now."""


class StoreFull(StoreError):
    """There is no room left where the store writes."""


class StoreNewer(StoreError):
    """The database was written by a newer Longrein; it was not touched."""


class ModelError(LongreinError):
    """The provider did not answer as asked.

    `kind` is what events carry; `retry_after` is the provider's own hint, in seconds.
    `again` tells whether the same request could have another answer.
    """

    kind = "model"
    again = False

    def __init__(self, message: str, *, status: int = 0, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after


class Auth(ModelError):
    """The key is missing, wrong, or not allowed to do this."""

    kind = "auth"


class RateLimited(ModelError):
    """Too many requests or tokens for now."""

    kind = "rate_limited"
    again = True


class Overloaded(ModelError):
    """The provider is overloaded or broken for now."""

    kind = "overloaded"
    again = True


class ContextOverflow(ModelError):
    """The request does not fit into the model's window."""

    kind = "context_overflow"


class Filtered(ModelError):
    """The provider's content filter refused the request or the answer."""

    kind = "filtered"


class BadRequest(ModelError):
    """The provider says that the request is wrong; it would say so again."""

    kind = "bad_request"


class Network(ModelError):
    """The connection failed or broke in the middle of an answer."""

    kind = "network"
    again = True


class InternalError(LongreinError):
    """A defect in Longrein; please report it."""


class ToolError(Exception):
    """Raised by a tool to tell the model, in its own words, what went wrong and what to do."""
