"""A judge that says what a test wants it to say."""

from agentevals.graders.grader import Services
from agentevals.judge import ONCE, JudgeAnswerError
from agentevals.model.errors import EvaluatorError


class ScriptedJudge:
    """Gives the answers in order, the last one again and again; exceptions are raised."""

    samples = 1

    def __init__(self, *answers):
        self._answers = list(answers)
        self.prompts, self.schemas, self.variants, self.systems = [], [], [], []

    def ask(self, prompt, *, schema, sample=0, system="", patience=ONCE):
        self.schemas.append(schema)
        return self._answer(prompt, system)

    def say(self, prompt, *, system="", sample=0):
        return self._answer(prompt, system)

    def _answer(self, prompt, system):
        self.prompts.append(prompt)
        self.systems.append(system)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def variant(self, **changes):
        self.variants.append(changes)
        return self

    def usage(self):
        return {}


USELESS = JudgeAnswerError("gave no usable answer")
BROKE = EvaluatorError("the judge's budget is spent")


def judged(grader, case, *answers):
    """The grade, and the judge that was asked for it."""
    judge = ScriptedJudge(*answers)
    return grader.grade(case, Services(judge=judge)), judge


def valid(reasoning="fine"):
    return {"reasoning": reasoning, "verdict": "valid"}


def invalid(reasoning="wrong"):
    return {"reasoning": reasoning, "verdict": "invalid"}


def verdicts(**said):
    """`verdicts(polite="yes", short="no")`"""
    return {
        "verdicts": [
            {"id": name, "rationale": f"{name} is {verdict}", "verdict": verdict}
            for name, verdict in said.items()
        ]
    }


def all_met_but_one(grader, case):
    """The grade of a judge that denies the first property it is asked about, and their number."""
    _, judge = judged(grader, case, verdicts())
    ids = judge.schemas[0]["properties"]["verdicts"]["items"]["properties"]["id"]["enum"]
    grade, _ = judged(grader, case, verdicts(**dict.fromkeys(ids[1:], "yes")))
    return grade, len(ids)
