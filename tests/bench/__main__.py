"""`python -m tests.bench [WORK…]`: the table of speed and memory, both sides in one run."""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from agentevals.files.workers import count_cores
from tests.bench import (
    action,
    adk,
    agentv,
    growth,
    inputs,
    limits,
    peer,
    records,
    registry,
    registry_index,
    registry_smoke,
    sandbox,
    suites,
    uipath,
)
from tests.bench.measure import Measured, measure, measure_in_turns

OURS = Path(sys.executable).with_name("agentevals")
BOTH_BUILTINS = ("-m", "tool_trajectory_avg_score", "-m", "response_match_score")


POINTS: list[growth.Point] = []  # of the row `growth`, for its picture


@dataclass(frozen=True)
class Line:
    """One line of the table: the work, the least it can cost, what it took, and what it must."""

    work: str
    limit: str
    theirs: str
    ours: str
    reached: str
    wanted: str
    met: bool


def _seconds(side: Measured) -> str:
    return f"{side.seconds:.2f} s ({side.cpu:.2f} s of CPU), {side.megabytes:.0f} MB"


def help_text(folder: Path) -> Line:
    importing = [sys.executable, "-c", "import typer"]
    commands = [[peer.command(), "--help"], [OURS, "--help"], importing, limits.START.command]
    theirs, ours, typer, start = measure_in_turns(commands, cwd=folder, rounds=7)
    ratio = ours.seconds / typer.seconds
    return Line(
        "agentevals --help", _limit(limits.START, start), _seconds(theirs), _seconds(ours),
        f"{ratio:.2f} x import typer", "at most 2 x", ratio <= 2,
    )  # fmt: skip


def one_trace(folder: Path) -> Line:
    inputs.small_traces(folder / "t.json", 1)
    inputs.eval_set(folder / "set.json")
    words = ["run", "t.json", "-e", "set.json", *BOTH_BUILTINS, "-o", "json"]
    theirs, ours, least = _compare(words, folder, limits.START)
    speed, memory = theirs.seconds / ours.seconds, ours.megabytes / theirs.megabytes
    return Line(
        "1 trace, both deterministic builtins", _limit(limits.START, least),
        _seconds(theirs), _seconds(ours),
        f"{speed:.1f} x faster, {memory:.0%} of the memory", "15 x, a quarter",
        speed >= 15 and memory <= 0.25,
    )  # fmt: skip


def three_evaluators(folder: Path) -> Line:
    inputs.small_traces(folder / "t.json", 100)
    config = inputs.three_evaluators(folder)
    words, least = ["run", "t.json", "-c", config.name, "-o", "json"], limits.fork(300)
    work = "100 traces x 3 SDK Python evaluators"
    return _faster(work, _compare(words, folder, least), 20, least)


def thousand_traces(folder: Path) -> Line:
    inputs.small_traces(folder / "t.json", 1000)
    inputs.eval_set(folder / "set.json")
    words, least = ["run", "t.json", "-e", "set.json", "-o", "json"], limits.decode("t.json")
    return _faster("1,000 small traces, trajectory", _compare(words, folder, least), 4, least)


_LOAD = """\
import sys, time, pathlib
from agentevals.traces import loaders
started = time.perf_counter()
recordings = loaders.load([pathlib.Path("t.json")])
assert len(recordings.traces) > 1000, recordings.findings
print(time.perf_counter() - started)
"""

_DECODE = (
    inputs.TYPED_DOCUMENT
    + """\
decoder = msgspec.json.Decoder(Document)
started = time.perf_counter()
document = decoder.decode(pathlib.Path("t.json").read_bytes())
print(time.perf_counter() - started)
"""
)


def loading(folder: Path) -> Line:
    inputs.large_document(folder / "t.json", 50)
    ours, typed = _inside(_LOAD, folder), _inside(_DECODE, folder)
    return Line(
        "50 MB OTLP file, loading", f"typed decode {typed:.2f} s", "-", f"{ours:.2f} s",
        f"{ours / typed:.2f} x a typed decode", "at most 2 x", ours / typed <= 2,
    )  # fmt: skip


def constant_memory(folder: Path) -> Line:
    inputs.eval_set(folder / "set.json", inputs.large_lines(folder / "t.jsonl", 1024))
    command = [OURS, "run", "t.jsonl", "-e", "set.json", "-o", "json"]
    least = limits.decode("t.jsonl", by_line=True)
    ours, decoded = measure_in_turns([command, least.command], cwd=folder, rounds=1)
    # the decode has one core, and we have all
    ratio = ours.seconds * min(count_cores(), suites.USED_CORES) / decoded.seconds
    return Line(
        "1 GB JSONL, a case for each trace", _limit(least, decoded), "-", _seconds(ours),
        f"{ours.megabytes:.0f} MB, {ratio:.1f} x a typed decode on these cores",
        f"below 300 MB, {suites.DECODES} x",
        ours.megabytes < 300 and ratio <= suites.DECODES,
    )  # fmt: skip


def many_traces(folder: Path) -> Line:
    count = 10_000
    each, limit = (seconds * 1000 for seconds in _measure_each(folder, count, suites.decode))
    return Line(
        f"{count:,} traces x 5 builtins, CPU of each", f"typed decode {limit:.3f} ms", "-",
        f"{each:.3f} ms", f"{each / limit:.0f} x a typed decode",
        f"at most {suites.MILLISECONDS} ms", each <= suites.MILLISECONDS,
    )  # fmt: skip


def _measure_each(folder: Path, count: int, beside: Callable[[Path], float]) -> tuple[float, float]:
    """Return the CPU of each trace, and that of what it is held beside, in interleaved rounds."""
    suites.write(folder, 1)
    start = min(suites.score(folder, OURS, alone=True).cpu for _ in range(3))
    suites.write(folder, count)
    rounds = [(suites.score(folder, OURS, alone=True).cpu, beside(folder)) for _ in range(3)]
    run, other = map(min, zip(*rounds, strict=True))
    return (run - start) / count, other / count


def gate(folder: Path) -> Line:
    """The row for CI: a ratio of CPU times, taken in turns, of work of the same kind."""
    each, limit = _measure_each(folder, 2_000, suites.copy)
    return Line(
        "2,000 traces x 5 builtins", f"json alone {limit * 1000:.3f} ms", "-",
        f"{each * 1000:.3f} ms", f"{each / limit:.1f} x json",
        f"at most {suites.GATE} x", each <= suites.GATE * limit,
    )  # fmt: skip


def run_growth(folder: Path) -> Line:
    POINTS[:] = growth.measure_all(folder, suites.write, lambda at: suites.score(at, OURS))
    found = growth.fit(POINTS)
    return Line(
        f"{growth.COUNTS[0]} to {growth.COUNTS[-1]:,} traces", "exponent 1", "-",
        f"{found.milliseconds:.3f} ms and {found.kilobytes:.1f} kB each",
        f"exponent {found.exponent:.2f}", f"at most {growth.EXPONENT}",
        found.exponent <= growth.EXPONENT,
    )  # fmt: skip


def all_cores(folder: Path) -> Line:
    """Two cores are less than twice one where they share a cache, a bus or a clock: the limit."""
    suites.write(folder, 20_000)
    turns = [
        (
            suites.score(folder, OURS, alone=True).seconds,
            suites.score(folder, OURS).seconds,
            suites.score_side_by_side(folder, OURS),
        )
        for _ in range(3)
    ]
    alone, together, apart = map(min, zip(*turns, strict=True))
    limit = suites.USED_CORES * alone / apart
    return Line(
        f"20,000 traces on {count_cores()} cores",
        f"two runs side by side {limit:.2f} x", f"one core {alone:.2f} s", f"{together:.2f} s",
        f"{alone / together:.2f} x faster", f"{suites.CORES} x",
        alone >= suites.CORES * together,
    )  # fmt: skip


def large_suite(folder: Path) -> Line:
    suites.write(folder, 100_000)
    least = limits.decode("t.jsonl", by_line=True)
    decoded = measure(least.command, cwd=folder, repeat=1)
    ours = suites.score(folder, OURS)
    return Line(
        "100,000 traces and as many eval cases", _limit(least, decoded), "-", _seconds(ours),
        f"{ours.seconds:.0f} s, {ours.megabytes:.0f} MB",
        f"{suites.SECONDS} s, below {suites.MEGABYTES} MB",
        ours.megabytes < suites.MEGABYTES and ours.seconds <= suites.SECONDS,
    )  # fmt: skip


def thousand_manifests(folder: Path) -> Line:
    registry.write(folder, 1_000)
    theirs, ours = registry.both(folder)
    least = measure(limits.START.command, cwd=folder, repeat=5)
    work = "1,000 manifests against check-jsonschema"
    return _faster(work, [theirs, ours, least], registry.WANTED)


def thousand_entries(folder: Path) -> Line:
    plain, ours = _compiled(folder, 1_000)
    return Line(
        "index of 1,000 evaluators", f"hash and dump {plain:.2f} s", "-", f"{ours:.2f} s",
        f"{ours / plain:.1f} x", f"at most {registry_index.MOST} x",
        ours <= registry_index.MOST * plain,
    )  # fmt: skip


def ten_thousand_entries(folder: Path) -> Line:
    fewer, more = (_compiled(folder / str(count), count) for count in registry_index.COUNTS)
    factor, growth = more.ours / more.theirs, registry_index.GROWTH
    return Line(
        "index of 10,000 evaluators", f"hash and dump {more.theirs:.2f} s", "-",
        f"{more.ours:.2f} s", f"{factor:.1f} x", f"at most {registry_index.MOST} x, linear",
        factor <= min(registry_index.MOST, growth * fewer.ours / fewer.theirs),
    )  # fmt: skip


def _compiled(folder: Path, count: int) -> registry_index.Pair:
    registry_index.repository(folder, count)
    return registry_index.compiling(folder, rounds=5)


def reading_an_index(folder: Path) -> Line:
    registry_index.repository(folder, 1_000)
    theirs, ours = registry_index.reading(folder)
    return Line(
        "client reads 1,000 entries", "-", f"PyYAML {theirs:.2f} s", f"{ours:.4f} s",
        f"{theirs / ours:.0f} x faster", f"{registry_index.LEAST} x",
        theirs >= registry_index.LEAST * ours,
    )  # fmt: skip


def fixture(folder: Path) -> Line:
    measured = registry_smoke.measure(folder)
    return Line(
        "a fixture, confined", f"interpreter {measured.fresh * 1000:.0f} ms", "-",
        f"{measured.ours * 1000:.1f} ms", f"{measured.ratio:.1f} x faster",
        f"{registry_smoke.WANTED} x", measured.ratio >= registry_smoke.WANTED,
    )  # fmt: skip


def adk_eval(folder: Path) -> Line:
    work = f"adk eval ({adk.size_megabytes():.0f} MB), 2 turns"
    return _faster(work, adk.compare(folder, OURS), adk.WANTED)


def uipath_eval(folder: Path) -> Line:
    work = f"uipath eval ({uipath.size_megabytes():.0f} MB), 2 cases"
    return _faster(work, uipath.compare(folder, OURS), uipath.WANTED)


def agentv_judges(folder: Path) -> Line:
    measured = agentv.compare(folder, OURS, "judges")
    return _faster(
        "agentv, 100 code judges", measured, agentv.WANTED["judges"], agentv.LIMITS["judges"]
    )


def agentv_strings(folder: Path) -> Line:
    measured = agentv.compare(folder, OURS, "strings")
    return _faster(
        "agentv, 100 x 3 string checks",
        measured,
        agentv.WANTED["strings"],
        agentv.LIMITS["strings"],
    )


def _added(work: str, by: sandbox.Work) -> Callable[[Path], Line]:
    def measured(folder: Path) -> Line:
        plain, added = (seconds * 1000 for seconds in by.measure(folder))
        return Line(
            work, f"without {plain:.1f} ms", "-", f"{plain + added:.1f} ms",
            f"{added:.1f} ms more",
            f"at most {by.most:g} ms", added <= by.most,
        )  # fmt: skip

    return measured


def image(folder: Path) -> Line:
    """What a job of GitHub waits for: the image, its first line, the comment."""
    found = action.measure(folder)
    more = found.line - found.bare
    return Line(
        "the action, in its image",
        f"bare base image {found.base_megabytes:.0f} MB, first line {found.bare:.2f} s", "-",
        f"{found.megabytes:.0f} MB, first line {found.line:.2f} s, comment {found.comment:.2f} s",
        f"first line {more:.2f} s later", f"{action.MOST_SECONDS_MORE} s",
        more <= action.MOST_SECONDS_MORE,
    )  # fmt: skip


WORK: dict[str, Callable[[Path], Line]] = {
    "help": help_text,
    "one": one_trace,
    "evaluators": three_evaluators,
    "thousand": thousand_traces,
    "loading": loading,
    "memory": constant_memory,
    "traces": many_traces,
    "cores": all_cores,
    "suite": large_suite,
    "growth": run_growth,
    "gate": gate,
    "manifests": thousand_manifests,
    "index": thousand_entries,
    "large-index": ten_thousand_entries,
    "reading": reading_an_index,
    "fixture": fixture,
    "adk": adk_eval,
    "uipath": uipath_eval,
    "agentv-judges": agentv_judges,
    "agentv-strings": agentv_strings,
    "confinement": _added("a process in the sandbox", sandbox.PROCESS),
    "connection": _added("a connection to a granted host", sandbox.CONNECTION),
    "image": image,
    "container": _added("a case in a container", sandbox.CONTAINER),
}


def _compare(words: list[str], folder: Path, least: limits.Limit) -> list[Measured]:
    """Theirs, ours and the least that is possible, on the same files, in turns."""
    commands = [[peer.command(), *words], [OURS, *words], least.command]
    return measure_in_turns(commands, cwd=folder, rounds=5)


def _faster(
    work: str, measured: list[Measured], wanted: float, least: limits.Limit = limits.START
) -> Line:
    theirs, ours, limit = measured
    ratio = theirs.seconds / ours.seconds
    return Line(
        work, _limit(least, limit), _seconds(theirs), _seconds(ours), f"{ratio:.1f} x faster",
        f"{wanted:g} x", ratio >= wanted,
    )  # fmt: skip


def _limit(least: limits.Limit, measured: Measured) -> str:
    return f"{least.name} {measured.seconds:.2f} s"


def _inside(program: str, folder: Path) -> float:
    """The best of several runs of a program that prints how long its own work took."""
    times = []
    for _ in range(5):
        done = subprocess.run(
            [sys.executable, "-c", program], cwd=folder, stdout=subprocess.PIPE, check=True
        )
        times.append(float(done.stdout))
    return min(times)


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("work", nargs="*", help=f"of {', '.join(WORK)}; default: all")
    parser.add_argument("--json", type=Path, help="write the record of this run to a file")
    parser.add_argument("--keep", type=Path, help="add the record to the history in a folder")
    given = parser.parse_args()
    lines: dict[str, Line] = {}
    for name in given.work or WORK:
        lines[name] = _measure(name)
        print(f"measured {name}: {lines[name].ours}, {lines[name].reached}", file=sys.stderr)
    _print([*lines.values()])
    record = records.make_record({name: asdict(line) for name, line in lines.items()}, POINTS)
    if given.json:
        given.json.write_text(record, encoding="utf-8")
    if given.keep:
        records.keep(given.keep, record, POINTS)
    if not given.work:
        size = peer.size_megabytes(peer.command().parents[1])
        print(f"\nagentevals-cli 0.11.0 takes {size:.0f} MB on disk")
    return 0 if all(line.met for line in lines.values()) else 1


def _measure(name: str) -> Line:
    """Measure a row. One that breaks is missed, and the others are measured all the same."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            return WORK[name](Path(folder))
        except Exception as error:  # noqa: BLE001 -- of any kind: it is told in the row
            why = f"broke: {type(error).__name__}: {error}"
            return Line(name, "-", "-", "-", why, "-", met=False)


def _print(lines: list[Line]) -> None:
    rows = [("work", "the least possible", "agentevals-cli 0.11", "ours", "reached", "wanted", "")]
    rows += [
        (
            *(line.work, line.limit, line.theirs, line.ours, line.reached, line.wanted),
            "ok" if line.met else "MISSED",
        )
        for line in lines
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        )


if __name__ == "__main__":
    sys.exit(main())
