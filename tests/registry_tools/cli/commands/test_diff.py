import json

import pytest

from registry_tools.manifests.owner_agreement import Agreement
from tests.registry_tools import registries
from tests.registry_tools.publishers import run
from tests.registry_tools.registries import MANIFEST, PROGRAM, changed, git

OTHER = PROGRAM.replace("score=1.0", "score=0.5")
FLIPPED = PROGRAM.replace("score=1.0", "score=0.0")
EXPECTING = """\
fixtures:
  - name: polite
    input: {invocations: [{user_content: Hi, final_response: Good day!}]}
    expect: {score: SCORE}
"""


@pytest.fixture
def root(tmp_path):
    """A registry of two on `main`, and a branch on which nothing is changed yet."""
    for name in ("answers", "politeness"):
        registries.write(tmp_path, name)
    registries.repository(tmp_path)
    git(tmp_path, "switch", "--quiet", "--create", "proposal")
    return tmp_path


def diff(root, *words):
    """What is found, as (rule, severity, line, message, fix)."""
    done = run(root, "diff", "--base", "main", "--no-smoke", "--format", "json", *words)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)["findings"]


def said(found, rule):
    return [one["message"] for one in found if one["rule"] == rule]


def propose(root, text=MANIFEST, **files):
    registries.write(root, files={"evaluator.yaml": text, **files})


def test_without_a_change_there_is_nothing_to_say(root):
    assert diff(root) == (0, [])


def test_a_change_needs_a_new_version(root):
    propose(root, **{"politeness.py": PROGRAM + "# more\n"})
    code, found = diff(root)

    assert code == 1
    assert said(found, "update-version") == [
        "files changed, and 1.0.0 is published: a published version never changes"
    ]
    assert (found[0]["line"], found[0]["fix"]) == (7, 'write version: "1.0.1" or higher')


def test_a_change_with_a_new_version_is_accepted(root):
    propose(root, changed("1.0.0", "1.0.1"), **{"politeness.py": PROGRAM + "# more\n"})

    assert diff(root) == (0, [])


@pytest.mark.parametrize("version", ["0.9.0", "1.0.0-rc.1"])
def test_a_version_never_goes_down(root, version):
    propose(root, changed("1.0.0", version))
    code, found = diff(root)

    assert code == 1
    assert said(found, "update-version") == [
        f"the version {version} is lower than 1.0.0, which is published"
    ]


def test_a_version_is_not_taken_away(root):
    propose(root, changed("version: 1.0.0\n", ""))

    assert said(diff(root)[1], "update-version") == ["the version is gone, and 1.0.0 is published"]


SCHEMA = """\
config_schema:
  type: object
  properties:
    words: {type: array, items: {type: string}}
  additionalProperties: false
"""


@pytest.mark.parametrize(
    ("schema", "version", "least"),
    [
        (changed("words:", "terms:", SCHEMA), "1.1.0", "2.0.0"),
        (changed("  add", "  required: [words]\n  add", SCHEMA), "1.1.0", "2.0.0"),
        (changed("{type: string}", "{type: integer}", SCHEMA), "1.1.0", "2.0.0"),
        (changed("  add", "    limit: {type: integer}\n  add", SCHEMA), "1.0.1", "1.1.0"),
        (changed("{type: array,", "{type: array, minItems: 1,", SCHEMA), "1.1.0", "2.0.0"),
    ],
)
def test_the_least_version_follows_from_the_configs_that_are_right(root, schema, version, least):
    text = changed(SCHEMA, schema)
    propose(root, changed("1.0.0", version, text))
    code, found = diff(root)

    assert code == 1
    assert [one["fix"] for one in found] == [f'write version: "{least}" or higher']

    propose(root, changed("1.0.0", least, text))

    assert diff(root) == (0, [])


def test_words_that_describe_a_setting_are_a_patch(root):
    text = changed("words: {type: array,", "words: {description: Any, type: array,")
    propose(root, changed("1.0.0", "1.0.1", text))

    assert diff(root) == (0, [])


@pytest.mark.parametrize(
    ("capabilities", "message"),
    [
        ("{network: [api.example.com]}", "it asks for more: network api.example.com"),
        ("{environment: [API_KEY]}", "it asks for more: environment API_KEY"),
        ("{files: [/usr/share/dict]}", "it asks for more: files /usr/share/dict"),
        ("{subprocess: true}", "it asks for more: to start programs"),
        ("{judge: true}", "it asks for more: to ask the judge"),
    ],
)
def test_a_capability_that_is_new_is_said_aloud(root, capabilities, message):
    propose(root, changed("1.0.0", "1.1.0") + f"capabilities: {capabilities}\n")
    code, found = diff(root)

    assert code == 0
    assert [(one["severity"], one["message"]) for one in found] == [("warning", message)]


def test_a_capability_of_a_new_evaluator_is_said_aloud_as_well(root):
    text = MANIFEST.replace("politeness", "kindness") + "capabilities: {judge: true}\n"
    registries.write(root, "kindness", {"evaluator.yaml": text})

    assert said(diff(root)[1], "update-growth") == ["it asks for more: to ask the judge"]


def test_somebody_who_joins_is_said_aloud(root):
    more = changed("    id: 583231\n", "    id: 583231\n  - {login: mallory, id: 666}\n")
    propose(root, changed("1.0.0", "1.0.1", more))
    code, found = diff(root)

    assert (code, said(found, "update-owner")) == (
        1,
        ["mallory (666) would maintain it, and none of its maintainers agreed: octocat (583231)"],
    )

    code, found = diff(root, "--agreed")

    assert (code, said(found, "update-growth")) == (0, ["mallory (666) would maintain it as well"])


def test_somebody_who_leaves_needs_a_record(root):
    text = changed("  - login: octocat\n    id: 583231\n", "  - {login: mallory, id: 666}\n")
    propose(root, changed("1.0.0", "1.0.1", text))
    code, found = diff(root)

    assert code == 1
    assert said(found, "update-owner") == [
        "octocat (583231) would no longer maintain it, and there is no record"
    ]

    (root / "evaluators/.tombstones.yaml").write_text(
        "transferred:\n  politeness: {to: [666], reason: agreed}\n"
    )
    code, found = diff(root)

    assert code == 1
    assert {one["fix"] for one in found} == {Agreement().advice}
    assert diff(root, "--agreed")[0] == 0


def test_the_licence_is_a_term_that_others_rely_on(root):
    propose(root, changed("Apache-2.0", "GPL-3.0-only", changed("1.0.0", "1.0.1")))
    _, found = diff(root)

    assert said(found, "update-growth") == ["the licence was Apache-2.0 and is GPL-3.0-only"]
    assert "no major step" in said(found, "update-version")[0]


def test_one_that_is_removed_needs_a_tombstone(root):
    git(root, "rm", "-r", "--quiet", "evaluators/answers")
    code, found = diff(root)

    assert code == 1
    assert said(found, "update-removed") == ["it was removed without a record"]

    (root / "evaluators/.tombstones.yaml").write_text("removed:\n  answers: {reason: wrong}\n")

    assert diff(root)[0] == 1
    assert diff(root, "--agreed")[0] == 0


def test_the_name_of_one_that_was_removed_is_taken(root):
    (root / "evaluators/.tombstones.yaml").write_text("removed:\n  old_one: {reason: wrong}\n")
    registries.commit(root)
    registries.write(root, "old_one")
    code, found = diff(root)

    assert code == 1
    assert "its tombstone keeps the name" in said(found, "update-removed")[0]


@pytest.mark.parametrize("path", ["index.yaml", "index.json", "head.json", "e/answers.json"])
def test_what_the_publisher_writes_nobody_else_writes(root, path):
    (root / path).parent.mkdir(exist_ok=True)
    (root / path).write_text("{}")
    registries.commit(root)
    code, found = diff(root)

    assert code == 1
    assert [(one["rule"], one["path"]) for one in found] == [("update-generated", path)]
    assert found[0]["fix"] == f"run git rm --cached {path}"  # it was not there before


def test_what_changed_on_the_other_branch_meanwhile_is_not_ours(root):
    git(root, "switch", "--quiet", "main")
    (root / "evaluators/answers/evaluator.yaml").write_text(
        changed("1.0.0", "1.1.0").replace("politeness", "answers")
    )
    registries.commit(root)
    git(root, "switch", "--quiet", "proposal")

    assert diff(root) == (0, [])


def test_a_version_that_somebody_else_took_meanwhile_is_taken(root):
    propose(root, changed("1.0.0", "1.1.0"), **{"politeness.py": PROGRAM + "# ours\n"})
    registries.commit(root)
    git(root, "switch", "--quiet", "main")
    propose(root, changed("1.0.0", "1.1.0"), **{"politeness.py": PROGRAM + "# theirs\n"})
    registries.commit(root)
    git(root, "switch", "--quiet", "proposal")

    assert said(diff(root)[1], "update-version") == [
        "files changed, and 1.1.0 is published: a published version never changes"
    ]


def test_a_broken_tombstone_is_named_with_its_place(root):
    (root / "evaluators/.tombstones.yaml").write_text("removed:\n  a: {}\n  a: {}\n")
    git(root, "rm", "-r", "--quiet", "evaluators/answers")
    done = run(root, "diff", "--base", "main", "--no-smoke")

    assert done.returncode == 1
    place = "evaluators/.tombstones.yaml:3:3: error: "
    assert f"{place}'a' is here twice" in done.stdout


@pytest.mark.parametrize("name", ["politeness", "kindness"])
def test_what_would_not_be_listed_cannot_be_accepted(root, name):
    registries.write(root, name, {"evaluator.yaml": "name: [\n"})
    code, found = diff(root)

    assert code == 1
    assert said(found, "update-unlisted")[0].startswith("it would not be listed: not valid YAML")


def test_a_history_that_is_cut_off_is_said_to_be(root, tmp_path):
    registries.commit(root)
    git(root, "clone", "--quiet", "--depth=1", f"file://{root}", str(tmp_path / "shallow"))
    git(tmp_path / "shallow", "fetch", "--quiet", "--depth=1", "origin", "main:main")
    done = run(tmp_path / "shallow", "diff", "--base", "main", "--no-smoke")

    assert done.returncode == 2
    assert "check out with fetch-depth: 0" in done.stderr


def test_an_unknown_branch_is_named(root):
    done = run(root, "diff", "--base", "nowhere", "--no-smoke")

    assert done.returncode == 2
    assert "git knows no 'nowhere' here; fetch it" in done.stderr


class TestBehaviour:
    """Old and new on the old fixtures, in the sandbox."""

    def diff(self, root):
        done = run(root, "diff", "--base", "main", "--isolation", "basic", "--format", "json")
        assert done.stdout, done.stderr
        return done.returncode, json.loads(done.stdout)["findings"]

    def test_a_score_that_is_another_one_needs_a_minor_step(self, root):
        fixtures = EXPECTING.replace("SCORE", "0.5")
        files = {"politeness.py": OTHER, "fixtures.yaml": fixtures}
        propose(root, changed("1.0.0", "1.0.1"), **files)
        code, found = self.diff(root)

        assert code == 1
        assert said(found, "update-behaviour") == ["fixture 'polite': 1 → 0.5"]
        assert [one["fix"] for one in found if one["fix"]] == ['write version: "1.1.0" or higher']

    def test_a_status_that_flips_needs_a_major_one(self, root):
        propose(root, changed("1.0.0", "1.1.0"), **{"politeness.py": FLIPPED})
        code, found = self.diff(root)

        assert code == 1
        assert said(found, "update-behaviour") == ["fixture 'polite': PASSED → FAILED (1 → 0)"]
        assert [one["fix"] for one in found if one["fix"]] == ['write version: "2.0.0" or higher']

    def test_a_program_that_falls_over_now_needs_a_major_one(self, root):
        propose(root, changed("1.0.0", "1.1.0"), **{"politeness.py": "raise SystemExit(9)\n"})
        code, found = self.diff(root)

        assert code == 1
        assert "fixture 'polite': was 1, and now it exited with code 9" in said(
            found, "update-behaviour"
        )

    def test_the_same_scores_from_another_program_are_a_patch(self, root):
        propose(root, changed("1.0.0", "1.0.1"), **{"politeness.py": PROGRAM + "# more\n"})

        assert self.diff(root) == (0, [])


@pytest.mark.parametrize(
    ("text", "rule", "message"),
    [
        ("removed:\n  answers: {reason: mine}\n", "update-removed", "answers would be removed"),
        (
            "transferred:\n  answers: {to: [666], reason: mine}\n",
            "update-owner",
            "answers would be handed over to 666: mine",
        ),
        ('yanked:\n  answers: {"0.9.0": bad}\n', "update-removed", "0.9.0 would be withdrawn"),
        ("", "update-removed", "what is recorded of 'old_one' under 'removed' would be gone"),
    ],
)
def test_what_a_change_decides_about_others_is_seen(root, text, rule, message):
    path = root / "evaluators/.tombstones.yaml"
    git(root, "switch", "--quiet", "main")
    path.write_text("removed:\n  old_one: {reason: wrong}\n")
    registries.commit(root)
    git(root, "switch", "--quiet", "--create", "decisions")
    path.write_text(text)

    for words, code in (((), 1), (("--agreed",), 0)):
        found = diff(root, *words)

        assert found[0] == code
        assert any(message in one for one in said(found[1], rule))


@pytest.mark.parametrize("planted", ["removed: [", "removed: {kindness: 1}", None])
def test_a_file_of_tombstones_that_cannot_be_read_is_refused(root, planted):
    path = root / "evaluators/.tombstones.yaml"
    path.symlink_to("/etc/passwd") if planted is None else path.write_text(planted)
    code, found = diff(root)

    assert code == 1
    assert [(one["rule"], one["path"]) for one in found] == [
        ("tombstones", "evaluators/.tombstones.yaml")
    ]
