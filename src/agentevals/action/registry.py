"""`registry-validate` and `registry-index`: the registry's tools as a step of a workflow."""

from agentevals.action.job import Job
from agentevals.errors import InputError


def command(job: Job) -> int:
    """Said clearly until the tools are there, so that nobody takes silence for success."""
    msg = (
        f"'command: {job.inputs.command}' is not in this version yet; use 'evaluate' or 'publish', "
        "or wait for the release with the registry's tools"
    )
    raise InputError(msg)
