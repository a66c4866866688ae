"""`agentevals explain`: why a case of a report ended as it did."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from agentevals.cli.process import Form, TableOrJson, find_width, shows_colours
from agentevals.graders import GRADERS
from agentevals.model.completeness import Fact
from agentevals.model.errors import InputError
from agentevals.report import explanation, reading
from agentevals.report.explanation import page
from agentevals.text.json_ import readable
from agentevals.text.terminal import plain


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

    Exit codes: 0 explained, 2 the file is no report, or it has no such case.
    """
    explained = _explain(report, case, config)
    if output is Form.JSON:
        print(readable([one.explanation for one in explained]), end="")
        return
    sys.stdout.writelines(page.render(explained, colour=shows_colours(), width=find_width()))


def _explain(path: Path, case: str, config: str) -> list[explanation.Explained]:
    try:
        found = reading.read_run(path)
    except InputError as error:
        msg = f"{error}; give what '-o report' writes, or a report.json of the action"
        raise InputError(msg) from None
    try:
        return explanation.explain(found, case, config=config, judges_by=_list_facts)
    except InputError as error:
        msg = f"{plain(str(path))}: {error}"
        raise InputError(msg) from None


def _list_facts(name: str) -> tuple[Fact, ...]:
    """Return the facts that a type of ours judges by, where its settings do not decide that."""
    facts = GRADERS[name].judges_by if name in GRADERS.ours else frozenset()
    return tuple(fact for fact in Fact if fact in facts)
