"""The exit code that follows from everything else: 1.4 and 1.7."""

from tests.conformance.agentevals_model.inputs import Group, Inputs, read_text
from tests.conformance.agentevals_model.judged import RESPONSE, TRAJECTORY
from tests.conformance.agentevals_model.picture import Picture, Told


def miss_cases(picture: Picture, inputs: Inputs) -> None:
    """1.7: an expected case that nobody answered, or an expected turn, fails the run."""
    if picture.exit or not inputs.cases or not _are_read(picture, inputs):
        return
    if not any(choose_case(group, inputs) for group in inputs.groups):
        picture.exit = 2
    elif _misses_some(inputs):
        picture.exit = 1


def _are_read(picture: Picture, inputs: Inputs) -> bool:
    """Whether the conversations are those that were recorded: not every format is read here."""
    if not all(group.turns for group in inputs.groups):
        return False
    if picture.document is None:
        return bool(inputs.groups)  # a table names no traces
    told = [trace.get("trace_id") for trace in picture.traces]
    return [group.trace_id for group in inputs.groups] == told


def _misses_some(inputs: Inputs) -> bool:
    chosen = [choose_case(group, inputs) for group in inputs.groups]
    return any(case not in chosen for case in inputs.cases) or any(
        case and len(case.get("conversation") or ()) > len(group.turns)
        for case, group in zip(chosen, inputs.groups, strict=True)
    )


def choose_case(group: Group, inputs: Inputs) -> Told | None:
    """By the id that was recorded, by what the user said first, or because there is one of each."""
    cases = inputs.cases
    if group.case_ids:
        named = [case for case in cases if (case["eval_id"],) == group.case_ids]
        return named[0] if named else None  # of several, nobody knows which is meant
    said = _normalize(group.question)
    alike = [case for case in cases if said and _normalize(_open(case)) == said]
    if len(alike) > 1:
        alike = [case for case in alike if len(case["conversation"]) == len(group.turns)]
        return alike[0] if len(alike) == 1 else None
    if alike:
        return alike[0]
    return cases[0] if len(cases) == len(inputs.groups) == 1 else None


def _open(case: Told) -> str:
    turns = case.get("conversation") or [{}]
    return read_text(turns[0].get("user_content"))


def _normalize(text: str) -> str:
    return " ".join(text.split()).casefold()


def fail_unjudged(picture: Picture, inputs: Inputs) -> None:
    """1.4: what was not evaluated fails the run; the user mends a missing eval set."""
    told = [(metric["metric_name"], metric["eval_status"]) for metric in picture.metrics]
    told = told or [*picture.marks.items()]
    if picture.exit == 0 and any(status in ("NOT_EVALUATED", "----") for _, status in told):
        compared = {name for name, _ in told} <= {TRAJECTORY, RESPONSE}
        picture.exit = 2 if compared and not inputs.cases else 1


def join_attempts(picture: Picture, inputs: Inputs) -> None:
    """2.19: recordings of one case stand together, and most of them have to pass."""
    if not _are_read(picture, inputs):
        return
    attempts: dict[str, list[Told]] = {}
    for trace, group in zip(picture.traces, inputs.groups, strict=True):
        case = choose_case(group, inputs)
        attempts.setdefault(case["eval_id"] if case else group.trace_id, []).append(trace)
    if len(attempts) == len(picture.traces) or picture.document is None:
        return
    picture.document["traces"] = [trace for each in attempts.values() for trace in each]
    errors = any(metric["error"] for metric in picture.metrics)
    if picture.exit == 1 and not errors and not _misses_some(inputs):
        picture.exit = int(not all(map(_pass_enough, attempts.values())))


def _pass_enough(attempts: list[Told]) -> bool:
    passed = [all(m["eval_status"] == "PASSED" for m in one["metrics"]) for one in attempts]
    return 2 * sum(passed) > len(passed)
