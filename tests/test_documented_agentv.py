"""AgentV's own sections, one EVAL file each, and the page of ours: all of it is run."""

import json
import re
import shlex

import pytest

from tests.servers import as_json, serve
from tests.support import DOCS, agentevals

NAMES = ("agentv", "agentv-evaluators", "agentv-judges")
PAGE = "\n".join((DOCS / f"{name}.md").read_text(encoding="utf-8") for name in NAMES)
COMPATIBILITY = (DOCS / "compatibility.md").read_text()
WRITTEN = {
    text.partition("\n")[0]: text for text in re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]
}
TOP = "".join(WRITTEN[name] for name in ("EVAL files", "Run them", "Convert them"))

TOLD = {"invoice": {"total": 129.5, "vendor": "Anvil Ltd"}}
ROW = {
    "test_id": "order",
    "score": 1,
    "answer": json.dumps(TOLD),
    "input": [{"role": "user", "content": "Read the invoice."}],
    "output": [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {"tool": "Skill", "input": {"skill": "invoices"}, "output": "ok"},
                {"tool": "scan", "input": {"page": 1}, "output": "text"},
                {"tool": "reply", "input": {}, "output": "sent"},
            ],
        },
        {"role": "assistant", "content": json.dumps(TOLD)},
    ],
    "token_usage": {"input": 900, "output": 200},
    "cost_usd": 0.02,
    "duration_ms": 1500,
    "execution_status": "ok",
}
PROGRAM = """\
import json, sys
given = json.load(sys.stdin)
print(json.dumps({"score": float(sys.argv[1]), "hits": ["read"], "misses": [],
                  "reasoning": "because"}))
"""


def free(score):
    return {"score": score, "hits": ["h"], "misses": ["m"], "reasoning": "r"}


def verdicts(**satisfied):
    checks = [
        {"id": name, "satisfied": met, "reasoning": "seen"} for name, met in satisfied.items()
    ]
    return {"checks": checks, "overall_reasoning": "all"}


SECTIONS = {
    "code_judge": (
        (
            "- {name: layout, type: code_judge, script: [python3, ./judge.py, '0.9'],\n"
            "   cwd: ./judges, weight: 1.0}"
        ),
        {"layout": 0.9},
    ),
    "llm_judge": (
        (
            "- {name: quality, type: llm_judge, prompt: ./prompts/quality.md, target: careful,\n"
            "   weight: 2.0}"
        ),
        {"quality": 0.7},
    ),
    "rubric": (
        (
            "- name: criteria\n  type: rubric\n  target: strict\n  rubrics:\n"
            "  - {id: right, outcome: The total is right, weight: 3.0, required: true}\n"
            "  - {id: short, outcome: It is short, weight: 1.0, required: false}"
        ),
        {"criteria": 0.75},
    ),
    "composite": (
        (
            "- name: gate\n  type: composite\n  evaluators:\n"
            "  - {name: safety, type: llm_judge, prompt: ./prompts/safety.md, target: lax}\n"
            "  - {name: quality, type: llm_judge, prompt: ./prompts/quality.md, target: careful}\n"
            "  aggregator: {type: safety_gate, required: [safety]}"
        ),
        {"gate": 0.85},
    ),
    "tool_trajectory": (
        (
            "- name: workflow\n  type: tool_trajectory\n  mode: any_order\n"
            "  minimums: {scan: 1, file: 1}\n  expected:\n  - tool: reply"
        ),
        {"workflow": 2 / 3},
    ),
    "field_accuracy": (
        (
            "- name: fields\n  type: field_accuracy\n  fields:\n"
            "  - {path: invoice.total, match: numeric_tolerance, tolerance: 0.01}\n"
            "  - {path: invoice.vendor, match: exact}\n  aggregation: weighted_average"
        ),
        {"fields": 0.5},
    ),
    "execution_metrics": (
        (
            "- {name: performance, type: execution_metrics, max_tool_calls: 10, max_tokens: 1000,\n"
            "   max_duration_ms: 30000, max_cost_usd: 0.10}"
        ),
        {"performance": 0.75},
    ),
    "skill_trigger": (
        "- {type: skill-trigger, skill: invoices, should_trigger: true}",
        {"skill-trigger-invoices": 1.0},
    ),
    "contains": (
        "- {type: contains, value: Anvil, required: true}",
        {"contains-Anvil": 1.0},
    ),
    "regex": (
        '- {type: regex, value: "12(8|9)[.]5"}',
        {"regex-12(8|9)[.]5": 1.0},
    ),
    "is_json": ("- {type: is_json, required: true}", {"is-json": 1.0}),
    "equals": ('- {type: equals, value: "42"}', {"equals-42": 0.0}),
    "a gate of one's own": (
        (
            "- {type: contains, value: Anvil, required: true}\n"
            "- type: rubrics\n  required: 0.6\n  target: strict\n  criteria:\n"
            "  - {id: right, outcome: The total is right}"
        ),
        {"contains-Anvil": 1.0, "rubrics": 1.0},
    ),
}


@pytest.fixture
def project(tmp_path):
    for name in ("judges", "prompts", ".agentv", ".git"):
        (tmp_path / name).mkdir()
    (tmp_path / "judges/judge.py").write_text(PROGRAM)
    (tmp_path / "prompts/quality.md").write_text("Is {{answer}} good for {{question}}?")
    (tmp_path / "prompts/safety.md").write_text("Is {{candidate_answer}} safe?")
    (tmp_path / "results.jsonl").write_text(json.dumps(ROW))
    return tmp_path


def answer(seen):
    told = {
        "careful": free(0.7),
        "lax": free(1.0),
        "strict": verdicts(right=True, short=False),
    }[seen.document["model"]]
    message = {"role": "assistant", "content": json.dumps(told)}
    return as_json({"choices": [{"message": message, "finish_reason": "stop"}]})


@pytest.fixture
def asked(project):
    """A server that answers as three models, and the targets by which it is asked."""
    with serve(answer) as server:
        targets = [
            {"name": name, "provider": "openai", "model": name, "base_url": f"{server.url}/v1"}
            for name in ("careful", "lax", "strict")
        ]
        (project / ".agentv/targets.yaml").write_text(json.dumps({"targets": targets}))
        yield server


def scored(project, evaluators, tests="", expected="{invoice: {total: 129.50, vendor: Anvil}}"):
    indented = "".join(f"      {line}\n" for line in evaluators.splitlines())
    (project / "EVAL.yaml").write_text(
        f"judge: {{model: careful, base_url: 'http://127.0.0.1:1/v1', cache: false}}\n{tests}"
        "tests:\n  - id: order\n    criteria: Reads the invoice\n    input: Read the invoice.\n"
        f"    expected_output: {expected}\n    assert:\n{indented}"
    )
    done = agentevals("run", "results.jsonl", "-c", "EVAL.yaml", "-o", "json", cwd=project)
    assert done.returncode in {0, 1}, done.stdout + done.stderr
    (trace,) = json.loads(done.stdout)["traces"]
    return trace


@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.usefixtures("asked")
def test_the_evaluator_of_each_section_scores_a_recording(project, section):
    evaluators, expected = SECTIONS[section]

    trace = scored(project, evaluators)

    assert [metric["error"] for metric in trace["metrics"]] == [None] * len(expected)
    found = {metric["metric_name"]: metric["score"] for metric in trace["metrics"]}
    assert found == pytest.approx(expected)


def test_scores_are_weighted_as_in_the_example(project):
    judge = "script: [python3, ./judge.py, '{}'], cwd: ./judges"
    trace = scored(
        project,
        f"- {{name: correctness, type: code_judge, {judge.format(0.9)}, weight: 3.0}}\n"
        f"- {{name: format, type: code_judge, {judge.format(0.7)}, weight: 1.0}}",
    )

    assert trace["score"] == pytest.approx(0.85)
    assert trace["verdict"] == "pass"


@pytest.mark.parametrize(
    ("required", "verdict"), [("true", "fail"), ("0.6", "pass"), ("false", "pass")]
)
def test_a_gate_forces_the_verdict_whatever_the_mean(project, required, verdict):
    judge = "type: code_judge, script: [python3, ./judge.py, '{}'], cwd: ./judges"
    trace = scored(
        project,
        f"- {{name: gate, {judge.format(0.7)}, required: {required}}}\n"
        f"- {{name: rest, {judge.format(1)}, weight: 9}}",
    )

    assert trace["score"] == pytest.approx(0.97)
    assert trace["verdict"] == verdict


@pytest.mark.parametrize(
    ("score", "verdict"), [(0.8, "pass"), (0.79, "borderline"), (0.6, "borderline"), (0.59, "fail")]
)
def test_the_bands_of_a_verdict(project, score, verdict):
    judge = f"type: code_judge, script: [python3, ./judge.py, '{score}'], cwd: ./judges"

    assert scored(project, f"- {{name: only, {judge}}}")["verdict"] == verdict


def snippets(language):
    return re.findall(rf"^```{language}\n(.*?)^```", TOP, re.DOTALL | re.MULTILINE)


COMMANDS = [
    shlex.split(line.removeprefix("$ "))
    for text in snippets("console")
    for line in text.splitlines()
    if line.startswith("$ ")
]


def test_the_commands_of_the_page_do_what_it_says(project):
    (project / "EVAL.yaml").write_text(snippets("yaml")[0])
    (project / "traces").mkdir()
    row = ROW | {"test_id": "where-is-it", "answer": "Your order 7 is on its way."}
    row["output"] = [{"role": "assistant", "content": row["answer"]}]
    (project / "traces/my_trace.json").write_text(json.dumps(row))

    done = [agentevals(*words[1:], cwd=project) for words in COMMANDS]

    assert [words[1] for words in COMMANDS] == ["validate", "run", "convert", "convert"]
    assert [one.returncode for one in done] == [0, 0, 1, 0], [one.stderr for one in done]
    assert "evaluators that only one test has" in done[2].stderr
    assert (project / "converted/eval_set.json").is_file()
    assert (project / "again.eval.yaml").is_file()


OF_5 = """
prompts: ["{{ input }}"]
tests:
  - id: where-is-it
    vars: {input: Where is order 7?}
    assert: [{type: contains, value: order}]
"""


def test_the_form_of_release_5_is_read_as_it_is_claimed(tmp_path):
    (tmp_path / "EVAL.yaml").write_text(OF_5)
    [claim] = re.findall(r"^\| (AgentV [^|]*) \|", COMPATIBILITY, re.MULTILINE)

    done = agentevals("validate", "EVAL.yaml", cwd=tmp_path)

    assert done.returncode == 0
    assert claim == "AgentV 2.6 to 5.3, AgentEvals"
