"""How a host is asked and how it answers: a JSON object each way, and nothing else on stdout."""

import json
import math
import os
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

Answer = dict[str, Any]

_OURS = str(Path(__file__).parents[1])
_LIBRARY = str(Path(os.__file__).parent)  # with all that is installed


class RefusalError(Exception):
    """Why a question cannot be answered, in words for whoever wrote the foreign code."""


def serve(answer: Callable[[Answer], Answer]) -> NoReturn:
    """Answer the question on stdin, and end. What the foreign code prints goes to stderr."""
    time.tzset()  # this process may be a copy of one that was somewhere else
    out = os.dup(1)
    os.dup2(2, 1)
    here = str(Path(__file__).parent)
    sys.path[:] = [entry for entry in sys.path if entry != here]  # its modules are not for everyone
    text = _encoded(_answered(answer))
    while text:
        text = text[os.write(out, text) :]
    sys.stdout.flush()
    sys.stderr.flush()
    # threads that the foreign code has left running are no reason to wait
    os._exit(0)


def _answered(answer: Callable[[Answer], Answer]) -> Answer:
    try:
        return answer(json.load(sys.stdin.buffer))
    except RefusalError as refusal:
        return {"error": str(refusal)}
    except SystemExit as end:
        return {"error": f"called sys.exit({end.code!r}) instead of returning a result"}
    except RecursionError:
        return {"error": "called itself, or was given something nested, too deeply"}
    except MemoryError:
        return {"error": "ran out of memory; memory_mb says how much it may use"}
    except Exception as error:  # noqa: BLE001 -- of code that is not ours
        traceback.print_exc()
        return {"error": raised(error)}


def raised(error: BaseException) -> str:
    """An exception in one line, with the place in the foreign code where it arose."""
    foreign = [f for f in traceback.extract_tb(error.__traceback__) if _is_foreign(f.filename)]
    where = f" ({Path(foreign[-1].filename).name}:{foreign[-1].lineno})" if foreign else ""
    return f"raised {type(error).__name__}: {error}{where}"


def _is_foreign(file: str) -> bool:
    return not file.startswith((_OURS, _LIBRARY, "<"))


def number(given: object) -> object:
    """As JSON can say it; of what is no finite number, how Python writes it."""
    if isinstance(given, float) and not math.isfinite(given):
        return repr(given)
    return given if given is None or isinstance(given, int | float) else repr(given)


def _encoded(answer: Answer) -> bytes:
    try:
        text = json.dumps(answer, ensure_ascii=False, allow_nan=False, default=str)
    except (ValueError, TypeError, RecursionError):
        plain = {key: value for key, value in answer.items() if key != "details"}
        details = f"{type(answer.get('details')).__name__} that cannot be written as JSON"
        text = json.dumps({**plain, "details": details}, ensure_ascii=False, default=str)
    return text.encode("utf-8", "replace")
