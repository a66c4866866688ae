"""`agentevals show`: the cases of a report, or one of them, in a terminal."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from agentevals.cli import command_explanation, command_reports, pager
from agentevals.cli.command_process import find_width, shows_colours
from agentevals.model.errors import InputError
from agentevals.report import case_list
from agentevals.report.case_list import Choice, End, Listed, Order
from agentevals.report.case_list import case_list_page as listing_page
from agentevals.report.explanation import explanation_page
from agentevals.text.json_text import readable
from agentevals.text.terminal import plain


def show(
    report: Annotated[
        Path,
        typer.Argument(
            metavar="REPORT", help="report.json of the action, or a file of '-o report'"
        ),
    ],
    case: Annotated[
        str, typer.Argument(metavar="CASE", help="The ID of a case or of its trace")
    ] = "",
    status: Annotated[End | None, typer.Option(help="Show only cases with this result")] = None,
    evaluator: Annotated[
        str,
        typer.Option(metavar="NAME", help="Show only this evaluator: its status, score and reason"),
    ] = "",
    grep: Annotated[
        str,
        typer.Option(
            metavar="TEXT", help="Show only cases with this text in their ID, question or reason"
        ),
    ] = "",
    sort: Annotated[
        Order | None, typer.Option(help="Sort by name, lowest score or longest time")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for programs")] = False,
) -> None:
    """List the cases of a report, or show one of them. Nothing is evaluated again.

    A terminal shows it in the pager: $PAGER, or less.

    Examples:

      agentevals show report.json --status failed --sort score

      agentevals show report.json late-refund

    Exit codes: 0 shown; 2 the file is not a report, or has no such case.
    """
    choice = Choice(status, evaluator, grep, sort)
    pager.show(_show_case(report, case, choice, json) if case else _list(report, choice, json))


def _show_case(path: Path, case: str, choice: Choice, as_json: bool) -> Iterator[str]:
    _refuse_choice(choice)
    explained = command_explanation.explain(path, case)
    if as_json:
        return iter([readable([one.explanation for one in explained])])
    return explanation_page.render(explained, colour=shows_colours(), width=find_width())


def _list(path: Path, choice: Choice, as_json: bool) -> Iterator[str]:
    listed = _list_cases(path, choice)
    if as_json:
        return iter([readable([one.listing for one in listed])])
    return listing_page.render(listed, choice, colour=shows_colours(), width=find_width())


def _refuse_choice(choice: Choice) -> None:
    if choice.narrows or choice.order:
        msg = "--status, --evaluator, --grep and --sort are for the list; remove them or the CASE"
        raise InputError(msg)


def _list_cases(path: Path, choice: Choice) -> list[Listed]:
    found = command_reports.read_run(path)
    try:
        return case_list.list_cases(found, choice)
    except InputError as error:
        msg = f"{plain(str(path))}: {error}"
        raise InputError(msg) from None
