"""`is_json`: the answer can be read by a program."""

import json
from typing import NoReturn

from agentevals.graders.assertions import Assertion, grade_binary
from agentevals.graders.grader import Services
from agentevals.model.cases import Case, Grade
from agentevals.model.errors import EvaluatorError


class IsJson(Assertion):
    """1 where the answer is one value of JSON and nothing else, no fences either; otherwise 0."""

    type = "is_json"

    def grade(self, case: Case, services: Services) -> Grade:
        return grade_binary(
            met=_is_json(case.answer),
            hit="Output is valid JSON",
            miss="Output is not valid JSON",
        )


def _is_json(text: str) -> bool:
    try:
        json.loads(text, parse_int=len, parse_constant=_refuse)  # numbers may be of any length
    except RecursionError as error:
        msg = "the answer is nested too deeply to say whether it is JSON"
        raise EvaluatorError(msg) from error
    except ValueError:
        return False
    return True


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)
