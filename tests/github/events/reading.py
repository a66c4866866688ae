"""What an event module makes of a recorded payload."""

import json
from typing import Any

from agentevals.github.events import EVENTS, Environment
from tests.support import DATA

HEAD, BASE = "1a" * 20, "2b" * 20
CHECKED_OUT = "3c" * 20
ON_MAIN = Environment(sha=CHECKED_OUT, ref="refs/heads/main")


def payload(name: str) -> Any:
    return json.loads((DATA / "events" / f"{name}.json").read_text())


def part(event: str, name: str, environment: Environment = ON_MAIN) -> dict[str, Any]:
    return dict(EVENTS[event](payload(name), environment))
