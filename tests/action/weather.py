"""The agent of the examples, which sends real spans, and the repository that it lies in."""

import sys
from pathlib import Path

from tests.action.job import config
from tests.support import agentevals

ROOT = Path(__file__).parents[2]
AGENT = {path.name: path.read_text() for path in (ROOT / "examples/weather_agent").glob("*.py")}
RECORD = ("record", "-o", "traces/", "--", sys.executable, "agent.py")
# whatever the model says, it does not know
LOST = '        messages[-1]["parts"][0]["content"] = "No idea."'
ANSWER = '        invoking(output={"messages": messages[-1:]})'
WORSE = {"agent.py": AGENT["agent.py"].replace(ANSWER, f"{LOST}\n{ANSWER}")}
_MATCH = {"name": "response_match_score", "type": "builtin", "threshold": 0.8}


def make_repository(home):
    """Return the files of the agent, with the expectation that its good recording was made into."""
    for name, text in AGENT.items():
        (home / name).write_text(text)
    recorded = agentevals(*RECORD, cwd=home)
    assert recorded.returncode == 0, recorded.stderr
    assert agentevals("bless", "traces/", "-o", "eval_set.json", cwd=home).returncode == 0
    files = {"eval_set.json": (home / "eval_set.json").read_text()}
    return AGENT | files | {"eval_config.yaml": config(_MATCH, traces="traces", agent="*.py")}
