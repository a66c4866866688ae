"""Rows that are no command: words and their stems, texts and their scores."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agentevals.text_metrics import porter, rouge, tokens
from tests.conformance.rows import Difference, Row, differences

_SAMPLE = 200  # words per row of the stemmer's vectors, so that a wrong row says where


def rows(folder: Path) -> Iterator[Row]:
    """The vectors that lie beside the recordings."""
    yield from _rouge(folder / "rouge1_vectors.json")
    yield from _stems(folder / "porter_nltk_extensions_vectors.json")


def _rouge(path: Path) -> Iterator[Row]:
    for index, vector in enumerate(_read(path, [])):
        candidate, reference = (tokens.stems(vector[side]) for side in ("candidate", "reference"))
        ours = {
            "candidate_tokens": list(candidate),
            "reference_tokens": list(reference),
            "fmeasure": rouge.rouge_1(vector["candidate"], vector["reference"]),
        }
        recorded = {key: vector[key] for key in ours}
        yield Row(f"{path.stem}/{index}", unexplained=tuple(differences(recorded, ours)))


def _stems(path: Path) -> Iterator[Row]:
    words = list(_read(path, {}).items())
    for start in range(0, len(words), _SAMPLE):
        part = words[start : start + _SAMPLE]
        wrong = [
            Difference(word, stem, porter.stem(word))
            for word, stem in part
            if porter.stem(word) != stem
        ]
        yield Row(f"{path.stem}/{start}", unexplained=tuple(wrong))


def _read(path: Path, empty: Any) -> Any:
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else empty
