"""`agentevals record`: run a command and keep the traces it sends."""

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from agentevals.cli.redact_option import Redact, report_hidden
from agentevals.configs.dialects import find_agent
from agentevals.configs.eval_sets.config_search import CONFIG, find_configs, find_eval_set
from agentevals.files import documents
from agentevals.files.agent_files import AgentFiles, find_agent_files
from agentevals.files.named_files import exists
from agentevals.model.errors import AgentEvalsError, ConfigError
from agentevals.model.project_links import find_help
from agentevals.text.redaction import TokenMarker
from agentevals.text.terminal import plain
from agentevals.text.wording import plural
from agentevals.traces.recorder import Recorded
from agentevals.traces.recorder import record as recorded_by
from agentevals.traces.recorder.recording_inspection import Inspection
from agentevals.traces.recorder.recording_limits import Limits
from agentevals.traces.recording_coverage import SPLIT

_EVAL_SET = "eval_set.json"  # what `bless` writes if it is told no other file
_STARTER = "opentelemetry-instrument"
_SENTENCES = 3  # reasons that are printed
_LONGEST = 4_000  # characters of a line

_Configs = Annotated[
    list[Path] | None,
    typer.Option(
        "-c",
        "--config",
        help=f"The config with the agent's files, instead of {CONFIG} or EVAL.yaml",
    ),
]
_Repeat = Annotated[
    int,
    typer.Option(min=1, max=1_000, help="Run the command this many times; each run is an attempt"),
]
_Tokens = Annotated[
    int | None, typer.Option(min=1, help="End the command after this many input and output tokens")
]
_Seconds = Annotated[
    float | None, typer.Option(min=0.001, help="End the command after this many seconds")
]


def record(
    command: Annotated[
        list[str], typer.Argument(metavar="-- COMMAND...", help="The command that starts the agent")
    ],
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", help="The folder for the traces, or one .jsonl file for all of them"
        ),
    ] = Path("traces"),
    config: _Configs = None,
    repeat: _Repeat = 1,
    max_tokens: _Tokens = None,
    max_seconds: _Seconds = None,
    redact: Redact = True,
) -> None:
    """Run a command, and record the traces that it sends over OpenTelemetry.

    The agent needs no change: 'record' sets the usual OTEL_ variables, and the variables of
    instrumentations that record messages. It keeps the values that you set, and prints both at
    the end.

    The exit code is that of the command; with --repeat, the first that is not 0. After a limit,
    'record' ends the command with everything that it started, keeps the traces, and exits with
    124. With --repeat, a limit is for all runs together.

    Examples:

      agentevals record -o traces/ -- python agent.py

      agentevals record -o traces/ -- opentelemetry-instrument python agent.py

      agentevals record -o greeting.jsonl -- npm start

      agentevals record -o traces/ --repeat 3 -- python agent.py

      agentevals record --max-tokens 200000 --max-seconds 600 -- python agent.py
    """
    marker = TokenMarker()
    agents = list(_find_agents(config))
    recorded = recorded_by(
        command,
        output,
        os.environ,
        marker if redact else None,
        agents,
        repeat=repeat,
        limits=Limits(tokens=max_tokens, seconds=max_seconds),
    )
    report_hidden(marker)
    for sentence in _describe(recorded, command, output):
        print(f"agentevals: {sentence}", file=sys.stderr)
    raise typer.Exit(recorded.exit_code)


def _find_agents(given: Sequence[Path] | None) -> Iterator[AgentFiles]:
    """Yield the files of the agent that each config lists.

    Where there is no config yet, they are those that `init` will list.
    """
    configs = given or list(find_configs(Path()))
    if not configs:
        yield AgentFiles(Path().absolute(), tuple(find_agent_files(Path())))
    for path in configs:
        try:
            found = find_agent(path)
        except ConfigError as error:
            if given or path.stem == Path(CONFIG).stem:
                raise
            # that file may be of another program, which nobody has asked about here
            print(f"agentevals: {plain(str(error), _LONGEST)}; it is ignored", file=sys.stderr)
            continue
        if found:
            yield found


def _describe(recorded: Recorded, command: Sequence[str], output: Path) -> Iterator[str]:
    counts = recorded.counts
    if recorded.passed:
        yield f"{recorded.passed}; the recording is kept, and may lack its end"
    if recorded.uncounted:
        yield recorded.uncounted
    if counts.without_trace:
        yield f"{plural(counts.without_trace, 'record')} without a trace id skipped"
    if counts.refused:
        yield f"{plural(counts.refused, 'request')} refused: {plain(counts.refusal)}"
    if counts.beyond_limits:
        yield f"{plural(counts.beyond_limits, 'record')} beyond the limits skipped"
    if not recorded.files:
        yield _explain_nothing_arrived(recorded, command)
        yield f"see {find_help('nothing-arrived')}"
        return
    found = recorded.found
    what = f"{plural(counts.traces, 'trace')} with {plural(counts.records, 'record')}"
    holding = ", ".join(
        plural(number, noun)
        for number, noun in (
            (found.conversations, "conversation"),
            (found.model_calls, "model call"),
            (found.tool_calls, "tool call"),
        )
    )
    place = plain(str(output))
    if found.is_unread:
        large = "that is too much to look at now"
        yield f"{what} written to {place}: {large}; 'agentevals doctor' shows what is missing"
    else:
        least = "at least " if found.is_partial else ""
        yield f"{what} written to {place}: {least}{holding}; {_describe_missing(found)}"
    yield from (plain(sentence, _LONGEST) for sentence in found.settings)
    yield from _warn_of_earlier(recorded, output)
    yield f"next: {_suggest_next(found, output)}"


def _warn_of_earlier(recorded: Recorded, output: Path) -> Iterator[str]:
    """Warn of the recordings in the folder that another run of the command has left there."""
    there = set(output.glob("*.jsonl")) if output.is_dir() else set()
    earlier = len(there - set(recorded.files))
    if earlier:
        yield (
            f"beside them {plain(str(output))} holds {plural(earlier, 'earlier recording')}: 'run' "
            "takes those of one case for its attempts. To judge the new ones alone, remove the "
            "others, or record into another folder"
        )


def _describe_missing(found: Inspection) -> str:
    missing = [f"missing: {sentence}" for sentence in found.missing]
    other = "other " if found.conversations else ""
    for silence, count in found.silences.most_common(_SENTENCES):
        # beside an agent, spans of something else are no mistake
        remedy = "" if found.conversations else f". {silence.remedy}"
        missing.append(
            f"nothing of an agent or a model is in {plural(count, f'{other}trace')}: "
            f"{silence.reason}{remedy}"
        )
    if found.requests.has_parts:
        missing.append(SPLIT)
    if not found.missing and found.conversations:
        missing.insert(0, "no question, answer or tool call is missing")
    return plain("; ".join(missing), _LONGEST) or "an agent was only created, and has not worked"


def _suggest_next(found: Inspection, output: Path) -> str:
    """Return the command that does the next step with a recording, as it is typed."""
    traces = plain(quote(str(output)))
    config = Path(CONFIG)
    named = _read_eval_set(config)
    settings = f" --config {CONFIG}" if exists(config) else ""
    if named and exists(named):
        return f"agentevals run {traces}{settings}"
    expected = None if named else find_eval_set(Path())
    if expected:
        return f"agentevals run {traces}{settings} --eval-set {_quote(expected.path)}"
    if found.requests.has_parts or not (found.usable or found.is_unread):
        return f"change that, and record again; 'agentevals doctor {traces}' shows more"
    return f"agentevals bless {traces} -o {_quote(named or Path(_EVAL_SET))}"


def _quote(path: Path) -> str:
    return plain(quote(str(path)))


def _read_eval_set(config: Path) -> Path | None:
    """Return the eval set that a config names, if it can be read."""
    try:
        value = documents.read(config).value if exists(config) else None
    except AgentEvalsError:
        return None
    named = value.get("eval_set") if isinstance(value, dict) else None
    return config.parent / named if isinstance(named, str) and named else None


def _explain_nothing_arrived(recorded: Recorded, command: Sequence[str]) -> str:
    """Explain why no trace may have arrived, the likeliest reason first."""
    if recorded.counts.requests:
        return "the command sent no spans; check its sampler and its instrumentation"
    ended = ""
    if recorded.exit_code and not recorded.passed:
        ended = f", and the command ended with exit code {recorded.exit_code}: see what it printed"
    if any(Path(word).name == _STARTER for word in command):
        last = (
            f"'{_STARTER}' prints which instrumentations it cannot load; install "
            "opentelemetry-distro, opentelemetry-exporter-otlp-proto-http and the instrumentation "
            "for your version of the framework"
        )
    else:
        last = f"a Python agent without any set-up may be started with '{_STARTER}'"
    return (
        f"no traces arrived at {recorded.endpoint}{ended}; check that the agent sets up "
        "OpenTelemetry with an OTLP exporter over HTTP (not gRPC) that reads "
        f"OTEL_EXPORTER_OTLP_ENDPOINT, and that it flushes before it ends; {last}"
    )
