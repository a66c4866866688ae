"""`python -m registry_tools` is `agentevals registry`."""

import sys

from agentevals.cli import main

sys.argv[1:1] = ["registry"]
main()
