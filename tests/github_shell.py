"""How GitHub's runner starts the script of a step: the shell decides which failures it sees.

A step that names no shell gets `bash -e {0}`, which only sees the last command of a pipe;
`shell: bash` gets pipefail, and sees all of them.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_UNNAMED = ("bash", "-e")
_NAMED = {
    "bash": ("bash", "--noprofile", "--norc", "-eo", "pipefail"),
    "sh": ("sh", "-e"),
}
_PIPE = re.compile(r"(?<!\|)\|(?!\|)")

Step = dict[str, Any]


def scripts(workflow: dict[str, Any]) -> Iterator[tuple[tuple[str, ...], Step]]:
    """Return each step of a workflow that has a script, with the words its shell starts with."""
    for job in workflow["jobs"].values():
        for step in job.get("steps", []):
            if "run" in step:
                yield _shell(workflow, job, step), step


def losing(workflow: dict[str, Any]) -> list[str]:
    """Return the scripts that have a pipe, in a shell that ignores what fails before the pipe."""
    return [
        step["run"]
        for shell, step in scripts(workflow)
        if "pipefail" not in shell and _PIPE.search(step["run"])
    ]


def command(shell: tuple[str, ...], script: str, folder: Path) -> list[str]:
    """Return the command for a script; the runner writes the script to a file, and so do we."""
    file = folder / "step.sh"
    file.write_text(script, encoding="utf-8")
    return [*shell, str(file)]


def _shell(workflow: dict[str, Any], job: dict[str, Any], step: Step) -> tuple[str, ...]:
    defaults = (scope.get("defaults", {}).get("run", {}) for scope in (job, workflow))
    named = [each["shell"] for each in (step, *defaults) if "shell" in each]
    return _NAMED[named[0]] if named else _UNNAMED
