"""The criteria of AgentV's rubrics: met or not, or scored by ranges."""

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    model_validator,
)

BEST = 10  # of the whole numbers that ranges are about
_SCORES = frozenset(map(str, range(BEST + 1)))


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, defer_build=True)


class Range(_Part):
    """Scores, and what an answer is like that gets one of them."""

    score_range: tuple[
        Annotated[int, Field(strict=True, ge=0, le=BEST)],
        Annotated[int, Field(strict=True, ge=0, le=BEST)],
    ] = Field(description="The first and the last score, both included")
    outcome: str = Field(
        min_length=1,
        validation_alias=AliasChoices("outcome", "expected_outcome", "description"),
        description="What such an answer is like",
    )

    def holds(self, score: int) -> bool:
        first, last = self.score_range
        return first <= score <= last


def _read_lower_bounds(given: Any) -> Any:
    """`{0: poor, 5: fair, 8: good}` as a list; a key is the lowest score of its range."""
    if not isinstance(given, Mapping):
        return given
    bounds = {_read_bound(key): outcome for key, outcome in given.items()}
    if len(bounds) < len(given):
        msg = "the same score begins two ranges"
        raise ValueError(msg)
    starts = sorted(bounds)
    if starts and starts[0] != 0:
        msg = f"the lowest range must begin at 0, not at {starts[0]}"
        raise ValueError(msg)
    ends = [start - 1 for start in starts[1:]] + [BEST]
    return [
        {"score_range": [start, end], "outcome": bounds[start]}
        for start, end in zip(starts, ends, strict=True)
    ]


def _read_bound(key: Any) -> int:
    if str(key) not in _SCORES:
        msg = f"{key!r} is no score; a range begins at a whole number from 0 to {BEST}"
        raise ValueError(msg)
    return int(key)


def _check_gaps(given: tuple[Range, ...]) -> tuple[Range, ...]:
    """Return the ranges in ascending order; they must cover 0 to 10."""
    ranges = tuple(sorted(given, key=lambda one: one.score_range))
    following = 0
    for one in ranges:
        first, last = one.score_range
        if first != following or last < first:
            msg = f"the range {first} to {last} should begin at {following}; ranges cover 0 to 10 "
            raise ValueError(msg + "without a gap and without an overlap")
        following = last + 1
    if ranges and following <= BEST:
        msg = f"the last range ends at {following - 1}; ranges cover 0 to {BEST}"
        raise ValueError(msg)
    return ranges


class Criterion(_Part):
    """One thing that an answer should do, or that it is scored for."""

    id: str = Field(min_length=1, max_length=200, description="Unique name, used in the report")
    outcome: str = Field(
        default="",
        validation_alias=AliasChoices("outcome", "expected_outcome", "description", "criteria"),
        description="What a good answer does",
    )
    weight: float = Field(
        default=1, ge=0, le=1e9, allow_inf_nan=False, strict=True, description="Share in the score"
    )
    required: StrictBool | Annotated[float, Field(strict=True, ge=0, le=1)] | None = Field(
        default=None,
        description="The case fails when this is not met, or is below this least score, of 1",
    )
    score_ranges: Annotated[
        tuple[Range, ...],
        AfterValidator(_check_gaps),
        BeforeValidator(_read_lower_bounds, json_schema_input_type=dict[str, str] | list[Range]),
    ] = Field(default=(), description="Scores from 0 to 10, and what they mean")
    required_min_score: int | None = Field(
        default=None, strict=True, ge=0, le=BEST, description="The case fails below this, of 10"
    )
    min_score: float | None = Field(
        default=None, gt=0, le=1, strict=True, description="The case fails below this, of 1"
    )
    operator: Literal["correctness", "contradiction"] | None = Field(
        default=None, description="Whether to state it, or only not to contradict it, is enough"
    )

    @model_validator(mode="after")
    def _check_content(self) -> "Criterion":
        if not self.outcome.strip() and not self.score_ranges:
            msg = "give it an 'outcome', or 'score_ranges'"
            raise ValueError(msg)
        return self

    @property
    def needed(self) -> float | None:
        """The share of its points below which nothing makes up for it."""
        if self.min_score is not None:
            return self.min_score
        if self.required_min_score is not None:
            return self.required_min_score / BEST
        return float(self.required or 0) or None

    @property
    def label(self) -> str:
        return self.outcome or self.id

    def describe_score(self, score: int) -> str:
        """Describe an answer with this score."""
        return next((one.outcome for one in self.score_ranges if one.holds(score)), "")


def _number_criteria(given: Any) -> Any:
    """A text is a criterion; one without an id is called by its number."""
    if not isinstance(given, list | tuple):
        return given
    found = []
    for number, item in enumerate(given, start=1):
        usual = {"id": f"rubric-{number}"}
        if isinstance(item, str):
            found.append(usual | {"outcome": item})
        else:
            found.append(usual | item if isinstance(item, dict) else item)
    return found


def check_unique(given: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return rubrics, or raise a ValueError that names an id which two of them have."""
    ids = [one.id for one in given]
    twice = next((name for name, count in Counter(ids).items() if count > 1), None)
    if twice is not None:
        msg = f"two rubrics have the id {twice!r}; give each its own"
        raise ValueError(msg)
    return given


Criteria = Annotated[
    tuple[Criterion, ...],
    AfterValidator(check_unique),
    BeforeValidator(_number_criteria, json_schema_input_type=list[str | Criterion]),
]


def are_scored(criteria: tuple[Criterion, ...]) -> bool:
    """Return whether points are given; one criterion with ranges is enough for all."""
    return any(criterion.score_ranges for criterion in criteria)
