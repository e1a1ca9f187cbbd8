"""The arguments of every command."""

from argparse import Action, ArgumentParser, ArgumentTypeError, RawDescriptionHelpFormatter
from collections.abc import Callable
from typing import NoReturn, get_args

from longrein._version import __version__
from longrein.cli import exits
from longrein.cli.parser_setup import add_setup
from longrein.core.visible import visible
from longrein.models.base import Effort

DESCRIPTION = """\
Longrein runs AI agents in threads that survive whatever happens to the process.

  longrein                                      work in the terminal app
  longrein --continue                           the same, in this project's last thread
  longrein --thread                             the same, in a thread of your choice
  longrein demo                                 see it work, without a key
  longrein run --model provider:name "Hello"    talk to a model
  longrein run --continue "And then?"           go on in this project's thread
"""


class Parser(ArgumentParser):
    """A parser whose errors quote what was given harmlessly. Its commands are parsed alike."""

    def error(self, message: str) -> NoReturn:
        super().error(visible(message))


def build_parser(asked: str = "") -> ArgumentParser:
    """The parser of the command line: as much of it as parses the command `asked`, or all."""
    parser = Parser(
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

    for add in (_running, _answering, _looking, _keeping, _policy, add_setup, _others):
        add(command)
        if asked in commands.choices:
            break
    return parser


def _running(command: Callable[[str, str], ArgumentParser]) -> None:
    app = command("app", "work in the terminal app; the same as longrein alone")
    app.add_argument("prompt", nargs="*", help="what to say first")
    where = app.add_mutually_exclusive_group()
    where.add_argument(
        "--thread", nargs="?", const="", metavar="ID", help="open this thread; without ID: choose"
    )
    where.add_argument(
        "--continue", dest="again", action="store_true", help="open the project's last thread"
    )
    _means(app)
    app.set_defaults(unattended="park", deadline=None, watchdog=None)
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
    run.add_argument(
        "--schema",
        metavar="FILE.json",
        help="the answer has to be JSON that fits this JSON schema",
    )
    run.add_argument(
        "--tag", action="append", default=[], help="give the thread this tag; repeatable"
    )
    _work(run)
    resume = command("resume", "go on with what is open in a thread, or after a failure or a limit")
    resume.add_argument("thread", nargs="?", metavar="THREAD", help="default: the last thread")
    _work(resume)

    invoke = command("invoke", "carry out a command of the agent, as /NAME elsewhere; or list them")
    invoke.add_argument("name", nargs="?", metavar="NAME", help="default: list the commands")
    invoke.add_argument("arguments", nargs="*", metavar="ARGS", help="what the command is given")
    invoke.add_argument("--thread", metavar="ID", help="default: the last thread")
    _work(invoke)


def _means(parser: ArgumentParser) -> Callable[..., Action]:
    """With what it works; returns what adds to it."""
    work = parser.add_argument_group("how it works")
    work.add_argument(
        "--model", default="", metavar="PROVIDER:NAME", help="use this model in the thread"
    )
    work.add_argument(
        "--mode",
        default="",
        help="use this mode of the agent in the thread: build; plan, to read and plan only; or "
        "explore, to read and answer",
    )
    work.add_argument(
        "--effort",
        choices=get_args(Effort),
        default="",
        help="how hard the model thinks in the thread",
    )
    work.add_argument(
        "--trust",
        choices=["ask", "edits", "plan", "yolo"],
        help="how much happens unasked in the thread: nothing that changes anything (ask), edits, "
        "no changes at all (plan), everything that no rule denies (yolo)",
    )
    _code(work.add_argument)
    work.add_argument("--max-steps", type=_count, metavar="N", help="stop after N steps")
    work.add_argument("--max-tokens", type=_count, metavar="N", help="stop after N tokens")
    work.add_argument("--max-cost", type=_amount, metavar="DOLLARS", help="stop after this much")
    work.add_argument("--max-seconds", type=_amount, metavar="S", help="stop after S seconds")
    return work.add_argument


def _work(parser: ArgumentParser) -> None:
    """What can be said wherever a run may go on without anybody looking."""
    add = _means(parser)
    add(
        "--output",
        choices=["text", "json", "stream-json"],
        default="text",
        help="the answer as it comes, one object at the end, or one object per event",
    )
    add(
        "--unattended",
        choices=["park", "deny"],
        default="park",
        help="what to do without a terminal when a person is needed: leave it open and exit with "
        "3 (park), or decline and go on (deny)",
    )
    add(
        "--deadline",
        type=_amount,
        metavar="S",
        help="do so only after S seconds, in which somebody may answer from elsewhere; at a "
        "terminal too",
    )
    add(
        "--watchdog",
        type=_amount,
        metavar="S",
        help="say what a run waits for whenever nothing happened for S seconds",
    )


def _code(add: Callable[..., Action]) -> None:
    """Code that the user brings, and where it works."""
    where = "FILE.py|MODULE[:OBJECT]"
    add(
        "--tools",
        action="append",
        default=[],
        metavar=where,
        help="add tools from this code; repeatable",
    )
    add("--agent", default="", metavar=where, help="use the Agent in this code")
    add(
        "--workspace",
        default="",
        metavar="FOLDER",
        help="work on the files in this folder (default: the project)",
    )


def _answering(command: Callable[[str, str], ArgumentParser]) -> None:
    approve = command("approve", "let a tool call run, then go on with its run")
    approve.add_argument("id", metavar="APPROVAL")
    approve.add_argument("--edit", metavar="JSON", help="with these arguments instead")
    approve.add_argument(
        "--always",
        choices=["call", "tool", "category", "rule"],
        default="",
        help="and do not ask again: for exactly this call, for its tool, for its category, or as "
        "the approval proposes (rule)",
    )
    approve.add_argument(
        "--in",
        dest="scope",
        choices=["run", "thread", "project"],
        default="thread",
        help="where --always holds (thread)",
    )
    decline = command("decline", "say no to an approval or a question, then go on with its run")
    decline.add_argument("id", metavar="APPROVAL|QUESTION")
    decline.add_argument("--reason", default="", help="what the model is told")
    decline.add_argument("--stop", action="store_true", help="and end the run")
    replace = command("replace", "answer in the tool's place, then go on with its run")
    replace.add_argument("id", metavar="APPROVAL")
    replace.add_argument("result", nargs="+", help="what the model hears as the tool's result")
    answer = command("answer", "answer a question or a plan, then go on with its run")
    answer.add_argument("id", metavar="QUESTION")
    answer.add_argument(
        "value",
        metavar="VALUE",
        nargs="+",
        help="the answer, or each of several choices; for a plan: approve",
    )
    answer.add_argument(
        "--edited",
        action="store_true",
        help="approve a plan, as it stands in VALUE instead; - reads stdin",
    )
    for parser in (approve, decline, replace, answer):
        parser.add_argument("--thread", metavar="ID", help="look only in this thread")
        parser.add_argument("--no-wait", action="store_true", help="do not go on with the run here")
        _work(parser)


def _looking(command: Callable[[str, str], ArgumentParser]) -> None:
    threads = command("threads", "list the threads of this project, the last used first")
    threads.add_argument("--search", default="", metavar="TEXT", help="with these words in them")
    threads.add_argument("--tag", default="", help="with this tag")
    threads.add_argument(
        "--status",
        choices=["idle", "running", "waiting", "stopped"],
        default="",
        help="that stand so; stopped: a run is open, and no process works on it",
    )
    threads.add_argument("--limit", type=_count, default=20, metavar="N", help="at most N (20)")
    threads.add_argument("--after", metavar="THREAD", help="the page that follows this thread")
    show = command("show", "show a thread")
    show.add_argument("thread", nargs="?", metavar="THREAD", help="default: the last thread")
    show.add_argument("--json", action="store_true", help="its events, one object per line")
    show.add_argument("--follow", "-f", action="store_true", help="go on with what comes, live")
    context = command("context", "show where the tokens of a thread's requests go")
    context.add_argument("thread", nargs="?", metavar="THREAD", help="default: the last thread")
    _code(context.add_argument)
    compact = command("compact", "make the requests of a thread shorter, by a summary")
    compact.add_argument("thread", nargs="?", metavar="THREAD", help="default: the last thread")
    compact.add_argument("--focus", default="", metavar="TEXT", help="what it keeps above all")
    _code(compact.add_argument)
    changes = command("changes", "list the files that a thread changed; with a path, show how")
    changes.add_argument("path", nargs="?", metavar="PATH", help="show the diff of this file")
    changes.add_argument("--thread", metavar="ID", help="default: the last thread")
    _code(changes.add_argument)
    models = command("models", "list the models that can be used here (*: configured)")
    models.add_argument("--provider", default="", metavar="NAME", help="only of this provider")
    models.add_argument("--all", action="store_true", help="also those that cannot, and why")
    profiles = command("profiles", "list the profiles of models, and what holds for one")
    profiles.add_argument("model", nargs="?", default="", metavar="MODEL", help="default: in use")
    agents = command("agents", "list the subagents that can be delegated to here")
    _code(agents.add_argument)
    memory = command("memory", "list the instructions that the agent has from AGENTS.md files")
    _code(memory.add_argument)
    skills = command("skills", "list the skills that the agent can load here, or check some")
    skills.add_argument("action", nargs="?", choices=["check"], help="say what is wrong with PATH")
    skills.add_argument("path", nargs="?", metavar="PATH", help="a skill, or a folder of skills")
    _code(skills.add_argument)
    hooks = command("hooks", "list the shell hooks that are run here, and how each ended last")
    hooks.add_argument("--json", action="store_true", help="one object per line")
    _code(hooks.add_argument)
    usage = command("usage", "show what the threads of this project used, and what it cost")
    usage.add_argument("--limit", type=_count, default=20, metavar="N", help="at most N (20)")
    for parser in (threads, context, changes, models, profiles, agents, memory, skills, usage):
        parser.add_argument("--json", action="store_true", help="one object per line")


def _keeping(command: Callable[[str, str], ArgumentParser]) -> None:
    rename = command("rename", "give a thread a title")
    rename.add_argument("thread", metavar="THREAD")
    rename.add_argument("title", nargs="+")
    tag = command("tag", "give a thread tags beside those that it has")
    tag.add_argument("thread", metavar="THREAD")
    tag.add_argument("tag", nargs="+", metavar="TAG")
    tag.add_argument("--remove", action="store_true", help="take these tags away instead")
    fork = command("fork", "make a thread that goes its own way from a point of another")
    fork.add_argument("thread", metavar="THREAD")
    fork.add_argument("--at", type=_count, metavar="SEQ", help="the event to part at (the last)")
    fork.add_argument("--title", default="")
    _rewind(command("rewind", "go back in a thread to before something was said; or list where to"))
    delete = command("delete", "remove a thread for good")
    delete.add_argument("thread", metavar="THREAD")
    export = command("export", "write a thread down, to keep it or to take it elsewhere")
    export.add_argument("thread", metavar="THREAD")
    export.add_argument(
        "--format",
        choices=["json", "markdown"],
        default="json",
        help="all of it, to be imported again (json), or a transcript (markdown)",
    )
    export.add_argument("-o", dest="file", metavar="FILE", help="into this file, which is new")
    brought = command("import", "take in a thread that was exported as JSON; prints its id")
    brought.add_argument("file", metavar="FILE", help="- reads stdin")
    brought.add_argument("--copy", action="store_true", help="as another thread, with a new id")
    erase = command("erase", "take the content out of an event, and of all that repeat it")
    erase.add_argument("thread", metavar="THREAD")
    erase.add_argument("seq", type=_count, metavar="SEQ", help="its number, as in show --json")


def _rewind(parser: ArgumentParser) -> None:
    parser.add_argument(
        "point", nargs="?", metavar="POINT", help="its number in the list, or the id of an input"
    )
    parser.add_argument("--thread", metavar="ID", help="default: the last thread")
    parser.add_argument(
        "--only", choices=["conversation", "files"], default="", help="leave the other as it is"
    )
    parser.add_argument("--preview", action="store_true", help="only say what would happen")
    parser.add_argument("--undo", action="store_true", help="take the last rewind back")
    parser.add_argument(
        "--overwrite",
        action="append",
        default=[],
        metavar="PATH",
        help="put this file back though somebody else changed it; repeatable",
    )
    parser.add_argument("--json", action="store_true", help="the list, one object per line")
    _code(parser.add_argument)


def _policy(command: Callable[[str, str], ArgumentParser]) -> None:
    rules = command("rules", "list the rules that hold in a thread")
    rules.add_argument("thread", nargs="?", metavar="THREAD", help="default: the last thread")
    _code(rules.add_argument)
    grants = command("grants", "list what you said to allow always")
    grants.add_argument("thread", nargs="?", metavar="THREAD", help="default: the last thread")
    grants.add_argument("--revoke", default="", metavar="ID", help="ask again for it")
    explain = command("explain", "say whether a tool call would be allowed, asked about or denied")
    explain.add_argument("tool", metavar="TOOL")
    explain.add_argument("arguments", nargs="?", metavar="JSON", help="its arguments")
    explain.add_argument("--thread", metavar="ID", help="default: the last thread")
    _code(explain.add_argument)
    for parser in (rules, grants, explain):
        parser.add_argument("--json", action="store_true", help="as JSON")


def _others(command: Callable[[str, str], ArgumentParser]) -> None:
    trust = command("trust", "use what this project brings: settings, hooks, skills, ...")
    trust.add_argument("--revoke", action="store_true", help="do not use it any more")
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
