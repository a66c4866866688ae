"""The judges that a config asks: which keys they get, how they are reached, on which hosts.

A pull request may change its config. Keys of the workflow stay where the workflow or the base
sends them, so that no change of a config moves a key elsewhere.
"""

from dataclasses import replace
from pathlib import Path

import msgspec

from agentevals.action.checkouts import Checkouts, work_in
from agentevals.action.freshness import find_arrival
from agentevals.action.job import Job
from agentevals.action.job_configs import choose_configs, compile_once
from agentevals.configs.config_judges import SETTINGS, Asked, find_place, list_judges, refuse_plain
from agentevals.configs.plan import Plan
from agentevals.judge.judge_settings import USUAL_KEYS
from agentevals.model.errors import AgentEvalsError, ConfigError, Problem, UnavailableError
from agentevals.model.provenance import Arrival
from agentevals.model.results import Evaluation, Finding, Severity

_INPUT = "the input 'judge-base-url' of the workflow"
_KEYS = ("api_key_env", SETTINGS["api_key_env"])
_ADDRESSES = ("base_url", SETTINGS["base_url"])


def check_judges(job: Job, checkouts: Checkouts, config: Path) -> None:
    """Refuse judges of a config that would send a key in the clear, or where nobody allowed it."""
    plan = compile_once(job, checkouts, checkouts.config_root, config)
    proposed = _is_proposed(job)
    problems: list[Problem | None] = []
    for one in list_judges(plan, job.environ):
        pinned = one.settings.base_url == job.inputs.judge_base_url
        if one.is_plain and not pinned and (one.variable or proposed):
            problems.append(refuse_plain(plan, config, one, _INPUT))
        if proposed and one.variable and not _is_usual(job, one):
            problems.append(_refuse_key(job, checkouts, plan, config, one))
    if proposed:
        problems.append(_refuse_answers(job, checkouts, plan, config))
    found = dict.fromkeys(problem for problem in problems if problem)
    if found:
        raise ConfigError(found)


def add_new_hosts(job: Job, checkouts: Checkouts, config: Path, run: Evaluation) -> Evaluation:
    """Return the run with a finding about hosts that the base does not ask."""
    if not _is_proposed(job):
        return run
    plan = compile_once(job, checkouts, checkouts.config_root, config)
    if not any(grader.judged for grader in plan.all_graders):
        return run
    before = _list_base_judges(job, checkouts)
    known = {one.origin for one in before or ()}
    new = sorted({one.origin for one in list_judges(plan, job.environ)} - known)
    if not new:
        return run
    asks = f"the base branch asks {', '.join(sorted(known)) or 'none'}"
    message = (
        f"this pull request has another judge asked: {', '.join(new)}; "
        f"{'the judges of the base branch are unknown' if before is None else asks}"
    )
    finding = Finding(
        severity=Severity.WARNING,
        rule="judge-host",
        message=message,
        path=checkouts.name_config(config),
    )
    return msgspec.structs.replace(run, findings=(*run.findings, finding))


def _is_proposed(job: Job) -> bool:
    """Return whether the config is that of a pull request, and not of the base."""
    context = job.context
    queued = context.event == "merge_group"
    return (context.number is not None or queued) and not context.privileged


def _list_base_judges(job: Job, checkouts: Checkouts) -> list[Asked] | None:
    """Return the judges of every config of the base as it is now; None if it is not here.

    The author of a branch has chosen where it left the base.
    """
    base = job.context.rules_sha or job.context.base_sha
    if not base:
        return None
    try:
        tree = checkouts.trees.unpack(base)
    except UnavailableError:
        return None
    try:
        configs = choose_configs(job, replace(checkouts, config_root=tree))
    except AgentEvalsError:  # the base has no config
        return []
    found: list[Asked] = []
    for config in configs:
        try:
            plan = compile_once(job, checkouts, tree, config)
        except AgentEvalsError:  # a config that is wrong allows nothing
            continue
        found += list_judges(plan, job.environ)
    return found


def _is_usual(job: Job, asked: Asked) -> bool:
    """Return whether the key goes where its provider or the workflow wants it."""
    given, url = job.inputs, asked.settings.base_url
    usual = USUAL_KEYS.get(asked.settings.speaks or "")
    if asked.at_home and asked.variable in {usual, given.judge_api_key_env}:
        return True
    pinned = url is not None and url == given.judge_base_url
    return pinned and asked.variable == given.judge_api_key_env


def _refuse_key(
    job: Job, checkouts: Checkouts, plan: Plan, config: Path, asked: Asked
) -> Problem | None:
    """Refuse a key that neither the workflow nor the base sends to this host."""
    before = _list_base_judges(job, checkouts) or []
    variable, origin = asked.variable, asked.origin
    known = variable == job.inputs.judge_api_key_env or variable in {o.variable for o in before}
    pinned = not asked.at_home and asked.settings.base_url == job.inputs.judge_base_url
    if (variable, origin) in {(o.variable, o.origin) for o in before} or (known and pinned):
        return None
    reason = (
        f"the key in {variable} must not go to {origin}, where the base branch does not send it"
        if known
        else f"{variable} is not listed as the key of a judge by the workflow or the base branch"
    )
    message = (
        f"{asked.who}: {reason}. Name the judge in the workflow ('judge-base-url', "
        "'judge-api-key-env'), or change the config on the base branch first"
    )
    named = find_place(plan, config, _KEYS, variable)
    document, where = named if named[1] else find_place(plan, config, _ADDRESSES, origin)
    return document.problem(message, where)


def _refuse_answers(job: Job, checkouts: Checkouts, plan: Plan, config: Path) -> Problem | None:
    """Refuse kept answers of a judge that were committed: nobody knows who has given them."""
    judge = plan.judge
    if judge is None or not judge.cache or judge.cache_directory is None:
        return None
    with work_in(checkouts.config_root):
        folder = judge.cache_directory.expanduser().resolve()
    if not folder.is_relative_to(job.workspace.root):
        return None
    answers = (path for path in folder.rglob("*") if path.is_file())
    if all(find_arrival(job, checkouts, path) is Arrival.RECORDED for path in answers):
        return None
    message = (
        "the folder of 'cache_directory' holds answers of a judge that were committed, and so "
        "could be anybody's. Name a folder that git ignores"
    )
    document, where = find_place(plan, config, ("cache_directory",), str(judge.cache_directory))
    return document.problem(message, where)
