"""A smoke run, measured beside a fresh interpreter with the SDK on the same fixture.

`python -m tests.bench.registry_smoke` prints both, for one run each: checking a fixture takes two
of them on either side. Ours are sandboxed, theirs are not.
"""

import json
import os
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from registry_tools.manifests import registry_folder
from registry_tools.manifests.manifest_fixtures import read
from registry_tools.smoke import smoke_program, smoke_trial
from registry_tools.smoke.smoke_program import Grants
from tests.bench.inputs import EVALUATOR

WANTED = 10
_CAREFUL = EVALUATOR.replace("/ len(answered)", "/ max(1, len(answered))")
_FIXTURES = 100
_FRESH = 5
_ROUNDS = 5


class Measured(NamedTuple):
    """Seconds for one run of a fixture: of a fresh interpreter, and of ours."""

    fresh: float
    ours: float

    @property
    def ratio(self) -> float:
        """How many times faster."""
        return self.fresh / self.ours


def measure(root: Path) -> Measured:
    """One evaluator with many fixtures; fresh interpreters before and after, on the same machine.

    Hostile inputs run as well, and what they take is shared out among the runs of fixtures.
    """
    _write(root)
    (entry,) = registry_folder.read(root).entries
    fixtures = read(entry.read_bytes("fixtures.yaml", 1 << 20), "fixtures.yaml")
    message = fixtures.fixtures[0].build_input(entry.name).model_dump_json().encode()
    if why := smoke_program.find_objection("partial"):
        raise SystemExit(why)
    with (
        smoke_program.open_program(entry, Grants(), level="partial", timeout=10) as opened,
        ThreadPoolExecutor(os.cpu_count()) as pool,
    ):
        fresh, ours = [], []
        for _ in range(_ROUNDS):
            fresh += [_fresh(entry.home / "judge.py", message) for _ in range(_FRESH)]
            began = time.perf_counter()
            assert not list(smoke_trial.try_out(entry, opened, fixtures, pool))
            ours.append((time.perf_counter() - began) / (2 * _FIXTURES))
    return Measured(statistics.median(fresh), statistics.median(ours))


def _fresh(program: Path, message: bytes) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, program], input=message, stdout=subprocess.PIPE, check=True)
    return time.perf_counter() - began


def _write(root: Path) -> None:
    home = root / "evaluators" / "judge"
    home.mkdir(parents=True)
    (home / "judge.py").write_text(_CAREFUL, encoding="utf-8")
    manifest = {
        "name": "judge",
        "description": "Every turn has an answer",
        "language": "python",
        "entrypoint": "judge.py",
        "fixtures": "fixtures.yaml",
    }
    (home / "evaluator.yaml").write_text(json.dumps(manifest, indent=1), encoding="utf-8")
    fixtures = [
        {
            "name": f"fixture_{number}",
            "input": {"invocations": [{"final_response": f"Answer {number}"}]},
            "expect": {"score": 1},
        }
        for number in range(_FIXTURES)
    ]
    text = json.dumps({"fixtures": fixtures}, indent=1)
    (home / "fixtures.yaml").write_text(text, encoding="utf-8")


def main() -> int:
    """Print what was measured; 1 when it is not fast enough."""
    with TemporaryDirectory() as folder:
        measured = measure(Path(folder))
    print(
        f"a fresh interpreter with the SDK {measured.fresh * 1000:.1f} ms, "
        f"a sandboxed run {measured.ours * 1000:.2f} ms: "
        f"{measured.ratio:.1f} x faster, must reach {WANTED} x"
    )
    return 0 if measured.ratio >= WANTED else 1


if __name__ == "__main__":
    sys.exit(main())
