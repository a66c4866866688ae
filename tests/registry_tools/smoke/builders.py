"""Registries of one evaluator, written for a test."""

import json
from pathlib import Path
from textwrap import dedent
from typing import Any

from registry_tools.manifests import registry_folder
from registry_tools.manifests.registry_finding import Finding
from registry_tools.manifests.registry_folder import Registry
from registry_tools.smoke import smoke_run
from registry_tools.smoke.smoke_run import Options

LANGUAGES = {".py": "python", ".js": "javascript", ".ts": "typescript"}

# answers whatever it is given
CALM = """
import json, sys
sys.stdin.read()
print(json.dumps({"score": 0.5}))
"""
BROKEN = "import sys\nsys.stdin.read()\n1 / 0\n"
ONE = """
fixtures:
  - name: hello
    input: {invocations: [{final_response: Hello}]}
    expect: {score: 0.5}
"""


def judge(
    root: Path, program: str = CALM, fixtures: str = ONE, *, file: str = "judge.py", **manifest: Any
) -> Registry:
    """A registry with the evaluator `judge`; other keys of its manifest come by name."""
    home = root / "evaluators" / "judge"
    home.mkdir(parents=True, exist_ok=True)
    said = {
        "name": "judge",
        "description": "What a test wants to be judged",
        "language": LANGUAGES[Path(file).suffix],
        "entrypoint": file,
        **({"fixtures": "fixtures.yaml"} if fixtures else {}),
        **manifest,
    }
    # JSON is YAML
    (home / "evaluator.yaml").write_text(json.dumps(said, indent=1))
    (home / file).write_text(dedent(program))
    if fixtures:
        (home / "fixtures.yaml").write_text(dedent(fixtures).lstrip())
    return registry_folder.read(root)


def found(registry: Registry, **options: Any) -> dict[str, Finding]:
    """What a smoke run says, by rule, and not what the cache says."""
    every = smoke_run.run(registry, Options(**({"cached": False} | options)))
    return {finding.rule: finding for finding in every}
