"""The program that starts commands in a sandbox: the first process in there, and their ancestor.

Its modules are handed as code to an interpreter of their own, which imports nothing of the package.
They use the C modules below `os`, `socket` and `ctypes`: importing those would double what a start
costs.

    Keeper          waits for requests and for supervisors
      supervise     a process for each command, parent of all that the command left behind
        shell       the command

Whoever loses its parent becomes a child of the supervisor, so it is known to whom it belongs. To
end a command its supervisor is killed: all that it had come to the keeper, which knows nobody but
supervisors and kills strangers until there are none. A command that kills its supervisor ends
itself the same way.

In, on a socket that keeps messages apart: marshalled values and descriptors. Out: `gone` and the
number of a command that was killed; on the link of each command `started`, or what is wrong, then
`ended` and how. Nobody outside trusts this: a command might have broken in here.
"""
