"""How a test of AgentV failed: whether the agent could not be run, or only not be scored."""

from typing import Any

from agentevals.traces.spans.values import word

_AFTER_THE_AGENT = frozenset({"evaluator", "teardown"})
_LONGEST = 500  # characters of an error

Fields = dict[str, Any]


def of(row: Fields) -> tuple[str, list[str]]:
    """Why there is nothing to score, or what is worth knowing although there is."""
    status, stage = row.get("execution_status"), word(row.get("failure_stage"))
    told = row.get("error")
    why = (word(told.get("message")) if isinstance(told, dict) else word(told))[:_LONGEST]
    warnings = []
    trials = row.get("trials")
    if isinstance(trials, list) and len(trials) > 1:
        warnings.append(f"{len(trials)} trials were run; the answer of one of them is recorded")
    if status != "execution_error" and (not why or status is not None):
        return "", warnings
    if stage in _AFTER_THE_AGENT:
        return "", [*warnings, f"AgentV could not score it ({stage}): {why}"]
    where = f" ({stage})" if stage else ""
    return f"AgentV could not run it{where}: {why or 'it does not say why'}", warnings
