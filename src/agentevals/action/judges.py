"""The judges that a config asks: which keys they get, how they are reached, on which hosts.

A pull request may change its config. Keys of the workflow stay where the workflow or the base
sends them, so that no change of a config moves a key elsewhere.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from agentevals.action.checkouts import Checkouts
from agentevals.action.job import Job
from agentevals.action.pins import SETTINGS, find_place
from agentevals.action.scoring import choose_configs, compile_once
from agentevals.configs.plan import Plan
from agentevals.judge import JudgeSettings
from agentevals.judge.apis import APIS
from agentevals.judge.settings import USUAL_KEYS
from agentevals.model.errors import AgentEvalsError, ConfigError, Problem
from agentevals.model.results import Evaluation, Finding, Severity

_KEYS = ("api_key_env", SETTINGS["api_key_env"])
_ADDRESSES = ("base_url", SETTINGS["base_url"])


@dataclass(frozen=True)
class _Asked:
    """A judge, and who asks it. `origin` is its scheme and host, `variable` is that of its key."""

    who: str
    settings: JudgeSettings
    origin: str

    @property
    def variable(self) -> str:
        return self.settings.key_variable

    @property
    def at_home(self) -> bool:
        """True at the address of its provider, which no config has named."""
        return self.settings.base_url is None or self.origin == _home_of(self.settings)


def check_judges(job: Job, checkouts: Checkouts, config: Path) -> None:
    """Refuse judges of a config that would send a key in the clear, or where nobody allowed it."""
    plan = compile_once(job, checkouts, checkouts.config_root, config)
    asked = [one for one in _list_judges(plan, job.environ) if one.variable]
    problems = [_refuse_plain(job, plan, config, one) for one in asked]
    if _is_proposed(job):
        others = (one for one in asked if not _is_usual(job, one))
        problems += [_refuse_key(job, checkouts, plan, config, one) for one in others]
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
    known = {one.origin for one in before}
    new = sorted({o.origin for o in _list_judges(plan, job.environ)} - known) if before else []
    if not new:
        return run
    message = (
        f"this pull request has another judge asked: {', '.join(new)}; "
        f"the base branch asks {', '.join(sorted(known))}"
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
    return job.context.number is not None and not job.context.privileged


def _list_judges(plan: Plan, environ: Mapping[str, str]) -> Iterator[_Asked]:
    run = plan.judge or JudgeSettings()
    listed = {"the judge": run} if plan.judge else {}
    listed |= {f"judge {name!r}": run.select_target(name) for name in run.targets}
    for grader in plan.all_graders:
        target = getattr(grader, "target", None)
        if hasattr(grader, SETTINGS["api_key_env"]) and (target is None or target in run.targets):
            own = {key: getattr(grader, name) for key, name in SETTINGS.items()}
            start = run.select_target(target) if target else run
            listed[f"evaluator {grader.name!r}"] = start.change(**own)
    first = {settings.model_dump_json(): who for who, settings in reversed(listed.items())}
    for who, settings in listed.items():
        if settings.speaks and who in first.values():
            place = APIS[settings.speaks].place
            address = settings.base_url or environ.get(place, "").strip() or _home_of(settings)
            yield _Asked(who, settings, _find_origin(address))


def _list_base_judges(job: Job, checkouts: Checkouts) -> list[_Asked]:
    """Return the judges of every config of the base, as far as it can be read."""
    base = job.context.base_sha
    if not base:
        return []
    try:
        tree = checkouts.trees.unpack(base)
        configs = choose_configs(job, replace(checkouts, config_root=tree))
    except AgentEvalsError:  # the base is not here, or has no config
        return []
    found: list[_Asked] = []
    for config in configs:
        try:
            plan = compile_once(job, checkouts, tree, config)
        except AgentEvalsError:  # a config that is wrong allows nothing
            continue
        found += _list_judges(plan, job.environ)
    return found


def _is_usual(job: Job, asked: _Asked) -> bool:
    """Return whether the key goes where its provider or the workflow wants it."""
    given, url = job.inputs, asked.settings.base_url
    usual = USUAL_KEYS.get(asked.settings.speaks or "")
    if asked.at_home and asked.variable in {usual, given.judge_api_key_env}:
        return True
    pinned = url is not None and url == given.judge_base_url
    return pinned and asked.variable == given.judge_api_key_env


def _refuse_key(
    job: Job, checkouts: Checkouts, plan: Plan, config: Path, asked: _Asked
) -> Problem | None:
    """Refuse a key that neither the workflow nor the base sends to this host."""
    before = _list_base_judges(job, checkouts)
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


def _refuse_plain(job: Job, plan: Plan, config: Path, asked: _Asked) -> Problem | None:
    """Refuse to send a key over plain http, except to this machine or as the workflow says."""
    url = asked.settings.base_url
    if url is None or url == job.inputs.judge_base_url or urlsplit(url).scheme == "https":
        return None
    if _is_loopback(urlsplit(url).hostname or ""):
        return None
    message = (
        f"{asked.who}: the key in {asked.variable} would go to {asked.origin} without encryption. "
        "Write https://, or give the address in the workflow's input 'judge-base-url'"
    )
    document, where = find_place(plan, config, _ADDRESSES, asked.origin)
    return document.problem(message, where)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _find_origin(url: str) -> str:
    place = urlsplit(url)
    return f"{place.scheme}://{place.netloc}"


def _home_of(settings: JudgeSettings) -> str:
    return _find_origin(APIS[settings.speaks].home) if settings.speaks else ""
