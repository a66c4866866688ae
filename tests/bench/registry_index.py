"""`python -m tests.bench.registry_index`: what it costs to compile an index, and to read one.

Compiling stands beside reading and hashing the same files and dumping the same JSON, reading beside
PyYAML's safe loader on the same index. Both sides run in one process, on a repository that is
packed as every clone is.
"""

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from tests.bench import registry

COUNTS = (1_000, 10_000)
MOST, LEAST = 4.0, 50.0  # times the plain work, times as fast as PyYAML
GROWTH = 1.5  # times as much beside the plain work where there is ten times as much of it

_COMPILE = """\
import gc, hashlib, json, sys, time
from pathlib import Path
from agentevals.files.named_files import pause_garbage_collection
from registry_tools.index import index_build as build

root, rounds = Path.cwd(), int(sys.argv[1])

def plain(index):
    for path in sorted(Path("evaluators").rglob("*")):
        if path.is_file():
            hashlib.sha256(path.read_bytes()).hexdigest()
    return json.dumps(index)

def timed(work):
    started = time.perf_counter()
    work()
    return time.perf_counter() - started

def ours():
    with pause_garbage_collection(for_good=True):
        build.build_index(root)

index = json.loads(build.build_index(root).files["index.json"])
assert len(index["evaluators"]) == len(list(Path("evaluators").iterdir()))
pairs = [(timed(lambda: plain(index)), timed(ours)) for _ in range(rounds)]
print(min(one for one, _ in pairs), min(other for _, other in pairs))
"""

_READ = """\
import time
from pathlib import Path
import yaml
from agentevals.evaluator.registry_index import parse
from registry_tools.index import index_build as build

files = build.build_index(Path.cwd()).files
text, compact = files["index.yaml"], files["index.json"]

def timed(work):
    started = time.perf_counter()
    work()
    return time.perf_counter() - started

print(
    timed(lambda: yaml.load(text, Loader=yaml.SafeLoader)),
    min(timed(lambda: parse(compact, where="bench")) for _ in range(9)),
)
"""


class Pair(NamedTuple):
    """Seconds of both sides."""

    theirs: float
    ours: float


def repository(root: Path, count: int) -> None:
    """A registry of so many evaluators, committed and packed."""
    for number in range(count):
        name = f"evaluator_{number:05}"
        folder = root / "evaluators" / name
        folder.mkdir(parents=True)
        manifest = registry._MANIFEST.format(name=name, number=number)
        (folder / "evaluator.yaml").write_text(manifest)
        (folder / f"{name}.py").write_text(registry._PROGRAM.format(name=name))
        (folder / "fixtures.yaml").write_text(registry._FIXTURES)
        (folder / "README.md").write_text(f"# {name}\n\n" + "What it is good for. " * 40)
    author = ("-c", "user.name=Bench", "-c", "user.email=bench@example.com")
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"], ["repack", "-adq"]):
        subprocess.run(["git", *author, *words], cwd=root, check=True)


def compiling(root: Path, rounds: int) -> Pair:
    """Hashing and dumping, then our index."""
    return _pair(_COMPILE, root, str(rounds))


def reading(root: Path) -> Pair:
    """PyYAML, then our client."""
    return _pair(_READ, root)


def _pair(program: str, root: Path, *words: str) -> Pair:
    home = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", program, *words], cwd=root, stdout=subprocess.PIPE, check=True,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": f"{home / 'src'}:{home}"},
    )  # fmt: skip
    theirs, ours = map(float, done.stdout.split())
    return Pair(theirs, ours)


def main() -> int:
    met, ratios = True, []
    for count in COUNTS:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            repository(root, count)
            plain, ours = compiling(root, rounds=7)
            ratios.append(ours / plain)
            print(f"index of {count:,}: plain {plain:.2f} s, ours {ours:.2f} s: {ratios[-1]:.1f} x")
            if count == COUNTS[0]:
                theirs, own = reading(root)
                met &= theirs >= LEAST * own
                ratio = f"{theirs / own:.0f} x faster"
                print(f"reading {count:,}: PyYAML {theirs:.2f} s, ours {own:.4f} s: {ratio}")
    return 0 if met and max(ratios) <= MOST and ratios[1] <= GROWTH * ratios[0] else 1


if __name__ == "__main__":
    sys.exit(main())
