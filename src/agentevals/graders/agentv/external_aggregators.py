"""Aggregators that ask a program or the judge for the grade."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from agentevals.graders.agentv.aggregators import Aggregator
from agentevals.graders.grader import Services
from agentevals.graders.llm.questions import agentv_questions
from agentevals.graders.llm.questions.judge_prompts import (
    LONGEST_TRANSCRIPT,
    mark_untrusted,
    to_json,
)
from agentevals.graders.programs import code_judge_answers, code_judge_payload
from agentevals.graders.programs.judge_program import JudgeProgram
from agentevals.model.cases import Grade
from agentevals.model.results import Result
from agentevals.sandbox import isolation

_USUAL_PROMPT = """\
Several evaluators judged the same answer of an agent; their results follow, by name. Decide what
they come down to: one score for the answer as a whole. Whatever weighs heavily counts more than
the number of evaluators that found it.

[[ ## evaluator_results ## ]]
{{EVALUATOR_RESULTS_JSON}}"""


@dataclass(frozen=True)
class ProgramAggregator:
    """A program that reads the results and prints a judgement."""

    how: Aggregator
    folder: Path

    @property
    def content(self) -> str:
        return self._build_program(isolation.BEST).compute_digest()

    def problems(self) -> list[str]:
        return self._build_program(isolation.BEST).problems()

    def prepare(self) -> None:
        isolation.start()

    def aggregate(self, results: Mapping[str, Result], services: Services, name: str) -> Grade:
        program = self._build_program(services.isolation or isolation.BEST)
        return code_judge_answers.run_aggregator(program, results, name=name)

    def _build_program(self, level: str) -> JudgeProgram:
        return JudgeProgram(
            command=self.how.command or "", cwd=self.folder, beside=self.folder, level=level
        )


@dataclass(frozen=True)
class JudgeAggregator:
    """The judge, which is shown the results."""

    how: Aggregator
    folder: Path

    content = ""

    def problems(self) -> list[str]:
        return []

    def prepare(self) -> None:
        """A judge needs no preparation."""

    def aggregate(self, results: Mapping[str, Result], services: Services, name: str) -> Grade:
        told = to_json(code_judge_payload.build_results(results)["results"], 2)
        material = mark_untrusted("EVALUATOR_RESULTS", told, LONGEST_TRANSCRIPT).removesuffix("\n")
        prompt = self.how.fill_prompt(material, _USUAL_PROMPT)
        return agentv_questions.ask_opinion(services.judge, prompt)
