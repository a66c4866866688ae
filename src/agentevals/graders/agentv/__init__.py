"""Evaluators of AgentV that are made of others, or compare fields."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Self

from msgspec.structs import replace
from pydantic import AliasChoices, Field, SerializeAsAny, model_validator

from agentevals.graders.agentv.assertions import Assertion
from agentevals.graders.grader import Evaluators, Grader, Services
from agentevals.graders.grading import grade_case
from agentevals.graders.tools.tool_steps import UNORDERED
from agentevals.model.cases import MISSED_GATES, Case, Grade, Status
from agentevals.model.errors import AgentEvalsError, EvaluatorError, InputError, UnavailableError
from agentevals.model.noun import Noun
from agentevals.model.results import Blame, Result
from agentevals.text import wording

_ERRORS: Mapping[Blame, type[AgentEvalsError]] = {
    Blame.INPUT: InputError,
    Blame.OUTSIDE: UnavailableError,
}


class Part(Noun, frozen=True):
    """One of the evaluators, what it said, and its share in the score."""

    result: Result
    weight: float

    @property
    def name(self) -> str:
        return self.result.name

    @property
    def score(self) -> float:
        """Only of parts that were evaluated."""
        return self.result.score or 0.0


class Composition(Assertion):
    """An evaluator whose score is made of the scores of others."""

    evaluators: Annotated[tuple[SerializeAsAny[Grader], ...], Evaluators()] = Field(
        min_length=1,
        validation_alias=AliasChoices("evaluators", "assertions", "assert"),
        description="The inner evaluators, each written as at the top level",
    )

    @model_validator(mode="after")
    def _check_names(self) -> Self:
        names = [child.name for child in self.evaluators]
        twice = next((name for name, count in Counter(names).items() if count > 1), None)
        if twice is not None:
            msg = f"the name {twice!r} is in it twice; rename one"
            raise ValueError(msg)
        return self

    @property
    def waits(self) -> bool:  # type: ignore[override]  # for others the class knows
        return any(child.waits for child in self.evaluators)

    @property
    def measures_usage(self) -> bool:  # type: ignore[override]  # for others the class knows
        return any(child.measures_usage for child in self.evaluators)

    @property
    def judged(self) -> bool:
        return any(child.judged for child in self.evaluators)

    def problems(self) -> list[str]:
        return [
            f"its evaluator {child.name!r}: {problem}"
            for child in self.evaluators
            for problem in child.problems()
        ]

    def grade_parts(self, case: Case, services: Services) -> tuple[Part, ...]:
        """Ask each evaluator. An error of one is an error of the whole."""
        results = [grade_case(child, case, services) for child in self.evaluators]
        failed = [result for result in results if result.status is Status.ERROR]
        if failed:
            raise _build_error(failed)
        return tuple(
            Part(result=result, weight=self.weight_of(child))
            for child, result in zip(self.evaluators, results, strict=True)
        )

    def weight_of(self, child: Grader) -> float:
        """The share of one evaluator in the score."""
        return child.weight

    def grade(self, case: Case, services: Services) -> Grade:
        parts = self.grade_parts(case, services)
        known = select_evaluated(parts) and not any(map(_lacks_evidence, self.evaluators, parts))
        grade = self.combine(parts, services) if known else _grade_nothing(parts)
        missed = [(part.name, wording.list_missed_gates(part.result)) for part in parts]
        gates = [f"[{name}] {gate}" for name, those in missed for gate in those]
        details = grade.details | {"children": [_describe_result(part.result) for part in parts]}
        return replace(
            grade,
            vetoes=grade.vetoes or bool(gates),
            details=details | ({MISSED_GATES: gates} if gates else {}),
            isolation=_join_isolation(grade, parts),
        )

    @abstractmethod
    def combine(self, parts: Sequence[Part], services: Services) -> Grade:
        """One judgement of all parts, of which at least one was evaluated."""


def select_evaluated(parts: Iterable[Part]) -> list[Part]:
    """Return the parts that count."""
    return [part for part in parts if part.result.evaluated and part.result.score is not None]


def compute_weighted_mean(parts: Iterable[Part]) -> float:
    """0 where nothing has any weight."""
    weighed = [(part.weight, part.score) for part in select_evaluated(parts)]
    weight = sum(weight for weight, _ in weighed)
    return sum(weight * score for weight, score in weighed) / weight if weight else 0.0


def blend(parts: Iterable[Part], score: float, status: Status | None = None) -> Grade:
    """A judgement with all that the evaluated parts said, each with its name in front."""
    listed = [part.result for part in select_evaluated(parts)]
    return Grade(
        score=score,
        status=status,
        hits=tuple(f"[{result.name}] {hit}" for result in listed for hit in result.hits),
        misses=tuple(f"[{result.name}] {miss}" for result in listed for miss in result.misses),
        reasoning="; ".join(f"{r.name}: {r.reasoning}" for r in listed if r.reasoning),
    )


def _lacks_evidence(grader: Grader, part: Part) -> bool:
    """Return whether a part was not judged for want of evidence: the others decide nothing then."""
    unknown = grader.measures_usage or UNORDERED in part.result.misses
    return unknown and part.result.status is Status.NOT_EVALUATED


def _grade_nothing(parts: Iterable[Part]) -> Grade:
    listed = list(parts)
    silent = [part for part in listed if not select_evaluated([part])]
    reasons = "; ".join(f"{part.name}: {', '.join(part.result.misses)}" for part in silent)
    some = "none of its" if len(silent) == len(listed) else "not all of its"
    return Grade.not_evaluated(f"{some} evaluators could judge this: {reasons}")


def _build_error(failed: list[Result]) -> Exception:
    told = "; ".join(f"its evaluator {r.name!r} could not judge: {r.error}" for r in failed)
    blame = failed[0].blame
    if blame is Blame.BUG:
        return RuntimeError(told)
    return _ERRORS.get(blame, EvaluatorError)(told) if blame else EvaluatorError(told)


def _describe_result(result: Result) -> dict[str, Any]:
    return {
        "name": result.name,
        "type": result.type,
        "score": result.score,
        "status": result.status.value,
        "hits": list(result.hits),
        "misses": list(result.misses),
        "reasoning": result.reasoning,
        **({"details": result.details} if result.details else {}),
    }


def _join_isolation(grade: Grade, parts: Iterable[Part]) -> str:
    ways = (grade.isolation, *(part.result.isolation for part in parts))
    return "; ".join(dict.fromkeys(way for way in ways if way))
