"""The recipes of docs/cluster.md, run by the real Ray and the real Spark."""

import os
import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

import agentevals
from tests.support import DOCS, EXAMPLES

PAGE = (DOCS / "cluster.md").read_text(encoding="utf-8")
RECIPES = dict(re.findall(r"(?ms)^```python\n(# \w+_on_\w+\.py)\n(.*?)^```", PAGE))
CONFIG = "eval_set: eval_set.json\nevaluators: [{name: response_match_score, type: builtin}]\n"
# the last line of a recipe says less than the report that it has
WHOLE = (
    "    import msgspec; open('out.json', 'wb').write(msgspec.json.encode(tuple(report.cases)))\n"
)
DURATION = re.compile(rb'"duration_ms":[\d.e+-]+')


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_finds_what_one_machine_finds(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("traces").symlink_to(EXAMPLES / "traces")
    Path("eval_set.json").symlink_to(EXAMPLES / "eval_set.json")
    Path("eval_config.yaml").write_text(CONFIG)
    text, indent = RECIPES[name], "    " if "Spark" in RECIPES[name] else ""
    Path("recipe.py").write_text(text + indent + WHOLE)
    alone = agentevals.evaluate("traces/", "eval_config.yaml")

    done = subprocess.run(
        [sys.executable, "recipe.py"],
        env={**os.environ, "RAY_USAGE_STATS_ENABLED": "0", "PYSPARK_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].endswith("pass 4")
    wanted = msgspec.json.encode(tuple(alone.cases))
    assert DURATION.sub(b"", Path("out.json").read_bytes()) == DURATION.sub(b"", wanted)
