"""`python -m honeyguide` is the command line."""

import sys

from honeyguide.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
