"""The answer of a code judge as a Grade: the forms of AgentV 1 to 5, read strictly."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from agentevals.graders.programs import code_judge_payload
from agentevals.graders.programs.judge_program import JudgeProgram
from agentevals.model.cases import Grade, Status
from agentevals.model.errors import EvaluatorError
from agentevals.model.results import Result
from agentevals.sandbox.isolation import Finished
from agentevals.sandbox.wire_protocol import is_number, quote, read_object
from agentevals.text.json_text import encode

_ALSO_A_REASON = 500
_VERDICTS = {
    "pass": Status.PASSED,
    "borderline": Status.FAILED,
    "fail": Status.FAILED,
    "skip": Status.NOT_EVALUATED,
}

Answer = Mapping[str, Any]


class _Check(NamedTuple):
    text: str
    passed: bool


def read_grade(finished: Finished, *, name: str, verdicts: bool = False) -> Grade:
    """Return its grade, or raise an EvaluatorError that says why there is none.

    With `verdicts` a `verdict` that it gives wins over its score, as in a composite.
    """
    if finished.exit_code != 0:
        raise EvaluatorError(_describe_failure(finished, name))
    answer = read_object(finished.stdout, name)
    checks = tuple(_read_checks(answer))
    hits, misses = _read_points(answer, checks)
    return Grade(
        score=_read_score(answer, checks, name),
        status=_read_status(answer, name, verdicts=verdicts),
        hits=hits,
        misses=misses,
        reasoning=_read_reasoning(answer),
        details=_read_details(answer),
        isolation=finished.isolation,
    )


def run_aggregator(program: JudgeProgram, results: Mapping[str, Result], *, name: str) -> Grade:
    """Have a program make one grade of the results of several evaluators, by name."""
    finished = program.run(encode(code_judge_payload.build_results(results)), name=name)
    return read_grade(finished, name=name, verdicts=True)


def _read_score(answer: Answer, checks: Sequence[_Check], name: str) -> float:
    given: Any = answer.get("score")
    if is_number(given):
        return max(0.0, min(1.0, float(given)))
    if given is not None:
        raise _build_error(
            name, f"gave the score {quote(given)}; a number from 0 to 1 was expected"
        )
    if isinstance(answer.get("pass"), bool):
        return float(answer["pass"])
    if checks:
        return sum(check.passed for check in checks) / len(checks)
    raise _build_error(name, f"gave no 'score', only {quote(list(answer))}; a number was expected")


def _read_status(answer: Answer, name: str, *, verdicts: bool) -> Status | None:
    said = answer.get("verdict")
    if verdicts and said is not None:
        if not isinstance(said, str) or said not in _VERDICTS:
            known = ", ".join(_VERDICTS)
            raise _build_error(name, f"gave the verdict {quote(said)}; known are {known}")
        return _VERDICTS[said]
    if isinstance(answer.get("pass"), bool):
        return Status.PASSED if answer["pass"] else Status.FAILED
    return None


def _read_points(
    answer: Answer, checks: Sequence[_Check]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Its hits and misses; where it gives neither, those that its checks come down to."""
    if "hits" in answer or "misses" in answer or not checks:
        return _select_texts(answer.get("hits")), _select_texts(answer.get("misses"))
    hits = tuple(check.text for check in checks if check.passed and check.text)
    misses = tuple(check.text for check in checks if not check.passed and check.text)
    return hits, misses


def _select_texts(given: Any) -> tuple[str, ...]:
    texts = given if isinstance(given, list) else ()
    return tuple(text for text in texts if isinstance(text, str) and text.strip())


def _read_checks(answer: Answer) -> Iterator[_Check]:
    for key, verdict in (("assertions", "passed"), ("checks", "pass")):
        listed = answer.get(key)
        for item in listed if isinstance(listed, list) else ():
            if isinstance(item, dict) and isinstance(item.get("text"), str):
                yield _Check(item["text"].strip() and item["text"], bool(item.get(verdict)))


def _read_reasoning(answer: Answer) -> str:
    said = (answer.get(key) for key in ("reasoning", "reason"))
    return next((text for text in said if isinstance(text, str)), "")


def _read_details(answer: Answer) -> dict[str, Any]:
    """Its details, with what it says of each check beyond the text."""
    details = answer.get("details")
    found = dict(details) if isinstance(details, dict) else {}
    for key in ("assertions", "checks"):
        listed = answer.get(key)
        if isinstance(listed, list) and any(_says_more(item) for item in listed):
            found.setdefault(key, listed)
    return found


def _says_more(item: Any) -> bool:
    return isinstance(item, dict) and any(item.get(key) for key in ("evidence", "reason", "id"))


def _describe_failure(finished: Finished, name: str) -> str:
    """A result that was printed all the same keeps its words, but is none."""
    ended = f"evaluator {name!r} exited with code {finished.exit_code}"
    return finished.describe_end(ended, _describe_printed(finished.stdout, name))


def _describe_printed(stdout: bytes, name: str) -> str:
    try:
        answer = read_object(stdout, name)
    except EvaluatorError:
        return ""
    words = [_read_reasoning(answer), *_select_texts(answer.get("misses"))]
    told = "; ".join(dict.fromkeys(word for word in words if word))
    text = told or json.dumps(answer)
    return text if len(text) <= _ALSO_A_REASON else f"{text[:_ALSO_A_REASON]}…"


def _build_error(name: str, what: str) -> EvaluatorError:
    return EvaluatorError(f"evaluator {name!r} {what}")
