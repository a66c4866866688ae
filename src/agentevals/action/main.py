"""The entry of the container: reads the runner's variables and runs a command."""

import os
import sys
import tempfile
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

import msgspec

from agentevals.action.job import Job
from agentevals.github import event_context
from agentevals.github.api import Api
from agentevals.github.api_retries import CLOCK, Clock
from agentevals.github.dry_run import DryRunApi
from agentevals.github.runner import inputs, step_outputs
from agentevals.github.runner.inputs import Inputs
from agentevals.github.runner.runner_secrets import collect_secrets
from agentevals.github.runner.secret_variables import find_secrets
from agentevals.github.runner.workflow_log import Log, forward_warnings
from agentevals.github.runner.workspace import Workspace
from agentevals.model.errors import AgentEvalsError, ConfigError
from agentevals.model.plugins import Table
from agentevals.sandbox import cancelling
from agentevals.text.redaction import Redactor

Steps = Table[Callable[[Job], int]]
COMMANDS: Steps = Table(
    "command",
    {
        "evaluate": "agentevals.action.evaluate:evaluate",
        "publish": "agentevals.action.publish:publish",
    },
    group="agentevals.steps",  # the registry tools stand on top of us, and add theirs
)

# what each does where its inputs are wrong, if it can tell anybody
BROKEN: Table[Callable[[Job, AgentEvalsError], int]] = Table(
    "command", {"evaluate": "agentevals.action.evaluate:report_broken"}
)

_A_BUG = 4
# variables that no child process needs
_PRIVATE = ("ACTIONS_", "INPUT_GITHUB", "INPUT_MASK", "GITHUB_TOKEN", "GH_TOKEN")


def main(commands: Steps = COMMANDS) -> int:
    """Run one step of a workflow. Every failure has a message and an exit code."""
    environ = dict(os.environ)
    for name in [name for name in os.environ if name.startswith(_PRIVATE)]:
        del os.environ[name]
    return run(environ, sys.stdout, commands=commands)


def run(
    environ: Mapping[str, str], stream: TextIO, clock: Clock = CLOCK, commands: Steps = COMMANDS
) -> int:
    """Run the step with the given environment, and return its exit code."""
    log = Log.open(environ, stream)
    try:
        with forward_warnings(log), cancelling.insist():
            return _run_command(environ, log, clock, commands)
    except ConfigError as error:
        code = _report(log, map(str, error.problems), error.exit_code)
    except AgentEvalsError as error:
        code = _report(log, [str(error)], error.exit_code)
    except cancelling.Cancelled:
        step_outputs.set_outputs(environ, {"verdict": "error"})
        raise
    except BrokenPipeError:
        raise
    except Exception as error:  # noqa: BLE001 -- a bug has an exit code of its own
        log.log("".join(traceback.format_exception(error)))
        code = _report(
            log, ["this is a bug in agentevals; please report it with the lines above"], _A_BUG
        )
    step_outputs.set_outputs(environ, {"verdict": "error"})
    return code


def _run_command(environ: Mapping[str, str], log: Log, clock: Clock, commands: Steps) -> int:
    held = collect_secrets(environ, _read_raw_token(environ), _JUDGE_KEYS)
    _hide_secrets(log, held)
    others = find_secrets(environ)
    hidden = (*held, *others)
    _hide_secrets(log, hidden, held)
    try:
        given = inputs.read(environ)
    except ConfigError as error:
        return _report_inputs(environ, log, clock, error)
    named = [given.judge_api_key_env] if given.judge_api_key_env else []
    known = collect_secrets(environ, _read_token(given), [*_JUDGE_KEYS, *named])
    _hide_secrets(log, (*known, *others), hidden)
    for sentence in inputs.find_warnings(environ):
        log.warning(sentence)
    # what a thread still writes into it must not hide why this ends
    with tempfile.TemporaryDirectory(prefix="agentevals-", ignore_cleanup_errors=True) as scratch:
        job = _build_job(environ, log, given, Path(scratch), clock)
        if job.context.notice:
            log.notice(job.context.notice)
        return commands[given.command](job)


def _report_inputs(environ: Mapping[str, str], log: Log, clock: Clock, error: ConfigError) -> int:
    """Report wrong inputs in the check run as well: one that is required must not stay open."""
    given = inputs.read_valid(environ)
    if given.command not in BROKEN:
        raise error
    with tempfile.TemporaryDirectory(prefix="agentevals-", ignore_cleanup_errors=True) as scratch:
        job = _build_job(environ, log, given, Path(scratch), clock)
        return BROKEN[given.command](job, error)


_JUDGE_KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY")


def _hide_secrets(log: Log, secrets: Sequence[str], hidden: Sequence[str] = ()) -> None:
    """Hide secrets in our own output from now on, and let the runner hide new ones, too."""
    log.redact = Redactor(secrets)
    for secret in dict.fromkeys(secrets):
        if secret not in hidden:
            log.mask(secret)


def _build_job(
    environ: Mapping[str, str], log: Log, given: Inputs, scratch: Path, clock: Clock
) -> Job:
    event = event_context.read(environ)
    names = {name: log.redact.rename(getattr(event, name)) for name in ("workflow", "matrix")}
    job = Job(
        inputs=given,
        context=msgspec.structs.replace(event, **names),
        workspace=Workspace.locate(environ, given.working_directory),
        log=log,
        environ=environ,
        scratch=scratch.resolve(),
        now=datetime.fromtimestamp(clock.now(), UTC),
        clock=clock,
    )
    return replace(job, api=_build_api(job))


def _build_api(job: Job) -> Api | None:
    """Return the API. Its addresses come from the environment alone."""
    event, token = job.context, _read_token(job.inputs)
    if not event.api_url:
        return None
    if job.inputs.dry_run:
        return DryRunApi(
            url=event.api_url,
            graphql_url=event.graphql_url,
            token=token,
            clock=job.clock,
            show=job.log.write,
        )
    if not token:
        return None
    return Api(url=event.api_url, graphql_url=event.graphql_url, token=token, clock=job.clock)


def _read_token(given: Inputs) -> str:
    return given.github_token.get_secret_value() if given.github_token else ""


def _read_raw_token(environ: Mapping[str, str]) -> str:
    """Return the token before the inputs are read: an error in another input must not show it."""
    return environ.get("INPUT_GITHUB-TOKEN") or environ.get("INPUT_GITHUB_TOKEN") or ""


def _report(log: Log, sentences: "map[str] | list[str]", code: int) -> int:
    for sentence in sentences:
        log.error(sentence)
    return code
