"""`python -I -m agentevals.action`: what the container runs."""

import os
import sys

from agentevals.version import VERSION

if __name__ == "__main__":
    # before anything large is imported, so that whoever watches the log sees that it began
    print(f"agentevals {VERSION}", flush=True)

    from agentevals.action.front import main

    try:
        code = main()
    except BrokenPipeError:  # nobody reads the log any more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    sys.exit(code)
