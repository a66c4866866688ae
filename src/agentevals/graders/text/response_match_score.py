"""`response_match_score`: how many words the answers share with the expected ones (ROUGE-1)."""

from pydantic import Field

from agentevals.graders.grader import NO_PAIR, Grader, Services
from agentevals.graders.text.text_metrics import describe_shortfalls, rouge_1
from agentevals.model.cases import Case, Grade, mean
from agentevals.model.completeness import Fact


class ResponseMatch(Grader):
    """ROUGE-1 F-measure of each turn's final response; the score is the mean."""

    type = "response_match_score"
    judges_by = frozenset({Fact.ANSWER})
    needs_expectation = True

    include_intermediate_responses_in_final: bool = Field(
        default=False, description="Whether texts before the answer belong to the answer"
    )

    def grade(self, case: Case, services: Services) -> Grade:
        pairs = case.pairs
        if not pairs:
            return Grade.not_evaluated(case.unpaired or NO_PAIR)
        everything = self.include_intermediate_responses_in_final
        scores = tuple(
            [
                rouge_1(one.answer(on_the_way=everything), other.answer(on_the_way=everything))
                for one, other in pairs
            ]
        )
        return Grade(
            score=mean(scores),
            per_turn=scores,
            misses=tuple(describe_shortfalls(case, "ROUGE-1", scores, self.threshold)),
            details=case.turn_gap,
        )
