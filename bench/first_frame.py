"""`first_frame_ms`: what the terminal app adds, up to its first frame, to importing Textual."""

from statistics import median

from bench.start import spent

_TEXTUAL = "import gc; gc.disable(); import textual.app, textual.screen, textual.widgets"
_APP = """
import asyncio, os, sys

from longrein.cli.app import perform, stop_collecting
from longrein.cli.parser import build_parser

build_parser("app").parse_args(["app"])
stop_collecting()

from longrein.tui.app import LongreinApp


async def opener(dialogs):
    # What is asked for here comes behind the first frame, which is on the screen now.
    sys.stdout.flush()
    os._exit(0)


asyncio.run(LongreinApp(opener, perform).run_async(headless=True, size=(80, 24)))
"""


def first_frame(times: int) -> dict[str, float]:
    """CPU milliseconds to the first frame, over those of importing Textual alone."""
    for program in (_TEXTUAL, _APP):
        spent(program)  # The bytecode is compiled now.
    rounds = [(spent(_TEXTUAL), spent(_APP)) for _ in range(times)]
    return {
        "first_frame_ms": median(app - textual for textual, app in rounds) * 1000,
        "textual_ms": median(textual for textual, _ in rounds) * 1000,
    }
