"""Whether the agent got worse. Data only."""

import msgspec

from agentevals.model.noun import Noun


class Decline(Noun, frozen=True, omit_defaults=False):
    """The answer to whether the agent got worse: one decision for the whole run.

    It is `proven` if chance explains it with a probability of at most `alpha`, or if `facts` are
    there: cases that fell on the very recording that passed on the base. Of the cases some `fell`,
    and some `rose`, by the share of their attempts that passed. A drop of the pass rate that is
    `detectable` is found in 8 of 10 runs; null if none is, unset if that is not known.
    """

    p_value: float
    alpha: float
    fell: int = 0
    rose: int = 0
    facts: int = 0
    proven: bool = False
    detectable: float | msgspec.UnsetType | None = msgspec.UNSET
