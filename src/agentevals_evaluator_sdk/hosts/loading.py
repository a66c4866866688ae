"""Importing code that is not ours, and saying why that did not work."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from agentevals_evaluator_sdk.hosts.channel import RefusalError, describe_error
from agentevals_evaluator_sdk.standins import offer

_STOOD_IN_FOR = {"uipath": "uipath", "google.adk": "google-adk", "google.genai": "google-genai"}


def begin(roots: Sequence[str], packages: Sequence[str] = ()) -> None:
    """Let imports find what lies in these folders, and the stand-ins where nothing else is.

    A package that lies in a folder that cannot be read is made known by itself.
    """
    sys.path[:0] = [root for root in roots if root not in sys.path]
    for folder in packages:
        _add_empty(Path(folder).name, [folder])
    offer()


def load_file(path: Path, name: str) -> ModuleType:
    """The module in a file, under a name of its own."""
    if not path.is_file():
        msg = f"Evaluator file not found: {path}. Make sure the file exists"
        raise RefusalError(msg)
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        msg = f"{path} is no Python file; its name has to end in .py"
        raise RefusalError(msg)
    module = module_from_spec(spec)
    sys.modules[name] = module  # where pydantic looks for the names in annotations
    with explain_errors(f"Error executing module from {path}: it"):
        spec.loader.exec_module(module)
    return module


def load_path(name: str, where: str) -> ModuleType:
    """The module of an import path. A package that cannot be imported does not hide its modules.

    The package of an agent imports the agent, which needs more than a metric does.
    """
    try:
        return import_module(name)
    except Exception as error:
        package = name.rpartition(".")[0]
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        if missing and f"{name}.".startswith(f"{missing}."):
            msg = f"could not import {name}: there is no module {missing!r}{where}"
            raise RefusalError(msg) from error
        if not package:
            raise
        _replace_packages(package)
        return import_module(name)


def _replace_packages(package: str) -> None:
    """Make the package and those around it empty: they only say where their modules lie."""
    for loaded in [name for name in sys.modules if f"{name}.".startswith(f"{package}.")]:
        del sys.modules[loaded]
    parts = package.split(".")
    places = list(sys.path)
    for end in range(1, len(parts) + 1):
        name = ".".join(parts[:end])
        places = [str(p) for place in places if (p := Path(place, parts[end - 1])).is_dir()]
        if name not in sys.modules:
            _add_empty(name, places)


def _add_empty(name: str, places: list[str]) -> None:
    package = ModuleType(name)
    package.__path__ = places
    sys.modules[name] = package


@contextmanager
def explain_errors(what: str) -> Iterator[None]:
    """Whatever goes wrong while something is imported becomes a sentence."""
    try:
        yield
    except RefusalError:
        raise
    except ImportError as error:
        is_missing = isinstance(error, ModuleNotFoundError)
        advice = _advice(error.name or "", is_missing=is_missing)
        msg = f"{what} {describe_error(error)}{advice}"
        raise RefusalError(msg) from error
    except Exception as error:
        msg = f"{what} {describe_error(error)}"
        raise RefusalError(msg) from error


def _advice(missing: str, *, is_missing: bool) -> str:
    listed = "in a requirements.txt beside it"
    for package, distribution in _STOOD_IN_FOR.items():
        if f"{missing}.".startswith(f"{package}."):
            lacking = f"what stands in for {distribution} does not have it"
            return f"; {lacking}: list {distribution} {listed}"
    return f"; list it {listed}, if it can be installed" if is_missing else ""
