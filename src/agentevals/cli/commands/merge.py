"""`agentevals merge`: put the parts of a run together and say pass or fail."""

from pathlib import Path
from typing import Annotated

import typer

from agentevals.cli import run_delivery, run_options, stderr
from agentevals.cli.run_delivery import warn_of_stale
from agentevals.configs.dialects import compile_plan
from agentevals.configs.plan import Overrides
from agentevals.run import part_merging
from agentevals.run.run_parts import Part


def merge(
    part: Annotated[
        list[Path],
        typer.Argument(metavar="PART...", help="The files of 'agentevals run --shard'"),
    ],
    config: Annotated[
        Path | None,
        typer.Option(
            "-c", "--config", help="The config, if an evaluator scores all cases together"
        ),
    ] = None,
    eval_set: run_options.EvalSet = None,
    shown: run_options.Output = None,
    output_file: run_options.OutputFiles = None,
    baseline: run_options.Baseline = None,
    emit_otel: run_options.EmitOtel = False,
) -> None:
    """Combine the parts of a run, and print whether it passes.

    The output is the same as of one run over all traces. Nothing is evaluated again.

    Examples:

      agentevals merge agentevals-*.part

      agentevals merge parts/*.part -o json --output-file junit.xml --baseline main.json

    Exit codes: 0 passed; 1 a gate failed; 2 a part is missing, twice, damaged or of another run;
    3 a service is unavailable; 4 a bug in agentevals; 130 or 143 cancelled.
    """
    stderr.begin()
    files = [run_options.parse_target(given) for given in output_file or ()]
    parts = part_merging.sort_parts([Part(path) for path in part])
    name = parts[0].foot.config
    shown = run_options.check_format(shown or parts[0].foot.output or "table")
    base = run_delivery.read_baseline(baseline, name) if baseline else None
    send = run_delivery.load_sender(asked=emit_otel)
    plan = compile_plan(config, Overrides(eval_set=eval_set)) if config else None
    outcome = run_delivery.settle(part_merging.merge(parts, plan), base, name)
    outcome = warn_of_stale(outcome, parts[0].foot.agent)
    run_delivery.deliver(outcome, shown, files, send)
