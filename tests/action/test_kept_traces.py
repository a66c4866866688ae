"""Traces that no commit has: linked nowhere, and kept with the report where that is wanted."""

import gzip
import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.action.job import agent, config, eval_set, transcript, write
from tests.action.weather import RECORD, WORSE, make_repository
from tests.report.outputs import pages
from tests.support import agentevals

PRIVATE = {"private": True, "visibility": "private"}
RULES = {name: text for name, text in agent().items() if not name.startswith("traces/")}
TRACES = {name: text for name, text in agent(["paris"]).items() if name.startswith("traces/")}


def changed_repository(job, **facts):
    """The event as it is, but for what it says of the repository."""
    place = Path(job.environ["GITHUB_EVENT_PATH"])
    event = json.loads(place.read_text())
    known = {name: fact for name, fact in (event["repository"] | facts).items() if fact is not None}
    place.write_text(json.dumps(event | {"repository": known}))


def recorded(job, rules=RULES, traces=TRACES, **facts):
    """A pull request of rules alone, whose agent a step before has recorded."""
    job.pull_request(rules, rules | {"README.md": "A change."})
    changed_repository(job, **(facts or PRIVATE))
    write(job.workspace, traces)
    return job.keeping_artifacts()


def kept(done):
    """The files that are kept, by their names below the folder."""
    top = done.folder / "traces"
    return {str(path.relative_to(top)): path for path in top.rglob("*") if path.is_file()}


def told(done):
    return [line for line in done.log.splitlines() if "kept" in line and "trace" in line]


# ---- no links


def test_a_trace_that_no_commit_has_is_linked_nowhere(job):
    done = recorded(job, traces=TRACES | {"traces/broken.json": "{"}).run()
    (regressed,) = [h for h in done.report["sections"][0]["highlights"] if h["case_id"] == "paris"]
    sarif = (done.folder / "report.sarif").read_text()

    assert regressed["trace"] is None
    assert "/traces/paris.json" not in job.comments[0] + done.summary
    assert '"uri": "traces/' not in sarif
    assert "traces/broken.json" in sarif  # in the words alone
    (check,) = job.place.checks.values()
    assert {one["path"] for one in check["annotations"]} == {"eval_config.yaml"}


def test_a_trace_that_only_the_merge_with_the_base_has_is_linked_nowhere(job):
    job.pull_request(RULES, RULES | {"README.md": "A change."})
    base = job.origin.commit(RULES | TRACES, on=job.base)
    merge = job.origin.merge(job.origin.commit(RULES | TRACES, on=base), base, job.head)
    job.checkout(merge)
    job.environ["GITHUB_SHA"] = merge
    done = job.given(baseline="none").run()
    (shown,) = done.report["sections"][0]["highlights"]

    assert done.report["sections"][0]["arrivals"]["traces/paris.json"] == "committed"
    assert shown["trace"] is None


def test_a_committed_trace_is_linked(job):
    done = job.pull_request(agent(), agent(["paris"])).run()
    (shown,) = done.report["sections"][0]["highlights"]

    assert shown["trace"]["path"] == "traces/paris.json"
    assert f"/blob/{job.head}/traces/paris.json" in job.comments[0]


# ---- who wants them kept


@pytest.mark.parametrize("facts", [PRIVATE, {"private": True, "visibility": "internal"}])
def test_a_repository_that_is_not_public_keeps_them(job, facts):
    done = recorded(job, **facts).run()

    assert {f"traces/{name}" for name in kept(done)} == {*TRACES}
    (said,) = told(done)
    assert said.startswith("4 trace files (1,833 bytes) kept in agentevals-report/traces: ")
    assert said.endswith("what was said in them, without secrets; 'keep-traces: off' keeps none")


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"private": False, "visibility": "public"}, "this repository is public"),
        ({"private": True, "visibility": "public"}, "this repository is public"),
        ({"private": None, "visibility": None}, "the event names no repository"),
    ],
)
def test_another_does_not_and_says_why(job, facts, why):
    done = recorded(job, **facts).run()

    assert kept(done) == {}
    (said,) = told(done)
    assert said.startswith(f"recorded traces are not kept: {why}, and they hold conversations; ")
    assert said.endswith("'keep-traces: on' keeps them")
    assert "record the traces again" in done.report["sections"][0]["reproduce"]


def test_the_workflow_decides(job):
    public = recorded(job, private=False).given(keep_traces="on").run()
    assert len(kept(public)) == 4

    changed_repository(job, **PRIVATE)
    for path in kept(public).values():
        path.unlink()
    done = job.given(keep_traces="off").run()
    assert kept(done) == {}
    assert told(done) == ["recorded traces are not kept: 'keep-traces: off' says so"]


@pytest.mark.parametrize(
    ("facts", "inputs", "shown"),
    [
        ({"private": False}, {}, False),
        ({"private": False}, {"keep_traces": "on"}, True),
        (PRIVATE, {}, True),
        (PRIVATE, {"keep_traces": "off"}, False),
    ],
)
def test_the_page_shows_conversations_only_where_traces_are_kept(job, facts, inputs, shown):
    done = recorded(job, **facts).given(**inputs).run()

    assert shows_conversations(done) == shown


def test_the_page_shows_conversations_that_the_commit_has_anyway(job):
    job.pull_request(agent(), agent(["paris"]))

    changed_repository(job, private=False)

    assert shows_conversations(job.run())


def shows_conversations(done):
    """Whether a turn of some case is in the page."""
    page = (done.folder / "report.html").read_text(encoding="utf-8")
    attempts = [one for case in pages.read_details(page) for one in case["attempts"]]
    return any(attempt["transcript"] for attempt in attempts)


def test_committed_traces_are_not_kept_a_second_time(job):
    job.pull_request(agent(), agent(["paris"]))
    changed_repository(job, **PRIVATE)
    done = job.run()

    assert kept(done) == {}
    assert told(done) == []


def test_a_copy_of_a_committed_trace_is_kept(job):
    there = {"fixtures/paris.json": TRACES["traces/paris.json"]}
    done = recorded(job, RULES | there, {"traces/paris.json": TRACES["traces/paris.json"]}).run()

    assert [*kept(done)] == ["paris.json"]


# ---- what is kept


def test_they_are_part_of_the_artifact(job):
    recorded(job).run()
    (upload,) = job.world.uploads.values()

    assert set(TRACES) < set(zipfile.ZipFile(io.BytesIO(upload.content)).namelist())


def test_a_trace_without_secrets_is_kept_as_it_is(job):
    done = recorded(job).run()

    assert {f"traces/{name}": path.read_text() for name, path in kept(done).items()} == TRACES


def test_files_of_one_name_are_kept_beside_each_other(job):
    rules = RULES | {"eval_config.yaml": config(traces=["a/*.json", "b/*.json"])}
    traces = {f"{folder}/x.json": TRACES[f"traces/{case}.json"] for folder, case in TWO.items()}
    done = recorded(job, rules, traces).run()

    assert sorted(kept(done)) == ["1-x.json", "x.json"]


TWO = {"a": "oslo", "b": "rome"}


def test_a_packed_file_stays_packed(job):
    packed = gzip.compress(TRACES["traces/paris.json"].encode())
    done = recorded(job, traces={"traces/paris.json.gz": packed}).run()
    (path,) = kept(done).values()

    assert path.name == "paris.json.gz"
    assert gzip.decompress(path.read_bytes()).decode() == TRACES["traces/paris.json"]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"\x0a\x03abc", "cannot be read as JSON, so secrets cannot be hidden in it"),
        (b'{"a": 1', "cannot be read as JSON, so secrets cannot be hidden in it"),
        (b"\x1f\x8bdamaged", "cannot be read"),
        (b'{"a": 1234567}', "cannot be read as JSON, so secrets cannot be hidden in it"),
    ],
    ids=["binary", "cut off", "damaged", "a number that is a secret"],
)
def test_what_no_secret_can_be_hidden_in_is_not_kept_and_named(job, content, why):
    job.given(mask="1234567")
    done = recorded(job, traces=TRACES | {"traces/odd.json": content}).run()
    said = f"1 of 5 trace files not kept: odd.json {why}"

    assert "odd.json" not in kept(done)
    assert said in told(done)
    assert f"# {said}" in done.report["sections"][0]["reproduce"]


def test_there_is_a_limit_in_files(job):
    rules = RULES | {"eval_config.yaml": config(traces="traces")}
    others = {f"traces/z{at}.json": f'{{"at": {at}}}' for at in range(1_000)}
    done = recorded(job, rules, TRACES | others).run()

    assert len(kept(done)) == 1_000
    assert "4 of 1,004 trace files not kept: z996.json is beyond the limit of 1,000 files" in (
        done.log
    )


def test_there_is_a_limit_in_bytes(job):
    large = gzip.compress(json.dumps({"a": "x" * 2**25}).encode())
    done = recorded(job, traces=TRACES | {"traces/large.json.gz": large}).run()

    assert len(kept(done)) == 4
    assert "large.json.gz is beyond the limit of 33,554,432 bytes in all" in done.log


def test_what_lay_in_the_folder_before_is_removed_and_not_uploaded(job):
    recorded(job)
    write(job.workspace, {"agentevals-report/traces/forged.json": TRACES["traces/oslo.json"]})
    done = job.run()
    (upload,) = job.world.uploads.values()

    assert "traces/forged.json" not in zipfile.ZipFile(io.BytesIO(upload.content)).namelist()
    assert not (done.folder / "traces/forged.json").exists()
    assert done.said("warning") == []


def test_a_link_in_the_place_of_their_folder_is_not_followed(job):
    recorded(job)
    elsewhere = job.folder / "elsewhere"
    elsewhere.mkdir()
    (job.workspace / "agentevals-report").mkdir()
    (job.workspace / "agentevals-report/traces").symlink_to(elsewhere)
    done = job.run()

    assert list(elsewhere.iterdir()) == []
    assert any("cannot be written" in text for text in done.said("warning"))


# ---- the commands do it again

GH = """#!/bin/sh
test "$1 $2 $4 $6" = "run download -n -D" || exit 9
exec "{python}" -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])' \\
  "{artifacts}/$3/$5" "$7"
"""


def repeat(job, done, section=0):
    """Run what the comment says in another clone, with nothing but the artifact of the run."""
    tools, artifacts, clone = (job.folder / name for name in ("tools", "artifacts", "clone"))
    if not clone.exists():
        (artifacts / job.environ["GITHUB_RUN_ID"]).mkdir(parents=True)
        for name, upload in job.world.uploads.items():
            (artifacts / job.environ["GITHUB_RUN_ID"] / name).write_bytes(upload.content)
        write(tools, {"gh": GH.format(python=sys.executable, artifacts=artifacts)})
        (tools / "gh").chmod(0o755)
        place = f"file://{job.origin.folder}"
        subprocess.run(["git", "clone", "--quiet", "--no-checkout", place, clone], check=True)
    commands = done.report["sections"][section]["reproduce"]
    path = os.pathsep.join((str(tools), str(Path(sys.executable).parent), os.environ["PATH"]))
    ended = subprocess.run(
        ["bash", "-e", "-c", f"{commands} --output json"],
        cwd=clone,
        env={"PATH": path, "HOME": str(job.folder / "home")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.stdout, ended.stderr
    return ended.returncode, json.loads(ended.stdout)


def verdicts(report):
    return {case["eval_case_id"]: case["verdict"] for case in report["traces"]}


@pytest.mark.parametrize("traces", [TRACES, {n: t for n, t in agent().items() if "traces" in n}])
def test_the_commands_give_the_same_verdict_elsewhere(job, traces):
    done = recorded(job, traces=traces).given(baseline="none").run()
    code, again = repeat(job, done)

    section = done.report["sections"][0]
    assert (code, again["verdict"]) == (done.code, section["verdict"])
    assert verdicts(again) == {
        case["case_id"]: case["verdict"] for case in section["report"]["cases"]
    }
    artifact = "agentevals-agentevals-evals"
    assert section["reproduce"].splitlines() == [
        f"git checkout {job.head[:12]}",
        f"gh run download 30433642 -n {artifact} -D {artifact}-30433642",
        f"agentevals run {artifact}-30433642/traces/* --config eval_config.yaml",
    ]
    assert section["reproduce"] in job.comments[0]
    assert section["reproduce"] in done.summary


def test_they_do_where_configs_read_different_traces_from_a_folder_of_their_own(job):
    home = {"agents/1": ["oslo"], "agents/2": ["oslo", "rome"]}
    rules = {
        f"{folder}/{name}": text
        for folder, cases in home.items()
        for name, text in {
            "eval_config.yaml": config(traces=[f"../../traces/{case}.json" for case in cases]),
            "eval_set.json": eval_set(*cases),
        }.items()
    }
    traces = TRACES | {"traces/rome.json": transcript("rome", "forecast")}
    recorded(job, rules, traces).given(config="1/*.yaml,2/*.yaml", working_directory="agents")
    done = job.given(baseline="none").run()

    codes = [repeat(job, done)[0]]
    clone = job.folder / "clone"
    for folder in clone.glob("agentevals-*"):
        subprocess.run(["rm", "-r", folder], check=True)
    codes.append(repeat(job, done, 1)[0])
    assert codes == [0, 1]
    assert [s["verdict"] for s in done.report["sections"]] == ["pass", "fail"]


def test_they_do_where_a_whole_folder_is_read_with_files_beside_the_traces(job):
    rules = RULES | {"eval_config.yaml": config(traces="traces")}
    traces = {n: t for n, t in agent().items() if "traces" in n} | {"traces/about.json": "{}"}
    done = recorded(job, rules, traces).given(baseline="none").run()
    code, again = repeat(job, done)

    assert (code, again["verdict"]) == (done.code, "pass")


@pytest.mark.parametrize(("change", "verdict"), [(WORSE, "fail"), ({"README.md": "x"}, "pass")])
def test_they_do_for_attempts_that_were_recorded(job, tmp_path_factory, change, verdict):
    rules = make_repository(tmp_path_factory.mktemp("home"))
    job.pull_request(rules, rules | change).given(baseline="none", paths="README.md")
    changed_repository(job, **PRIVATE)
    command, *words = RECORD
    agentevals(command, "--repeat", "2", *words, cwd=job.workspace)
    done = job.keeping_artifacts().run()
    code, again = repeat(job, done)

    assert "2 attempts" in done.log
    assert (code, again["verdict"]) == (done.code, verdict)
    assert len(again["traces"]) == len(kept(done)) - 2  # a conversation of two traces
