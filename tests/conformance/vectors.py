"""Rows that are no command: words and their stems, texts and their scores."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agentevals.graders.text import text_metrics, word_stems
from tests.conformance.reading import ShapeError, compared, each, members, text
from tests.conformance.rows import Difference, Row, differences

_SAMPLE = 200  # words per row of the stemmer's vectors, so that a wrong row says where


def rows(folder: Path) -> Iterator[Row]:
    """The vectors that lie beside the recordings."""
    yield from each(folder / "rouge1_vectors.json", _score)
    yield from _stems(folder / "porter_nltk_extensions_vectors.json")


def _score(name: str, vector: dict[str, Any]) -> Row:
    candidate, reference = text(vector["candidate"]), text(vector["reference"])
    ours = {
        "candidate_tokens": list(word_stems.split_stems(candidate)),
        "reference_tokens": list(word_stems.split_stems(reference)),
        "fmeasure": text_metrics.rouge_1(candidate, reference),
    }
    recorded = {key: vector[key] for key in ours}
    return Row(name, unexplained=tuple(differences(recorded, ours)))


def _stems(path: Path) -> Iterator[Row]:
    if not path.is_file():
        return
    try:
        words = members(path)
    except ShapeError as error:
        yield Row(path.name, incomparable=str(error))
        return
    for start in range(0, len(words), _SAMPLE):
        part = words[start : start + _SAMPLE]
        yield compared(f"{path.stem}/{start}", _stemmed, f"{path.stem}/{start}", part)


def _stemmed(name: str, part: list[tuple[str, Any]]) -> Row:
    ours = [(word, stem, word_stems.stem(word)) for word, stem in part]
    wrong = [Difference(*one) for one in ours if one[1] != one[2]]
    return Row(name, unexplained=tuple(wrong))
