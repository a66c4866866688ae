import subprocess
import sys
from pathlib import Path

from agentevals.configs import eval_sets
from agentevals.configs.dialects import compile_plan

EXAMPLES = Path(__file__).parents[1] / "examples"


def test_the_demo_plays_a_pull_request_with_a_regression():
    program = [sys.executable, str(EXAMPLES / "demo.py")]
    done = subprocess.run(program, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "**Not ready to merge: 1 of 4 cases failed.**" in done.stdout
    assert "1 case regressed, 1 case fixed" in done.stdout
    assert "- geocode(place)" in done.stdout
    assert "numbers_agree" in done.stdout
    assert "error" not in done.stdout


def test_the_config_and_the_eval_set_are_without_complaints():
    assert not compile_plan(EXAMPLES / "eval_config.yaml").findings
    assert not eval_sets.load(EXAMPLES / "eval_set.json").findings
