"""Secrets of a step are on no output and in no request, whatever the agent does with them."""

import json
import shutil

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentevals.action.config_scoring import redact_case
from agentevals.model.results import CaseReport, Verdict
from agentevals.text.redaction import Redactor
from tests.action.job import TRAJECTORY, agent, config, eval_set, transcript, write
from tests.action.leaks import (
    ALL,
    CANARIES,
    HIDDEN,
    PACKED,
    TOKENS,
    find_leaks,
    give_canaries,
    list_texts,
    slipped,
    unfold,
)
from tests.action.test_step_judges import RUBRIC, SAFETY, approve
from tests.hosted_evals import Hosted, environ, item
from tests.servers import serve

CRASH = "import sys\nraise SystemExit(sys.stdin.read())\n"
NAMED = slipped(ALL, name=f"case {ALL}", evaluator=ALL)

STATES = {
    "passed": (NAMED, NAMED | {"traces/oslo.json": transcript("oslo", "geocode", "forecast")}),
    "regressed": (slipped(), slipped(ALL)),
    "fixed": (slipped(ALL), slipped()),
    "names": (slipped(), NAMED),
    "removed": (NAMED, agent()),
    "evaluator crashed": (slipped(), slipped(ALL) | {"echo.py": CRASH}),
    "broken trace": (slipped(), slipped(ALL) | {"traces/paris.json": f'{{"{ALL}": "{ALL}'}),
    "broken config": (slipped(), slipped(ALL) | {"eval_config.yaml": f"evaluators: ['{ALL}']\n"}),
    "unknown key": (slipped(), slipped(ALL) | {"eval_config.yaml": f"? '{ALL}'\n: 1\n"}),
    "missing file": (slipped(), slipped(ALL) | {"eval_config.yaml": config(eval_set=f"{ALL}.x")}),
    "accepted": (
        slipped(),
        slipped(ALL)
        | {
            "eval_config.yaml": config(
                TRAJECTORY,
                gate={"accept": [{"case": "paris", "reason": ALL}]},
            )
        },
    ),
    "rule softened": (
        slipped(name=f"case {ALL}", evaluator=ALL),
        slipped(ALL, name=f"case {ALL}", evaluator=ALL, threshold=0.0),
    ),
    "rules changed": (
        slipped(),
        slipped(ALL) | {"eval_config.yaml": config({**TRAJECTORY, "name": ALL, "type": "code"})},
    ),
}


@pytest.mark.parametrize("state", STATES)
def test_no_secret_of_the_step_reaches_an_output_or_a_request(job, state):
    done = give_canaries(job).pull_request(*STATES[state]).run()

    assert done.outputs["verdict"]
    assert find_leaks(job, done) == {}


def test_what_is_packed_into_the_comment_and_the_check_run_is_looked_at_as_well(job):
    give_canaries(job).pushed(slipped(ALL))
    pushed = job.run()
    check = json.dumps(list(job.place.checks.values()))
    job.proposed(slipped()).run()

    assert find_leaks(job, pushed) == {}
    assert [text for text in map(unfold, PACKED.findall(check)) if "paris" in text]
    assert [text for text in map(unfold, PACKED.findall(job.comments[0])) if "eval_config" in text]


FIGURES = ("verdict", "score", "passed", "failed", "regressed", "improved")


def judge(job, state):
    """Return the exit code, the outputs, and what became of each case, without its name."""
    done = job.keeping_artifacts().given(status="on").pull_request(*STATES[state]).run()
    sections = done.report["sections"] if done.text else []
    counts = [(s["counts"], s["verdict"], s["against"]["paired"]) for s in sections]
    cases = [case for section in sections for case in section["report"]["cases"]]
    scores = [
        (case["verdict"], [(r["score"], r["status"]) for r in case["results"]]) for case in cases
    ]
    figures = [done.outputs.get(name) for name in FIGURES]
    return done.code, figures, counts, scores


@pytest.mark.parametrize("state", STATES)
def test_what_is_hidden_changes_no_pairing_no_score_and_no_verdict(job, twin, state):
    give_canaries(job)

    assert judge(job, state) == judge(twin, state)


NAMES = st.lists(st.sampled_from(["canary", "canary-b", "a", "-", " ", TOKENS[1]]), min_size=1)
REPORTS = st.builds(
    CaseReport,
    case_id=NAMES.map("".join),
    verdict=st.sampled_from(Verdict),
    score=st.none() | st.floats(0, 1),
    trace_ids=st.lists(NAMES.map("".join), max_size=2).map(tuple),
    user=NAMES.map("".join),
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(before=st.lists(REPORTS, max_size=4), after=st.lists(REPORTS, max_size=4))
def test_cases_are_paired_by_hidden_names_as_by_their_own(before, after):
    redact = Redactor(["canary", "canary-b"])

    def pair(base, head):
        return [
            [(a.verdict, a.score, [t in b.trace_ids for t in a.trace_ids]) for b in base]
            for a in head
            for b in base
            if a.case_id == b.case_id
        ]

    hidden = [[redact_case(case, redact) for case in side] for side in (before, after)]
    assert pair(*hidden) == pair(before, after)
    assert "canary" not in repr(hidden)


@pytest.mark.parametrize("recorded", ["pull_request_fork", "pull_request_target", "merge_group"])
def test_none_does_at_other_events(job, recorded):
    done = give_canaries(job).pull_request(slipped(), NAMED, recorded=recorded).run()

    assert "***" in done.text
    assert find_leaks(job, done) == {}


def say_at(place):
    """An agent that says each secret in a text of its own, from this place of the text on."""
    texts = ["x" * place + HIDDEN[name] + " x" * 200 for name in WHOLE]
    return json.dumps(dict(zip("abcdefgh", texts, strict=False)))


WHOLE = ("SOMETHING", "DEPLOY_CREDENTIAL", "token 0", "token 1")
PLACES = range(0, 320, 7)


def test_none_does_in_part_wherever_a_text_is_cut(job):
    names = [f"at {place}" for place in PLACES]
    recorded = [json.loads(transcript(name, "geocode", "forecast")) for name in names]
    for place, talk in zip(PLACES, recorded, strict=True):
        said = say_at(place)
        talk["messages"][0]["content"] = talk["messages"][-1]["content"] = said
        talk["messages"][1]["tool_calls"][0]["function"]["arguments"] = said
    rules = config(TRAJECTORY, {"name": "echo", "type": "code", "path": "./echo.py"})
    files = slipped() | {"eval_config.yaml": rules, "eval_set.json": eval_set(*names)}
    traces = {f"traces/{at}.json": json.dumps(talk) for at, talk in enumerate(recorded)}
    done = give_canaries(job).pull_request(agent(), files | traces).run()

    parts = {HIDDEN[name][: len(HIDDEN[name]) * 3 // 4] for name in WHOLE}
    ends = {HIDDEN[name][len(HIDDEN[name]) // 4 :] for name in WHOLE[:2]}
    texts = list(list_texts(job, done))
    assert "***…" in json.dumps(done.report, ensure_ascii=False)
    assert [part for part in parts | ends for text in texts if part in text] == []


def say_in_spans(said):
    """A recording that says this in attributes, their keys, names, ids and nested values."""
    kv = {"kvlistValue": {"values": [{"key": said, "value": {"stringValue": said}}]}}
    attributes = [
        {"key": "gen_ai.input.messages", "value": {"stringValue": json.dumps([{"content": said}])}},
        {"key": "gen_ai.tool.name", "value": {"stringValue": said}},
        {"key": said, "value": {"arrayValue": {"values": [{"stringValue": said}, kv]}}},
        {"key": "aws_secret_access_key", "value": {"stringValue": "a1B2" * 10}},
    ]
    span = {"traceId": "5" * 32, "spanId": "6" * 16, "name": said, "attributes": attributes}
    scope = {"scope": {"name": said}, "spans": [span | {"status": {"message": said}}]}
    return {"resourceSpans": [{"resource": {"attributes": attributes}, "scopeSpans": [scope]}]}


def escape(text, said):
    """JSON as others may write it: with escapes of letters that need none."""
    return text.replace(said, "".join(f"\\u{ord(letter):04x}" for letter in said))


@pytest.mark.parametrize("said", [ALL, *HIDDEN.values()])
def test_none_does_in_traces_that_are_kept(job, said):
    files = slipped(said)
    rules = {name: text for name, text in files.items() if not name.startswith("traces/")}
    spans = json.dumps(say_in_spans(said))
    give_canaries(job).given(keep_traces="on").pull_request(rules, rules | {"README.md": "x"})
    recorded = {
        "traces/paris.json": files["traces/paris.json"],
        "traces/escaped.json": escape(files["traces/paris.json"], said),
        "traces/spans.jsonl": f"{spans}\n{spans}\n",
        "traces/more.jsonl": escape(spans, said),
        "traces/cut.json": spans[:-20],
        f"traces/{said.replace('/', '-')[:80]}.json": spans,
    }
    write(job.workspace, recorded)
    done = job.run()
    kept = {path.name: path.read_text() for path in (done.folder / "traces").iterdir()}

    assert {"paris.json", "escaped.json", "spans.jsonl", "more.jsonl"} < set(kept)
    assert "cut.json" not in kept
    read = [json.loads(line) for text in kept.values() for line in text.splitlines()]
    texts = [json.dumps(value, ensure_ascii=False) for value in read]
    assert [text for text in texts if "***" not in text or "a1B2a1B2" in text] == []
    assert [name for name in HIDDEN for text in texts if HIDDEN[name] in text] == []
    assert find_leaks(job, done) == {}


def test_none_does_where_requests_are_only_shown(job):
    done = give_canaries(job).given(dry_run="true").pull_request(slipped(), NAMED).run()

    assert "POST" in done.log
    assert find_leaks(job, done) == {}


def test_none_does_in_the_sections_of_several_configs(job):
    home = {f"agents/{number}/{name}": NAMED[name] for number in (1, 2) for name in NAMED}
    before = {f"agents/{n}/{name}": text for n in (1, 2) for name, text in slipped().items()}
    give_canaries(job).given(config="agents/*/eval_config.yaml", matrix=json.dumps({"for": ALL}))
    done = job.pull_request(before, home).run()

    assert len(done.report["sections"]) == 2
    assert find_leaks(job, done) == {}


def test_a_masked_path_is_hidden_and_its_config_is_still_paired(job):
    home, mask = "agents/canary-corp", "canary-corp\ntraces/paris.json"
    before, after = (
        {f"{home}/{name}": text for name, text in files.items()}
        for files in (slipped(), slipped(ALL))
    )
    give_canaries(job).given(config=f"{home}/eval_config.yaml", baseline="artifact", mask=mask)
    job.pushed(before).run()
    job.ended()
    job.proposed(after)
    job.github.exchanges.clear()
    done = job.run()

    assert (done.outputs["regressed"], done.against["paired"]) == ("1", 3)
    texts = list(list_texts(job, done))
    assert [text for text in texts if "canary-corp" in text or "traces/paris.json" in text] == []


def test_none_does_from_a_baseline_that_hid_nothing(job):
    job.keeping_artifacts().pushed(NAMED).run()
    job.ended()
    job.github.exchanges.clear()
    shutil.rmtree(job.workspace / "agentevals-report")
    give_canaries(job).given(baseline="artifact").proposed(slipped())
    done = job.run()

    assert done.against["origin"]["source"] == "artifact"
    assert find_leaks(job, done) == {}


# ---- judges


HOSTED = {
    "name": "alike",
    "type": "openai_eval",
    "backend": "api",
    "grader": {"type": "text_similarity", "evaluation_metric": "fuzzy_match"},
}


@pytest.mark.parametrize(
    ("evaluator", "answer"),
    [(SAFETY, approve), (RUBRIC, approve), (HOSTED, Hosted(item(0, 0.9)))],
    ids=["builtin", "rubric", "hosted"],
)
@pytest.mark.recorded
def test_a_judge_gets_no_secret_that_a_trace_repeats(job, monkeypatch, evaluator, answer):
    settings = {"model": CANARIES["JUDGE_NAME"], "samples": 1, "cache": False, "retries": 0}
    rules = {"eval_config.yaml": config(evaluator, judge=settings)}
    with serve(answer) as server:
        for name, value in environ(server).items():
            monkeypatch.setenv(name, value)
            job.environ[name] = value
        before = slipped() | rules
        done = give_canaries(job).pull_request(before, slipped(ALL) | rules).run()

    asked = [json.loads(seen.body) for seen in server.seen if seen.body]
    models = {document.pop("model", None) for document in asked}
    said = json.dumps(asked)
    assert "***" in said
    assert [name for name in HIDDEN if HIDDEN[name] in said] == []
    assert models <= {CANARIES["JUDGE_NAME"], None}
    assert done.outputs["verdict"] == "passed"
    assert find_leaks(job, done) == {}


def test_a_secret_in_names_changes_neither_pairing_nor_scores(job):
    job.environ |= {"DEPLOY_TOKEN": "ordinary-name-7"}
    cases = ("ordinary-name-7", "ordinary-name-7 and more", "plain")
    files = {
        "eval_config.yaml": config(TRAJECTORY),
        "eval_set.json": eval_set(*cases),
        **{
            f"traces/{number}.json": transcript(case, "geocode", "forecast")
            for number, case in enumerate(cases)
        },
    }
    worse = files | {"traces/0.json": transcript(cases[0], "forecast")}
    done = job.pull_request(files, worse).run()

    report = done.report["sections"][0]["report"]
    ids = [case["case_id"] for case in report["cases"]]
    assert (done.outputs["regressed"], len(set(ids))) == ("1", 3)
    assert "ordinary-name-7" not in json.dumps(ids)


def test_a_value_is_hidden_also_where_only_its_key_tells_that_it_is_secret():
    case = CaseReport(
        case_id="paris",
        verdict=Verdict.PASS,
        performance={"aws_secret_access_key": "a1B2" * 10, "region": "eu"},
    )

    redacted = redact_case(case, Redactor())

    assert redacted.performance == {"aws_secret_access_key": "***", "region": "eu"}
    assert (redacted.case_id, redacted.verdict) == (case.case_id, case.verdict)


def test_a_text_that_is_too_short_to_hide_ends_the_step(job):
    job.environ["PIN"] = "123"
    done = job.given(mask="PIN").pull_request(agent(), agent()).run()

    assert done.code == 2
    assert any("'mask': entry 1" in text for text in done.said("error"))


def test_every_canary_is_a_secret_of_its_own():
    assert len(HIDDEN) > len(CANARIES)
    assert all(secret in ALL for secret in HIDDEN.values())
