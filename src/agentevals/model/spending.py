"""What the model calls in the recordings of a run cost, in US dollars."""

from agentevals.model.noun import Noun


class ModelCost(Noun, frozen=True, omit_defaults=False):
    """The calls of one model and their cost. Of an `unpriced` call it is unknown, or in part."""

    model: str
    calls: int = 0
    unpriced: int = 0
    cost: float | None = None


class RecordingCost(Noun, frozen=True, omit_defaults=False):
    """The cost of all model calls, as far as it is known; None if it is of none of them."""

    cost: float | None = None
    calls: int = 0
    unpriced: int = 0
    models: tuple[ModelCost, ...] = ()
