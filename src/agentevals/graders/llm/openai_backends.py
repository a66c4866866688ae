"""Graders of the OpenAI Evals API: labels on our own judge, or all of it where it is hosted."""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentevals.graders.grader import NO_EVAL_SET, NO_TURN, Services
from agentevals.graders.llm.questions.judge_prompts import (
    ACTUAL,
    EXPECTED,
    TEXT,
    build_enum,
    build_object,
    check_places,
    fill,
    find_places,
    mark_untrusted,
    write_question,
)
from agentevals.judge import Judge
from agentevals.judge.evals_api import CLOCK, Clock, EvalsAPI, Item, Run
from agentevals.model.cases import Case, Grade, Status, mean
from agentevals.model.errors import EvaluatorError, InputError
from agentevals.text.wording import add_reason

_TASK = """\
Somebody has written a prompt that asks for a label. Follow that prompt; whatever is marked in it as
material is what the label is to be chosen for.
"""
_ASKED = "Reason first, in two or three sentences. Then choose one of these labels: {labels}"

Row = dict[str, str]


def grade_labels(case: Case, judge: Judge, *, criterion: Mapping[str, Any]) -> Grade:
    """Have the judge choose a label for each turn; all have to be labels that pass."""
    wanted = _list_places(criterion)
    if obstacle := _find_obstacle(case, wanted):
        return Grade.not_evaluated(obstacle)
    asked = judge.variant(model=criterion["model"])
    schema = build_object(reasoning=TEXT, label=build_enum(dict.fromkeys(criterion["labels"])))
    chosen = [
        asked.ask(_write_prompt(criterion, row), schema=schema) for row in _build_rows(case, wanted)
    ]
    passed = [answer["label"] in criterion["passing_labels"] for answer in chosen]
    return Grade(
        score=mean(map(float, passed)),
        status=Status.PASSED if all(passed) else Status.FAILED,
        per_turn=tuple(map(float, passed)),
        misses=tuple(
            add_reason(f"turn {number}: labelled '{answer['label']}'", answer["reasoning"])
            for number, (answer, met) in enumerate(zip(chosen, passed, strict=True), start=1)
            if not met
        ),
        details={
            "model": criterion["model"],
            "passing_labels": list(criterion["passing_labels"]),
            "labels": chosen,
            "result_counts": {
                "passed": sum(passed),
                "failed": len(passed) - sum(passed),
                "total": len(passed),
            },
        },
    )


def run_hosted(  # noqa: PLR0913 -- the case, what is asked, and how it is sent
    case: Case,
    services: Services,
    *,
    criterion: Mapping[str, Any],
    timeout: float,
    environ: Mapping[str, str] = os.environ,
    clock: Clock = CLOCK,
) -> Grade:
    """Have the Evals API grade every turn, and leave nothing behind there."""
    wanted = _list_places(criterion)
    if obstacle := _find_obstacle(case, wanted):
        return Grade.not_evaluated(obstacle)
    rows = [{key: services.redact(row[key]) for key in row} for row in _build_rows(case, wanted)]
    api = EvalsAPI(timeout, environ, clock)
    services.hosts.add(api.host)
    with api.evaluation(_describe_eval(criterion, rows[0])) as eval_id:
        run = api.run(eval_id, _describe_run(criterion, rows))
        items = api.list_items(eval_id, run.id)
    _check_items(items, run, len(rows), api.host)
    ids = {"openai_eval_id": eval_id, "openai_run_id": run.id}
    return _build_hosted_grade(criterion, items, ids | _summarise(criterion, run))


def _find_obstacle(case: Case, wanted: set[str]) -> str:
    if EXPECTED in wanted and case.expected is None:
        return case.unpaired or NO_EVAL_SET
    return "" if case.turns else NO_TURN


def _list_places(criterion: Mapping[str, Any]) -> set[str]:
    """List the places in the criterion's templates, all of which must be known."""
    given = criterion["input"]
    messages = [given] if isinstance(given, str) else [message["content"] for message in given]
    try:
        texts = [
            check_places(text, (ACTUAL, EXPECTED))
            for text in (*messages, criterion.get("reference", ""))
        ]
    except ValueError as error:
        msg = f"{criterion['name']}: {error}"
        raise InputError(msg) from None
    return {place for text in texts for place in find_places(text)}


def _build_rows(case: Case, wanted: set[str]) -> Iterator[Row]:
    """One row of data for each turn; a turn that was not expected is compared with nothing."""
    expected = case.expected or ()
    for number, turn in enumerate(case.turns):
        row = {"actual_response": turn.response or ""}
        if EXPECTED in wanted:
            golden = expected[number].response if number < len(expected) else None
            row["expected_response"] = golden or ""
        yield row


def _write_prompt(criterion: Mapping[str, Any], row: Row) -> str:
    """The user's messages, in which the agent's words are marked as material."""
    marked = {
        f"item.{name}": f"\n{mark_untrusted(name.upper(), text)}" for name, text in row.items()
    }
    messages = [
        f"[{message['role']}]\n{fill(message['content'], marked.__getitem__)}\n"
        for message in criterion["input"]
    ]
    labels = ", ".join(f"`{label}`" for label in criterion["labels"])
    return write_question(_TASK, *messages, asked=_ASKED.format(labels=labels))


def _describe_eval(criterion: Mapping[str, Any], row: Row) -> dict[str, Any]:
    """The eval to create: only given texts are graded, nothing is generated."""
    return {
        "name": f"agentevals-openai-{criterion['name']}",
        "data_source_config": {
            "type": "custom",
            "item_schema": {
                "type": "object",
                "properties": {name: {"type": "string"} for name in row},
                "required": list(row),
            },
            "include_sample_schema": False,
        },
        "testing_criteria": [dict(criterion)],
    }


def _describe_run(criterion: Mapping[str, Any], rows: Sequence[Row]) -> dict[str, Any]:
    content = [{"item": row} for row in rows]
    source = {"type": "jsonl", "source": {"type": "file_content", "content": content}}
    return {"name": f"agentevals-openai-run-{criterion['name']}", "data_source": source}


def _check_items(items: Sequence[Item], run: Run, turns: int, host: str) -> None:
    """Every turn has to be graded: an item that went wrong is an error, never a pass."""
    for number, item in enumerate(items, start=1):
        reason = _find_trouble(item)
        if reason:
            msg = f"{host}: turn {number} could not be graded: {reason}"
            raise EvaluatorError(msg)
    if run.result_counts.errored or len(items) != turns:
        msg = f"{host}: {turns} turns were sent and {len(items)} graded, "
        raise EvaluatorError(msg + f"{run.result_counts.errored} with errors")


def _find_trouble(item: Item) -> str:
    if item.sample is not None and item.sample.error is not None:
        return str(item.sample.error)
    if item.status in {"error", "errored"}:
        return "no reason given"
    score = _read_score(item)
    if score is None:
        return "it has no score"
    return "" if 0 <= score <= 1 else f"its score {score:g} is not from 0 to 1"


def _read_score(item: Item) -> float | None:
    """The first score there is; a label may come without one."""
    for outcome in item.results:
        if outcome.score is not None:
            return outcome.score
        if outcome.passed is not None:
            return float(outcome.passed)
    return None


def _build_hosted_grade(
    criterion: Mapping[str, Any], items: Sequence[Item], details: dict[str, Any]
) -> Grade:
    scores = tuple(map(_read_score, items))
    passed = [any(outcome.passed for outcome in item.results) for item in items]
    labelled = criterion["type"] == "label_model"
    decided = Status.PASSED if all(passed) else Status.FAILED
    return Grade(
        score=mean(scores),
        status=decided if labelled else None,
        per_turn=scores,
        misses=tuple(
            f"turn {number}: not passed, with a score of {score:.4g}"
            for number, (score, met) in enumerate(zip(scores, passed, strict=True), start=1)
            if not met
        ),
        details=details,
    )


def _summarise(criterion: Mapping[str, Any], run: Run) -> dict[str, Any]:
    names = ("evaluation_metric", "model", "passing_labels")
    return {
        "result_counts": {
            "passed": run.result_counts.passed,
            "failed": run.result_counts.failed,
            "total": run.result_counts.total,
        },
        **{name: criterion[name] for name in names if name in criterion},
        "per_testing_criteria": [
            {"name": counts.testing_criteria, "passed": counts.passed, "failed": counts.failed}
            for counts in run.per_testing_criteria_results or ()
        ],
    }
