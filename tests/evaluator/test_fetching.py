import os
import subprocess
import sys

from tests.evaluator.conftest import COMMIT, PROGRAM, entry, fetched, listing

FETCH = """
import sys
from agentevals.evaluator.resolver import EvaluatorResolver, RemoteEvaluatorDef

sys.stdin.readline()
found = EvaluatorResolver().obtain(RemoteEvaluatorDef(name="ev", ref="a"))
print(found.pin.sha256, len(list(found.path.parent.iterdir())))
"""


def test_processes_that_want_the_same_fetch_it_once(github):
    files = {"a.py": PROGRAM, **{f"{n}.txt": b"x" * 10_000 for n in range(10)}}
    github.files = {f"evaluators/a/{name}": content for name, content in files.items()}
    github.files["index.json"] = listing(entry(files=files))
    path = os.pathsep.join(sys.path)
    fetchers = [
        subprocess.Popen(
            [sys.executable, "-c", FETCH],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": path},
        )
        for _ in range(4)
    ]
    said = {fetcher.communicate("go\n")[0] for fetcher in fetchers}

    (line,) = said
    assert line.endswith(" 11\n")
    place = f"/raw/o/r/{COMMIT}/evaluators/a/a.py"
    assert [seen.path for seen in github.server.seen].count(place) == 1


def test_a_folder_that_is_there_by_its_content_is_not_fetched_for_another_name(github):
    fetched("a")
    github.files["index.json"] = listing(entry(aliases=["b"]))
    github.commit = "e" * 40
    before = len(github.server.seen)
    fetched("b")

    asked = [seen.path for seen in github.server.seen[before:]]
    assert not any(path.endswith("/a.py") for path in asked)
