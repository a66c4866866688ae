"""Several configs in one run, and configs that are not where one looks first."""

import json
from pathlib import Path

import pytest

from tests.action.job import TRAJECTORY, agent, config, git, write

HOME = "services/weather"
MANY = [f"case-{number}" for number in range(5)]
BROKEN = "evaluators: [{name: tool_trajectory_avg_scor, type: builtin}]\n"


def below(folder, files):
    return {f"{folder}/{name}": text for name, text in files.items()}


def two(failing=()):
    """A repository with two agents."""
    return below("billing", agent()) | below("search", agent(failing=failing))


def sections(done):
    return {s["config"]: s["verdict"] for s in done.report["sections"]}


def test_each_config_is_a_section_of_one_comment_and_the_worst_decides(job):
    job.pull_request(two(), two(failing=["paris"])).given(config="*/eval_config.yaml")

    done = job.run()

    assert done.code == 1
    assert sections(done) == {
        "billing/eval_config.yaml": "pass",
        "search/eval_config.yaml": "fail",
    }
    assert len(job.comments) == 1
    [headline] = [text for text in job.comments[0].splitlines() if "Not ready to merge" in text]
    assert "1 of 2 configs fails (search/eval_config.yaml)" in headline
    assert "### ❌ <code>search/eval_config.yaml</code>" in job.comments[0]
    assert "| `billing/eval_config.yaml` | " in job.comments[0]


def test_configs_can_be_listed_and_left_out(job):
    job.pull_request(two(), two(failing=["paris"]))

    done = job.given(config="**/eval_config.yaml, !search/*").run()

    assert done.code == 0
    assert sections(done) == {"billing/eval_config.yaml": "pass"}


@pytest.mark.parametrize(
    ("name", "content", "sentence", "code"),
    [
        ("eval_config.yaml", BROKEN, "tool_trajectory_avg_score", 2),
        ("eval_config.yaml", "evaluators: [", "billing/eval_config.yaml", 2),
        ("eval_set.json", "{}", "eval_set", 2),
    ],
    ids=["unknown evaluator", "no YAML", "no eval set"],
)
def test_a_broken_config_does_not_hide_what_the_others_say(job, name, content, sentence, code):
    job.pull_request(two(), two(failing=["paris"]) | {f"billing/{name}": content})

    done = job.given(config="*/eval_config.yaml").run()

    assert sections(done) == {"search/eval_config.yaml": "fail"}
    assert "`paris`" in job.comments[0]
    assert any(sentence in note["message"] + note["path"] for note in done.report["notes"])
    assert done.outputs["regressed"] == "1"


@pytest.mark.parametrize(("failing", "code"), [([], 2), (["paris"], 1)])
def test_a_broken_config_is_never_a_pass(job, failing, code):
    job.pull_request(two(), two(failing=failing) | {"billing/eval_config.yaml": BROKEN})

    done = job.given(config="*/eval_config.yaml").run()

    assert done.code == code
    assert done.report["verdict"] == ("fail" if failing else "error")


def test_a_broken_config_is_named_by_every_headline_and_nobody_is_told_to_merge(job):
    broken = {f"{name}/eval_config.yaml": BROKEN for name in ("billing", "refunds")}
    job.pull_request(two(), two() | broken).given(config="*/eval_config.yaml", status="on")

    done = job.run()

    (check,), status = job.place.checks.values(), job.place.statuses[-1]
    said = (
        "Cannot tell whether to merge: 2 of 3 configs could not be evaluated "
        "(billing/eval_config.yaml, refunds/eval_config.yaml)."
    )
    assert (check["output"]["title"], check["conclusion"]) == (said, "failure")
    assert (status["state"], status["description"][: len(said)]) == ("error", said[:140])
    for page in (job.comments[0], done.summary):
        assert "Cannot tell whether to merge" in page.partition("\n\n")[0]
        assert "Ready to merge" not in page
        assert page.count("there is no builtin") == 4  # in the table, and where they are
    assert json.loads((done.folder / "badge.json").read_text())["message"] == "error"


def test_nothing_but_broken_configs_is_an_error_that_everybody_sees(job):
    job.pull_request(agent(), agent() | {"eval_config.yaml": BROKEN})

    done = job.run()

    assert (done.code, done.outputs["verdict"]) == (2, "error")
    assert f"/blob/{job.head}/eval_config.yaml#L1): there is no builtin" in job.comments[0]
    assert "did you mean" in done.summary
    assert "::error file=eval_config.yaml,line=1,endLine=1,col=21::there is no builtin" in done.log
    assert next(iter(job.place.checks.values()))["conclusion"] == "failure"


def test_what_is_wrong_with_a_config_is_at_its_line(job):
    job.pull_request(agent(), agent() | {"eval_config.yaml": BROKEN})
    job.github.permissions["checks"] = "none"

    done = job.run()

    lines = done.log.splitlines()
    assert [text for text in lines if text.startswith("::error file=eval_config.yaml,line=1")]


@pytest.mark.parametrize("fail_on", ["never", "error", "regressed", "failed"])
def test_a_config_that_is_wrong_fails_the_step_whatever_fails_it_otherwise(job, fail_on):
    job.pull_request(agent(), agent() | {"eval_config.yaml": BROKEN}).given(fail_on=fail_on)

    done = job.run()

    assert done.code == 2


@pytest.mark.parametrize(
    ("fail_on", "code"), [("failed", 1), ("regressed", 0), ("error", 0), ("never", 0)]
)
def test_what_failed_before_fails_the_step_only_where_that_is_asked_for(job, fail_on, code):
    job.pull_request(agent(failing=["rome"]), agent(failing=["rome"]) | {"x": "y"})
    job.given(fail_on=fail_on, paths="x")

    done = job.run()

    assert (done.code, done.outputs["failed"], done.outputs["regressed"]) == (code, "1", "0")


# ---- where configs lie


def test_a_working_directory_is_where_everything_is_relative_to(job):
    job.pull_request(below(HOME, agent()), below(HOME, agent(failing=["paris"])))
    job.given(working_directory=HOME, traces="traces/*.json", eval_set="eval_set.json")

    done = job.run()

    assert (done.code, done.outputs["regressed"]) == (1, "1")
    assert done.outputs["report"] == f"{HOME}/agentevals-report"
    assert sections(done) == {f"{HOME}/eval_config.yaml": "fail"}


@pytest.mark.parametrize("recorded", ["pull_request", "pull_request_target"])
def test_links_lead_to_the_trace_whatever_the_working_directory_is(job, recorded):
    job.pull_request(
        below(HOME, agent()), below(HOME, agent(failing=["paris"])), recorded=recorded
    ).given(working_directory=HOME)

    done = job.run()

    shown = done.report["sections"][0]["highlights"][0]
    assert shown["trace"] == {"path": f"{HOME}/traces/paris.json", "line": 1}
    assert shown["reasons"][0]["rule"]["path"] == f"{HOME}/eval_config.yaml"
    assert f"/blob/{job.head}/{HOME}/traces/paris.json#L1" in job.comments[0]


def test_how_to_reproduce_it_starts_in_the_working_directory(job):
    job.pull_request(below(HOME, agent()), below(HOME, agent(failing=["paris"])))

    done = job.given(working_directory=HOME).run()

    lines = done.report["sections"][0]["reproduce"].splitlines()
    assert lines[1:] == [f"cd {HOME}", "agentevals run --config eval_config.yaml"]


@pytest.mark.parametrize("place", ["", "evals", "weather"])
def test_a_config_is_found_where_configs_usually_lie(job, place):
    name = f"{place}/eval_config.yaml" if place else "eval_config.yaml"
    files = agent() if not place else below(place, agent())
    job.pull_request(files, files | {"x": "y"}).given(paths="x")

    done = job.run()

    assert sections(done) == {name: "pass"}


def test_without_a_config_anywhere_it_is_said_how_to_get_one(job):
    job.pull_request({"README.md": ""}, {"README.md": "!"})

    done = job.run()

    assert (done.code, done.outputs["verdict"]) == (2, "error")
    assert "agentevals init" in job.comments[0]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"config": "evals/eval_confg.yaml"}, "no file"),
        ({"config": "nowhere/*.yaml"}, "no file matches nowhere/*.yaml"),
        ({"config": "../outside.yaml"}, "leads out of the workspace"),
        ({"config": "/etc/passwd"}, "leads out of the workspace"),
        ({"working_directory": "../.."}, "leads out of the workspace"),
        ({"working_directory": "nowhere"}, "there is no folder"),
        ({"eval_set": "nowhere.json"}, "there is no file"),
        ({"traces": "/etc/*"}, "leads out of the workspace"),
        ({"report_dir": "/etc/agentevals"}, "leads out of the workspace"),
    ],
)
def test_a_path_that_leads_nowhere_or_outside_is_a_sentence(job, given, sentence):
    job.pull_request(agent(), agent(failing=["rome"])).given(**given)

    done = job.run()

    assert sentence in done.log
    assert "Traceback" not in done.log
    assert done.code == (1 if "report_dir" in given else 2)


def test_a_link_to_outside_is_not_followed_by_a_config(job):
    head = agent() | {"traces/paris.json": Path("/etc/hostname")}
    job.pull_request(agent(), head)

    done = job.run()

    assert done.code != 0
    assert git(job.workspace, "rev-parse", "HEAD") == job.head
    assert Path("/etc/hostname").read_text().strip() not in done.log


@pytest.mark.parametrize(
    "named",
    [
        {"traces": "/etc/hostname"},
        {"traces": "../../secret.json"},
        {"eval_set": "/etc/hostname"},
        {"eval_set": "../secret.json"},
        {"evaluators": [{"name": "x", "type": "code", "path": "../secret.py"}]},
        {"evaluators": [{"name": "x", "type": "code", "path": "/bin/sh"}]},
    ],
    ids=str,
)
def test_a_config_names_nothing_outside_of_the_repository(job, named):
    keys = dict(named)
    text = config(*keys.pop("evaluators", ()), **keys)
    job.pull_request(agent(), agent() | {"eval_config.yaml": text}, recorded="pull_request_fork")
    write(job.folder, {"secret.json": "not to be seen", "secret.py": "print('not to be seen')"})

    done = job.run()

    assert (done.code, done.report["verdict"]) == (2, "error")
    assert "not to be seen" not in done.log + done.text
    assert Path("/etc/hostname").read_text().strip() not in done.text


def test_evaluators_of_two_configs_do_not_meet(job):
    strict = config(TRAJECTORY | {"name": "strict", "type": "tool_trajectory_avg_score"})
    job.pull_request(two(), two() | {"search/eval_config.yaml": strict})

    done = job.given(config="*/eval_config.yaml").run()

    assert [s["report"]["evaluators"] for s in done.report["sections"]] == [
        ["tool_trajectory_avg_score"],
        ["strict"],
    ]


def test_github_is_asked_for_baselines_once_and_not_for_each_config(job):
    """A token has a thousand requests an hour."""
    names = [f"agent-{number}" for number in range(4)]
    every = {k: text for name in names for k, text in below(name, agent(cases=MANY)).items()}
    job.given(config="*/eval_config.yaml").keeping_artifacts().pushed(every).run()
    job.ended()
    job.proposed(every | below(names[0], agent(failing=[MANY[0]], cases=MANY)))
    asked = len(job.github.requests())
    done = job.run()
    read = [request.path for request in job.github.requests()[asked:] if request.method == "GET"]

    assert (len(sections(done)), done.outputs["regressed"]) == (len(names), "1")
    for part in ("/check-runs", "/workflows/", "/artifacts"):
        assert len([path for path in read if part in path.partition("?")[0]]) <= 2, part
