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
    told = told or [(name, mark) for name, marks in picture.marks.items() for mark in marks]
    if picture.exit == 0 and any(status in ("NOT_EVALUATED", "----") for _, status in told):
        compared = {name for name, _ in told} <= {TRAJECTORY, RESPONSE}
        picture.exit = 2 if compared and not inputs.cases else 1


def join_attempts(picture: Picture, inputs: Inputs) -> None:
    """2.19: recordings of one case stand together, and most of them have to pass."""
    attempts = _list_attempts(inputs)
    if len(attempts) == len(inputs.groups) or not _are_read(picture, inputs):
        return
    passed = _list_passed(picture, len(inputs.groups))
    order = [at for together in attempts for at in together]
    if picture.document is not None:
        picture.document["traces"] = [picture.traces[at] for at in order]
    picture.marks = {name: [marks[at] for at in order] for name, marks in picture.marks.items()}
    errors = any(metric["error"] for metric in picture.metrics)
    if picture.exit == 1 and not errors and not _misses_some(inputs):
        enough = (2 * sum(passed[at] for at in each) > len(each) for each in attempts)
        picture.exit = int(not all(enough))


def _list_attempts(inputs: Inputs) -> list[list[int]]:
    """The numbers of the conversations that answer the same case, in the order of the first."""
    found: dict[str, list[int]] = {}
    for number, group in enumerate(inputs.groups):
        case = choose_case(group, inputs)
        found.setdefault(case["eval_id"] if case else group.trace_id, []).append(number)
    return list(found.values())


def _list_passed(picture: Picture, conversations: int) -> list[bool]:
    if picture.document is None:
        marks = picture.marks.values()
        return [all(each[at] == "PASS" for each in marks) for at in range(conversations)]
    return [all(m["eval_status"] == "PASSED" for m in one["metrics"]) for one in picture.traces]
