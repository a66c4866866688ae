"""`agentevals evaluator add` and `register`: classes for UiPath in their project."""

from pathlib import Path
from typing import Annotated

import typer

from agentevals.configs.uipath_project import classes


def add(name: Annotated[str, typer.Argument(help="Its name, such as my-custom-evaluator")]) -> None:
    """Write a class for UiPath that works at once, for you to change.

    It is written to evals/evaluators/custom, or to evaluations/evaluators/custom where that
    exists.

    Examples:

      agentevals evaluator add my-custom-evaluator
    """
    path = classes.add(name, Path.cwd())
    print(f"wrote {_shorten(path)}")
    print(f"\nregister it:  agentevals evaluator register {path.name}")


def register(
    file: Annotated[str, typer.Argument(help="A file of the folder that `add` writes to")],
) -> None:
    """Check the classes for UiPath in a file, and write what eval sets refer to.

    Examples:

      agentevals evaluator register my_custom_evaluator.py
    """
    for path in classes.register(file, Path.cwd()):
        print(f"wrote {_shorten(path)}")


def _shorten(path: Path) -> str:
    return path.relative_to(Path.cwd()).as_posix()
