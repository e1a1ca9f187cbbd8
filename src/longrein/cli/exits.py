"""Exit codes: what a script can tell from how a command ended."""

FINISHED = 0
FAILED = 1
USAGE = 2
WAITING = 3
LIMIT = 4
STALE = 5
MISSING = 6
ACCEPTED = 7
INTERRUPTED = 130
BROKEN_PIPE = 141
TERMINATED = 143

TABLE = """\
exit codes:
  0    done: the run finished, the answer was applied
  1    failed: the model or the store could not do it
  2    usage: the command, a setting or an answer makes no sense
  3    waiting: the run is parked until somebody answers; how to is printed
  4    limit: the run reached one of its limits
  5    stale: what was answered is settled already
  6    missing: there is no such thread, approval or question
  7    accepted: kept, but the thread's owner has not taken it up yet
  130  interrupted by a person
  141  nobody reads the output any more
  143  terminated
"""
