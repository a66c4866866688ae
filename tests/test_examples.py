import subprocess
import sys
from pathlib import Path

from agentevals import eval_sets
from agentevals.dialects import compile_plan

EXAMPLES = Path(__file__).parents[1] / "examples"


def test_the_demo_shows_one_mistake_and_ends_well():
    program = [sys.executable, str(EXAMPLES / "demo.py")]
    done = subprocess.run(program, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "FAIL  1 of 4 cases failed · score" in done.stdout
    assert 'unit: "fahrenheit"' in done.stdout
    assert "! " not in done.stdout


def test_the_config_and_the_eval_set_are_without_complaints():
    assert not compile_plan(EXAMPLES / "eval_config.yaml").findings
    assert not eval_sets.load(EXAMPLES / "eval_set.json").findings
