"""How near two texts are in meaning, by vectors that lie in the package `wordllama`.

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


def obstacle() -> str:
    """Why no texts can be compared here; empty where they can."""
    folder = _folder()
    if folder is None:
        return f"needs the package {_PACKAGE!r}, which is not installed; run: pip install wordllama"
    missing = next((name for name in (_TOKENS, _WEIGHTS) if not (folder / name).is_file()), "")
    return _unusable(f"it has no {missing}") if missing else ""


def cosines(text: str, others: tuple[str, ...]) -> list[float]:
    """How near a text is to each of the others, from -1 to 1; nothing is near an empty text."""
    if missing := obstacle():
        raise EvaluatorError(missing)
    tokenizer, vectors = _model(_folder() or Path())
    first, *rest = (vectors.mean(tokenizer.tokens(_plain(one))) for one in (text, *others))
    return [_cosine(first, other) for other in rest]


def _plain(text: str) -> str:
    """What can be read: not too long, and with a question mark for half a character."""
    return text[:LONGEST].encode(errors="replace").decode()


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    lengths = sqrt(_product(one, one) * _product(other, other))
    return max(-1.0, min(1.0, _product(one, other) / lengths)) if lengths > 0 else 0.0


def _product(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def _folder() -> Path | None:
    found = find_spec(_PACKAGE)
    places = list(found.submodule_search_locations or ()) if found else []
    return Path(places[0]) if places else None


@lru_cache(maxsize=1)
def _model(folder: Path) -> tuple[Tokenizer, Vectors]:
    try:
        tokenizer = Tokenizer(json.loads((folder / _TOKENS).read_bytes()))
        return tokenizer, Vectors((folder / _WEIGHTS).read_bytes(), rows=tokenizer.size)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise EvaluatorError(_unusable(str(error))) from error


def _unusable(why: str) -> str:
    return (
        f"the installed {_PACKAGE!r} cannot be used: {why}; "
        "run: pip install --force-reinstall wordllama"
    )
