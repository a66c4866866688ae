"""`agentevals explain`: why a case of a report ended as it did."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from agentevals.cli import command_explanation
from agentevals.cli.command_process import Form, TableOrJson, find_width, shows_colours
from agentevals.report.explanation import explanation_page
from agentevals.text.json_text import readable


def explain(
    report: Annotated[
        Path,
        typer.Argument(
            metavar="REPORT", help="report.json of the action, or a file of '-o report'"
        ),
    ],
    case: Annotated[str, typer.Argument(metavar="CASE", help="The ID of a case or of its trace")],
    config: Annotated[
        str, typer.Option("-c", "--config", help="Show only this config of the report")
    ] = "",
    output: TableOrJson = Form.TABLE,
) -> None:
    """Explain the verdict of one case: the evaluators that decided it, and their comparisons.

    The last lines name missing facts, and the setting that records each of them.

    Examples:

      agentevals run traces/ -c eval_config.yaml --output-file report=report.json

      agentevals explain report.json late-refund

      agentevals explain agentevals-report/report.json late-refund -o json

    Exit codes: 0 explained; 2 the file is not a report, or has no such case.
    """
    explained = command_explanation.explain(report, case, config)
    if output is Form.JSON:
        print(readable([one.explanation for one in explained]), end="")
        return
    sys.stdout.writelines(
        explanation_page.render(explained, colour=shows_colours(), width=find_width())
    )
