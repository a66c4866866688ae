"""What runners have to be able to run for our workflows, and how we find that out."""

import json

import pytest

from tests import pins
from tests.action.job import git

# runners have no node20 and nothing older; a composite action is as good as what it brings along
RUNNING = {"node24", "docker", "composite"}
TABLE = json.loads(pins.TABLE.read_text())
NODE, OLDER = "runs: {using: node24, main: x.js}\n", "runs: {using: 'node20', main: x.js}\n"


def test_the_table_has_what_is_pinned_and_nothing_else():
    rows = {pins.Pin(name, row["commit"], row["version"]) for name, row in TABLE.items()}

    assert rows == set(pins.pinned()), "run `make pins`"


@pytest.mark.parametrize("action", TABLE)
def test_an_action_runs_on_what_runners_have(action):
    row = TABLE[action]
    using = {action: row["using"], **row.get("steps", {})}

    assert {name: value for name, value in using.items() if value not in RUNNING} == {}


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (".github/workflows/a.yml", "- uses: o/one@{0} # v1.0.0\n"),
        ("README.md", "```yaml\n      - uses: o/one@{0} # v1.0.0\n```\n"),
        ("docs/rules/a.md", "  uses: o/one@{0} # v1.0.0 and more\n"),
        ("docs/b.md", "  uses:  'o/one@{0}'   #v1.0.0\n"),
        ("src/agentevals/cli/init.py", '"""\\\n- uses: o/one@{0} # v1.0.0\n"""\n'),
    ],
)
def test_pins_are_found_wherever_somebody_copies_them_from(tmp_path, place, text):
    path = tmp_path / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.format("1a" * 20) + "uses: ./\nuses: OWNER/agentevals-action@v1\n")

    assert pins.pinned(tmp_path) == [pins.Pin("o/one", "1a" * 20, "v1.0.0")]


class Server:
    """Repositories of others, on this machine."""

    def __init__(self, folder):
        self.folder = folder

    @property
    def base(self):
        return f"file://{self.folder}"

    def release(self, name, files, tag="v1.0.0", *, annotated=False):
        """A commit with these files alone, and a tag at it."""
        home = self.folder / name
        if not home.exists():
            home.mkdir(parents=True)
            git(home, "init", "--quiet")
            git(home, "config", "uploadpack.allowFilter", "true")
        git(home, "rm", "-rfq", "--ignore-unmatch", ".")
        for path, text in files.items():
            (home / path).parent.mkdir(parents=True, exist_ok=True)
            (home / path).write_text(text)
        git(home, "add", "--all")
        git(home, "commit", "--quiet", "--message", tag)
        git(home, "tag", *(("--annotate", "--message", tag) if annotated else ()), tag)
        return git(home, "rev-parse", "HEAD")


@pytest.fixture
def server(tmp_path):
    return Server(tmp_path / "server")


@pytest.fixture
def refreshed(server, tmp_path):
    """The exit code, and the table, of a checkout with one workflow."""
    root, table = tmp_path / "root", tmp_path / "pins.json"
    (root / ".github/workflows").mkdir(parents=True)
    table.write_text("before")

    def refresh(*uses):
        lines = "".join(f"- uses: {use}\n" for use in uses)
        (root / ".github/workflows/a.yml").write_text(lines)
        words = ["--base", server.base, "--root", str(root), "--table", str(table)]
        code = pins.main(words)
        return code, table.read_text()

    return refresh


@pytest.mark.parametrize("annotated", [True, False])
def test_what_an_action_runs_on_is_read_at_its_commit(server, refreshed, annotated):
    old = server.release("o/one", {"action.yml": OLDER}, annotated=annotated)
    new = server.release("o/one", {"sub/action.yaml": NODE}, "v2.0.0", annotated=annotated)
    code, told = refreshed(f"o/one@{old} # v1.0.0", f"o/one/sub@{new} # v2.0.0")

    assert code == 0
    assert json.loads(told) == {
        "o/one": {"version": "v1.0.0", "commit": old, "using": "node20"},
        "o/one/sub": {"version": "v2.0.0", "commit": new, "using": "node24"},
    }


def test_a_composite_action_is_followed_to_all_that_it_brings_along(server, refreshed):
    far = server.release("o/far", {"action.yml": OLDER})
    steps = [
        *({"run": "true"}, {"uses": f"o/far@{far}"}, {"uses": "./near"}),
        {"uses": "docker://alpine:3"},
    ]
    files = {
        "action.yml": json.dumps({"runs": {"using": "composite", "steps": steps}}),
        "near/action.yml": NODE,
    }
    commit = server.release("o/one", files)
    _, told = refreshed(f"o/one@{commit} # v1.0.0")

    assert json.loads(told)["o/one"]["steps"] == {
        f"o/far@{far}": "node20",
        f"o/one/near@{commit}": "node24",
        "docker://alpine:3": "docker",
    }


def test_a_commit_that_is_not_the_one_of_its_tag_is_refused(server, refreshed, capsys):
    first = server.release("o/one", {"action.yml": NODE})
    second = server.release("o/one", {"action.yml": OLDER}, "v2.0.0")

    assert refreshed(f"o/one@{first} # v2.0.0") == (1, "before")
    assert f"as v2.0.0, and that tag is at {second}" in capsys.readouterr().err
    assert refreshed(f"o/one@{first} # v3.0.0") == (1, "before")
    assert "as v3.0.0, and that tag is not there" in capsys.readouterr().err
    assert refreshed(f"o/one@{first}") == (1, "before")
    assert "has no version; write it behind, such as '# v1.2.3'" in capsys.readouterr().err


def test_what_cannot_be_asked_is_a_sentence(server, refreshed, capsys):
    commit = server.release("o/one", {"README.md": "no action"})

    assert refreshed(f"o/two@{commit} # v1.0.0") == (1, "before")
    assert capsys.readouterr().err.startswith("git ls-remote")
    assert refreshed(f"o/one@{commit} # v1.0.0") == (1, "before")
    assert capsys.readouterr().err == f"o/one@{commit} has no action.yml\n"
