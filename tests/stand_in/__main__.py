"""`python -m tests.stand_in [PORT]`: the stand-in by itself, until it is interrupted."""

import contextlib
import json
import signal
import sys

from tests.stand_in.server import StandIn, running


def main() -> None:
    stand_in = StandIn()
    stand_in.world.pull()
    with running(stand_in, port=int(sys.argv[1]) if sys.argv[1:] else 0):
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        print(json.dumps({**stand_in.environ, "token": stand_in.token}), flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            signal.pause()


if __name__ == "__main__":
    main()
