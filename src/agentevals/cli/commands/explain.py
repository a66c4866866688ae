"""`agentevals explain`: why a case of a report ended as it did."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from agentevals.cli import explaining
from agentevals.cli.process import Form, TableOrJson, find_width, shows_colours
from agentevals.report.explanation import page
from agentevals.text.json_ import readable


def explain(
    report: Annotated[
        Path,
        typer.Argument(
            metavar="REPORT", help="report.json of the action, or what '-o report' wrote"
        ),
    ],
    case: Annotated[str, typer.Argument(metavar="CASE", help="The id of a case or of its trace")],
    config: Annotated[
        str, typer.Option("-c", "--config", help="Only this config of the report")
    ] = "",
    output: TableOrJson = Form.TABLE,
) -> None:
    """Explain the verdict of one case: what decided it, and what each evaluator compared.

    Facts that were not recorded stand at the end, with the setting that records them.

    Examples:

      agentevals run traces/ -c eval_config.yaml --output-file report=report.json

      agentevals explain report.json late-refund

      agentevals explain agentevals-report/report.json late-refund -o json

    Exit codes: 0 explained; 2 the file is no report, or it has no such case.
    """
    explained = explaining.explain(report, case, config)
    if output is Form.JSON:
        print(readable([one.explanation for one in explained]), end="")
        return
    sys.stdout.writelines(page.render(explained, colour=shows_colours(), width=find_width()))
