"""Which cases are variants of one task: `gate.cluster`, in each dialect that has a gate."""

import json

import pytest

from agentevals.compare.case_summaries import keep_case
from agentevals.configs.plan import Expectation, Plan
from agentevals.model.policy import Policy
from agentevals.report import untrusted_report
from agentevals.run.families import Families
from tests.support import agentevals, case

JUDGED = [{"name": "tool_call_count_v1", "type": "builtin", "max": 9}]
# one recording for each question, without ids
ASKED = ("Where is my order?", "Where is my parcel?", "Who are you?")
LABELS = [{"x-topic": "orders"}, {"x-topic": "orders"}, {"x-topic": "chat"}]


def record(folder, *more):
    """Three recordings in a file; `more` are members of each."""
    lines = [
        {"messages": [{"role": "user", "content": text}, {"role": "assistant", "content": "Hi."}]}
        for text in ASKED
    ]
    told = more or ({},) * len(lines)
    text = "".join(json.dumps(a | b) + "\n" for a, b in zip(lines, told, strict=True))
    (folder / "recorded.jsonl").write_text(text)


def expect(folder, *labels):
    """An eval case for each question."""
    cases = [
        {"eval_id": f"case {at}", "conversation": [say(text)], **told}
        for at, (text, told) in enumerate(zip(ASKED, labels, strict=True))
    ]
    document = {"eval_set_id": "shop", "eval_cases": cases}
    (folder / "eval_set.json").write_text(json.dumps(document))


def say(text):
    """One turn as it is expected."""
    said = {"user_content": text, "final_response": "Hi."}
    return {key: {"parts": [{"text": value}]} for key, value in said.items()}


def run(folder, cluster, *words, **keys):
    """The report of a run with that key."""
    eval_set = {"eval_set": "eval_set.json"} if (folder / "eval_set.json").is_file() else {}
    config = {**eval_set, "gate": {"cluster": cluster}, "evaluators": JUDGED, **keys}
    (folder / "eval_config.yaml").write_text(json.dumps(config))
    return read(folder, "eval_config.yaml", *words)


def read(folder, config, *words):
    done = agentevals("run", "recorded.jsonl", "-c", config, "-o", "report", *words, cwd=folder)
    assert done.returncode in {0, 1}, done.stderr
    (folder / "report.json").write_text(done.stdout)
    return untrusted_report.read_run(folder / "report.json")


def families(report):
    return [keep_case(case).family for case in report.cases]


def told(report):
    """What is said about families, and about keys of the eval set."""
    rules = {"cluster-unknown", "no-family", "unknown-key"}
    return [f"{f.severity}: {f.message}" for f in report.findings if f.rule in rules]


# ---- what the eval set says


@pytest.mark.parametrize(
    ("labels", "cluster"),
    [
        (LABELS, "x-topic"),
        ([{"metadata": {"topic": one["x-topic"]}} for one in LABELS], "topic"),
        ([{"topic": one["x-topic"]} for one in LABELS], "topic"),
        (
            [
                {"session_input": {"app_name": "a", "user_id": "u", "state": {"topic": topic}}}
                for topic in ("orders", "orders", "chat")
            ],
            "session_input.state.topic",
        ),
        (
            [
                {"sessionInput": {"appName": "a", "userId": user}}
                for user in ("orders", "orders", "chat")
            ],
            "session_input.user_id",
        ),
    ],
    ids=["x-key", "metadata", "another key", "state", "camel case"],
)
def test_cases_with_the_same_value_are_one_family(labels, cluster, tmp_path):
    record(tmp_path)
    expect(tmp_path, *labels)

    report = run(tmp_path, cluster)

    assert families(report) == ["orders", "orders", "chat"]
    assert told(report) == []
    assert report.policy.cluster == cluster


def test_without_the_key_no_case_has_a_family(tmp_path):
    record(tmp_path)
    expect(tmp_path, *LABELS)

    report = run(tmp_path, "")

    assert families(report) == ["", "", ""]
    assert '"family"' not in (tmp_path / "report.json").read_text()
    assert '"cluster"' not in (tmp_path / "report.json").read_text()


@pytest.mark.parametrize(
    ("written", "cluster", "value"),
    [
        ({"metadata": {"topic": "orders"}}, "topic", "orders"),
        ({"tags": ["late", "eu"]}, "tags", '["late","eu"]'),
        ({"category": "orders"}, "category", "orders"),
        ({"conversation_id": "orders"}, "conversation_id", "orders"),
        ({"x-topic": "orders"}, "x-topic", "orders"),
        ({"vars": {"shop": "north"}, "name": "{{ shop }}"}, "name", "north"),
    ],
    ids=["metadata", "tags", "category", "conversation", "x-key", "vars"],
)
def test_a_test_of_an_eval_file_says_it_as_well(written, cluster, value, tmp_path):
    record(tmp_path)
    tests = [
        {"id": f"case {at}", "input": text, "criteria": "answers", **written}
        for at, text in enumerate(ASKED)
    ]
    shared = {"assertions": [{"type": "contains", "value": "Hi"}], "gate": {"cluster": cluster}}
    (tmp_path / "EVAL.yaml").write_text(json.dumps({**shared, "tests": tests}))

    assert families(read(tmp_path, "EVAL.yaml")) == [value] * 3


# ---- what the recordings say


def test_a_conversation_is_what_was_recorded_in_one_session(tmp_path):
    record(tmp_path, *({"id": f"{at}", "session_id": f"s{at // 2}"} for at in range(3)))

    report = run(tmp_path, "conversation", group_by="trace")

    assert families(report) == ["s0", "s0", "s1"]


def span(number, **attributes):
    """A question to a model; the resource says where the agent runs."""
    asked = [{"role": "user", "parts": [{"type": "text", "content": "Hi"}]}]
    said = {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": json.dumps(asked),
        **attributes,
    }
    listed = [{"key": key, "value": {"stringValue": text}} for key, text in said.items()]
    place = [{"key": "shop.region", "value": {"stringValue": "eu"}}]
    ids = {"traceId": f"{number:032x}", "spanId": f"{number:016x}"}
    one = {**ids, "name": "chat", "startTimeUnixNano": f"{number}", "attributes": listed}
    return {"resource": {"attributes": place}, "scopeSpans": [{"spans": [one]}]}


@pytest.mark.parametrize(
    ("cluster", "found"),
    [
        ("shop.branch", ["north", "south"]),
        ("shop.region", ["eu", "eu"]),
        ("conversation", ["c1", "c2"]),
    ],
)
def test_an_attribute_of_a_span_or_of_its_resource_is_a_key_too(cluster, found, tmp_path):
    spans = [
        span(1, **{"shop.branch": "north", "gen_ai.conversation.id": "c1"}),
        span(2, **{"shop.branch": "south", "gen_ai.conversation.id": "c2"}),
    ]
    (tmp_path / "recorded.jsonl").write_text(json.dumps({"resourceSpans": spans}))

    assert families(run(tmp_path, cluster)) == found


# ---- what is told


def test_a_key_that_no_case_has_is_told_with_the_nearest_one(tmp_path):
    record(tmp_path)
    expect(tmp_path, *LABELS)

    report = run(tmp_path, "x-topics")

    assert families(report) == ["", "", ""]
    [text] = told(report)
    assert text == (
        "warning: 'gate.cluster': no case has 'x-topics' (did you mean 'x-topic'?), "
        "so each is its own family"
    )


def test_or_with_those_that_there_are(tmp_path):
    record(tmp_path)
    expect(tmp_path, *({f"x-{n}": "1" for n in range(6)} for _ in ASKED))

    [text] = told(run(tmp_path, "theme"))

    assert "'theme' (known: conversation, x-0, x-1, x-2, x-3 and 2 more), so" in text


def test_cases_without_the_key_are_counted(tmp_path):
    record(tmp_path)
    expect(tmp_path, LABELS[0], {}, {})

    report = run(tmp_path, "x-topic")

    assert families(report) == ["orders", "", ""]
    [text] = told(report)
    assert text == (
        "note: 'gate.cluster': 'x-topic' is missing in 2 of 3 cases; "
        "each of these is its own family"
    )


def test_where_only_cases_that_nobody_recorded_have_the_key_it_is_not_unknown():
    policy = Policy(cluster="x-topic")
    expected = (Expectation(case_id="a", labels=LABELS[0]), Expectation(case_id="b"))
    found = Families(Plan(title="shop", policy=policy, expectations=expected))

    family, attributes = found.find(case(eval_case_id="b"))
    found.count.add("b", family, attributes)
    assert not family
    [finding] = found.count.findings()
    assert (finding.severity, finding.rule) == ("note", "no-family")


def test_a_key_that_is_no_family_still_means_nothing(tmp_path):
    record(tmp_path)
    expect(tmp_path, *({"topic": "a", "theme": "b"} for _ in ASKED))

    [text] = told(run(tmp_path, "topic"))

    assert "unknown key 'theme'" in text
    assert text.endswith("it is ignored, here and in 2 more places")
