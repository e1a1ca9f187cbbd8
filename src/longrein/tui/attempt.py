"""Work begun by a key or a click, beside the drawing, and what the person is told in passing."""

from collections.abc import Coroutine
from typing import Any

from textual.css.query import NoMatches
from textual.dom import DOMNode
from textual.message_pump import MessagePump
from textual.notifications import SeverityLevel
from textual.worker import Worker

from longrein.core.errors import LongreinError, SessionClosed
from longrein.core.visible import visible
from longrein.tui.around import app_of

LONGEST = 400
"""Characters of what is told in passing: more would cover the screen."""

SECONDS = 8
"""How long something that is told stays."""

GONE = "This thread was deleted elsewhere; nothing more can be said in it. /new begins another one."


def attempt(node: MessagePump, work: Coroutine[Any, Any, object]) -> Worker[None]:
    """Do the work in the background; what the person can do something about is told, all other
    errors are bugs."""

    async def guarded() -> None:
        try:
            await work
        except (LongreinError, OSError) as error:
            tell(node, _words(error), "error")
        except NoMatches:
            # What is taken away loses its parts before it goes itself.
            if not isinstance(node, DOMNode) or node.display:
                raise

    return app_of(node).run_worker(guarded(), exclusive=False)


def tell(node: MessagePump, text: str, severity: SeverityLevel = "information") -> None:
    """Say something in passing; whoever wrote the text, nothing in it is acted upon."""
    app_of(node).notify(visible(_cut(text)), severity=severity, timeout=SECONDS, markup=False)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _words(error: LongreinError | OSError) -> str:
    if isinstance(error, OSError):
        return f"{error.filename or 'The system'}: {error.strerror or error}"
    return GONE if isinstance(error, SessionClosed) else str(error)
