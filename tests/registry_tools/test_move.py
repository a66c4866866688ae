"""A registry of the predecessor with 500 entries, moved by the page alone."""

import json
import re
import subprocess
import sys

import pytest
import yaml

from tests.registry_tools import publishers, registries
from tests.registry_tools.registries import LEGACY, git
from tests.registry_tools.test_rules import MANIFESTS
from tests.registry_tools.test_workflows import published
from tests.support import DOCS

PAGE = (DOCS / "move-your-registry.md").read_text(encoding="utf-8")
WORKFLOWS = re.findall(r"^```yaml\n# (\.github/\S+)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
COMMANDS = re.findall(r"^\$ (.*)$", PAGE, re.MULTILINE)
COUNT = 500
PYC = "evaluators/entry-1/__pycache__/entry-1.cpython-314.pyc"
OLD = (
    ".github/workflows/build-index.yaml", ".github/workflows/validate-evaluators.yaml",
    "scripts/validate_evaluator.py", "scripts/test_input.json", PYC,
)  # fmt: skip


def predecessor(home):
    """A repository as the predecessor left it: six keys, its index, its two workflows."""
    seed = home / "seed"
    lines = []
    for at in range(COUNT):
        name = f"entry-{at}"
        text = LEGACY.format(name=name, description=f"Whether it is no. {at}", tags="text")
        registries.write(seed, name, {"evaluator.yaml": text, "fixtures.yaml": None})
        lines.append(
            f'  - name: {name}\n    description: "Whether it is no. {at}"\n    language: python\n'
            f"    path: evaluators/{name}/{name}.py\n    tags: [text]\n    author: me\n"
            f'    lastUpdated: "%Y->-T3de932c:%M:HEADZ"\n'
        )
    for path in OLD:
        (seed / path).parent.mkdir(parents=True, exist_ok=True)
        (seed / path).write_text("name: old\n")
    head = '# AUTO-GENERATED\n\ngeneratedAt: "2026-03-26T10:00:00Z"\n\nevaluators:\n'
    (seed / "index.yaml").write_text(head + "".join(lines))
    registries.repository(seed)
    git(home, "clone", "--quiet", "--bare", str(seed), str(home / "shared.git"))
    return home / "shared.git"


def type_in(root, line):
    """Run a line of the page in a shell; programs of entries are run by other tests."""
    own = f'{sys.executable} -m agentevals "$@"'
    fast = f'if [ "$2" = validate ]; then {own} --no-smoke; else {own}; fi'
    script = f"agentevals() {{ {fast}; }}\n{line}\n"
    author = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b.c"}
    around = publishers.environment(
        **author, **{key.replace("AUTHOR", "COMMITTER"): value for key, value in author.items()}
    )
    return subprocess.run(
        ["bash", "-e", "-c", script], cwd=root, env=around, encoding="utf-8",
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def moved(tmp_path_factory):
    """The registry after each line of the page was typed, and what the last of them said."""
    home = tmp_path_factory.mktemp("move")
    bare = predecessor(home)
    root = publishers.clone(bare, "mine")
    said = ""
    for line in COMMANDS:
        if line.startswith("git add"):
            for path, text in WORKFLOWS:
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
        done = type_in(root, line)
        assert done.returncode == 0, (line, done.stdout)
        said = done.stdout
    git(root, "push", "--quiet", "origin", "move:main")
    return home, bare, root, said


def test_the_last_line_says_what_will_be_published(moved):
    *_, said = moved

    assert said.splitlines()[-1].startswith(f"would be published: {COUNT} evaluators, no. 1")


def test_nothing_of_the_predecessor_is_left_but_its_entries(moved):
    _, bare, _, _ = moved
    listed = git(bare, "ls-tree", "-r", "--name-only", "main").split()

    assert set(OLD).isdisjoint(listed)
    assert {path for path, _ in WORKFLOWS} <= set(listed)
    assert len([path for path in listed if path.endswith("/evaluator.yaml")]) == COUNT


def test_no_byte_of_an_entry_is_rewritten(moved):
    _, _, root, _ = moved
    words = ("diff", "--name-only", "origin/main~1", "origin/main", "--", "evaluators")
    git(root, "fetch", "--quiet", "origin")

    assert git(root, *words).split() == [PYC]


def test_the_workflow_of_the_page_publishes_all_of_them(moved, tmp_path):
    _, bare, _, _ = moved
    [text] = [text for path, text in WORKFLOWS if path.endswith("publish.yml")]
    [job] = yaml.safe_load(text)["jobs"].values()
    given = job["with"]
    git(tmp_path, "clone", "--quiet", "--bare", str(bare), str(tmp_path / "shared.git"))
    done = published(
        tmp_path, tmp_path / "shared.git", BRANCH=given["branch"], TO=given["to"],
        FLOOR=str(given["floor"]), SHRINK="--allow-shrink" if given["allow-shrink"] else "",
    )  # fmt: skip
    root = publishers.clone(tmp_path / "shared.git", "after")

    assert done.returncode == 0, done.stdout
    assert publishers.run(root, "verify").returncode == 0
    of_old_clients = yaml.safe_load((root / "index.yaml").read_text())["evaluators"]
    assert len(of_old_clients) == COUNT
    assert of_old_clients[0].keys() >= {"name", "path", "language", "tags", "lastUpdated"}


def slug(case):
    return f"bad-{re.sub('[^a-z0-9]+', '-', case.lower()).strip('-')}"


def rename(text, name):
    old, new = "politeness", name
    if isinstance(text, bytes):
        return text.replace(old.encode(), new.encode())
    return text.replace(old, new)


def test_each_kind_of_bad_entry_gets_its_line(moved):
    _, _, root, _ = moved
    git(root, "fetch", "--quiet", "origin")
    git(root, "switch", "--quiet", "--create", "bad", "origin/main")
    cases = {slug(case): found for case, found in MANIFESTS.items()}
    assert len(cases) >= 35
    for name, (text, *_) in cases.items():
        registries.write(root, name, {"evaluator.yaml": rename(text, name)})
    registries.commit(root)
    words = ("validate", "--no-smoke", "--changed-since", "origin/main", "--format", "json")
    done = publishers.run(root, *words)
    found = {}
    for one in json.loads(done.stdout)["findings"]:
        found.setdefault(one["entry"], set()).add((one["rule"], one["line"]))
    lacking = {
        name: (rule, at[0], found.get(name))
        for name, (_, rule, at, _) in cases.items()
        if (rule, at[0]) not in found.get(name, ())
    }

    assert done.returncode == 1
    assert lacking == {}
    assert not [name for name in found if name.startswith("entry-")]
