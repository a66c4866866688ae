"""`python -I -m agentevals.action`: what the container runs."""

import sys

from agentevals.action.front import main

sys.exit(main())
