"""`python -m longrein`: the command line."""

import sys

from longrein.cli import main

if __name__ == "__main__":
    sys.exit(main())
