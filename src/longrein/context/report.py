"""`ContextReport`: where the tokens of a request go."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import assert_never

from msgspec import Struct

from longrein.context.estimate import estimate_messages, estimate_opening, estimate_tokens
from longrein.context.history import carried, conversation
from longrein.context.prompt import BETWEEN
from longrein.core.lead import lead_of
from longrein.core.messages import Assistant, Message, Note, ToolResult, User
from longrein.core.state import Prefix, State
from longrein.models.base import ToolSpec

BAR = 30
"""Characters of the longest bar."""

Amounts = dict[str, int]


class ContextReport(Struct, frozen=True):
    """Where the tokens of the next request go, if it were made now.

    `sections` are those of the system text by name. `lead` stands for what was left out of requests
    (a summary, what was asked for first), `user`, `assistant` and `notes` are messages, `results`
    what tools returned. `counted` is what a provider counted itself, for the last call; the rest is
    estimated, rather too high than too low. `window` is what the model can hold, None where nobody
    knows.

    >>> from longrein import ContextReport
    >>> report = ContextReport({"agent": 800}, 1_200, 0, 500, 700, 0, 6_800, 9_500, 200_000)
    >>> report.total, report.free, report.estimated
    (10000, 190000, 500)
    >>> print(str(report).splitlines()[-2])
    total         10,000    5 %  of 200,000, 190,000 free
    """

    sections: Mapping[str, int]
    tools: int
    lead: int
    user: int
    assistant: int
    notes: int
    results: int
    counted: int
    window: int | None

    @property
    def system(self) -> int:
        return sum(self.sections.values())

    @property
    def history(self) -> int:
        """What was said, results of tools aside."""
        return self.user + self.assistant + self.notes

    @property
    def total(self) -> int:
        return self.system + self.tools + self.lead + self.history + self.results

    @property
    def free(self) -> int | None:
        """What is left for more input and the answer; None where nobody knows."""
        return None if self.window is None else max(self.window - self.total, 0)

    @property
    def estimated(self) -> int:
        """What no provider has counted yet."""
        return self.total - self.counted

    def to_dict(self) -> dict[str, object]:
        """All of it for JSON, totals included."""
        return {
            "system": {"total": self.system, "sections": dict(self.sections)},
            "tools": self.tools,
            "lead": self.lead,
            "history": {
                "total": self.history,
                "user": self.user,
                "assistant": self.assistant,
                "notes": self.notes,
            },
            "results": self.results,
            "total": self.total,
            "window": self.window,
            "free": self.free,
            "counted": self.counted,
            "estimated": self.estimated,
        }

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield self._line("system", self.system)
        yield from self._parts(self.sections)
        yield self._line("tools", self.tools)
        if self.lead:
            yield self._line("left out", self.lead)
        yield self._line("history", self.history)
        said = {"user": self.user, "assistant": self.assistant, "notes": self.notes}
        yield from self._parts(said)
        yield self._line("results", self.results)
        free = "" if self.window is None else f"  of {self.window:,}, {self.free:,} free"
        yield f"{self._part('total', self.total)}{self._share(self.total)}{free}"
        yield f"{self.counted:,} counted by the provider, {self.estimated:,} estimated"

    def _line(self, name: str, tokens: int) -> str:
        bar = "█" * round(BAR * tokens / (self.total or 1))
        return f"{self._part(name, tokens)}{self._share(tokens)}  {bar}".rstrip()

    def _parts(self, parts: Mapping[str, int]) -> Iterator[str]:
        return (self._part(f"  {name}", tokens) for name, tokens in parts.items() if tokens)

    def _part(self, name: str, tokens: int) -> str:
        width = max((11, *(len(section) + 2 for section in self.sections))) + 1
        return f"{name:<{width}}{tokens:>8,}"

    def _share(self, tokens: int) -> str:
        """What it is of the window or, where nobody knows that, of all."""
        return f" {100 * tokens / (self.window or self.total or 1):4.0f} %"


def report_context(
    state: State, sections: Mapping[str, str], tools: Sequence[ToolSpec], window: int | None
) -> ContextReport:
    """The report of a thread; `sections` are for one in which no request was made yet."""
    messages = conversation(state)
    lead = len(lead_of(state.messages, state.window)) if state.window else 0
    texts = sections if state.prefix is None else _sections(state.prefix)
    opening = {f"section:{name}": estimate_tokens(text) for name, text in texts.items()}
    opening["tools"] = estimate_opening("", tools)
    # An answer has output: where there is none, the count is itself an estimate.
    counted = carried(state) if state.last.output else 0
    open_results = len(messages) - lead - len(state.messages[_start(state) :])
    fresh = len(state.messages) - state.heard + open_results if counted else 0
    known = len(messages) - fresh
    before = _added(opening, _by_kind(messages[:known], lead))
    amounts = _added(_scaled(before, counted), _by_kind(messages[known:], 0))
    return ContextReport(
        sections={name: amounts[f"section:{name}"] for name in texts},
        tools=amounts["tools"],
        lead=amounts.get("lead", 0),
        user=amounts.get("user", 0),
        assistant=amounts.get("assistant", 0),
        notes=amounts.get("notes", 0),
        results=amounts.get("results", 0),
        counted=counted,
        window=window,
    )


def _start(state: State) -> int:
    return state.window.start if state.window else 0


def _sections(prefix: Prefix) -> dict[str, str]:
    """What each source says in a system text; all in one where that cannot be told."""
    texts: dict[str, str] = {}
    at = 0
    for source in prefix.sources:
        texts[source.name] = prefix.system[at : at + source.length]
        at += source.length + len(BETWEEN) if source.length else 0
    # An erased text, or one of an earlier version.
    return texts if at == len(prefix.system) + len(BETWEEN) else {"system": prefix.system}


def _by_kind(messages: Iterable[Message], lead: int) -> Amounts:
    amounts: Amounts = {}
    for place, message in enumerate(messages):
        kind = "lead" if place < lead else _kind(message)
        amounts[kind] = amounts.get(kind, 0) + estimate_messages((message,))
    return amounts


def _kind(message: Message) -> str:
    match message:
        case User():
            return "user"
        case Assistant():
            return "assistant"
        case Note():
            return "notes"
        case ToolResult():
            return "results"
        case _:
            assert_never(message)


def _scaled(amounts: Amounts, total: int) -> Amounts:
    """The same shares of what was counted; as they are where nothing was."""
    whole = sum(amounts.values())
    if not total or not whole:
        return amounts
    scaled: Amounts = {}
    so_far = 0
    for name, tokens in amounts.items():
        before, so_far = so_far, so_far + tokens
        # Rounded where it begins and ends, so that all of them come to the total.
        scaled[name] = round(so_far * total / whole) - round(before * total / whole)
    return scaled


def _added(one: Amounts, other: Amounts) -> Amounts:
    return {name: one.get(name, 0) + other.get(name, 0) for name in (*one, *other)}
