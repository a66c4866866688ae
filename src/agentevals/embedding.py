"""How near two texts are in meaning, by vectors that an optional package brings along.

No network is needed: the weights lie in the package `wordllama` itself.
"""

from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from agentevals.errors import EvaluatorError

LONGEST = 100_000  # characters; what is beyond is not compared

_PACKAGE = "wordllama"


def obstacle() -> str:
    """Why no texts can be compared here; empty where they can."""
    if find_spec(_PACKAGE) is not None:
        return ""
    return (
        f"needs the package {_PACKAGE!r}, which is not installed; "
        "run: pip install 'agentevals-action[similar]'"
    )


def cosines(text: str, others: tuple[str, ...]) -> list[float]:
    """How near a text is to each of the others, from -1 to 1; nothing is near an empty text."""
    missing = obstacle()
    if missing:
        raise EvaluatorError(missing)
    vectors = _model().embed([_plain(one) for one in (text, *others)], norm=True)
    first, *rest = vectors.tolist()
    return [_cosine(first, other) for other in rest]


def _cosine(one: list[float], other: list[float]) -> float:
    product = sum(a * b for a, b in zip(one, other, strict=True))
    return max(-1.0, min(1.0, product)) if product == product else 0.0  # noqa: PLR0124 -- NaN


def _plain(text: str) -> str:
    """What a tokenizer can read: no half characters, and an end."""
    return text[:LONGEST].encode(errors="replace").decode()


@lru_cache(maxsize=1)
def _model() -> Any:
    package = import_module(_PACKAGE)
    folder = Path(package.__file__ or "").parent
    try:
        return package.WordLlama.load(cache_dir=folder, disable_download=True)
    except (OSError, AttributeError, TypeError, ValueError) as error:
        msg = f"the installed {_PACKAGE!r} cannot be used: {error}; install version 0.4 or newer"
        raise EvaluatorError(msg) from error
