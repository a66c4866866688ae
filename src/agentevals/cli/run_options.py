"""The options of `agentevals run`, and the destinations that they name for its report."""

import sys
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, NamedTuple, Protocol

import typer

from agentevals.cli.command_process import find_width, shows_colours
from agentevals.cli.lazy_commands import complete
from agentevals.graders import BUILTINS
from agentevals.graders.tools.tool_call_matching import MatchType
from agentevals.model.errors import InputError
from agentevals.model.plugins import Table
from agentevals.model.review import Review
from agentevals.model.shards import Shard
from agentevals.report.outputs import OUTPUTS
from agentevals.run.engines import ENGINES
from agentevals.traces.loaders import LOADERS

_SUFFIXES = {".json": "json", ".xml": "junit", ".md": "markdown", ".txt": "table", ".html": "html"}


class GroupBy(StrEnum):
    """The spans that are evaluated as one conversation."""

    AUTO = "auto"
    TRACE = "trace"
    CONVERSATION = "conversation"


class Pairing(StrEnum):
    """The way in which traces find their eval cases."""

    AUTO = "auto"
    POSITION = "position"


class Isolation(StrEnum):
    """The least isolation of programs; `best` is the most that this machine can do."""

    BASIC = "basic"
    PARTIAL = "partial"
    STRICT = "strict"
    BEST = "best"


class NotEvaluated(StrEnum):
    """The meaning of a result without a score for the gate."""

    FAIL = "fail"
    WARN = "warn"


class JudgeApi(StrEnum):
    """The APIs that judges speak."""

    OPENAI = "openai"
    ANTHROPIC = "anthropic"


Traces = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="TRACE...",
        help=("Trace files, folders or quoted globs, or addresses such as s3://bucket/traces/"),
    ),
]
Config = Annotated[
    Path | None, typer.Option("-c", "--config", help="The config: evaluators, settings and limits")
]
EvalSet = Annotated[
    Path | None,
    typer.Option("-e", "--eval-set", help="The eval set with the expectations (JSON, JSONL)"),
]
Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "-m",
        "--metric",
        help="A builtin evaluator to run; repeat it for more",
        autocompletion=complete(BUILTINS),
    ),
]
TraceFormat = Annotated[
    str | None,
    typer.Option(
        "-f",
        "--format",
        help="Read the traces in this format, instead of detecting it",
        autocompletion=complete(LOADERS),
    ),
]
Threshold = Annotated[
    float | None,
    typer.Option("-t", "--threshold", help="The threshold of builtin evaluators, from 0 to 1"),
]
TrajectoryMatchType = Annotated[
    MatchType | None,
    typer.Option(
        "--trajectory-match-type",
        case_sensitive=False,
        help="How tool_trajectory_avg_score compares tool calls",
    ),
]
JudgeModel = Annotated[
    str | None, typer.Option("-j", "--judge-model", help="The model of the judge")
]
JudgeBaseUrl = Annotated[
    str | None,
    typer.Option(
        "--judge-base-url", help="The address of the judge's API, if it is not the provider's"
    ),
]
JudgeProvider = Annotated[
    JudgeApi | None, typer.Option("--judge-provider", help="The API of the judge")
]
JudgeApiKeyEnv = Annotated[
    str | None,
    typer.Option(
        "--judge-api-key-env", help="The name of the environment variable with the judge's key"
    ),
]
Grouping = Annotated[GroupBy | None, typer.Option("--group-by", help="What counts as one case")]
Pairs = Annotated[
    Pairing | None,
    typer.Option("--pair", help="How traces find their eval cases: by ID and text, or in order"),
]
Output = Annotated[
    str | None,
    typer.Option(
        "-o",
        "--output",
        help=f"One of {', '.join(OUTPUTS.ours)}",
        autocompletion=complete(OUTPUTS),
    ),
]
OutputFiles = Annotated[
    list[str] | None,
    typer.Option(
        help=("Also write FORMAT to PATH; without FORMAT, the suffix decides; repeat it for more")
    ),
]
OnNotEvaluated = Annotated[
    NotEvaluated | None, typer.Option(help="Whether a missing score fails the run")
]
AllowMissing = Annotated[
    bool | None,
    typer.Option("--allow-missing", help="Only warn about eval cases without a recording"),
]
AllowForeign = Annotated[
    bool | None,
    typer.Option("--allow-foreign", help="Skip traces without an agent"),
]
Baseline = Annotated[
    Path | None,
    typer.Option(
        "-b",
        "--baseline",
        help=("Compare with this earlier run: a file of '-o report', or report.json of the action"),
    ),
]
Jobs = Annotated[
    int | None, typer.Option(min=1, help="The number of evaluators that run at a time")
]
Engine = Annotated[
    str | None,
    typer.Option(
        help=f"Evaluate on a cluster: one of {', '.join(ENGINES.ours)}",
        autocompletion=complete(ENGINES),
    ),
]
Scheduler = Annotated[
    str, typer.Option(metavar="ADDRESS", help="The address of the scheduler, for --engine")
]
CaseFile = Annotated[
    str | None,
    typer.Option(
        "--cases",
        metavar="PATH",
        help="Write each case as a line (.jsonl) or a row (.parquet) of this file",
    ),
]
LeastIsolation = Annotated[
    Isolation | None, typer.Option(help="The lowest isolation level of third-party programs")
]
Part = Annotated[
    str | None,
    typer.Option(
        "--shard", metavar="I/N", help="Evaluate only this part of the traces, such as 1/4"
    ),
]
PartFile = Annotated[
    Path | None,
    typer.Option("--part", help="The file of --shard for 'agentevals merge'"),
]
Cache = Annotated[
    Path | None,
    typer.Option(
        "--cache",
        metavar="DIR",
        envvar="AGENTEVALS_RESULT_CACHE",
        help="Keep results of programs in this folder, and reuse them",
    ),
]
Offline = Annotated[
    bool, typer.Option("--offline", help="Use only remote evaluators that were fetched before")
]
EmitOtel = Annotated[
    bool, typer.Option("--emit-otel", help="Also send the results to your OTLP collector")
]
Verbose = Annotated[bool, typer.Option("-v", "--verbose", help="Print more details on stderr")]


class Aim(NamedTuple):
    """The part of the traces that is judged, and the file that it is written to."""

    shard: Shard
    path: Path


def choose_part(shard: str | None, path: Path | None, of_reports: Sequence[str]) -> Aim:
    """Return what `--shard` and `--part` say, or an InputError before anything runs."""
    if not shard:
        msg = "--part is for --shard I/N; say which part of the traces is judged"
        raise InputError(msg)
    try:
        found = Shard.parse(shard)
    except ValueError as error:
        msg = f"--shard {shard}: {error}"
        raise InputError(msg) from None
    if of_reports:
        msg = f"--shard has no report; give {', '.join(of_reports)} to 'agentevals merge'"
        raise InputError(msg)
    return Aim(found, path or Path(f"agentevals-{found.number}-of-{found.total}.part"))


class ForTerminals(Protocol):
    """An output that adapts to the terminal."""

    def render(self, review: Review, *, colour: bool, width: int) -> Iterator[str]: ...


_FOR_TERMINALS: Table[ForTerminals] = Table(
    "output format", {name: OUTPUTS.ours[name] for name in ("table", "summary")}
)


def parse_target(given: str) -> tuple[str, Path]:
    """Split `junit=out.xml`, or `out.xml`, into the format and the path."""
    name, separator, path = given.partition("=")
    if not separator:
        path = given
        name = _SUFFIXES.get(Path(given).suffix, "")
    if name not in OUTPUTS:
        known = ", ".join(OUTPUTS)
        msg = f"--output-file {given}: say the format, as in 'json={path}' (known: {known})"
        raise InputError(msg)
    if not path:
        msg = f"--output-file {given}: say where, as in '{name}=report.{name}'"
        raise InputError(msg)
    return name, Path(path)


def check_format(name: str) -> str:
    """Return the name of an output format, or raise an InputError before anything runs."""
    OUTPUTS[name]
    return name


def write_file(name: str, path: Path, review: Review) -> Iterator[str]:
    """Write a file; yield why it could not be written, so that the others still are."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(OUTPUTS[name].render(review))
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        yield f"--output-file {path}: cannot be written: {why}; give another path"


def print_report(name: str, review: Review) -> None:
    """Print to stdout, as wide and as colourful as that is."""
    if name in _FOR_TERMINALS:
        form = _FOR_TERMINALS[name]
        pieces = form.render(review, colour=shows_colours(), width=find_width())
    else:
        pieces = OUTPUTS[name].render(review)
    for piece in pieces:
        sys.stdout.write(piece)
