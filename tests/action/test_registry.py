import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from agentevals.evaluator import evaluator_scaffold
from tests.action.job import git
from tests.registry_tools import registries

MANIFEST = "evaluators/politeness/evaluator.yaml"
TOMBSTONES = "evaluators/.tombstones.yaml"
READ_ONLY = {"pull-requests": "read", "issues": "read"}


@pytest.fixture
def place(job):
    """A checkout of a registry with one evaluator."""
    git(job.workspace, "init", "--quiet", "--initial-branch", "main")
    (job.workspace / "evaluators").mkdir()
    evaluator_scaffold.write("politeness", None, job.workspace / "evaluators")
    kept(job.workspace)
    return job.on("push")


@pytest.fixture
def proposal(job):
    """A pull request to a registry with one evaluator; these files are changed or new in it."""

    def propose(changed):
        files = scaffolded()
        job.pull_request(files, {**files, **changed})
        return job.given(command="registry-validate")

    return propose


def scaffolded():
    """The files of a registry with one evaluator."""
    with TemporaryDirectory() as folder:
        written = evaluator_scaffold.write("politeness", None, Path(folder))
        paths = (written.program, written.manifest, *written.others)
        return {f"evaluators/politeness/{path.name}": path.read_text() for path in paths}


def kept(workspace):
    git(workspace, "add", "--all")
    git(workspace, "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "--quiet", "-m", "x")
    return git(workspace, "rev-parse", "HEAD").strip()


def test_a_registry_that_is_right_passes(place):
    done = place.given(command="registry-validate").run()

    assert (done.code, done.outputs["verdict"]) == (0, "passed"), done.log
    assert "1 evaluator checked" in done.log + done.summary


def test_a_mistake_is_an_annotation_at_its_line(place):
    manifest = place.workspace / "evaluators/politeness/evaluator.yaml"
    manifest.write_text(manifest.read_text().replace("language: python", "langauge: python"))

    done = place.given(command="registry-validate").run()

    assert (done.code, done.outputs["verdict"]) == (1, "failed")
    assert "file=evaluators/politeness/evaluator.yaml,line=3" in done.log
    assert "langauge" in done.summary


def test_no_secret_of_the_step_is_in_what_is_said_of_a_manifest(place):
    secret = "hunter2: 100%, canary"
    manifest = place.workspace / "evaluators/politeness/evaluator.yaml"
    manifest.write_text(manifest.read_text().replace("language: python", f"language: '{secret}'"))
    place.environ["DEPLOY_PASSWORD"] = secret

    done = place.given(command="registry-validate").run()
    said = [line for line in done.log.splitlines() if not line.startswith("::add-mask::")]

    assert done.code == 1
    assert r"\*\*\*" in done.summary
    assert [text for text in [*said, done.summary] if "canary" in text] == []


def test_where_nobody_can_tell_what_was_pushed_everything_is_checked(place):
    done = place.on("push", base="c" * 40).given(command="registry-validate").run()

    assert done.code == 0, done.log
    assert "everything is checked" in done.log


def test_a_pull_request_that_keeps_to_the_rules_passes(proposal):
    manifest = scaffolded()[MANIFEST].replace("version: 0.1.0", "version: 0.1.1")
    done = proposal({"evaluators/politeness/notes.md": "Why.\n", MANIFEST: manifest}).run()

    assert (done.code, done.outputs["verdict"]) == (0, "passed"), done.log
    assert "✅ Registry: can be accepted" in done.summary


def test_a_pull_request_fails_for_what_it_changes_for_others(proposal):
    done = proposal({"evaluators/politeness/notes.md": "Why.\n"}).run()

    assert (done.code, done.outputs["verdict"]) == (1, "failed"), done.log
    assert "❌ Registry: has to be changed" in done.summary
    assert "can be accepted" not in done.summary
    assert "`update-version`" in done.summary
    assert "title=update-version" in done.log


def test_a_pull_request_fails_for_an_index_that_somebody_wrote_by_hand(proposal):
    done = proposal({"index.json": "{}\n"}).run()

    assert (done.code, done.outputs["verdict"]) == (1, "failed"), done.log
    assert "`update-generated`" in done.summary


def test_a_pull_request_fails_for_both_at_once(proposal):
    wrong = {"evaluators/kindness/evaluator.yaml": "name: kindness\n", "index.json": "{}\n"}
    done = proposal(wrong).run()

    assert done.code == 1, done.log
    assert "`schema`" in done.summary
    assert "`update-generated`" in done.summary


def test_a_merge_group_fails_for_what_it_changes_for_others(proposal):
    given = proposal({"index.json": "{}\n"})
    done = given.on("merge_group", given.head, given.base).run()

    assert (done.code, done.outputs["verdict"]) == (1, "failed"), done.log


def test_a_pull_request_is_no_error_for_what_was_published_since_it_was_opened(proposal):
    given = proposal({"README.md": "Evaluators.\n"})
    published = given.origin.commit({**scaffolded(), "index.json": "{}\n"}, on=given.base)
    given.origin.move("main", published)
    git(given.origin.folder, "checkout", "--quiet", "--detach", published)
    git(given.origin.folder, "merge", "--quiet", "--no-ff", "-m", "Merge", given.head)
    done = given.checkout(git(given.origin.folder, "rev-parse", "HEAD")).run()

    assert done.code == 0, done.log


def test_a_push_is_no_proposal_and_may_publish_an_index(proposal):
    given = proposal({"index.json": "{}\n"})
    done = given.on("push", given.head, given.base).run()

    assert done.code == 0, done.log


def test_a_pull_request_that_cannot_be_compared_is_an_error(proposal):
    given = proposal({"README.md": "Evaluators.\n"})
    done = given.checkout(given.head, shallow=True).run()

    assert (done.code, done.outputs["verdict"]) == (2, "error"), done.log
    [said] = done.said("error")
    assert "fetch-depth: 0" in said


def test_one_evaluator_outside_of_a_registry_has_nothing_to_be_compared_with(proposal):
    given = proposal({"README.md": "Evaluators.\n"})
    evaluator_scaffold.write("kindness", None, given.workspace)
    done = given.given(config="kindness").run()

    assert done.code == 0, done.log
    assert "nothing is compared" in done.log
    assert "1 evaluator checked" in done.log


def test_the_index_is_written_where_it_belongs(place):
    done = place.given(command="registry-index").run()

    listed = json.loads((place.workspace / "index.json").read_text())["evaluators"]
    assert done.code == 0, done.log
    assert [entry["name"] for entry in listed] == ["politeness"]


def test_a_stale_index_fails_a_dry_run_and_stays_as_it_is(place):
    done = place.given(command="registry-index", dry_run="true").run()

    assert (done.code, done.outputs["verdict"]) == (1, "failed")
    assert not (place.workspace / "index.json").exists()


CHANGED = {"evaluators/politeness/notes.md": "Why.\n"}


def test_one_comment_says_what_to_change_where_and_what_comes_next(proposal):
    given = proposal(CHANGED)
    done = given.run()
    [said] = given.comments

    assert done.outputs["comment-url"].endswith(f"#issuecomment-{min(given.place.comments)}")
    assert "❌ Registry: has to be changed" in said
    place = f"/blob/{given.head}/{MANIFEST}#L"
    assert place in said
    assert 'write version: "0.1.1" or higher' in said
    assert "agentevals registry validate --changed-since origin/main" in said


def test_the_next_run_writes_the_same_comment(proposal):
    given = proposal(CHANGED)
    given.run()
    manifest = scaffolded()[MANIFEST].replace("version: 0.1.0", "version: 0.1.1")
    files = {**scaffolded(), **CHANGED, MANIFEST: manifest}
    given.environ["GITHUB_RUN_ID"] = "30433643"
    given.proposed(files).run()
    [said] = given.comments

    assert "✅ Registry: can be accepted" in said
    assert "**politeness**: `0.1.0` → `0.1.1`" in said
    assert "After the merge into `main`" in said


def test_a_newer_comment_stays_as_it_is(proposal):
    given = proposal(CHANGED)
    given.run()
    [newer] = given.comments
    given.environ["GITHUB_RUN_ID"] = "5"
    given.run()

    assert given.comments == [newer]


def test_what_changes_nothing_in_the_registry_gets_no_comment(proposal):
    given = proposal({"README.md": "Evaluators.\n"})

    assert given.run().code == 0
    assert given.comments == []


def test_a_comment_that_is_not_wanted_is_not_written(proposal):
    given = proposal(CHANGED).given(comment="off")

    assert given.run().code == 1
    assert given.comments == []


def test_a_text_that_github_finds_too_long_is_shortened(proposal):
    broken = "name: [\n"
    many = {f"evaluators/entry_{at}/evaluator.yaml": broken for at in range(600)}
    given = proposal(many)
    done = given.run()
    [said] = given.comments

    assert done.code == 1
    assert len(said) <= 65_536
    assert "more findings are in the log" in said


def test_the_run_of_a_fork_says_where_its_findings_are(job):
    files = scaffolded()
    job.pull_request(files, {**files, **CHANGED}, recorded="pull_request_fork")
    job.github.permissions |= READ_ONLY
    done = job.given(command="registry-validate").run()

    assert done.code == 1
    assert job.comments == []
    assert "the summary of this job has it all" in done.log
    assert "`update-version`" in done.summary


def test_a_token_that_may_not_comment_is_told_what_to_add(proposal):
    given = proposal(CHANGED)
    given.github.permissions |= READ_ONLY
    done = given.run()

    assert done.code == 1
    assert "pull-requests: write" in done.log
    assert "comment: off" in done.log


def test_a_hostile_manifest_writes_nothing_of_its_own_into_the_comment(proposal):
    evil = '"<!-- agentevals:registry --> @octocat | [x](https://evil.example)"'
    given = proposal({"evaluators/kindness/evaluator.yaml": f"name: {evil}\n"})
    given.run()
    [said] = given.comments
    _, _, shown = said.partition("-->\n")

    assert "@octocat" not in shown
    assert "](https://evil" not in shown
    assert "<!-- agentevals:registry -->" not in shown


def test_places_of_a_registry_in_a_folder_start_at_the_top_of_the_repository(job):
    files = {f"inner/{path}": text for path, text in scaffolded().items()}
    job.pull_request(files, {**files, "inner/evaluators/politeness/notes.md": "Why.\n"})
    done = job.given(command="registry-validate", working_directory="inner").run()

    assert done.code == 1
    assert f"file=inner/{MANIFEST},line=" in done.log
    assert f"/blob/{job.head}/inner/{MANIFEST}#L" in job.comments[0]


OWNED = {
    MANIFEST: registries.MANIFEST,
    "evaluators/politeness/politeness.py": registries.PROGRAM,
    "evaluators/politeness/fixtures.yaml": registries.FIXTURES,
    TOMBSTONES: "removed:\n  old_one: {reason: it never worked}\n",
    "index.json": "{}\n",
}
GONE = dict.fromkeys(path for path in OWNED if "politeness" in path)
STOLEN = registries.changed("1.0.0", "1.0.1").replace("octocat", "mallory").replace("583231", "666")
SAME_LOGIN = registries.changed("583231", "666", registries.changed("1.0.0", "1.0.1"))
LOST = "octocat (583231) would no longer maintain it, and there is no record"
HARM = {
    "the owner is another": ({MANIFEST: STOLEN}, "update-owner", MANIFEST, 10, LOST),
    "the owner has another id": ({MANIFEST: SAME_LOGIN}, "update-owner", MANIFEST, 10, LOST),
    "the index is edited": (
        {"index.json": '{"evaluators": []}\n'}, "update-generated", "index.json", None,
        "this file is written by the job that publishes",
    ),
    "an entry is removed": (
        GONE, "update-removed", MANIFEST, None, "it was removed without a record",
    ),
    "the tombstones are no YAML": (
        {TOMBSTONES: "removed: ["}, "tombstones", TOMBSTONES, 1, "not valid YAML",
    ),
    "a tombstone is ambiguous": (
        {TOMBSTONES: OWNED[TOMBSTONES] + 'yanked:\n  politeness: {"1.0.0": n}\n'},
        "tombstones", TOMBSTONES, 4, "'n' without quotes is not the same for every reader",
    ),
    "the tombstones are gone": (
        {TOMBSTONES: None}, "tombstones", TOMBSTONES, None, "the file is gone, and with it 1",
    ),
}  # fmt: skip


@pytest.fixture
def harmed(job):
    """The step on a pull request that changes what is published, or removes it (None)."""

    def harm(changed):
        files = {path: text for path, text in {**OWNED, **changed}.items() if text is not None}
        job.pull_request(OWNED, files)
        job.place.roles[job.pull.author] = "write"  # who may decide: what is red is red for all
        return job.given(command="registry-validate")

    return harm


@pytest.mark.parametrize(("changed", "rule", "path", "line", "message"), HARM.values(), ids=HARM)
def test_a_pull_request_that_harms_others_is_red_at_the_right_line(  # noqa: PLR0913, PLR0917
    harmed, changed, rule, path, line, message
):
    given = harmed(changed)
    done = given.run()
    [comment] = given.comments
    [marked] = [row for row in done.log.splitlines() if row.startswith("::error ")]
    [row] = [row for row in comment.splitlines() if "❌ error: " in row]
    place = f"file={path},line={line}," if line else f"file={path},title="

    assert (done.code, done.outputs["verdict"]) == (1, "failed"), done.log
    assert marked.startswith(f"::error {place}")
    assert f"title={rule}::{message}" in marked
    assert f"/{path}#L{line})" in row if line else f"/{path})" in row
    assert message in row
    assert row.endswith(f"| `{rule}` |")
    assert "❌ Registry: has to be changed" in comment
    assert "can be accepted" not in comment


@pytest.mark.parametrize("changed", [{}, {"README.md": "Evaluators.\n"}])
def test_a_pull_request_that_harms_nobody_is_green(harmed, changed):
    done = harmed(changed).run()

    assert (done.code, done.outputs["verdict"]) == (0, "passed"), done.log


def test_a_command_in_the_comment_can_be_copied(harmed):
    given = harmed({"index.json": '{"evaluators": []}\n'})
    given.run()
    [comment] = given.comments

    assert f"run `git checkout {given.base[:12]} -- index.json`" in comment
