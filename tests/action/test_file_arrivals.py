"""Traces that a commit brought are told apart from those that a step of this run has recorded."""

import shutil
from pathlib import Path

import pytest

from tests.action.job import CITIES, Repository, agent, config, git, transcript, write

GOOD, WORSE = agent(), agent(failing=["paris"])
PARIS = "traces/paris.json"
RECORDED = {PARIS: transcript("paris", "geocode", "forecast", answer="It rains.")}


def arrivals(done):
    return done.report["sections"][0]["arrivals"]


def how(done, name=PARIS):
    return arrivals(done)[name]


def warned(done):
    findings = done.report["sections"][0]["findings"]
    return [found["message"] for found in findings if found["rule"] == "committed-traces"]


@pytest.fixture
def proposed(job):
    """A pull request with these files beside those of the agent, checked out."""

    def made(files):
        kept = {name: text for name, text in GOOD.items() if name != PARIS}
        return job.pushed(kept).proposed(kept | files)

    return made


def test_committed_traces_are_told_in_report_and_comment(job):
    done = job.pull_request(GOOD, WORSE).run()

    assert arrivals(done) == {f"traces/{city}.json": "committed" for city in CITIES}
    assert "traces: 4 as committed" in job.comments[0]
    assert warned(done) == []


def test_traces_that_a_step_has_recorded_are_told_in_report_and_comment(job):
    kept = {name: text for name, text in GOOD.items() if not name.startswith("traces/")}
    job.pull_request(kept, kept | {"README.md": "A change."})
    write(job.workspace, {name: text for name, text in WORSE.items() if name not in kept})

    done = job.run()

    assert arrivals(done) == {f"traces/{city}.json": "this-run" for city in CITIES}
    assert "traces: 4 recorded by the run" in job.comments[0]


def test_a_committed_trace_beside_recorded_ones_is_warned_of(job):
    kept = {name: GOOD[name] for name in ("eval_config.yaml", "eval_set.json")}
    job.pull_request(kept, kept | {PARIS: GOOD[PARIS]})
    rest = {name: text for name, text in WORSE.items() if name not in {*kept, PARIS}}
    write(job.workspace, rest)

    done = job.run()

    assert how(done) == "committed"
    said = f"{PARIS} was not recorded by this run, unlike 3 of 4 traces. "
    assert warned(done) == [f"{said}Remove committed traces before you record"]
    assert "was not recorded by this run" in job.comments[0]


def test_a_committed_trace_that_a_step_has_written_over_was_changed(job):
    job.pull_request(GOOD, WORSE)
    write(job.workspace, RECORDED)

    done = job.run()

    assert how(done) == "changed"
    assert "3 as committed, 1 committed, and changed before this step" in job.comments[0]


def test_without_git_nobody_knows_how_a_trace_arrived(job):
    job.pull_request(GOOD, WORSE)
    shutil.rmtree(job.workspace / ".git")

    done = job.run()

    assert set(arrivals(done).values()) == {"unknown"}
    assert "4 of unknown origin" in job.comments[0]


@pytest.mark.parametrize("recorded", ["pull_request_target", "issue_comment"])
def test_where_the_base_judges_only_committed_traces_are_read(job, recorded):
    job.pull_request(GOOD, WORSE, recorded=recorded).checkout(job.base)
    job.environ["GITHUB_SHA"] = job.base
    write(job.workspace, RECORDED)

    done = job.run()

    assert set(arrivals(done).values()) == {"committed"}
    assert done.outputs["failed"] == "1"


# ---- forgeries: what was committed does not look like a recording of this run


def test_a_link_to_a_committed_file(proposed):
    files = {"data/paris.json": RECORDED[PARIS], PARIS: Path("../data/paris.json")}

    assert how(proposed(files).run()) == "committed"


def test_a_link_to_a_committed_folder(job):
    traces = {name.replace("traces/", "data/"): text for name, text in GOOD.items()}
    job.pushed(GOOD).proposed(traces | {"traces": Path("data")})

    assert set(arrivals(job.run()).values()) == {"committed"}


@pytest.mark.parametrize("attribute", ["text eol=crlf", "ident"])
def test_a_file_that_the_checkout_converts(proposed, attribute):
    text = transcript("paris", "geocode", "forecast", answer="It rains, $Id$.")
    job = proposed({PARIS: text, ".gitattributes": f"traces/* {attribute}\n"})
    assert (job.workspace / PARIS).read_bytes() != text.encode()

    done = job.run()

    assert how(done) == "changed"


def test_a_committed_file_that_a_step_copies(proposed):
    job = proposed({"fixtures/paris.json": RECORDED[PARIS]})
    shutil.copy(job.workspace / "fixtures/paris.json", job.workspace / PARIS)

    assert how(job.run()) == "committed"


def test_a_committed_file_that_a_step_goes_on_writing(proposed):
    job = proposed({"traces/all.jsonl": RECORDED[PARIS]})
    with (job.workspace / "traces/all.jsonl").open("a") as file:
        file.write(transcript("lima", "forecast"))

    assert how(job.run(), "traces/all.jsonl") == "changed"


@pytest.mark.parametrize("name", ["traces/a\\b.json", 'traces/a"b.json', "traces/ä\tb.json"])
def test_a_file_whose_name_git_quotes(job, name):
    job.pushed(GOOD).proposed(GOOD)
    quoted = git(job.workspace, "hash-object", "-w", "--stdin", given=RECORDED[PARIS].encode())
    git(job.workspace, "update-index", "--add", "--cacheinfo", f"100644,{quoted},{name}")
    git(job.workspace, "commit", "-q", "-m", "A trace with an odd name")
    git(job.workspace, "checkout", "-q", "-f", "HEAD")

    assert how(job.run(), name) == "committed"


def test_a_submodule(job, tmp_path):
    other = Repository(tmp_path / "other")
    other.move("main", other.commit({"paris.json": RECORDED[PARIS]}))
    kept = {"eval_set.json": GOOD["eval_set.json"], "eval_config.yaml": config(traces="sub/*.json")}
    job.pushed(kept).proposed(kept | {"README.md": "A change."})
    git(
        job.workspace,
        *("-c", "protocol.file.allow=always", "submodule", "--quiet", "add"),
        *(f"file://{other.folder}", "sub"),
    )

    assert how(job.run(), "sub/paris.json") == "committed"


def test_a_second_checkout_in_a_folder(job):
    job.pushed(GOOD).proposed(GOOD).given(traces="other/traces")
    git(job.workspace, "clone", "--quiet", f"file://{job.origin.folder}", "other")

    assert set(arrivals(job.run()).values()) == {"committed"}


def test_a_checkout_of_another_commit_than_that_of_the_event(job):
    job.pull_request(GOOD, WORSE)
    newer = job.origin.commit(GOOD | RECORDED, on=job.head)
    job.checkout(newer)

    assert how(job.run()) == "committed"


def test_an_index_that_knows_nothing_of_a_committed_file(proposed):
    job = proposed(RECORDED)
    git(job.workspace, "rm", "--quiet", "--cached", PARIS)

    assert how(job.run()) == "committed"
