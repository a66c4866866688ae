"""What AgentV 3.1.0 says of a case, and what the decisions change about it.

Written from the measured facts and the decisions, with nothing of ours, so that three accounts are
held against each other: the recording, this one, and ours. Where this one differs from the
recording, it names the decision that asks for the value; ours has to be this value.
"""

from dataclasses import dataclass, replace
from typing import Any

PASSES, BORDERLINE = 0.8, 0.6
# the decisions by which a file is wrong: a mistake, a pattern, `config`, a test without evaluators
MISTAKE, PATTERN, CONFIG, NOBODY = "1.1", "3.18", "3.19", "3.11"

Entry = dict[str, Any]


class RefusedError(Exception):
    """The file is wrong; `decision` is the one by which that is an error."""

    def __init__(self, decision: str) -> None:
        super().__init__(decision)
        self.decision = decision


@dataclass(frozen=True, kw_only=True)
class Said:
    """What an evaluator says of a case. Without a score it judged nothing, or failed."""

    score: float | None
    hits: tuple[str, ...] = ()
    misses: tuple[str, ...] = ()
    reasoning: str = ""
    passed: bool | None = None  # where not the score decides
    vetoes: bool = False
    failed: bool = False
    hidden: bool = False  # the recording does not show what it needs, so that nobody is asked
    decisions: frozenset[str] = frozenset()
    children: tuple["Said", ...] = ()
    name: str = ""
    weight: float = 1.0
    required: float | None = None

    def by(self, *decisions: str) -> "Said":
        """The same, and what asks for it."""
        return replace(self, decisions=self.decisions | set(decisions))

    @property
    def passes(self) -> bool:
        by_score = self.score is not None and self.score >= PASSES
        return (by_score if self.passed is None else self.passed) and not self.vetoes

    @property
    def misses_gate(self) -> bool:
        """Whether it fails the case whatever else was scored."""
        short = self.required is not None and (self.score or 0.0) < self.required
        return self.vetoes or short

    @property
    def verdict(self) -> str:
        """The verdict of its score; of what was not judged there is none but failure."""
        if self.score is None or self.vetoes:
            return "fail"
        if self.passed is not None and (self.score >= PASSES or self.passed):
            return "pass" if self.passed else "fail"
        return band(self.score)


def band(score: float) -> str:
    """The verdict of a score."""
    if score >= PASSES:
        return "pass"
    return "borderline" if score >= BORDERLINE else "fail"


def clamp(score: float) -> float:
    return max(0.0, min(1.0, score))


def share(hits: list[str], misses: list[str]) -> Said:
    """The share of checks that were met."""
    total = len(hits) + len(misses)
    return Said(score=len(hits) / total if total else 0.0, hits=tuple(hits), misses=tuple(misses))


def binary(text: str, *, met: bool) -> Said:
    """All or nothing."""
    return Said(
        score=float(met), hits=(text,) if met else (), misses=() if met else (text,), reasoning=text
    )


def negate(said: Said) -> Said:
    """The opposite. Its verdict is that of its score; what was not judged stays so."""
    if said.score is None:
        return said
    opposite = None if said.passed is None else not said.passed
    score = clamp(1 - said.score)
    return replace(
        said, score=score, hits=said.misses, misses=said.hits, passed=opposite, vetoes=False
    ).by("3.17")


def normalize(kind: str) -> str:
    """A type in the spelling of AgentEvals."""
    plain = kind.replace("-", "_").replace(":", "_")
    judge = plain.removesuffix("_grader") + "_judge" if plain.endswith("_grader") else plain
    return {"rubrics": "rubric", "llm_rubric": "llm_judge", "script": "code_judge"}.get(
        judge, judge
    )
