"""`make demo`: score the recordings of this folder, and find the mistake in one of them."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
GATE_FAILED = 1  # as it must: one recording holds a mistake on purpose


def main():
    traces = sorted(str(path.relative_to(ROOT)) for path in (HERE / "traces").glob("*.jsonl"))
    words = ["--config", "examples/eval_config.yaml", "--eval-set", "examples/eval_set.json"]
    print("$ agentevals run examples/traces/*.jsonl", *words, end="\n\n", flush=True)
    program = [sys.executable, "-m", "agentevals", "run", *traces, *words]
    code = subprocess.run(program, cwd=ROOT, check=False).returncode
    if code != GATE_FAILED:
        sys.exit(code or "the demo found no mistake, but there is one")
    print("\nThe agent answered in Celsius although Fahrenheit was asked for, and it did not warn.")
    print("examples/README.md says how this was recorded. Next: agentevals init")


if __name__ == "__main__":
    main()
