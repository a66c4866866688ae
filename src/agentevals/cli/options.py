"""The options of `agentevals run`: their names, their help and what they may be."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from agentevals.cli.lazy import complete
from agentevals.graders import BUILTINS
from agentevals.graders.tools.trajectories import MatchType
from agentevals.report.outputs import OUTPUTS
from agentevals.traces.loaders import LOADERS


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


Traces = Annotated[
    list[str] | None,
    typer.Argument(metavar="TRACE...", help="Trace files, folders or quoted globs"),
]
Config = Annotated[
    Path | None, typer.Option("-c", "--config", help="Which evaluators to run, and how")
]
EvalSet = Annotated[
    Path | None, typer.Option("-e", "--eval-set", help="What was expected (JSON, JSONL)")
]
Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "-m", "--metric", help="A builtin; may be repeated", autocompletion=complete(BUILTINS)
    ),
]
TraceFormat = Annotated[
    str | None,
    typer.Option(
        "-f",
        "--format",
        help="The trace format, instead of looking",
        autocompletion=complete(LOADERS),
    ),
]
Threshold = Annotated[
    float | None, typer.Option("-t", "--threshold", help="For builtins, from 0 to 1")
]
TrajectoryMatchType = Annotated[
    MatchType | None,
    typer.Option("--trajectory-match-type", case_sensitive=False, help="For tool calls"),
]
JudgeModel = Annotated[
    str | None, typer.Option("-j", "--judge-model", help="The model that judges")
]
Grouping = Annotated[GroupBy | None, typer.Option("--group-by", help="What is evaluated as one")]
Pairs = Annotated[
    Pairing | None,
    typer.Option("--pair", help="How traces find their eval cases: by id and text, or in order"),
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
    typer.Option(help="[FORMAT=]PATH, by its suffix without one; may be repeated"),
]
OnNotEvaluated = Annotated[
    NotEvaluated | None, typer.Option(help="What a missing score means for the gate")
]
AllowMissing = Annotated[
    bool | None,
    typer.Option("--allow-missing", help="Warn about eval cases that no trace answers"),
]
AllowForeign = Annotated[
    bool | None,
    typer.Option("--allow-foreign", help="Leave out traces that no agent recorded"),
]
Baseline = Annotated[
    Path | None,
    typer.Option("-b", "--baseline", help="An earlier run to compare with, as '-o report' has it"),
]
Jobs = Annotated[int | None, typer.Option(min=1, help="How many evaluators at a time")]
LeastIsolation = Annotated[
    Isolation | None, typer.Option(help="How far foreign programs must be shut in, at least")
]
Offline = Annotated[
    bool, typer.Option("--offline", help="Remote evaluators: only what was fetched before")
]
EmitOtel = Annotated[bool, typer.Option("--emit-otel", help="Send results to the OTLP collector")]
Verbose = Annotated[
    bool, typer.Option("-v", "--verbose", help="Say more on stderr about what is done")
]
