"""Programs that ask code written for other systems: one question on stdin, one answer on stdout."""

import json
import math
import os
import sys
import sysconfig
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any, NoReturn

from agentevals_evaluator_sdk.standins import offer

Answer = dict[str, Any]

_OURS = str(Path(__file__).parents[1])
_LONGEST_NAME = 200
_WIDEST = 2**63
_LIBRARY = str(Path(os.__file__).parent)

_STOOD_IN_FOR = {"uipath": "uipath", "google.adk": "google-adk", "google.genai": "google-genai"}


class RefusalError(Exception):
    """Why a question cannot be answered, in words for the author of the third-party code."""


class LoadError(RefusalError):
    """Why third-party code cannot be used at all, whatever it is asked."""


def serve(answer: Callable[[Answer], Answer]) -> NoReturn:
    """Answer the question on stdin, and end. What third-party code prints goes to stderr."""
    time.tzset()  # this process may be a copy of one that was somewhere else
    out = os.dup(1)
    os.dup2(2, 1)
    here = str(Path(__file__).parent)
    sys.path[:] = [entry for entry in sys.path if entry != here]  # its modules are not for everyone
    text = _encode_answer(answer)
    while text:
        text = text[os.write(out, text) :]
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):  # third-party code may have put anything in their place
            stream.flush()
    # threads that third-party code has left running are no reason to wait
    os._exit(0)


def _encode_answer(answer: Callable[[Answer], Answer]) -> bytes:
    try:
        return _encode(answer(json.load(sys.stdin.buffer)))
    except RefusalError as refusal:
        return _encode({"error": str(refusal), "unloaded": isinstance(refusal, LoadError)})
    except SystemExit as end:
        why = f"called sys.exit({describe(end.code, repr)}) instead of returning a result"
        return _encode({"error": why})
    except RecursionError:
        return _encode({"error": "called itself, or was given something nested, too deeply"})
    except MemoryError:
        return _encode({"error": "ran out of memory; memory_mb says how much it may use"})
    except BaseException as error:  # noqa: BLE001 -- of third-party code
        with suppress(Exception):
            traceback.print_exc()
        return _encode({"error": describe_error(error)})


def describe_error(error: BaseException) -> str:
    """An exception in one line, with its place in the third-party code."""
    places = [f for f in traceback.extract_tb(error.__traceback__) if _is_third_party(f.filename)]
    where = f" ({Path(places[-1].filename).name}:{places[-1].lineno})" if places else ""
    name = str(type(error).__name__)[:_LONGEST_NAME]
    return f"raised {name}: {describe(error)}{where}"


def describe(given: object, say: Callable[[object], str] = str) -> str:
    """Return how a third-party object describes itself, if it can."""
    try:
        return str.__str__(say(given))
    except BaseException:  # noqa: BLE001 -- of third-party code
        return "(which cannot be shown)"


def _is_third_party(file: str) -> bool:
    installed = sysconfig.get_path("purelib"), sysconfig.get_path("platlib")
    return not file.startswith((_OURS, _LIBRARY, *installed, "<"))


def convert_number(given: object) -> object:
    """As JSON can say it; of what is no number within bounds, how Python writes it."""
    if given is None or isinstance(given, bool):
        return given
    if isinstance(given, float) and math.isfinite(given):
        return given
    if isinstance(given, int) and abs(given) < _WIDEST:
        return given
    return describe(given, repr)


def _encode(answer: Answer) -> bytes:
    try:
        text = json.dumps(answer, ensure_ascii=False, allow_nan=False, default=str)
    except (ValueError, TypeError, RecursionError):
        plain = {key: value for key, value in answer.items() if key != "details"}
        details = f"{type(answer.get('details')).__name__} that cannot be written as JSON"
        text = json.dumps({**plain, "details": details}, ensure_ascii=False, default=str)
    return text.encode("utf-8", "replace")


def begin(roots: Sequence[str], packages: Sequence[str] = ()) -> None:
    """Let imports find what lies in these folders, else in the replacement modules.

    A package that lies in a folder that cannot be read is made known by itself.
    """
    sys.path[:0] = [root for root in roots if root not in sys.path]
    for folder in packages:
        _add_empty(Path(folder).name, [folder])
    offer()


@contextmanager
def loading() -> Iterator[None]:
    """Tell mistakes in the code, or in its settings, from those of a judgement."""
    try:
        yield
    except SystemExit as end:
        msg = f"called sys.exit({describe(end.code, repr)}) while it was loaded"
        raise LoadError(msg) from end
    except RefusalError as refusal:
        raise LoadError(str(refusal)) from refusal


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
            near = _suggest_module(missing)
            msg = f"could not import {name}: there is no module {missing!r}{near}{where}"
            raise RefusalError(msg) from error
        if not package:
            raise
        _replace_packages(package)
        return import_module(name)


def _suggest_module(missing: str) -> str:
    """Name the module beside it that is called nearly the same."""
    package, _, name = missing.rpartition(".")
    places = getattr(sys.modules.get(package), "__path__", ()) if package else ()
    known = [module.name for module in iter_modules(places)]
    near = get_close_matches(name, known, n=1)
    return f" (did you mean '{package}.{near[0]}'?)" if near else ""


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
        advice = _advise(error.name or "", is_missing=is_missing)
        msg = f"{what} {describe_error(error)}{advice}"
        raise RefusalError(msg) from error
    except Exception as error:
        msg = f"{what} {describe_error(error)}"
        raise RefusalError(msg) from error


def _advise(missing: str, *, is_missing: bool) -> str:
    listed = "in a requirements.txt beside it"
    for package, distribution in _STOOD_IN_FOR.items():
        if f"{missing}.".startswith(f"{package}."):
            lacking = f"what stands in for {distribution} does not have it"
            return f"; {lacking}: list {distribution} {listed}"
    return f"; list it {listed}, if it can be installed" if is_missing else ""
