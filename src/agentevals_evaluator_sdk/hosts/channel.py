"""The channel to a host: one JSON object each way, and nothing else on stdout."""

import json
import math
import os
import sys
import sysconfig
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

Answer = dict[str, Any]

_OURS = str(Path(__file__).parents[1])
_LONGEST_NAME = 200
_WIDEST = 2**63
_LIBRARY = str(Path(os.__file__).parent)


class RefusalError(Exception):
    """Why a question cannot be answered, in words for whoever wrote the foreign code."""


def serve(answer: Callable[[Answer], Answer]) -> NoReturn:
    """Answer the question on stdin, and end. What the foreign code prints goes to stderr."""
    time.tzset()  # this process may be a copy of one that was somewhere else
    out = os.dup(1)
    os.dup2(2, 1)
    here = str(Path(__file__).parent)
    sys.path[:] = [entry for entry in sys.path if entry != here]  # its modules are not for everyone
    text = _encode_answer(answer)
    while text:
        text = text[os.write(out, text) :]
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):  # the foreign code may have put anything in their place
            stream.flush()
    # threads that the foreign code has left running are no reason to wait
    os._exit(0)


def _encode_answer(answer: Callable[[Answer], Answer]) -> bytes:
    try:
        return _encode(answer(json.load(sys.stdin.buffer)))
    except RefusalError as refusal:
        return _encode({"error": str(refusal)})
    except SystemExit as end:
        why = f"called sys.exit({describe(end.code, repr)}) instead of returning a result"
        return _encode({"error": why})
    except RecursionError:
        return _encode({"error": "called itself, or was given something nested, too deeply"})
    except MemoryError:
        return _encode({"error": "ran out of memory; memory_mb says how much it may use"})
    except BaseException as error:  # noqa: BLE001 -- of code that is not ours
        with suppress(Exception):
            traceback.print_exc()
        return _encode({"error": describe_error(error)})


def describe_error(error: BaseException) -> str:
    """An exception in one line, with the place in the foreign code where it arose."""
    foreign = [f for f in traceback.extract_tb(error.__traceback__) if _is_foreign(f.filename)]
    where = f" ({Path(foreign[-1].filename).name}:{foreign[-1].lineno})" if foreign else ""
    name = str(type(error).__name__)[:_LONGEST_NAME]
    return f"raised {name}: {describe(error)}{where}"


def describe(given: object, say: Callable[[object], str] = str) -> str:
    """Return how a third-party object describes itself, if it can."""
    try:
        return str.__str__(say(given))
    except BaseException:  # noqa: BLE001 -- of code that is not ours
        return "(which cannot be shown)"


def _is_foreign(file: str) -> bool:
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
