"""When a request becomes too long, and what is done about it. Pure, as `decide` is.

The order of means: old results and arguments become stubs; a capability's own notes stand for the
beginning; a model writes a summary; the oldest steps are left out. The first that is enough is
taken, and a summary is not tried again where it failed until somebody says something new.
"""

from longrein.context.compaction import Crowd, Need, first_of
from longrein.context.estimate import estimate_messages
from longrein.context.history import carried, conversation
from longrein.core.events import Compacted
from longrein.core.fold_windows import pinned_late, pinned_places
from longrein.core.outcomes import Failed, Problem
from longrein.core.state import Run, State
from longrein.core.usage import ASSUMED_OUTPUT
from longrein.core.window import Trigger
from longrein.loop.next import CallModel, Compact, Finish, Next
from longrein.loop.setup import Setup
from longrein.tools.output import instruction

AIM = 0.8
"""The share of what a request may take that it takes at most once it was compacted. The rest is
what has to come free, so that a change of the window is followed by some steps without one."""

WORTHWHILE = 0.9
"""The share of a request that may be left of it where somebody asked for a shorter one."""

TOO_LONG = (
    "Even the newest step does not fit into the window of {model}: it takes about {tokens:,} "
    "tokens, and there is room for {most:,}. Send something else, which leaves it out, or choose a "
    "model with a larger window."
)
PINNED = " Pinned inputs take about {tokens:,} of these: unpin some."
NOTHING = "There is nothing to compact: the newest steps stay whole, and there is nothing else yet."


def step_with(state: State, setup: Setup, run: Run, model: str) -> tuple[Next, ...]:
    """A step with this model or, where its request would be too long, what has to happen first."""
    if state.wish is not None:
        return asked(state, setup, model)
    if run.overflow:
        cut = recovery(state, setup, run, model, run.overflow)
        return (Compact(model, cut) if cut else _too_long(state, model, run.overflow),)
    if pinned_late(state):
        before = filled(state, setup, model)
        return (Compact(model, crowd_of(state, setup, model, "asked", before).pin()),)
    limit = room(state, setup, model)
    if limit is None:
        return (CallModel(model),)
    before = filled(state, setup, model)
    if not setup.compaction.enabled or before <= setup.compaction.share * limit:
        return (CallModel(model, before),)
    if cut := _plan(crowd_of(state, setup, model, "full", before), state, setup, run):
        return (Compact(model, cut),)
    most = _most(state, setup, model) or limit
    return (_too_long(state, model, before, most) if before > most else CallModel(model, before),)


def asked(state: State, setup: Setup, model: str) -> tuple[Next, ...]:
    """What a person's wish for a compaction comes to."""
    focus = state.wish.focus if state.wish else ""
    return (Compact(model, wished(state, setup, model), focus),)


def wished(state: State, setup: Setup, model: str) -> Compacted | None:
    """How requests would become shorter, should somebody ask for it; None: they cannot."""
    return crowd_of(state, setup, model, "asked", filled(state, setup, model)).summarise()


def recovery(state: State, setup: Setup, run: Run, model: str, tokens: int) -> Compacted | None:
    """How a request of so many tokens, which did not fit, becomes one that does."""
    if not setup.compaction.enabled:
        return None
    return _plan(crowd_of(state, setup, model, "overflow", tokens), state, setup, run)


def crowd_of(state: State, setup: Setup, model: str, trigger: Trigger, before: int) -> Crowd:
    """A conversation of so many tokens that is to be compacted, with what that has to reach."""
    limit = room(state, setup, model) or before
    full = before
    match trigger:
        case "full":
            full = int(limit * setup.compaction.share)
            aim = int(full * AIM)
        case "overflow":
            # By how much it was too long, nobody said.
            limit, aim = before, before // 2
        case "asked":
            limit, aim = min(limit, before), int(before * WORTHWHILE)
    need = Need(
        trigger,
        before,
        setup.opening(state, model),
        limit,
        aim,
        full - aim,
        int(limit * setup.compaction.keep),
        trigger == "overflow" or before > (_most(state, setup, model) or before),
    )
    return Crowd(state, need, _kept(state, setup, limit), setup.readable(state))


def _plan(crowd: Crowd, state: State, setup: Setup, run: Run) -> Compacted | None:
    return first_of(
        crowd.clear,
        lambda: crowd.digest(setup.digest(state)),
        lambda: None if run.unsummarised else crowd.summarise(),
        crowd.leave_out,
    )


def _kept(state: State, setup: Setup, limit: int) -> str:
    """What has to be said again where it was left out; no more of it than a small window holds."""
    run = state.run
    output = instruction(run.output) if run is not None and run.output else ""
    return "\n\n".join(text for text in (setup.keeps(state)[:limit], output) if text.strip())


def filled(state: State, setup: Setup, model: str, *, anew: bool = False) -> int:
    """The tokens that the next request to a model will take: what the provider counted last, and an
    estimate of what is new. `anew`: what it counted does not hold any more."""
    counted = state.last.total and not anew
    if counted and (state.prefix is None or state.prefix.model == model):
        return carried(state) + estimate_messages(state.messages[state.heard :])
    return setup.opening(state, model) + estimate_messages(conversation(state))


def room(state: State, setup: Setup, model: str) -> int | None:
    """The tokens that a request may take, with room left for the answer; None: nobody knows."""
    window, ceiling = setup.window(model), state.ceilings.get(model)
    if window is None:
        return ceiling
    output = setup.most_output(model) or min(ASSUMED_OUTPUT, window // 4)
    limit = window - min(output, window // 2)
    return limit if ceiling is None else min(limit, ceiling)


def _most(state: State, setup: Setup, model: str) -> int | None:
    """The tokens from which on a request is refused; None: nobody knows."""
    known = [one for one in (setup.window(model), state.ceilings.get(model)) if one is not None]
    return min(known, default=None)


def _too_long(state: State, model: str, tokens: int, most: int | None = None) -> Next:
    text = TOO_LONG.format(model=model, tokens=tokens, most=most or tokens)
    places = pinned_places(state, len(state.messages))
    if pinned := estimate_messages(state.messages[place] for place in places):
        text += PINNED.format(tokens=pinned)
    return Finish(Failed(Problem("context_overflow", text)))
