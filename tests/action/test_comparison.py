"""What a reviewer is told about a change: through the front door, from two commits to a comment."""

import gzip
import json
import re

import pytest

from tests.action.job import CITIES, REPOSITORY, TRAJECTORY, agent, config, eval_set, transcript

WORSE = agent(failing=["paris"])


def section(done):
    return done.report["sections"][0]


def shown(done):
    return {one["case_id"]: one for one in section(done)["highlights"]}


def kinds(done):
    return {name: one["kind"] for name, one in shown(done).items()}


def gate(done, figure="pass_rate"):
    return next(one for one in section(done)["gates"] if one["figure"] == figure)


def judged_by(*evaluators, **keys):
    return {"eval_config.yaml": config(*evaluators, **keys)}


# ---- what moved


def test_a_comment_tells_what_regressed_what_was_fixed_and_how_the_path_differs(job):
    job.pull_request(agent(failing=["rome"]), WORSE)

    done = job.run()

    assert kinds(done) == {"paris": "regressed", "rome": "fixed"}
    (comment,) = job.comments
    assert "#### Regressed (1)" in comment
    assert "✅\xa0pass\xa01.00 → ❌\xa0fail\xa00.00" in comment
    assert "- geocode()\n  forecast()" in comment
    assert "**Fixed:** `rome`" in comment


def test_cases_that_come_go_and_change_are_told_apart(job):
    base = agent(failing=["rome"], cases=("oslo", "paris", "rome"))
    head = agent(cases=("oslo", "paris", "lima"))
    changed = json.loads(head["eval_set.json"])
    turn = changed["eval_cases"][1]["conversation"][0]
    turn["final_response"] = {"parts": [{"text": "Take an umbrella."}]}
    head["eval_set.json"] = json.dumps(changed)
    job.pull_request(base, head)

    done = job.run()

    assert kinds(done) == {"rome": "removed", "lima": "added", "paris": "changed"}
    assert section(done)["against"]["paired"] == 1


def test_a_case_that_is_taken_away_while_it_fails_is_said_aloud(job):
    job.pull_request(
        agent(failing=["rome"]), agent(cases=[case for case in CITIES if case != "rome"])
    )

    done = job.run()

    assert done.code == 1  # until somebody approves it
    assert section(done)["counts"]["removed_failing"] == 1
    assert "⚠️ **1 failing case removed**: `rome`" in job.comments[0]
    assert "1 case removed while failing" in job.comments[0].split("\n")[2]


def test_a_case_with_another_name_is_one_that_went_and_one_that_came(job):
    cases = ("oslo", "paris", "quito", "roma")
    job.pull_request(agent(), agent(cases=cases, failing=["roma"]))

    done = job.run()

    assert kinds(done) == {"rome": "removed", "roma": "added"}
    assert done.code == 1
    assert "**Removed:** `rome` (now `roma`?)" in job.comments[0]


def test_repeats_that_do_not_agree_are_flaky(job):
    repeated = agent() | {
        "traces/paris-2.json": transcript("paris", "forecast"),
        "traces/paris-3.json": transcript("paris", "geocode", "forecast", answer="Sunny."),
    }
    job.pull_request(repeated, repeated | {"traces/oslo-2.json": agent()["traces/oslo.json"]})

    done = job.run()

    assert kinds(done) == {"paris": "flaky"}
    assert "`paris` (2 of 3 attempts passed, 2 of 3 on the base)" in job.comments[0]


# ---- evidence that is missing


def withheld(*cases):
    """Recordings whose instrumentation captured no message, though the model asked for a tool."""
    return {
        f"traces/{case}.json": json.dumps(
            {
                "resourceSpans": [
                    {
                        "scopeSpans": [
                            {"scope": {"name": "strands.tracing"}, "spans": [_request(at, case)]}
                        ]
                    }
                ]
            }
        )
        for at, case in enumerate(cases, start=1)
    }


def _request(number, case):
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "m",
        "gen_ai.response.finish_reasons": "tool_calls",
        "agentevals.eval.case.id": case,
    }
    return {
        "traceId": f"{number:032x}",
        "spanId": f"{number:016x}",
        "name": "chat m",
        "startTimeUnixNano": "1000",
        "endTimeUnixNano": "2000",
        "attributes": [
            {"key": key, "value": {"stringValue": value}} for key, value in attributes.items()
        ],
    }


def test_a_pull_request_whose_recordings_lost_their_messages_is_not_evaluated(job):
    job.pull_request(agent(), agent() | withheld("paris", "rome")).given(check="on")

    done = job.run()

    (check,), (comment,) = job.place.checks.values(), job.comments
    assert (done.code, done.outputs["verdict"]) == (1, "not-evaluated")
    assert (done.outputs["regressed"], done.outputs["failed"]) == ("0", "2")
    assert kinds(done) == {"paris": "not-evaluated", "rome": "not-evaluated"}
    assert check["output"]["title"] == "Not evaluated: 2 of 4 cases lack evidence."
    assert "**Not evaluated: 2 of 4 cases lack evidence.**" in comment
    assert comment.count("Set OTEL") == 1
    assert "**2 cases are not compared with the base**" in comment
    assert gate(done)["pairs"] == 2
    warned = [text for text in done.said("warning") if "Not recorded: the tool calls" in text]
    assert len(warned) <= 1


@pytest.mark.recorded
def test_recordings_that_have_messages_again_are_not_called_fixed(job):
    job.pull_request(agent() | withheld("paris"), agent())

    done = job.run()

    assert (done.code, done.outputs["verdict"], done.outputs["improved"]) == (0, "passed", "0")
    assert kinds(done) == {}
    assert "**1 case is not compared with the base**" in job.comments[0]


@pytest.mark.recorded
def test_a_config_that_allows_it_is_told_to_merge_with_care(job):
    softer = {"eval_config.yaml": config(gate={"on_not_evaluated": "warn"})}
    job.pull_request(agent() | softer, agent() | softer | withheld("paris"))

    done = job.run()

    assert (done.code, done.outputs["passed"], done.outputs["failed"]) == (0, "3", "0")
    assert "**Can be merged, with care: 1 of 4 cases lacks evidence.**" in job.comments[0]


# ---- what cannot be compared


@pytest.mark.parametrize(
    ("base", "head", "reason"),
    [
        (
            judged_by(TRAJECTORY),
            judged_by(TRAJECTORY | {"threshold": 0.5}),
            "evaluator was changed: tool_trajectory_avg_score",
        ),
        (
            judged_by(TRAJECTORY),
            judged_by(TRAJECTORY, {"name": "tool_call_count_v1", "type": "builtin", "max": 9}),
            "evaluator was added: tool_call_count_v1",
        ),
        (
            judged_by(TRAJECTORY, {"name": "tool_call_count_v1", "type": "builtin", "max": 9}),
            judged_by(TRAJECTORY),
            "evaluator was removed: tool_call_count_v1",
        ),
        (
            judged_by(TRAJECTORY),
            judged_by(TRAJECTORY, gate={"on_not_evaluated": "warn"}),
            "other rules for when a case passes",
        ),
        (
            {"polite.py": "print('{\"score\": 1}')"}
            | judged_by(TRAJECTORY, {"name": "polite", "type": "code", "path": "polite.py"}),
            {"polite.py": "print('{\"score\": 0.9}')"}
            | judged_by(TRAJECTORY, {"name": "polite", "type": "code", "path": "polite.py"}),
            "evaluator was changed: polite",
        ),
    ],
    ids=["threshold", "added", "removed", "rules", "program"],
)
def test_what_judges_otherwise_is_said_and_never_compared_silently(job, base, head, reason):
    job.pull_request(agent() | base, WORSE | head).given(baseline="merge-base")

    done = job.run()

    assert (done.against["state"], done.against["reason"]) == ("incompatible", reason)
    assert gate(done)["base"] is None
    assert gate(done)["change"] == "incompatible"
    assert f"**Not compared with the base:** {reason}" in job.comments[0]


def test_another_eval_set_changes_the_cases_and_they_are_not_compared(job):
    other = {"eval_set.json": eval_set(*CITIES, calls=["forecast"])}
    job.pull_request(agent(), agent() | other)

    done = job.run()

    assert done.against["state"] == "no-baseline"
    assert done.against["reason"] == "the baseline has no case in common with this run"
    assert set(kinds(done).values()) == {"failing"}


def test_a_baseline_that_is_too_old_is_not_compared_with(job):
    limited = judged_by(gate={"max_baseline_age_days": 7})
    job.keeping_artifacts().pushed(agent() | limited).run()
    job.ended()
    job.given(baseline="artifact")

    done = job.proposed(WORSE | limited).run()

    assert done.against["state"] == "stale"
    assert re.fullmatch(r"the baseline is \d+ days old, and 7 are allowed", done.against["reason"])


# ---- what decides


@pytest.mark.parametrize("head", [WORSE, agent()], ids=["one fell", "none did"])
@pytest.mark.recorded
def test_too_few_cases_to_tell_are_said_whether_one_of_them_fell_or_none(job, head):
    limited = judged_by(gate={"pass_rate": {"at_least": 0.5, "max_drop": 0.02}})
    job.pull_request(agent() | limited, head | limited | {"README.md": ""}).given(paths="README.md")

    done = job.run()

    assert (done.code, gate(done)["change"], gate(done)["warns"]) == (0, "underpowered", True)
    assert "⚠️ too few cases to tell, " in job.comments[0]
    assert "**Can be merged, with care: the gate could not be checked.**" in job.comments[0]


@pytest.mark.parametrize(
    ("limits", "code", "words"),
    [
        ({"pass_rate": {"at_least": 0.75}}, 0, "≥ 75 %"),
        ({"pass_rate": {"at_least": 0.8}}, 1, "below the limit"),
        ({"score": {"at_least": 0.8}, "pass_rate": {"at_least": 0.5}}, 1, "below the limit"),
        ({"evaluators": {"tool_trajectory_avg_score": {"at_least": 0.9}}}, 1, "below the limit"),
        ({"cost": {"at_most": 1}, "pass_rate": {"at_least": 0}}, 1, "not evaluated"),
        (
            {"score": {"max_drop": 0.5}, "on_no_baseline": "fail"},
            1,
            "drop ≤ 0.5",
        ),
    ],
    ids=str,
)
def test_limits_decide_and_are_shown(job, limits, code, words):
    limited = judged_by(gate=limits)
    job.pull_request(agent() | limited, WORSE | limited)

    done = job.run()

    assert done.code == code
    assert words in job.comments[0].replace("\xa0", " ")


@pytest.mark.parametrize(
    ("until", "code", "words"),
    [("2099-12-31", 0, "Accepted (1)"), ("2020-01-31", 1, "1 acceptance has expired")],
)
def test_an_accepted_regression_is_shown_until_its_last_day(job, until, code, words):
    entry = {"case": "paris", "reason": "the provider renamed it", "until": until}
    accepting = judged_by(gate={"accept": [entry]})
    job.pull_request(agent() | accepting, WORSE | accepting)

    done = job.run()

    assert done.code == code
    assert words in job.comments[0]


@pytest.mark.recorded
def test_every_output_begins_alike_where_a_failure_is_accepted(job):
    entry = {"case": "paris", "reason": "the provider renamed it", "until": "2099-12-31"}
    accepting = judged_by(gate={"accept": [entry]})
    job.pull_request(agent() | accepting, WORSE | accepting)

    done = job.given(check="on", status="on").run()

    assert "PASS  3 of 4 cases passed, 1 failure accepted" in done.log
    headline = "Ready to merge: 3 of 4 cases passed, 1 failure accepted."
    [check] = job.place.checks.values()
    assert check["output"]["title"] == headline
    assert job.place.statuses[-1]["description"].startswith(headline)
    assert headline in job.comments[0]
    assert headline in done.summary
    assert json.loads((done.folder / "badge.json").read_text())["message"].endswith("1 accepted")


def test_the_log_says_what_the_step_comes_to(job):
    job.pull_request(WORSE, WORSE | {"traces/oslo.json": agent()["traces/oslo.json"] + "\n"})

    done = job.given(fail_on="regressed").run()

    assert done.code == 0
    assert "PASS  3 of 4 cases passed, 1 failure tolerated" in done.log


@pytest.mark.parametrize(("fail_on", "code"), [("failed", 1), ("regressed", 0), ("never", 0)])
def test_what_failed_before_fails_as_the_input_says(job, fail_on, code):
    job.pull_request(WORSE, WORSE | {"traces/oslo.json": agent()["traces/oslo.json"] + "\n"})

    done = job.given(fail_on=fail_on).run()

    assert done.code == code
    assert kinds(done) == {"paris": "failing"}


# ---- where it is


def link(job, path, line=None):
    at = f"#L{line}" if line else ""
    return f"{job.github.root}/{REPOSITORY}/blob/{job.head}/{path}{at})"


def test_links_lead_to_the_line_of_the_trace_and_of_the_rule_at_the_head(job):
    listed = "".join(
        transcript(case, *(("geocode", "forecast") if case != "quito" else ("forecast",)))
        for case in CITIES
    )
    head = {name: text for name, text in agent().items() if not name.startswith("traces/")}
    job.pull_request(agent(), head | {"traces/all.jsonl": listed})

    job.run()

    rule = config().splitlines().index("- name: tool_trajectory_avg_score") + 1
    assert link(job, "traces/all.jsonl", 3) in job.comments[0]
    assert link(job, "eval_config.yaml", rule) in job.comments[0]


def test_in_a_document_of_many_lines_the_line_is_that_of_the_conversation(job):
    document = json.loads(transcript("paris", "forecast"))
    job.pull_request(agent(), agent() | {"traces/paris.json": json.dumps(document, indent=2)})

    job.run()

    assert link(job, "traces/paris.json", 2) in job.comments[0]


def test_a_compressed_trace_is_linked_without_a_line(job):
    head = {name: text for name, text in agent().items() if name != "traces/paris.json"}
    packed = gzip.compress(transcript("paris", "forecast").encode(), mtime=0)
    job.pull_request(agent(), head | {"traces/paris.json.gz": packed})

    job.run()

    assert link(job, "traces/paris.json.gz") in job.comments[0]


# ---- again and again


def test_the_same_content_again_flips_nothing_and_says_the_same_words(job):
    files = agent(failing=["rome"])
    job.pull_request(files, files | {"README.md": "Only words."}).given(paths="README.md")

    first = job.run()
    comments = job.comments
    again = job.run()

    assert (first.code, again.code) == (1, 1)
    assert section(first)["counts"]["regressed"] == section(first)["counts"]["fixed"] == 0
    compared = [one["change"] for one in section(first)["gates"] if one["pairs"]]
    assert set(compared) == {"unchanged"}
    assert unhurried(job.comments) == unhurried(comments)


def unhurried(comments):
    """Without what two runs may take differently long."""
    return [re.sub(r"\d+(\.\d+)? (ms|s)\b", "", comment) for comment in comments]


def test_the_trend_of_five_pushes_is_shown(job):
    for failing in (CITIES, CITIES[:3], CITIES[:2], CITIES[:1], ()):
        job.pushed(agent(failing=failing)).run()

    done = job.proposed(WORSE).run()

    rates = [point["pass_rate"] for point in section(done)["trend"]]
    assert rates == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert "Trend of <code>main</code>: pass rate ▃▄▅▇█ 100.0" in job.comments[0]
