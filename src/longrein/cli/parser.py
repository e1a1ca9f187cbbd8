"""The arguments of every command."""

from argparse import ArgumentParser, ArgumentTypeError, RawDescriptionHelpFormatter
from collections.abc import Callable

from longrein._version import __version__
from longrein.cli import exits

DESCRIPTION = """\
Longrein runs AI agents in threads that survive whatever happens to the process.

  longrein demo                                 see it work, without a key
  longrein run --model provider:name "Hello"    talk to a model
  longrein run --continue "And then?"           go on in this project's thread
"""


def build_parser() -> ArgumentParser:
    """The parser of the whole command line."""
    parser = ArgumentParser(
        prog="longrein",
        description=DESCRIPTION,
        epilog=exits.TABLE,
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", "-V", action="version", version=f"longrein {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")

    def command(name: str, help: str) -> ArgumentParser:
        return commands.add_parser(
            name,
            help=help,
            description=f"{help[0].upper()}{help[1:]}.",
            epilog=exits.TABLE,
            formatter_class=RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )

    _running(command)
    _looking(command)
    _answering(command)
    _others(command)
    return parser


def _running(command: Callable[[str, str], ArgumentParser]) -> None:
    run = command("run", "say something to the agent and show what it does")
    run.add_argument("prompt", nargs="*", help="what to say; - (or nothing, in a pipe) reads stdin")
    run.add_argument(
        "--file", action="append", default=[], metavar="PATH", help="attach a file; repeatable"
    )
    which = run.add_mutually_exclusive_group()
    which.add_argument("--thread", metavar="ID", help="go on in this thread")
    which.add_argument(
        "--continue", dest="again", action="store_true", help="go on in the project's last thread"
    )
    _work(run)
    resume = command("resume", "go on with what is open in a thread, or after a failure or a limit")
    resume.add_argument("thread", nargs="?", metavar="THREAD", help="default: the last thread")
    _work(resume)


def _work(parser: ArgumentParser) -> None:
    """What can be said wherever a run may go on."""
    work = parser.add_argument_group("how it works")
    work.add_argument(
        "--model", default="", metavar="PROVIDER:NAME", help="use this model in the thread"
    )
    work.add_argument("--mode", default="", help="use this mode of the agent in the thread")
    work.add_argument(
        "--trust",
        choices=["ask", "edits", "plan", "yolo"],
        help="how much happens unasked in the thread: nothing that changes anything (ask), edits, "
        "no changes at all (plan), everything that no rule denies (yolo)",
    )
    work.add_argument(
        "--tools",
        action="append",
        default=[],
        metavar="FILE.py|MODULE[:OBJECT]",
        help="add tools from this code; repeatable",
    )
    work.add_argument(
        "--agent", metavar="FILE.py|MODULE[:OBJECT]", help="use the Agent in this code"
    )
    work.add_argument("--max-steps", type=_count, metavar="N", help="stop after N steps")
    work.add_argument("--max-tokens", type=_count, metavar="N", help="stop after N tokens")
    work.add_argument("--max-cost", type=_amount, metavar="DOLLARS", help="stop after this much")
    work.add_argument("--max-seconds", type=_amount, metavar="S", help="stop after S seconds")
    work.add_argument(
        "--output",
        choices=["text", "json", "stream-json"],
        default="text",
        help="the answer as it comes, one object at the end, or one object per event",
    )
    work.add_argument(
        "--unattended",
        choices=["park", "deny"],
        default="park",
        help="what to do without a terminal when a person is needed: leave it open and exit with "
        "3 (park), or decline and go on (deny)",
    )


def _looking(command: Callable[[str, str], ArgumentParser]) -> None:
    threads = command("threads", "list the threads of this project, the last used first")
    threads.add_argument("--limit", type=_count, default=20, metavar="N", help="at most N (20)")
    threads.add_argument("--after", metavar="THREAD", help="the page that follows this thread")
    threads.add_argument("--json", action="store_true", help="one object per line")
    show = command("show", "show a thread")
    show.add_argument("thread", nargs="?", metavar="THREAD", help="default: the last thread")
    show.add_argument("--json", action="store_true", help="its events, one object per line")
    show.add_argument("--follow", "-f", action="store_true", help="go on with what comes, live")


def _answering(command: Callable[[str, str], ArgumentParser]) -> None:
    approve = command("approve", "let a tool call run, then go on with its run")
    approve.add_argument("id", metavar="APPROVAL")
    approve.add_argument("--edit", metavar="JSON", help="with these arguments instead")
    approve.add_argument(
        "--always", choices=["tool", "category"], default="", help="and do not ask again for it"
    )
    decline = command("decline", "say no to an approval or a question, then go on with its run")
    decline.add_argument("id", metavar="APPROVAL|QUESTION")
    decline.add_argument("--reason", default="", help="what the model is told")
    decline.add_argument("--stop", action="store_true", help="and end the run")
    answer = command("answer", "answer a question, then go on with its run")
    answer.add_argument("id", metavar="QUESTION")
    answer.add_argument("value", nargs="+", help="the answer, or each of several choices")
    for parser in (approve, decline, answer):
        parser.add_argument("--thread", metavar="ID", help="look only in this thread")
        parser.add_argument("--no-wait", action="store_true", help="do not go on with the run here")
        _work(parser)


def _others(command: Callable[[str, str], ArgumentParser]) -> None:
    rename = command("rename", "give a thread a title")
    rename.add_argument("thread", metavar="THREAD")
    rename.add_argument("title", nargs="+")
    delete = command("delete", "remove a thread for good")
    delete.add_argument("thread", metavar="THREAD")
    fork = command("fork", "make a thread that goes its own way from a point of another")
    fork.add_argument("thread", metavar="THREAD")
    fork.add_argument("--at", type=_count, metavar="SEQ", help="the event to part at (the last)")
    fork.add_argument("--title", default="")
    trust = command("trust", "let the settings in this project's .longrein folder count")
    trust.add_argument("--revoke", action="store_true", help="let them count no longer")
    demo = command("demo", "see it work on a scripted model, without a key")
    demo.add_argument("--auto", action="store_true", help="let the demo answer for you")


def _count(text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return value


def _amount(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise ArgumentTypeError(f"{text!r} is not a number above 0")
    return value
