"""What holds for a whole run, in whatever parts its cases are judged."""

from collections.abc import Iterable
from typing import Any

from agentevals.configs.plan import Plan
from agentevals.graders.grader import Grader, Services
from agentevals.model.noun import Noun
from agentevals.model.results import CaseReport, Evaluation, Finding, Result
from agentevals.model.version import VERSION
from agentevals.run import identity
from agentevals.run.families import Families, FamilyNames
from agentevals.run.pairing.pairing_findings import Expected, describe
from agentevals.run.run_costs import list_prices


class Frame(Noun, frozen=True, omit_defaults=False):
    """The facts that hold for every part of a run: what its plan says, and what reading finds.

    `run` has no cases. `reading` is what was found about files; nothing else is told if nothing
    could be read. `reducing` are the evaluators that say something of all cases together.
    """

    run: Evaluation
    expected: Expected = Expected()
    families: FamilyNames = FamilyNames()
    is_priced: bool = False
    judge_prices: tuple[float, float] | None = None
    reading: tuple[Finding, ...] = ()
    has_traces: bool = True
    reducing: tuple[str, ...] = ()


def describe_frame(plan: Plan, reading: tuple[Finding, ...], *, has_traces: bool) -> Frame:
    """Return the facts that hold for every part of a run."""
    prices = plan.judge.prices if plan.judge else None
    run = Evaluation(
        title=plan.title,
        findings=plan.findings,
        evaluators=tuple(dict.fromkeys(grader.name for grader in plan.outer_graders)),
        eval_set_id=plan.eval_set_id,
        version=VERSION,
        identity=identity.identify(plan),
        policy=plan.policy,
    )
    return Frame(
        run=run,
        expected=describe(
            plan.expectations, plan.policy, needed=plan.needs_expectations, pairs=plan.pair
        ),
        families=Families(plan).describe(),
        is_priced=bool(list_prices(plan)),
        judge_prices=(prices.input, prices.output) if prices else None,
        reading=reading,
        has_traces=has_traces,
        reducing=tuple(_list_reducing(plan)),
    )


def reduce_results(
    plan: Plan, cases: Iterable[CaseReport], services: Services
) -> dict[str, dict[str, Any]]:
    """Return what the evaluators say of all cases together, if they say anything."""
    asked = _list_reducing(plan)
    results: dict[str, list[Result]] = {name: [] for name in asked}
    for case in cases if asked else ():
        for result in case.results:
            if result.name in results:
                results[result.name].append(result)
    return {name: asked[name].overall(given, services) for name, given in results.items()}


def _list_reducing(plan: Plan) -> dict[str, Grader]:
    """Return the evaluators that say something of all cases together, by name."""
    reducing = [grader for grader in plan.outer_graders if grader.judges_overall]
    first = {grader.name: grader for grader in reversed(reducing)}
    return dict(reversed(first.items()))
