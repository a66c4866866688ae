"""The command that gives the same result on anybody's machine."""

from shlex import quote

import msgspec

from agentevals.action.job import Job
from agentevals.review import Section

_MOST = 1_000  # characters; a longer list of traces is left to the config


def with_command(section: Section, job: Job) -> Section:
    """The section with how to see it locally, at the same commit."""
    inputs = job.inputs
    words = ["agentevals", "run", *map(quote, inputs.traces), "--config", quote(section.config)]
    if inputs.eval_set:
        words += ["--eval-set", quote(inputs.eval_set)]
    if inputs.on_not_evaluated:
        words += ["--on-not-evaluated", inputs.on_not_evaluated]
    command = " ".join(words)
    head = job.occasion.head_sha or job.occasion.sha or ""
    lines = [f"git checkout {head[:12]}"] if head else []
    lines += [f"cd {quote(inputs.working_directory)}"] if inputs.working_directory != "." else []
    lines.append(command if len(command) <= _MOST else f"agentevals run -c {quote(section.config)}")
    return msgspec.structs.replace(section, reproduce="\n".join(lines), leg=job.leg)
