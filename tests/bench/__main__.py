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
    adk,
    agentv,
    growth,
    inputs,
    peer,
    records,
    registry,
    registry_index,
    registry_smoke,
    sandbox,
    suites,
    uipath,
)
from tests.bench.measure import Measured, measure

OURS = Path(sys.executable).with_name("agentevals")
BOTH_BUILTINS = ("-m", "tool_trajectory_avg_score", "-m", "response_match_score")


POINTS: list[growth.Point] = []  # of the row `growth`, for its picture


@dataclass(frozen=True)
class Line:
    """One line of the table: what was asked for, what both took, and what was to be reached."""

    work: str
    theirs: str
    ours: str
    reached: str
    wanted: str
    met: bool


def _seconds(side: Measured) -> str:
    return f"{side.seconds:.2f} s, {side.megabytes:.0f} MB"


def help_text(folder: Path) -> Line:
    ours = measure([OURS, "--help"], cwd=folder, repeat=7)
    typer = measure([sys.executable, "-c", "import typer"], cwd=folder, repeat=7)
    theirs = measure([peer.command(), "--help"], cwd=folder, repeat=3)
    ratio = ours.seconds / typer.seconds
    return Line(
        "agentevals --help", _seconds(theirs), _seconds(ours),
        f"{ratio:.2f} x import typer", "at most 2 x", ratio <= 2,
    )  # fmt: skip


def one_trace(folder: Path) -> Line:
    inputs.small_traces(folder / "t.json", 1)
    inputs.eval_set(folder / "set.json")
    words = ["run", "t.json", "-e", "set.json", *BOTH_BUILTINS, "-o", "json"]
    theirs, ours = _both(words, folder)
    speed, memory = theirs.seconds / ours.seconds, ours.megabytes / theirs.megabytes
    return Line(
        "1 trace, both deterministic builtins", _seconds(theirs), _seconds(ours),
        f"{speed:.1f} x faster, {memory:.0%} of the memory", "15 x, a quarter",
        speed >= 15 and memory <= 0.25,
    )  # fmt: skip


def three_evaluators(folder: Path) -> Line:
    inputs.small_traces(folder / "t.json", 100)
    config = inputs.three_evaluators(folder)
    theirs, ours = _both(["run", "t.json", "-c", config.name, "-o", "json"], folder)
    return _faster("100 traces x 3 SDK Python evaluators", theirs, ours, 20)


def thousand_traces(folder: Path) -> Line:
    inputs.small_traces(folder / "t.json", 1000)
    inputs.eval_set(folder / "set.json")
    theirs, ours = _both(["run", "t.json", "-e", "set.json", "-o", "json"], folder)
    return _faster("1,000 small traces, trajectory", theirs, ours, 4)


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
        "50 MB OTLP file, loading", f"typed decode {typed:.2f} s", f"{ours:.2f} s",
        f"{ours / typed:.2f} x a typed decode", "at most 2 x", ours / typed <= 2,
    )  # fmt: skip


def constant_memory(folder: Path) -> Line:
    inputs.large_lines(folder / "t.jsonl", 1024)
    inputs.eval_set(folder / "set.json")
    command = [OURS, "run", "t.jsonl", "-e", "set.json", "-o", "json"]
    ours = measure(command, cwd=folder, repeat=1)
    return Line(
        "1 GB JSONL", "-", _seconds(ours), f"{ours.megabytes:.0f} MB", "below 300 MB",
        ours.megabytes < 300,
    )  # fmt: skip


def many_traces(folder: Path) -> Line:
    count = 10_000
    each, limit = (seconds * 1000 for seconds in _measure_each(folder, count, suites.decode))
    return Line(
        f"{count:,} traces x 5 builtins, CPU of each", f"typed decode {limit:.3f} ms",
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
        "2,000 traces x 5 builtins", f"json alone {limit * 1000:.3f} ms",
        f"{each * 1000:.3f} ms", f"{each / limit:.1f} x json",
        f"at most {suites.GATE} x", each <= suites.GATE * limit,
    )  # fmt: skip


def run_growth(folder: Path) -> Line:
    POINTS[:] = growth.measure_all(folder, suites.write, lambda at: suites.score(at, OURS))
    found = growth.fit(POINTS)
    return Line(
        f"{growth.COUNTS[0]} to {growth.COUNTS[-1]:,} traces", "-",
        f"{found.milliseconds:.3f} ms and {found.kilobytes:.1f} kB each",
        f"exponent {found.exponent:.2f}", f"at most {growth.EXPONENT}",
        found.exponent <= growth.EXPONENT,
    )  # fmt: skip


def all_cores(folder: Path) -> Line:
    """Interleave the runs: a machine may be busier in one minute than in the next."""
    suites.write(folder, 20_000)
    both = [(suites.score(folder, OURS, alone=True), suites.score(folder, OURS)) for _ in range(3)]
    alone, together = (min(runs, key=lambda run: run.seconds) for runs in zip(*both, strict=True))
    return Line(
        f"20,000 traces on {count_cores()} cores", f"one core {_seconds(alone)}",
        _seconds(together), f"{alone.seconds / together.seconds:.2f} x faster",
        f"{suites.CORES} x", alone.seconds >= suites.CORES * together.seconds,
    )  # fmt: skip


def large_suite(folder: Path) -> Line:
    suites.write(folder, 100_000)
    ours = suites.score(folder, OURS)
    return Line(
        "100,000 traces and as many eval cases", "-", _seconds(ours), f"{ours.megabytes:.0f} MB",
        f"below {suites.MEGABYTES} MB", ours.megabytes < suites.MEGABYTES,
    )  # fmt: skip


def thousand_manifests(folder: Path) -> Line:
    registry.write(folder, 1_000)
    theirs, ours = registry.both(folder)
    return _faster("1,000 manifests against check-jsonschema", theirs, ours, registry.WANTED)


def thousand_entries(folder: Path) -> Line:
    plain, ours = _compiled(folder, 1_000)
    return Line(
        "index of 1,000 evaluators", f"hash and dump {plain:.2f} s", f"{ours:.2f} s",
        f"{ours / plain:.1f} x", f"at most {registry_index.MOST} x",
        ours <= registry_index.MOST * plain,
    )  # fmt: skip


def ten_thousand_entries(folder: Path) -> Line:
    fewer, more = (_compiled(folder / str(count), count) for count in registry_index.COUNTS)
    factor, growth = more.ours / more.theirs, registry_index.GROWTH
    return Line(
        "index of 10,000 evaluators", f"hash and dump {more.theirs:.2f} s", f"{more.ours:.2f} s",
        f"{factor:.1f} x", f"at most {registry_index.MOST} x, linear",
        factor <= min(registry_index.MOST, growth * fewer.ours / fewer.theirs),
    )  # fmt: skip


def _compiled(folder: Path, count: int) -> registry_index.Pair:
    registry_index.repository(folder, count)
    return registry_index.compiling(folder, rounds=5)


def reading_an_index(folder: Path) -> Line:
    registry_index.repository(folder, 1_000)
    theirs, ours = registry_index.reading(folder)
    return Line(
        "client reads 1,000 entries", f"PyYAML {theirs:.2f} s", f"{ours:.4f} s",
        f"{theirs / ours:.0f} x faster", f"{registry_index.LEAST} x",
        theirs >= registry_index.LEAST * ours,
    )  # fmt: skip


def fixture(folder: Path) -> Line:
    measured = registry_smoke.measure(folder)
    return Line(
        "a fixture, confined", f"interpreter {measured.fresh * 1000:.0f} ms",
        f"{measured.ours * 1000:.1f} ms", f"{measured.ratio:.1f} x faster",
        f"{registry_smoke.WANTED} x", measured.ratio >= registry_smoke.WANTED,
    )  # fmt: skip


def adk_eval(folder: Path) -> Line:
    theirs, ours = adk.both(folder, OURS)
    return _faster(f"adk eval ({adk.size_megabytes():.0f} MB), 2 turns", theirs, ours, adk.WANTED)


def uipath_eval(folder: Path) -> Line:
    theirs, ours = uipath.both(folder, OURS)
    work = f"uipath eval ({uipath.size_megabytes():.0f} MB), 2 cases"
    return _faster(work, theirs, ours, uipath.WANTED)


def agentv_judges(folder: Path) -> Line:
    theirs, ours = agentv.both(folder, OURS, "judges")
    return _faster("agentv, 100 code judges", theirs, ours, agentv.WANTED["judges"])


def agentv_strings(folder: Path) -> Line:
    theirs, ours = agentv.both(folder, OURS, "strings")
    return _faster("agentv, 100 x 3 string checks", theirs, ours, agentv.WANTED["strings"])


def _added(work: str, by: sandbox.Work) -> Callable[[Path], Line]:
    def measured(folder: Path) -> Line:
        plain, added = (seconds * 1000 for seconds in by.measure(folder))
        return Line(
            work, f"without {plain:.1f} ms", f"{plain + added:.1f} ms", f"{added:.1f} ms more",
            f"at most {by.most:g} ms", added <= by.most,
        )  # fmt: skip

    return measured


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
    "container": _added("a case in a container", sandbox.CONTAINER),
}


def _both(words: list[str], folder: Path) -> tuple[Measured, Measured]:
    """Theirs, then ours, on the same files in the same run."""
    theirs = measure([peer.command(), *words], cwd=folder, repeat=2)
    return theirs, measure([OURS, *words], cwd=folder, repeat=5)


def _faster(work: str, theirs: Measured, ours: Measured, wanted: float) -> Line:
    ratio = theirs.seconds / ours.seconds
    return Line(
        work, _seconds(theirs), _seconds(ours), f"{ratio:.1f} x faster", f"{wanted:g} x",
        ratio >= wanted,
    )  # fmt: skip


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
        with tempfile.TemporaryDirectory() as folder:
            lines[name] = WORK[name](Path(folder))
            print(f"measured {name}", file=sys.stderr)
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


def _print(lines: list[Line]) -> None:
    head = Line("work", "agentevals-cli 0.11", "ours", "reached", "must reach", met=True)
    rows = [
        (
            line.work,
            line.theirs,
            line.ours,
            line.reached,
            line.wanted,
            "ok" if line.met else "MISSED",
        )
        for line in lines
    ]
    rows.insert(0, (head.work, head.theirs, head.ours, head.reached, head.wanted, ""))
    widths = [max(len(row[column]) for row in rows) for column in range(6)]
    for row in rows:
        print(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        )


if __name__ == "__main__":
    sys.exit(main())
