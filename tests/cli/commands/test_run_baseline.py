"""`agentevals run --baseline`, from the outside; and that the gate holds without one."""

import json
import shutil

import pytest

from tests.action.job import agent, config, transcript
from tests.support import agentevals


@pytest.fixture
def folder(tmp_path):
    write(tmp_path, agent())
    return tmp_path


def write(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)


def gate(folder, **limits):
    (folder / "eval_config.yaml").write_text(config(gate=limits))


def run(folder, *words):
    return agentevals("run", "-c", "eval_config.yaml", *words, cwd=folder)


def keep(folder):
    """The run as it is now, in a file."""
    assert run(folder, "-o", "summary", "--output-file", "report=base.json").stderr == ""


def spoil(folder, *cases):
    """These cases forget to look for the place."""
    for case in cases:
        (folder / f"traces/{case}.json").write_text(transcript(case, "forecast"))


def test_a_run_is_compared_with_one_that_was_kept(folder):
    keep(folder)
    spoil(folder, "paris")

    done = run(folder, "--baseline", "base.json")

    assert done.returncode == 1
    assert "compared with base.json: 4 of 4 cases paired" in done.stdout
    assert "regressed (1)\n✗ paris" in done.stdout
    assert "    - geocode()\n      forecast()" in done.stdout


def test_against_itself_nothing_moves(folder):
    spoil(folder, "paris")
    keep(folder)

    done = run(folder, "--baseline", "base.json")

    assert done.returncode == 1
    assert "regressed" not in done.stdout
    assert "fixed" not in done.stdout


def test_a_drop_beyond_the_limit_fails_a_run_whose_failures_are_allowed(folder):
    cases = [f"c{number:02}" for number in range(30)]
    shutil.rmtree(folder / "traces")
    write(folder, agent(cases=cases))
    gate(folder, pass_rate={"at_least": 0.5, "max_drop": 0.1})
    keep(folder)
    spoil(folder, *cases[:12])

    alone, compared = run(folder), run(folder, "-b", "base.json", "-o", "json")

    assert alone.returncode == 0, alone.stdout
    assert compared.returncode == 1
    found = json.loads(compared.stdout)
    assert found["verdict"] == "fail"
    assert [f["message"] for f in found["findings"]] == [
        "gate: Pass rate is 60 %, the limit is ≥ 50 % and drop ≤ 10 pp: broken"
    ]


def test_a_report_of_the_action_serves_as_well(folder, job):
    spoiled = agent(failing=["rome"])
    job.pull_request(agent(), spoiled)
    kept = job.run().folder / "report.json"

    done = run(folder, "--baseline", str(kept))

    assert done.returncode == 0, done.stderr
    assert "fixed (1): rome" in done.stdout


def test_another_evaluator_is_said_and_not_compared(folder):
    keep(folder)
    text = (folder / "eval_config.yaml").read_text()
    (folder / "eval_config.yaml").write_text(text.replace("threshold: 1.0", "threshold: 0.5"))
    spoil(folder, "paris")

    done = run(folder, "--baseline", "base.json")

    said = "! not compared with base.json: evaluator was changed: tool_trajectory_avg_score"
    assert said in done.stdout
    assert "regressed" not in done.stdout


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "--baseline base.json: cannot be read: no such file"),
        ("{", "--baseline base.json: not valid JSON"),
        ("[]", "--baseline base.json: not a report: it is no object"),
        ('{"traces": []}', "--baseline base.json: it has no schema version"),
        ('{"schema_version": "1.0", "traces": []}', "--baseline base.json: not a report"),
    ],
)
def test_a_file_that_is_no_report_is_refused_before_anything_runs(folder, content, sentence):
    if content is not None:
        (folder / "base.json").write_text(content)

    done = run(folder, "--baseline", "base.json")

    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr
    assert "what '-o report' writes" in done.stderr


KNOWN = {"case": "paris", "reason": "known", "until": "2999-12-31"}


class TestWithoutABaseline:
    def test_a_share_that_is_reached_lets_single_failures_pass(self, folder):
        gate(folder, pass_rate={"at_least": 0.75})
        spoil(folder, "paris")

        done = run(folder)

        assert done.returncode == 0
        assert done.stdout.startswith("PASS")
        assert "✓ Pass rate  75.0 % (3/4)  ≥ 75 %" in done.stdout

    @pytest.mark.parametrize(
        ("output", "said"),
        [
            *((output, "Pass rate is 75") for output in ("table", "summary", "json", "report")),
            ("markdown", "| Pass rate | 75.0 % (3/4) | ≥ 90 % | ❌ below the limit |"),
            ("junit", '<failure message="below the limit" type="failure">'),
            ("ctrf", '"message": "below the limit"'),
        ],
    )
    def test_one_that_is_missed_fails_in_every_format(self, folder, output, said):
        gate(folder, pass_rate={"at_least": 0.9})
        spoil(folder, "paris")

        done = run(folder, "-o", output)

        assert done.returncode == 1
        assert said in done.stdout.replace("\N{NO-BREAK SPACE}", " ")

    @pytest.mark.parametrize(("until", "code"), [("2999-12-31", 0), ("2020-01-31", 1)])
    def test_an_accepted_failure_passes_until_its_last_day(self, folder, until, code):
        entry = {"case": "paris", "reason": "the provider renamed it", "until": until}
        gate(folder, accept=[entry])
        spoil(folder, "paris")

        done = run(folder)

        assert done.returncode == code
        assert f"accepted until {until}: the provider renamed it" in done.stdout

    @pytest.mark.parametrize(
        ("output", "begins"),
        [
            ("table", "PASS  3 of 4 cases passed, 1 failure accepted · "),
            ("summary", "PASS: 3 of 4 cases passed, 1 failure accepted, "),
            (
                "markdown",
                "> [!TIP]\n> **Ready to merge: 3 of 4 cases passed, 1 failure accepted.**",
            ),
        ],
    )
    def test_the_headline_of_an_accepted_failure_is_that_of_a_pass(self, folder, output, begins):
        gate(folder, accept=[KNOWN])
        spoil(folder, "paris")

        assert run(folder, "-o", output).stdout.startswith(begins)

    @pytest.mark.parametrize("accepted", [[], [KNOWN]], ids=["nothing", "paris"])
    def test_a_test_fails_in_junit_only_where_the_run_does(self, folder, accepted):
        gate(folder, accept=accepted)
        spoil(folder, "paris")

        done = run(folder, "-o", "junit", "--output-file", "junit.xml")

        written = (folder / "junit.xml").read_text()
        assert done.returncode == (0 if accepted else 1)
        assert ("<failure" in done.stdout, "<failure" in written) == (not accepted, not accepted)
        assert ("accepted until 2999-12-31: known" in written) is bool(accepted)

    def test_a_misspelt_case_is_said_with_the_one_that_was_meant(self, folder):
        gate(folder, accept=[KNOWN | {"case": "pariss"}])
        spoil(folder, "paris")

        done = run(folder)

        assert done.returncode == 1
        assert "no eval case is called 'pariss' (did you mean 'paris'?)" in done.stdout
        assert "remove" not in done.stdout

    def test_an_entry_for_a_case_that_was_not_recorded_is_kept(self, folder):
        gate(folder, accept=[KNOWN])
        (folder / "traces/paris.json").unlink()

        done = run(folder, "--allow-missing")

        assert done.returncode == 0, done.stdout
        assert "gate.accept" not in done.stdout

    def test_a_limit_against_a_base_warns_that_there_is_none(self, folder):
        gate(folder, score={"max_drop": 0.02})

        done = run(folder)

        assert done.returncode == 0
        assert (
            "Mean score is 1.00, the limit is drop ≤ 0.02: nothing to compare with" in done.stdout
        )

    def test_the_same_gate_gives_the_same_verdict_in_the_action(self, job):
        files = agent(failing=["paris"]) | {
            "eval_config.yaml": config(gate={"pass_rate": {"at_least": 0.9}})
        }
        job.pull_request(agent(), files).given(baseline="none")

        done = job.run()

        assert done.code == run(job.workspace).returncode == 1
        assert done.outputs["verdict"] == "failed"
