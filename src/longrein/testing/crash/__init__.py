"""The crash rig: kills real processes that run scripted sessions, and looks at what is left.

    python -m longrein.testing.crash --kills 1000

Each case has a seed from which it can be run again. Its processes are forked from one that has
imported everything, run a scripted session on a SQLite file, and are killed at a named point, at an
act of their client, or at a random moment. Whatever a process told its client before that must be
there when the next one opens the thread, what it did not tell must be there whole or not at all, no
effect may have happened twice, and the session must come to the end it would have come to.
"""
