"""`python -I -m agentevals.action`: what the container runs."""

import os
import sys
from contextlib import suppress

from agentevals.model.version import VERSION
from agentevals.sandbox import cancelling

if __name__ == "__main__":
    cancelling.heed()
    try:
        with cancelling.insist():
            # before anything large is imported, so that whoever watches the log sees that it began
            print(f"agentevals {VERSION}", flush=True)

            from agentevals.action.main import main

            code = main()
        cancelling.end_at_once()
    except cancelling.Cancelled as cancelled:
        with suppress(OSError):
            print(cancelled, flush=True)
        cancelling.leave(cancelled.exit_code)
    except BrokenPipeError:  # nobody reads the log any more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    sys.exit(code)
