"""What evaluators are granted, where a pull request says it: no more than its base grants.

What it adds or widens holds once somebody with write permission has approved it, with the programs
as they are. So do the variables of a program that it changes: what the base granted was for another
one. On a pull request of a fork nobody approves: its programs get no variable, and no judge.
"""

from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from pathlib import Path

from agentevals.action import job_configs
from agentevals.action.checkouts import Checkouts, find_rules_commit, move_path
from agentevals.action.job import Job
from agentevals.action.rules import turned_cases
from agentevals.action.rules.rule_differences import Side, name_evaluator
from agentevals.action.rules.touched_files import find_touched_files
from agentevals.configs.plan import Plan, flatten
from agentevals.graders.grader import Grader
from agentevals.graders.programs import ThirdPartyGrader
from agentevals.graders.programs.program_grants import Grants, list_surplus, narrow
from agentevals.model.errors import AgentEvalsError
from agentevals.model.results import Finding, Severity
from agentevals.model.rule_changes import Rules, TurnedCase, compute_digest

_RULE = "not-granted"
_NOTHING = Grants()
# settings that decide what a score is worth, and that no program sees
_NOT_TOLD = {"threshold", "weight", "required", "negate", "target"}


@dataclass(frozen=True)
class Held:
    """A plan with the grants that hold, what is said of others, and what can be approved."""

    plan: Plan
    findings: tuple[Finding, ...] = ()
    turned: tuple[TurnedCase, ...] = ()


def hold_back(job: Job, checkouts: Checkouts, config: Path) -> Held:
    """Return the plan of a config of the head, without the grants that do not hold."""
    return checkouts.cache.get(("grants", config), lambda: _hold_back(job, checkouts, config))


def _hold_back(job: Job, checkouts: Checkouts, config: Path) -> Held:
    plan = job_configs.compile_once(job, checkouts, checkouts.config_root, config)
    if job.context.number is None or not any(map(_grants_any, plan.all_graders)):
        return Held(plan)
    name = checkouts.name_config(config)
    if job.context.privileged:  # the config is that of the base
        if not job.context.fork:
            return Held(plan)
        return _limit(plan, name, lambda grader: _drop_secrets(_read(grader)))
    base = _find_base(job, checkouts, name)
    if job.context.fork:
        return _limit(plan, name, lambda grader: _drop_secrets(base.find(grader)))
    side = Side(plan, checkouts.config_root)
    touched = find_touched_files(job, checkouts, [side], [_find_root(job, checkouts), side.root])
    base = base.keep_from_changed(side, touched)
    wider = tuple(_list_wider(name, side, touched, base))
    rules = Rules(base="", turned=wider, others_only=base.others_only)
    turned = turned_cases.add_approvals(job, rules).turned
    approved = {one.rule for one in turned if one.approved_by}
    held = _limit(plan, name, lambda grader: _find_most(grader, base, approved))
    return replace(held, turned=turned)


@dataclass(frozen=True)
class _Base:
    """The grants and programs of the base by the names of evaluators, and who approves others."""

    known: Mapping[str, Grants] = field(default_factory=dict)
    programs: Mapping[str, str] = field(default_factory=dict)
    others_only: bool = False

    def find(self, grader: Grader) -> Grants:
        return self.known.get(grader.name, _NOTHING)

    def keep_from_changed(self, side: Side, touched: Mapping[str, str]) -> "_Base":
        """Return the same without variables for programs that are not those of the base."""
        changed = {
            one.name
            for outer in side.plan.outer_graders
            for one in flatten([outer])
            if outer.name in touched or _describe(one, side.root) != self.programs.get(one.name)
        }
        kept = {
            name: given.model_copy(update={"env": ()}) if name in changed else given
            for name, given in self.known.items()
        }
        return replace(self, known=kept)


def _describe(grader: Grader, root: Path) -> str:
    """Return the program that a grader runs, and all that it is told, wherever its tree lies."""
    told = grader.model_dump_json(exclude={*Grants.model_fields, *_NOT_TOLD})
    return told.replace(str(root), "")


def _find_most(grader: Grader, base: _Base, approved: Set[str]) -> Grants:
    return _read(grader) if name_evaluator(grader.name) in approved else base.find(grader)


def _grants_any(grader: Grader) -> bool:
    return isinstance(grader, ThirdPartyGrader) and bool(list_surplus(_read(grader), _NOTHING))


def _read(grader: Grader) -> Grants:
    """Return the grants of a grader, those of AgentV's `target` among them; none for others."""
    if not isinstance(grader, ThirdPartyGrader):
        return _NOTHING
    named = {key: getattr(grader, key) for key in Grants.model_fields}
    return Grants.model_construct(**named | {"judge": grader.asks_judge or False})


def _drop_secrets(grants: Grants) -> Grants:
    return grants.model_copy(update={"env": (), "judge": False})


def _find_base(job: Job, checkouts: Checkouts, name: str) -> _Base:
    """Return what the base grants by the config of that name; nothing if that cannot be read."""
    commit = find_rules_commit(job)
    try:
        root = checkouts.trees.unpack(commit) if commit else None
        there = replace(checkouts, config_root=root or checkouts.config_root)
        found = [
            one for one in job_configs.choose_configs(job, there) if there.name_config(one) == name
        ]
        plans = [job_configs.compile_once(job, there, there.config_root, one) for one in found]
    except AgentEvalsError:
        return _Base()
    known: dict[str, Grants] = {}
    programs: dict[str, str] = {}
    for grader in (one for plan in plans if root for one in plan.all_graders):
        given = _read(grader)
        moved = [move_path(path, there.config_root, checkouts.config_root) for path in given.files]
        given = given.model_copy(update={"files": tuple(moved)})
        known[grader.name] = narrow(known.get(grader.name, given), given)
        programs[grader.name] = _describe(grader, there.config_root)
    return _Base(known, programs, any(plan.policy.approval == "other" for plan in plans if root))


def _limit(plan: Plan, config: str, most: Callable[[Grader], Grants]) -> Held:
    """Limit every grader of a plan to at most these grants, and say what it loses."""
    findings: dict[str, Finding] = {}

    def change(grader: Grader) -> Grader:
        given, allowed = _read(grader), most(grader)
        lost = list_surplus(given, allowed, lambda path: path.name)
        if not lost:
            return grader
        message = (
            f"{name_evaluator(grader.name)} runs without {', '.join(f'`{key}`' for key in lost)}: "
            "a pull request grants no more than its base until somebody approves it, and that of "
            "a fork neither `env` nor `judge`"
        )
        findings[message] = Finding(
            severity=Severity.WARNING, rule=_RULE, message=message, path=config
        )
        held = {key: getattr(narrow(given, allowed), key) for key in Grants.model_fields}
        if "target" in type(grader).model_fields:  # the same by the name that AgentV has for it
            held["target"] = False
        return grader.model_copy(update=held)

    return Held(plan.change_graders(change), tuple(findings.values()))


def _list_wider(
    config: str, side: Side, touched: dict[str, str], base: _Base
) -> Iterator[TurnedCase]:
    """Yield a change to approve for each evaluator that is granted more than on the base."""
    for grader in side.plan.all_graders:
        if list_surplus(_read(grader), base.find(grader)):
            yield _turn(config, grader, side, touched, base)


def _find_root(job: Job, checkouts: Checkouts) -> Path:
    try:
        return checkouts.trees.unpack(find_rules_commit(job))
    except AgentEvalsError:
        return job.scratch  # where nothing of it lies


def _turn(
    config: str, grader: Grader, side: Side, touched: dict[str, str], base: _Base
) -> TurnedCase:
    """Return the change, whose digest is also that of what judges: another program is another."""
    root = side.root

    def show(path: Path) -> str:
        return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)

    wider = list_surplus(_read(grader), base.find(grader), show)
    outer = [one.name for one in side.plan.outer_graders if grader in flatten([one])]
    judging = [side.identity.evaluators.get(name, "") + touched.get(name, "") for name in outer]
    pair = compute_digest(("\0".join((config, grader.name, *wider, *judging)),))
    reason = f"it is granted {' and '.join(wider)}, which does not hold until it is approved"
    return TurnedCase(
        config=config, rule=name_evaluator(grader.name), case_id="", reason=reason, pair=pair
    )
