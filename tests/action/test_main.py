"""A step from the outside: what the runner starts, and what it gets back."""

import json
from io import StringIO

import pytest

from agentevals.action import main
from agentevals.github.runner.step_outputs import OUTPUTS
from tests.action.job import agent, config, write
from tests.report.pages.harmless import COMMAND
from tests.stand_in.faults import Fault

WORSE = agent(failing=["paris"])
A_MINUTE = 60.0


# ---- alone, as the container runs it


def test_a_regression_is_said_and_fails_the_step(job):
    job.pull_request(agent(), WORSE)

    done = job.run_alone()

    assert done.code == 1, done.log
    assert done.outputs["verdict"] == "failed"
    assert done.outputs["regressed"] == "1"
    assert "`paris`" in job.comments[0]


def test_what_lies_in_the_workspace_is_never_imported(job):
    """The working directory is the checkout of a pull request, which may hold anything."""
    planted = "raise SystemExit('imported from the pull request')\n"
    names = ("yaml", "pydantic", "msgspec", "sitecustomize", "usercustomize", "agentevals", "json")
    job.pull_request(agent(), WORSE | {f"{name}.py": planted for name in names})
    job.environ["PYTHONPATH"] = str(job.workspace)
    job.environ["PYTHONSTARTUP"] = str(job.workspace / "yaml.py")

    done = job.run_alone()

    assert "imported from" not in done.log
    assert (done.code, done.outputs["verdict"]) == (1, "failed")


SPY = """
import glob, json, os, sys
json.load(sys.stdin)
seen = [repr(dict(os.environ))]
for name in [*glob.glob("/proc/*/environ"), *glob.glob("/proc/*/cmdline"), {event!r}, {output!r}]:
    try:
        with open(name, "rb") as file:
            seen.append(file.read().decode("latin-1"))
    except OSError:
        pass
text = " ".join(seen)
issues = [word for word in {secrets!r} if word[::-1] in text]
print(json.dumps({{"score": float(not issues), "details": {{"issues": issues, "env": seen[0]}}}}))
"""


@pytest.mark.recorded
def test_no_token_reaches_an_evaluator_or_anything_that_is_written(job):
    runtime = job.keeping_artifacts().environ["ACTIONS_RUNTIME_TOKEN"]
    job.environ |= {"GITHUB_TOKEN": "ghs_" + "a1" * 18, "OPENAI_API_KEY": "sk-" + "b2" * 20}
    secrets = [
        job.github.token,
        runtime,
        job.environ["GITHUB_TOKEN"],
        job.environ["OPENAI_API_KEY"],
    ]
    spy = SPY.format(
        secrets=[secret[::-1] for secret in secrets],  # not to be found in its own text
        event=str(job.folder / "files" / "event.json"),
        output=str(job.folder / "files" / "output"),
    )
    evaluator = {"name": "spy", "type": "code", "path": "evaluators/spy.py", "threshold": 1.0}
    files = agent() | {"eval_config.yaml": config(evaluator), "evaluators/spy.py": spy}
    job.pull_request(files, files | {"traces/paris.json": WORSE["traces/paris.json"]})

    done = job.run_alone()

    written = "".join(
        [
            "\n".join(
                line for line in done.log.splitlines() if not line.startswith("::add-mask::")
            ),
            done.summary,
            json.dumps(done.outputs),
            *job.comments,
            json.dumps([*job.place.checks.values()]),
            *(path.read_text() for path in done.folder.iterdir()),
            *(upload.content.decode("latin-1") for upload in job.world.uploads.values()),
        ]
    )
    assert (done.code, done.outputs["verdict"]) == (0, "passed"), done.log
    assert [secret for secret in secrets if secret in written] == []


def test_the_first_lines_of_the_log_mask_every_secret(job):
    job.keeping_artifacts().pull_request(agent(), WORSE)
    job.environ["MY_JUDGE"] = "a key of a judge\nof two lines"

    done = job.given(judge_api_key_env="MY_JUDGE").run()

    masked = [line.removeprefix("::add-mask::") for line in done.log.splitlines()]
    secrets = {job.github.token, job.environ["ACTIONS_RUNTIME_TOKEN"]}
    assert secrets | {"a key of a judge", "of two lines"} <= set(masked)
    assert "::group::" not in done.log.rpartition("::add-mask::")[0]


def test_nothing_is_written_for_the_steps_that_follow_but_outputs(job):
    job.pull_request(agent(), WORSE).run()

    files = job.folder / "files"
    assert [(files / name).read_text() for name in ("env", "path")] == ["", ""]


# ---- exit codes


@pytest.mark.recorded
def test_everything_is_well(job):
    job.pull_request(agent(failing=["paris"]), agent())

    done = job.run()

    assert (done.code, done.outputs["verdict"], done.outputs["improved"]) == (0, "passed", "1")
    assert set(done.outputs) <= set(OUTPUTS)


def test_what_somebody_wrote_is_wrong(job):
    job.pull_request(agent(), agent() | {"eval_set.json": "[]"})

    done = job.run()

    assert (done.code, done.outputs["verdict"]) == (2, "error")


def test_what_is_outside_is_not_there(job):
    job.pull_request(agent(), WORSE, recorded="pull_request_target", shallow=True)
    job.github.faults.append(Fault("GET", "/tarball/", status=502, times=99))

    done = job.run()

    assert (done.code, done.outputs["verdict"]) == (3, "error")
    assert "502" in done.log


class Surprise(dict):
    """An environment that nobody has thought of."""

    def get(self, name, default=None):
        if name == "GITHUB_EVENT_NAME":
            msg = f"::error::surprise\n##[error]{self['INPUT_GITHUB-TOKEN']}\x1b[31m\u202e"
            raise RuntimeError(msg)
        return super().get(name, default)


def test_a_bug_of_ours_is_said_with_a_traceback_that_is_only_text(job):
    job.pull_request(agent(), WORSE)
    job.environ = Surprise(job.environ)

    done = job.run()

    lines = done.log.splitlines()
    assert (done.code, done.outputs) == (4, {"verdict": "error"})
    assert "Traceback" in done.log
    assert "RuntimeError" in done.log
    assert [line for line in lines if COMMAND.match(line)] == [
        f"::add-mask::{job.github.token}",
        "::error::this is a bug in agentevals; please report it with the lines above",
    ]
    assert not {"\x1b", "\u202e", "##["} & {
        text for text in ("\x1b", "\u202e", "##[") if text in done.log
    }
    assert done.log.count(job.github.token) == 1


# ---- inputs


def test_every_mistake_in_the_inputs_is_said_at_once(job):
    job.pull_request(agent(), WORSE).given(
        command="evalute", fail_on="sometimes", jobs="many", shard="5/4", comment="of"
    )

    done = job.run()

    said = done.said("error")
    assert (done.code, done.outputs["verdict"]) == (2, "error")
    assert len(said) == 5
    assert all(text.startswith("action inputs: '") for text in said)
    assert "did you mean 'evaluate'?" in " ".join(said)
    assert job.comments == []  # `of` may have been meant for `off`


def test_an_input_that_nobody_knows_is_a_warning_with_the_nearest_name(job):
    job.pull_request(agent(), agent()).given(fail_ons="never")

    done = job.run()

    assert done.code == 0
    assert "did you mean 'fail-on'?" in done.said("warning")[0]


def test_a_secret_in_the_wrong_input_is_not_shown(job):
    job.pull_request(agent(), WORSE).given(comment=job.github.token, jobs=job.github.token)

    done = job.run()

    assert done.code == 2
    assert done.log.count(job.github.token) == 1  # the line that masks it


# ---- what the runner gives


@pytest.mark.parametrize("recorded", ["pull_request", "push", "workflow_dispatch"])
def test_without_a_token_the_verdict_is_the_same(job, recorded):
    job.pull_request(agent(), WORSE, recorded=recorded).given(github_token="")

    done = job.run()

    assert (done.code, done.outputs["verdict"]) == (1, "failed")
    assert "`paris`" in done.summary
    assert (done.folder / "report.json").is_file()
    assert job.github.requests() == []


def test_a_token_that_is_not_accepted_costs_what_needs_one(job):
    job.pull_request(agent(), WORSE).given(github_token="ghs_" + "x" * 36)

    done = job.run()

    assert (done.code, done.outputs["regressed"]) == (1, "1")
    assert any("401" in text or "token" in text for text in done.said("warning"))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "cannot be read"),
        (b"{", "is not JSON"),
        (b"\xff\xfe", "is not JSON"),
        (b"[]", "is no JSON object"),
        (b"{}", "is not as GitHub sends it"),
        (b'{"pull_request": {"number": "twelve"}}', "is not as GitHub sends it"),
        (b"[" * 100_000, "is not JSON"),
    ],
)
def test_an_event_that_cannot_be_read_is_a_sentence(job, content, sentence):
    job.pull_request(agent(), WORSE)
    path = job.folder / "files" / "event.json"
    path.unlink() if content is None else path.write_bytes(content)

    done = job.run()

    assert (done.code, done.outputs) == (2, {"verdict": "error"})
    assert sentence in done.said("error")[0]


def test_a_workspace_without_git_is_evaluated_as_it_is(job):
    job.on("push", "a" * 40, "b" * 40)
    write(job.workspace, WORSE)

    done = job.run()

    assert (done.code, done.outputs["failed"]) == (1, "1")
    assert done.against["state"] == "no-baseline"


def test_a_log_that_is_not_read_by_a_runner_has_no_commands(job):
    job.pull_request(agent(), agent() | {"eval_config.yaml": "evaluators: ["})
    del job.environ["GITHUB_ACTIONS"]
    stream = StringIO()

    code = main.run(job.environ, stream, job.time.clock)

    assert code == 2
    assert "::" not in stream.getvalue()


@pytest.mark.parametrize("recorded", ["pull_request", "pull_request_target"])
def test_a_github_that_is_not_there_is_not_waited_for(job, recorded):
    job.pull_request(agent(), agent(failing=["paris"]), recorded=recorded)
    job.given(status="on")
    for name in ("GITHUB_API_URL", "GITHUB_GRAPHQL_URL"):
        job.environ[name] = "http://127.0.0.1:9"
    done = job.run()

    assert (done.code, done.outputs["regressed"]) == (1, "1")
    assert sum(job.time.pauses) <= A_MINUTE
