"""What a pull request brings is neither a baseline, nor another run, nor our comment."""

import io
import json
import zipfile
from pathlib import Path

import pytest

from agentevals.compare import baselines
from agentevals.model.outcome import Origin
from tests.action.job import CITIES, REPOSITORY, Repository, agent, git, transcript, write
from tests.compare.runs import run

FILE = "evals/baseline.json"
WORSE = agent(failing=["paris"])
ORIGIN = Origin(path="eval_config.yaml")
MARKER = "<!-- agentevals:v1 key=agentevals -->"
SOMEBODY = {"author": "mallory", "app": False}


def report(job, failing=CITIES):
    """A report by which everything was as bad before."""
    return job.given(baseline="none").pushed(agent(failing=failing)).run().text


def refused(done):
    """Why there is no baseline, which no regression was hidden by."""
    assert done.against["state"] == "no-baseline"
    assert done.outputs["failed"] == "1"
    return done.against["reason"]


# ---- a baseline in a file


@pytest.fixture
def bad(job):
    """The base has no baseline in a file, and a bad one can be made."""
    made = report(job)
    job.pushed(agent()).given(baseline=FILE)
    return made


def test_a_file_that_the_pull_request_adds(job, bad):
    done = job.proposed(WORSE | {FILE: bad}).run()

    said = f"'{FILE}' is not in the base; a pull request does not bring its own baseline"
    assert refused(done) == said


def test_a_file_that_the_pull_request_adds_where_the_base_is_not_here(job, bad):
    job.proposed(WORSE | {FILE: bad}, shallow=True)
    job.place.tarballs.clear()

    assert "does not bring its own baseline" in refused(job.run())


@pytest.mark.parametrize("attribute", ["text eol=crlf", "ident"])
def test_a_file_that_the_checkout_converts(job, bad, attribute):
    spaced = bad.replace("{", "{\n", 1).replace('"title"', '"title" ', 1)
    files = {FILE: spaced, ".gitattributes": f"evals/* {attribute}\n"}

    assert "does not bring its own baseline" in refused(job.proposed(WORSE | files).run())


def test_a_link_to_a_committed_file(job, bad):
    files = {"data/old.json": bad, FILE: Path("../data/old.json")}

    assert "does not bring its own baseline" in refused(job.proposed(WORSE | files).run())


def test_a_file_of_a_submodule(job, bad, tmp_path):
    other = Repository(tmp_path / "other")
    other.move("main", other.commit({"baseline.json": bad}))
    job.proposed(WORSE)
    add = ("submodule", "--quiet", "add", f"file://{other.folder}", "evals")
    git(job.workspace, "-c", "protocol.file.allow=always", *add)

    assert "does not bring its own baseline" in refused(job.run())


def test_a_link_in_place_of_the_folder_of_the_file(job):
    good, bad = report(job, failing=()), report(job)
    job.pushed(agent() | {FILE: good}).given(baseline=FILE)
    done = job.proposed(WORSE | {"data/baseline.json": bad, "evals": Path("data")}).run()

    assert (done.outputs["regressed"], done.against["origin"]["commit"]) == ("1", job.base)


def test_a_link_in_place_of_the_file(job):
    good, bad = report(job, failing=()), report(job)
    files = agent() | {FILE: good, "evals/old.json": bad}
    job.pushed(files).given(baseline=FILE)
    done = job.proposed(files | WORSE | {FILE: Path("old.json")}).run()

    assert (done.outputs["regressed"], done.against["origin"]["commit"]) == ("1", job.base)


def test_a_file_in_a_group_of_the_merge_queue(job):
    bad = report(job)
    job.given(baseline=FILE)
    job.pull_request(agent(), WORSE | {FILE: bad}, recorded="merge_group")

    assert "does not bring its own baseline" in refused(job.run())


def test_a_file_that_a_step_has_fetched_to_the_runners_folder_is_a_baseline(job):
    good = report(job, failing=())
    write(job.folder / "temp", {"main.json": good})
    job.pushed(agent()).given(baseline=str(job.folder / "temp/main.json"))

    assert job.proposed(WORSE).run().outputs["regressed"] == "1"


# ---- a baseline in an artifact


def kept(job, **forged):
    """A push to main, whose folder of the report held another one when it was kept."""
    job.given(baseline="artifact").keeping_artifacts().pushed(agent()).run()
    for upload in job.world.uploads.values():
        with zipfile.ZipFile(io.BytesIO(upload.content)) as archive:
            document = json.loads(archive.read("report.json"))
        document["scene"] |= forged
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w") as archive:
            archive.writestr("report.json", json.dumps(document))
        upload.content = data.getvalue()
    return job.ended(number=41)


@pytest.mark.parametrize(
    "forged",
    [{"run_id": 7}, {"head_sha": "f" * 40}, {"secondhand": True}],
    ids=["another run", "another commit", "told by somebody else"],
)
def test_a_report_of_another_run_in_the_artifact_of_the_base(job, forged):
    kept(job, **forged)

    said = "the report that run #41 has kept was made by another run"
    assert refused(job.proposed(WORSE).run()) == said


def test_the_report_of_the_run_itself_is_a_baseline(job):
    kept(job)

    assert job.proposed(WORSE).run().outputs["regressed"] == "1"


# ---- a baseline in a check run


def packed():
    return baselines.pack(baselines.make_baseline(run(dict.fromkeys(CITIES, 0)), ORIGIN), 10_000)


def test_the_check_run_of_a_pull_request_that_was_merged_as_it_is(job):
    """Its head is a commit of the base branch then, and its check run is still there."""
    job.given(baseline="check").pushed(agent())
    job.proposed(agent(failing=CITIES)).run()
    job.base = job.head
    job.origin.move("main", job.base)

    assert "no check run that tells about" in refused(job.proposed(WORSE).run())


@pytest.mark.parametrize("end", ["\n", "\r", "\v", "\f", "\x1c", "\x85", "\u2028"])
def test_a_baseline_that_an_agent_says_on_a_line_of_its_own(job, end):
    said = f"Sunny.{end}<!-- {packed()} -->{end}"
    traces = {
        f"traces/{city}.json": transcript(
            city, "geocode", "forecast", answer=said, user=f"How?{end}<!-- {packed()} -->{end}"
        )
        for city in CITIES
    }
    job.given(baseline="check").pushed(agent() | traces | {"README.md": end}).run()
    done = job.proposed(WORSE).run()

    assert done.against["paired"] == len(CITIES)
    assert done.outputs["regressed"] == "1"


@pytest.mark.parametrize("where", ["summary", "title"])
def test_a_baseline_elsewhere_in_a_check_run(job, where):
    job.given(baseline="check").pushed(agent()).run()
    (check,) = job.place.checks.values()
    check["output"] |= {"text": "", where: f"<!-- {packed()} -->"}

    assert "no check run that tells about" in refused(job.proposed(WORSE).run())


# ---- our comment


def forged_comment(job):
    """What our comment would look like if all was well, in the newest of all runs."""
    job.environ |= {"GITHUB_RUN_NUMBER": "99999"}
    job.pull_request(agent(), agent() | {"eval_set.json": agent()["eval_set.json"] + "\n"}).run()
    (comment,) = job.place.comments.values()
    job.place.comments.clear()
    job.environ |= {"GITHUB_RUN_NUMBER": "562"}
    return comment.body


@pytest.mark.recorded
def test_a_comment_of_somebody_that_bears_our_marker(job):
    green = forged_comment(job)
    job.pull_request(agent(), WORSE)
    theirs = job.world.comment(green, job.pull.number, REPOSITORY, **SOMEBODY)
    done = job.run()

    assert green.startswith(MARKER)
    assert "Ready to merge" in green
    assert (done.code, theirs.body) == (1, green)
    assert ["Not ready to merge" in text for text in job.comments] == [False, True]


def test_sections_of_a_comment_that_an_agent_says(job):
    """The next run finds our own section alone, and writes it anew."""
    green = forged_comment(job)
    said = {
        f"traces/{city}.json": transcript(city, "forecast", answer=green, user=green)
        for city in CITIES
    }
    job.pull_request(agent(), agent() | said).run()
    job.environ["GITHUB_RUN_NUMBER"] = "563"
    job.environ["GITHUB_RUN_ID"] = "30433643"
    job.run()

    (comment,) = job.comments
    assert comment.count("<!-- agentevals:section ") == 1
    assert "Not ready to merge" in comment
    assert "run #563" in comment


# ---- files that are kept


def test_a_file_that_was_committed_into_the_folder_of_the_report(job):
    evil = {"agentevals-report/evil.html": "<script>", "agentevals-report/report.json": "{}"}
    done = job.keeping_artifacts().pull_request(agent(), WORSE | evil).run()

    (upload,) = job.world.uploads.values()
    with zipfile.ZipFile(io.BytesIO(upload.content)) as archive:
        assert "evil.html" not in archive.namelist()
    assert done.report["verdict"] == "fail"
    assert [text for text in done.said("notice") if "removed" in text and "evil.html" in text]
    assert not (done.folder / "evil.html").exists()
