"""The end of a page, below the cases: findings, the trend, the command, and the sources."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime

from agentevals.model import project_links
from agentevals.model.outcome import Origin, Outcome, Place, Point, Unit
from agentevals.model.provenance import Arrival
from agentevals.model.results import Finding, Severity, Verdict
from agentevals.model.review import Review, Scene
from agentevals.report.pages import page_links, page_wording
from agentevals.report.pages.page_shortening import Stage
from agentevals.text import markdown, wording

_SERIOUS = {Severity.ERROR: "❌", Severity.WARNING: page_wording.WARNED}
_MESSAGE = 600  # characters of a finding
_POINTS = 30  # runs in a trend
_MODELS = 20  # rows
_ARRIVED = {
    Arrival.RECORDED: "recorded by the run",
    Arrival.COMMITTED: "as committed",
    Arrival.CHANGED: "committed, and changed before this step",
    Arrival.UNKNOWN: "of unknown origin",
}
_HOUR, _DAY = 3_600, 86_400  # seconds


def findings(found: Sequence[Finding], scene: Scene, stage: Stage) -> Iterator[str]:
    """Errors and warnings in the open, worst first; notes folded."""
    ranked = sorted(found, key=lambda one: list(Severity).index(one.severity))
    serious = [one for one in ranked if one.severity in _SERIOUS]
    if serious and stage.findings:
        lines = "".join(_finding(one, scene) for one in serious[: stage.findings])
        lines = lines.removeprefix("- ") if len(serious) == 1 else lines
        more = len(serious) - stage.findings
        yield lines + (f"- and {wording.plural(more, 'more problem')}\n" if more > 0 else "")
    notes = ranked[len(serious) :]
    if notes and stage.passing:
        body = "".join(_finding(one, scene) for one in notes[: stage.findings])
        yield markdown.details(wording.plural(len(notes), "note"), body)


def trend(outcome: Outcome, base: str) -> str:
    """The last runs of the base branch as bars, with the latest value in figures."""
    points = outcome.trend[-_POINTS:]
    lines = [
        _line("pass rate", [point.pass_rate for point in points], Unit.SHARE),
        _line("score", [point.score for point in points], Unit.SCORE),
        _line("cost", [point.cost for point in points], Unit.MONEY),
        _line("latency", [point.latency for point in points], Unit.MILLISECONDS),
    ]
    known = [line for line in lines if line]
    if len(points) < 2 or not known:  # noqa: PLR2004 -- one bar is no trend
        return ""
    of = f" of {markdown.html_code(base, 60)}" if base else ""
    return markdown.details(f"Trend{of}: {' · '.join(known)}", _points(points))


def cost(outcome: Outcome) -> str:
    """The cost of the model calls in the recordings, by model."""
    found = outcome.report.recording_cost if outcome.report else None
    if not found:
        return ""
    rows = "".join(
        f"| {markdown.code(one.model or '(no name)', 80)} | {one.calls:,} | {one.unpriced:,} "
        f"| {page_wording.value(one.cost, Unit.MONEY)} |\n"
        for one in found.models[:_MODELS]
    )
    title = f"Cost of the recordings: {markdown.html_text(wording.describe_cost(found), _MESSAGE)}"
    table = f"| Model | Calls | Of unknown cost | Cost |\n|:--|--:|--:|--:|\n{rows}"
    return markdown.details(title, table)


def reproduce(outcome: Outcome) -> str:
    """The command that does it again on one's own machine."""
    lines = outcome.reproduce.splitlines()[:10]
    return markdown.details("Reproduce locally", markdown.fence(lines, "shell")) if lines else ""


def name_report(scene: Scene) -> str:
    """Write where the page of all cases is, and how to open it; nothing if it is not kept."""
    link = page_links.to_run("report.html", scene.artifact_url or "", scene)
    return (
        f"📄 **All cases:** {link}. Unpack the zip, and open the file in a browser.\n"
        if link
        else ""
    )


def footer(review: Review, outcome: Outcome | None) -> str:
    """Write the two commits that were compared, the version, and where the run is."""
    facts = [
        *_sides(review.scene, outcome),
        *_describe_pairs(outcome),
        *_describe_arrivals(outcome, review.scene),
        *_describe_origin(review),
    ]
    return f"<sub>{' · '.join(facts)}</sub>\n" if facts else ""


def _finding(found: Finding, scene: Scene) -> str:
    errs = found.severity is Severity.ERROR and found.blame
    sign = page_wording.SIGNS[Verdict.ERROR] if errs else _SERIOUS.get(found.severity, "ℹ️")  # noqa: RUF001 -- the sign for information
    place = page_links.to_file(Place(path=found.path, line=found.line), scene)
    message = markdown.text(found.message, _MESSAGE)
    address = project_links.find_help(found.rule)
    help_ = f" ([what to do]({address}))" if address else ""
    return f"- {sign} {place}{': ' if place else ''}{message}{help_}\n"


def _line(name: str, values: list[float | None], unit: Unit) -> str:
    latest = next((number for number in reversed(values) if number is not None), None)
    if latest is None:
        return ""
    return f"{name} {page_wording.sparkline(values)} {page_wording.value(latest, unit)}"


def _points(points: Sequence[Point]) -> str:
    rows = "".join(
        f"| {page_links.commit(point.commit)} | {markdown.text(point.made_at, 40)} "
        f"| {page_wording.value(point.pass_rate, Unit.SHARE)} "
        f"| {page_wording.value(point.score, Unit.SCORE)} "
        f"| {page_wording.value(point.cost, Unit.MONEY)} "
        f"| {page_wording.value(point.latency, Unit.MILLISECONDS)} |\n"
        for point in reversed(points)
    )
    return (
        f"| Commit | When | Pass rate | Score | Cost | Latency |\n|:--|:--|--:|--:|--:|--:|\n{rows}"
    )


def _sides(scene: Scene, outcome: Outcome | None) -> Iterator[str]:
    if outcome is not None and outcome.key:
        yield markdown.code(outcome.key, 160)
    if scene.head_sha:
        yield f"head {page_links.commit(scene.head_sha)}"
    origin = outcome.against.origin if outcome else None
    if origin is not None:
        yield _base(origin, scene)
    elif scene.base_sha:
        yield f"base {page_links.commit(scene.base_sha)}"


def _base(origin: Origin, scene: Scene) -> str:
    number = "" if origin.run_number is None else f" #{origin.run_number}"
    run = f"run{number}" if number else ""
    about = [
        markdown.text(origin.source, 120),
        page_links.to_run(run or "run", origin.run_url, scene) or markdown.text(run),
        markdown.code(origin.path, 120) if origin.path else "",
        _age(origin.made_at, scene.made_at),
    ]
    known = ", ".join(filter(None, about))
    commit = page_links.commit(origin.commit)
    return f"base {commit} ({known})" if known and commit else f"base {commit or known}"


def _age(made_at: str, now: str) -> str:
    """Write how old a baseline is; the review says what time it is."""
    try:
        seconds = (datetime.fromisoformat(now) - datetime.fromisoformat(made_at)).total_seconds()
    except (ValueError, TypeError):
        return markdown.text(made_at, 40)
    if seconds >= 2 * _DAY:
        return f"{wording.plural(int(seconds // _DAY), 'day')} old"
    return f"{int(max(0, seconds) // _HOUR)} h old"


def _describe_pairs(outcome: Outcome | None) -> Iterator[str]:
    if outcome is None:
        return
    against = outcome.against
    if against.paired:
        yield f"{against.paired:,} paired of {wording.plural(outcome.counts.cases, 'case')}"


def _describe_arrivals(outcome: Outcome | None, scene: Scene) -> Iterator[str]:
    """Count the traces that the run has recorded, and those that a commit has brought."""
    counts = Counter(((outcome.arrivals or {}) if outcome else {}).values())
    told = [f"{counts[how]:,} {said}" for how, said in _ARRIVED.items() if counts[how]]
    if told:
        claimed = ", as that run claims" if scene.secondhand else ""
        yield f"traces{claimed}: {', '.join(told)}"


def _describe_origin(review: Review) -> Iterator[str]:
    scene = review.scene
    if review.version:
        yield f"agentevals {markdown.text(review.version, 40)}"
    if review.image:
        yield markdown.code(review.image, 200)
    if scene.run_attempt > 1:
        yield f"attempt {scene.run_attempt}"
    run = f"run #{scene.run_number}" if scene.run_number else "run"
    if link := page_links.to_run(run, scene.run_url, scene):
        yield link
