"""`python -m mindlog.cli`: the command line without its script."""

from __future__ import annotations

import sys

from mindlog.cli import main

if __name__ == "__main__":
    sys.exit(main())
