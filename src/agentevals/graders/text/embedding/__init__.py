"""The nearness of two texts in meaning, by vectors that lie in the package `wordllama`.

Of the package only its data is read, so neither it nor what it needs is imported.
"""

import json
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from math import sqrt
from pathlib import Path

from agentevals.graders.text.embedding.tokens import Tokenizer
from agentevals.graders.text.embedding.vectors import Vectors
from agentevals.model.errors import EvaluatorError

LONGEST = 100_000  # characters; what is beyond is not compared

_PACKAGE = "wordllama"
_TOKENS = "tokenizers/l2_supercat_tokenizer_config.json"
_WEIGHTS = "weights/l2_supercat_256.safetensors"


def find_obstacle() -> str:
    """Why no texts can be compared here; empty where they can."""
    folder = _find_folder()
    if folder is None:
        return f"needs the package {_PACKAGE!r}, which is not installed; run: pip install wordllama"
    missing = next((name for name in (_TOKENS, _WEIGHTS) if not (folder / name).is_file()), "")
    return _describe_unusable(f"it has no {missing}") if missing else ""


def compute_cosines(text: str, others: tuple[str, ...]) -> list[float]:
    """Compare a text with each of the others, from -1 to 1; nothing is near an empty text."""
    if missing := find_obstacle():
        raise EvaluatorError(missing)
    tokenizer, vectors = _load_model(_find_folder() or Path())
    first, *rest = (vectors.mean(tokenizer.tokenise(_clean(one))) for one in (text, *others))
    return [_compute_cosine(first, other) for other in rest]


def _clean(text: str) -> str:
    """Cut a long text, and put a question mark for half a character."""
    return text[:LONGEST].encode(errors="replace").decode()


def _compute_cosine(one: Sequence[float], other: Sequence[float]) -> float:
    lengths = sqrt(_multiply(one, one) * _multiply(other, other))
    return max(-1.0, min(1.0, _multiply(one, other) / lengths)) if lengths > 0 else 0.0


def _multiply(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def _find_folder() -> Path | None:
    found = find_spec(_PACKAGE)
    places = list(found.submodule_search_locations or ()) if found else []
    return Path(places[0]) if places else None


@lru_cache(maxsize=1)
def _load_model(folder: Path) -> tuple[Tokenizer, Vectors]:
    try:
        tokenizer = Tokenizer(json.loads((folder / _TOKENS).read_bytes()))
        return tokenizer, Vectors((folder / _WEIGHTS).read_bytes(), rows=tokenizer.size)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise EvaluatorError(_describe_unusable(str(error))) from error


def _describe_unusable(why: str) -> str:
    return (
        f"the installed {_PACKAGE!r} cannot be used: {why}; "
        "run: pip install --force-reinstall wordllama"
    )
