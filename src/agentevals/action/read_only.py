"""What a run that may only read does not write: told once, unless a workflow publishes it."""

import re
from collections.abc import Sequence
from pathlib import Path

from agentevals.action.job import NAME, Job
from agentevals.files.git import Git, describe_foreign

_FOLDER = ".github/workflows"
_SECONDS = 10
_PUBLISHES = re.compile(r"""^\s*command\s*:\s*["']?publish\b""", re.MULTILINE)
_LARGEST = 2**20  # bytes of a workflow that is looked at


def explain(job: Job, names: Sequence[str]) -> None:
    """Say what is not written, and what publishes it; a workflow that does so needs no notice."""
    what = (
        f"{' and '.join(names)}: not written, because runs for forks and Dependabot may only read"
    )
    if publishes(job):
        job.log.log(f"{what}; the workflow with 'command: publish' does so")
    else:
        job.log.notice(
            f"{what}; add a workflow with 'command: publish' on 'workflow_run' to have it published"
        )


def publishes(job: Job) -> bool:
    """Return whether a workflow of the base runs this action to publish, as far as it is here."""
    root, base = job.workspace.root, job.context.base_sha or ""
    texts = _read_base(root, base) or _read_checkout(root)
    return any(_PUBLISHES.search(text) and f"{NAME}-action" in text for text in texts)


def _read_base(root: Path, base: str) -> list[str]:
    """Return the workflows of the base; none where its commit is not here."""
    git = Git(root, describe_foreign(root), _SECONDS)
    words = ("ls-tree", "--name-only", "--end-of-options", base, f"{_FOLDER}/")
    listed = git.answer(*words) if base else None
    found = (git.answer("cat-file", "blob", f"{base}:{path}") for path in _split(listed))
    return [content[:_LARGEST].decode(errors="replace") for content in found if content]


def _split(listed: bytes | None) -> list[str]:
    return [path for path in (listed or b"").decode(errors="replace").splitlines() if path]


def _read_checkout(root: Path) -> list[str]:
    """Return those of the checkout: it is merged into the base."""
    files = sorted((root / _FOLDER).glob("*.y*ml"))
    inside = (path for path in files if path.is_file() and path.resolve().is_relative_to(root))
    return [path.read_bytes()[:_LARGEST].decode(errors="replace") for path in inside]
