"""The part of `evolve` about children: which there are, and what they have used."""

from msgspec.structs import replace

from longrein.core import events as e
from longrein.core.children import Account, Child
from longrein.core.state import State
from longrein.core.usage import Spent

MOST_ENDED = 100
"""How many children that have ended are remembered, beside those of calls that go on."""


def fold_child(
    state: State, event: e.ChildStarted | e.ChildChanged | e.ChildEnded | e.ChildSpent
) -> State:
    match event:
        case e.ChildStarted():
            return _started(state, event)
        case e.ChildChanged(child=id, status=status):
            child = state.child(id)
            if child is None or not child.open:
                return state
            return _with(state, replace(child, state=status))
        case e.ChildEnded(child=id, status=status, spent=spent):
            child = state.child(id)
            if child is None or not child.open:
                return state
            settled = state.settled
            for asked in event.settled:
                settled = settled.put(asked, child.run)
            state = replace(state, settled=settled)
            return _spent(_with(state, replace(child, state=status, spent=spent)), child)
        case e.ChildSpent(child=id, spent=spent):
            child = state.child(id)
            if child is None or child.open:
                return state
            state = replace(state, below=state.below + spent - child.spent)
            return _with(state, replace(child, spent=spent))


def _started(state: State, event: e.ChildStarted) -> State:
    if state.child(event.child) is not None:
        return state
    child = Child(
        event.child,
        event.call,
        event.agent,
        event.title,
        event.task,
        event.background,
        event.forked,
        event.at,
        seq=event.seq,
        run=event.run,
        number=event.number,
    )
    ended = [one for one in state.children if not one.open and not _asked_for(state, one)]
    forgotten = {one.thread for one in ended[: max(0, len(ended) - MOST_ENDED)]}
    kept = (one for one in state.children if one.thread not in forgotten)
    return replace(state, children=(*kept, child))


def _asked_for(state: State, child: Child) -> bool:
    """Whether the call of a child goes on: should it be made again, it finds what it had."""
    call = state.call(child.call)
    return call is not None and call.result is None


def _with(state: State, child: Child) -> State:
    children = tuple(child if one.thread == child.thread else one for one in state.children)
    return replace(state, children=children)


def _spent(state: State, before: Child) -> State:
    """What an ended child used counts for the thread, and for the run that it worked for."""
    child = state.child(before.thread)
    spent = child.spent if child else Spent()
    state = replace(state, below=state.below + spent)
    if state.run is not None and state.run.id == before.run:
        return replace(state, run=replace(state.run, below=state.run.below + spent))
    accounts = tuple(
        replace(one, below=one.below + spent) if one.run == before.run else one
        for one in state.accounts
        if _owes(state, one.run)
    )
    return replace(state, accounts=accounts)


def keep_account(before: State, after: State) -> State:
    """A run has ended; what it may still spend is kept while children of it work."""
    run = before.run
    if run is None or after.run is not None or not _owes(after, run.id):
        return after
    account = Account(run.id, run.limits, run.spent, run.below)
    return replace(after, accounts=(*after.accounts, account))


def _owes(state: State, run: str) -> bool:
    return any(child.open and child.run == run for child in state.children)


def drop_children(state: State, event: e.Rewound) -> State:
    """The thread was rewound: nobody wants to hear any more of those that began since."""
    if not any(child.open for child in state.children):
        return state
    children = tuple(
        replace(child, dropped=True) if child.open and child.seq >= event.before else child
        for child in state.children
    )
    return replace(state, children=children)
