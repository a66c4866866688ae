"""Rules that no config states: files beside evaluators, and links."""

from pathlib import Path

import pytest

from tests.action.job import TRAJECTORY, config, git, transcript, write
from tests.action.rules.test_approval import MARIA, again, approve
from tests.action.rules.test_softening import (
    BASE,
    BROKEN,
    MINE,
    PASSING,
    PROGRAM,
    files,
    without,
)

SOFT = config(TRAJECTORY | {"threshold": 0.0})
MINE_ALONE = {"eval_config.yaml": config(MINE)}
LISTED = PROGRAM.replace(
    "from words import NEEDED", "NEEDED = open(__file__[:-7] + 'words.md').read()"
)


def listed(tree, word):
    return tree | MINE_ALONE | {"evaluators/mine.py": LISTED, "evaluators/words.md": word}


def in_github(tree, word):
    own = MINE | {"path": "judges/mine.py"}
    return without(tree, "eval_config.yaml") | {
        ".github/evals/eval_config.yaml": config(own, traces="../../traces/*",
                                                 eval_set="../../eval_set.json"),
        ".github/evals/judges/mine.py": PROGRAM,
        ".github/evals/judges/words.py": f'NEEDED = "{word}"\n',
    }  # fmt: skip


def linked(tree, where):
    there = {"traces": "../traces/*", "eval_set": "../eval_set.json"}
    return tree | {
        "eval_config.yaml": Path(where),
        "configs/hard.yaml": config(**there),
        "configs/soft.yaml": config(TRAJECTORY | {"threshold": 0.0}, **there),
    }


def linked_program(tree, where):
    return (
        tree
        | MINE_ALONE
        | {"evaluators/mine.py": Path(where)}
        | {"evaluators/hard.py": PROGRAM, "evaluators/soft.py": PASSING}
    )


GUIDED = """\
name: weather
execution:
  evaluators: [{name: guided, type: code_judge, script: [python3, judge.py], cwd: judges}]
tests:
- {id: oslo, criteria: kind, input: How is the weather?, guideline_files: [guides/words.txt]}
"""
GUIDED_JUDGE = """import json, sys
case = json.load(sys.stdin)
word = open(case["guideline_files"][0]).read()
print(json.dumps({"score": 1.0 if word in json.dumps(case["messages"]) else 0.0}))
"""


def guided(tree, word):
    recorded = {"traces/oslo.json": tree["traces/paris.json"].replace("paris", "oslo")}
    return {
        "EVAL.yaml": GUIDED,
        "judges/judge.py": GUIDED_JUDGE,
        "guides/words.txt": word,
    } | recorded


BESIDE = {
    "a list of words": (listed(BASE, "geocode"), listed(BROKEN, "forecast")),
    "a module in .github": (in_github(BASE, "geocode"), in_github(BROKEN, "forecast")),
    "a guideline of a case": (guided(BASE, "geocode"), guided(BROKEN, "forecast")),
    "a link to the config": (
        linked(BASE, "configs/hard.yaml"), linked(BROKEN, "configs/soft.yaml"),
    ),
    "a link to the evaluator": (
        linked_program(BASE, "hard.py"), linked_program(BROKEN, "soft.py"),
    ),
}  # fmt: skip
PLACES = {"a module in .github": ".github/evals/eval_config.yaml"}


@pytest.mark.parametrize("name", BESIDE)
def test_what_lies_beside_a_config_cannot_be_softened_quietly(job, name):
    job.given(
        config=PLACES.get(name, ""), traces="traces/[op]*" if name.startswith("a guide") else ""
    ).pull_request(*BESIDE[name])

    done = job.run()

    assert done.code == 1, done.log
    assert "Rule change needs approval" in job.comments[0].split("\n")[2]


@pytest.mark.parametrize("name", BESIDE)
def test_it_asks_for_nothing_where_it_stays(job, name):
    base, _ = BESIDE[name]
    head = base | {"traces/oslo.json": transcript("oslo", "geocode", "forecast", answer="Sun.")}
    job.given(
        config=PLACES.get(name, ""), traces="traces/[op]*" if name.startswith("a guide") else ""
    ).pull_request(base, head)

    done = job.run()

    assert done.code == 0, done.log
    assert done.report.get("rules", {}).get("changes", []) == []


def test_a_link_that_leads_out_of_the_repository_is_not_followed(job, tmp_path):
    (tmp_path / "eval_config.yaml").write_text(SOFT)
    outside = BASE | {"eval_config.yaml": Path(tmp_path / "eval_config.yaml")}
    job.pull_request(outside, BASE)

    done = job.run()

    assert (done.code, "the base has no config" in done.log) == (1, True)


def submodule(job, commit, other, *parents):
    """The commit with a folder `evals` that is a commit of another repository."""
    git(job.origin.folder, "read-tree", commit)
    git(job.origin.folder, "update-index", "--add", "--cacheinfo", f"160000,{other},evals")
    tree = git(job.origin.folder, "write-tree")
    named = [word for parent in parents for word in ("-p", parent)]
    return git(job.origin.folder, "commit-tree", tree, *named, "-m", "Evals")


@pytest.mark.parametrize(("other", "code"), [("2b" * 20, 1), ("1a" * 20, 0)])
def test_a_config_in_another_repository_changes_with_its_commit(job, other, code):
    tree = without(BASE, "eval_config.yaml")
    job.pull_request(tree, tree | {"agent.py": "x = 1"})
    job.base = submodule(job, job.base, "1a" * 20)
    job.head = submodule(job, job.head, other, job.base)
    job.origin.move("main", job.base)
    job.origin.move("units", job.head)
    job.on("pull_request", job.head, job.base).known().checkout(job.head)
    there = {"traces": "../traces/*", "eval_set": "../eval_set.json"}
    write(job.workspace, {"evals/eval_config.yaml": config(**there)})

    done = job.run()

    assert done.code == code, done.log


def test_traces_that_the_workflow_names_are_no_files_of_an_evaluator(job):
    """An evaluator in the topmost folder may read all of them."""
    own = MINE | {"path": "mine.py"}
    base = BASE | {"eval_config.yaml": config(own, traces="none/*"), "mine.py": PROGRAM,
                   "words.py": BASE["evaluators/words.py"]}  # fmt: skip
    again = {"traces/rome.json": transcript("rome", "geocode", "forecast", answer="Sun.")}
    job.given(traces="traces/*").pull_request(base, base | again)

    done = job.run()

    assert (done.code, "rules" in done.report) == (0, False), done.log


def test_ends_of_lines_that_the_checkout_writes_are_no_change(job):
    base = BASE | {".gitattributes": "* text eol=crlf\n"}
    job.pull_request(base, base | {"traces/rome.json": BASE["traces/rome.json"] + "\n"})
    assert b"\r\n" in (job.workspace / "evaluators/mine.py").read_bytes()

    done = job.run()

    assert (done.code, "rules" in done.report) == (0, False), done.log


# ---- what is approved as a whole


def test_the_approval_of_a_first_config_does_not_cover_another_module(job):
    job.place.roles[MARIA] = "write"
    job.pull_request(without(files(MINE), "eval_config.yaml"), files(MINE)).run()
    approve(job)
    assert job.run().code == 0

    changed = files(MINE, failing=["paris"]) | {"evaluators/words.py": 'NEEDED = "forecast"\n'}
    assert again(job, changed).run().code == 1
