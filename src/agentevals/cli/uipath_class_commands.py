"""`agentevals evaluator add` and `register`: classes for UiPath in their project."""

from pathlib import Path
from typing import Annotated

import typer

from agentevals.configs.uipath_project import uipath_project_classes


def add(
    name: Annotated[str, typer.Argument(help="The name of the class, such as my-custom-evaluator")],
) -> None:
    """Write a working UiPath class, for you to change.

    The file goes to evals/evaluators/custom, or to evaluations/evaluators/custom if that folder
    exists.

    Examples:

      agentevals evaluator add my-custom-evaluator
    """
    path = uipath_project_classes.add(name, Path.cwd())
    print(f"wrote {_shorten(path)}")
    print(f"\nregister it:  agentevals evaluator register {path.name}")


def register(
    file: Annotated[str, typer.Argument(help="A file in the folder of `evaluator add`")],
) -> None:
    """Check the UiPath classes in a file, and write the files that eval sets use.

    Examples:

      agentevals evaluator register my_custom_evaluator.py
    """
    for path in uipath_project_classes.register(file, Path.cwd()):
        print(f"wrote {_shorten(path)}")


def _shorten(path: Path) -> str:
    return path.relative_to(Path.cwd()).as_posix()
