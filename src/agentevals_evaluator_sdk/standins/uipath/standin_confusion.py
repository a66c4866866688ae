"""The accuracy of classes over all cases: precision, recall, F, the confusion matrix."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

Pair = tuple[str, str]  # predicted, expected


class Counts(NamedTuple):
    """The numbers of true positives, false positives and false negatives of a class."""

    tp: int
    fp: int
    fn: int

    @property
    def precision(self) -> float:
        return self.tp / (self.tp + self.fp) if self.tp + self.fp else 0.0

    @property
    def recall(self) -> float:
        return self.tp / (self.tp + self.fn) if self.tp + self.fn else 0.0

    def f_score(self, beta: float) -> float:
        """Recall counts `beta` times as much as precision."""
        weighted = beta * beta
        below = weighted * self.precision + self.recall
        return (1 + weighted) * self.precision * self.recall / below if below else 0.0

    def measure(self, metric: str, beta: float) -> float:
        """One of the three, by any of its spellings."""
        if metric in {"precision", "recall"}:
            return float(getattr(self, metric))
        return self.f_score(beta)


class Confusion:
    """The matrix of what was predicted (rows) for what was expected (columns), in lower case.

    A prediction that is none of the classes is a miss of the class that was expected; a pair
    whose expectation is none of them is left out.
    """

    def __init__(self, classes: Sequence[str], pairs: Iterable[Pair]) -> None:
        self.classes = tuple(classes)
        place = {name.lower(): at for at, name in enumerate(self.classes)}
        self.matrix = [[0] * len(place) for _ in place]
        self.missed = [0] * len(place)
        self.scored = 0
        for predicted, expected in pairs:
            if expected not in place:
                continue
            self.scored += 1
            if predicted in place:
                self.matrix[place[predicted]][place[expected]] += 1
            else:
                self.missed[place[expected]] += 1

    def count(self, at: int) -> Counts:
        """Count for one class."""
        tp = self.matrix[at][at]
        predicted, expected = sum(self.matrix[at]), sum(row[at] for row in self.matrix)
        return Counts(tp, predicted - tp, expected - tp + self.missed[at])

    @property
    def together(self) -> Counts:
        """The counts of all classes added up."""
        each = [self.count(at) for at in range(len(self.classes))]
        return Counts(*(sum(column) for column in zip(*each, strict=True))) if each else _NONE

    def measure(self, metric: str, averaging: str, beta: float) -> float:
        """Over all classes: `micro` adds up what was counted, `macro` is the mean."""
        if averaging == "micro":
            return self.together.measure(metric, beta)
        each = [self.count(at).measure(metric, beta) for at in range(len(self.classes))]
        return sum(each) / len(each) if each else 0.0

    def describe(self, averaging: str, beta: float) -> dict[str, Any]:
        """Everything that is known about the classes."""
        return {
            "averaging": averaging,
            "fValue": beta,
            "perClass": {
                name: self._describe_class(self.count(at), beta)
                for at, name in enumerate(self.classes)
            },
            **{kind: self._describe_average(kind, beta) for kind in ("macro", "micro")},
        }

    def _describe_class(self, counts: Counts, beta: float) -> dict[str, Any]:
        return {
            "tp": counts.tp,
            "tn": self.scored - sum(counts),
            "fp": counts.fp,
            "fn": counts.fn,
            "support": counts.tp + counts.fn,
            **_describe_counts(counts, beta),
        }

    def _describe_average(self, kind: str, beta: float) -> dict[str, float]:
        names = {"precision": "precision", "recall": "recall", "fScore": "f-score"}
        return {shown: self.measure(metric, kind, beta) for shown, metric in names.items()}


_NONE = Counts(0, 0, 0)


def _describe_counts(counts: Counts, beta: float) -> dict[str, float]:
    return {
        "precision": counts.precision,
        "recall": counts.recall,
        "fScore": counts.f_score(beta),
    }


def measure_one_class(positive: str, pairs: Iterable[Pair], metric: str, beta: float) -> float:
    """Measure how well one class was told from all others."""
    tp = fp = fn = 0
    for predicted, expected in pairs:
        tp += predicted == expected == positive
        fp += predicted == positive != expected
        fn += expected == positive != predicted
    return Counts(tp, fp, fn).measure(metric, beta)


def measure_classes(
    classes: Sequence[str], pairs: Iterable[Pair], metric: str, averaging: str, beta: float
) -> float:
    """Over the pairs that both are of the classes."""
    all_classes = set(classes)
    known = [pair for pair in pairs if all_classes.issuperset(pair)]
    return Confusion(classes, known).measure(metric, averaging, beta)
