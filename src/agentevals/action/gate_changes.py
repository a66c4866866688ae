"""Changes of a pull request to its own gate: they are allowed, and always reported."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from agentevals.action.checkouts import Checkouts, move_path
from agentevals.action.job import Job
from agentevals.action.scoring import choose_configs, compile_once
from agentevals.compare import policies
from agentevals.model.errors import AgentEvalsError
from agentevals.model.results import Evaluation, Finding, Severity

_NAMED = 5  # configs in a sentence


def add_gate_changes(job: Job, checkouts: Checkouts, config: Path, run: Evaluation) -> Evaluation:
    """Return the run with findings about gates that differ from the base, if that is unpacked."""
    context = job.context
    tree = checkouts.trees.find(context.base_sha or "")
    if tree is None or context.number is None or context.privileged:
        return run
    there = move_path(config, checkouts.config_root, tree)
    try:
        base = compile_once(job, checkouts, tree, there).policy if there.is_file() else run.policy
    except AgentEvalsError:  # a base that cannot be read has no gate to compare with
        return run
    found = policies.find_changes(base, run.policy, checkouts.name_config(config))
    return msgspec.structs.replace(run, findings=(*run.findings, *found))


def find_removed_configs(
    job: Job, checkouts: Checkouts, configs: Sequence[Path]
) -> Iterator[Finding]:
    """Yield a finding about configs that the inputs name in the base, but not any more here."""
    context = job.context
    tree = checkouts.trees.find(context.base_sha or "")
    if tree is None or context.number is None or context.privileged:
        return
    there = replace(checkouts, config_root=tree)
    try:
        before = [there.name_config(config) for config in choose_configs(job, there)]
    except AgentEvalsError:  # the base had none
        return
    missing = sorted(set(before) - {checkouts.name_config(config) for config in configs})
    if missing:
        more = f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
        named = f"{', '.join(missing[:_NAMED])}{more}"
        yield Finding(
            severity=Severity.WARNING,
            rule="config-removed",
            message=f"not evaluated any more, because this pull request removes it: {named}",
        )
