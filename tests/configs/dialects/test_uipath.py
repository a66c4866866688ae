"""What an eval set of UiPath becomes, with the evaluators of its project."""

import json

import pytest

from agentevals.configs.dialects import compile_plan, find_line, inspect, uipath
from agentevals.configs.plan import Overrides
from agentevals.files import documents
from agentevals.model.errors import ConfigError, InputError
from tests.graders.uipath.projects import EXACT, ORDER, Project, item
from tests.support import DATA, agentevals


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = Project(tmp_path)
    made.evaluator(EXACT)
    made.evaluator(ORDER)
    return made


def complaints(path, overrides=None):
    with pytest.raises(ConfigError) as refused:
        compile_plan(path, overrides)
    return [problem.message for problem in refused.value.problems]


@pytest.mark.parametrize(
    ("document", "is_one"),
    [
        ({"evaluatorRefs": []}, True),
        ({"evaluationItems": []}, True),
        ({"evaluations": [{"inputs": {}}]}, True),
        ({"evaluations": [{"id": "x"}]}, False),
        ({"evaluations": {}}, False),
        ({"evaluators": []}, False),
        ([], False),
    ],
)
def test_it_is_known_by_its_keys(tmp_path, document, is_one):
    path = tmp_path / "set.json"
    path.write_text(json.dumps(document))

    assert uipath.matches(documents.read(path)) is is_one


@pytest.mark.parametrize(("root", "sets"), [("evals", "eval_sets"), ("evaluations", "eval-sets")])
def test_evaluators_are_found_beside_the_folder_of_the_eval_set(tmp_path, root, sets):
    project = Project(tmp_path, root, sets)
    project.evaluator(EXACT)

    plan = compile_plan(project.eval_set(evaluatorRefs=["ExactMatch"], evaluations=[item()]))

    [wanted] = plan.expectations
    assert [grader.name for grader in wanted.graders] == ["ExactMatch"]
    assert wanted.graders[0].expected_output == {"result": "a"}
    assert (plan.eval_set_id, plan.graders) == ("s", ())


def test_the_layout_of_the_documentation_says_the_same(project):
    path = project.eval_set(
        evaluatorRefs=["ExactMatch"],
        evaluationItems=[
            {
                "id": "t1",
                "agentInput": {"query": "hello"},
                "evaluations": [
                    {
                        "evaluatorId": "ExactMatch",
                        "evaluationCriteria": {"expectedOutput": {"result": "a"}},
                    }
                ],
            }
        ],
    )
    of_documentation = compile_plan(path).expectations[0]
    path = project.eval_set(evaluatorRefs=["ExactMatch"], evaluations=[item()])

    of_sdk = compile_plan(path).expectations[0]
    assert of_documentation.graders == of_sdk.graders
    assert of_documentation.openings == of_sdk.openings


def test_weights_count(project):
    path = project.eval_set(
        evaluatorRefs=["ExactMatch"],
        evaluatorConfigs=["Order", {"ref": "ExactMatch", "weight": 3}],
        evaluations=[item(criterias={"ExactMatch": {"expectedOutput": "{}"}, "Order": None})],
    )

    [wanted] = compile_plan(path).expectations
    assert [(g.name, g.weight, g.threshold) for g in wanted.graders] == [
        ("Order", 1, 0.5),
        ("ExactMatch", 3, 0.8),
    ]


@pytest.mark.parametrize("nothing", [None, {}])
def test_an_item_without_criteria_has_the_usual_ones_or_its_own_output(project, nothing):
    path = project.eval_set(
        evaluatorRefs=["ExactMatch", "Order"],
        evaluations=[
            item(
                criterias={"ExactMatch": nothing, "Order": nothing}, expectedOutput={"result": "b"}
            )
        ],
    )

    exact, order = compile_plan(path).expectations[0].graders
    assert exact.expected_output == {"result": "b"}
    assert order.tool_calls_order == ("look_up",)


def test_a_file_without_a_version_is_of_the_time_before(project):
    legacy = {"id": "L", "name": "Old", "category": 0, "type": 6, "createdAt": "", "updatedAt": ""}
    project.evaluator({**legacy, "targetOutputKey": "r"})
    path = project.sets / "old.json"
    path.write_text(
        json.dumps(
            {
                "id": "s",
                "fileName": "old.json",
                "evaluatorRefs": ["L"],
                "evaluations": [
                    {"id": "t", "evalSetId": "s", "inputs": {}, "expectedOutput": {"r": 1}}
                ],
            }
        )
    )

    [grader] = compile_plan(path).expectations[0].graders
    assert (grader.type, grader.name) == ("uipath_legacy_json_similarity", "Old")
    assert grader.expected_output == {"r": 1}


@pytest.mark.parametrize(("wanted", "what"), [("yes", "'yes'"), ([1], "a list"), (5, "5")])
def test_all_evaluators_of_the_time_before_are_told_an_object(project, wanted, what):
    project.evaluator({"id": "L", "name": "Old", "category": 0, "type": 6, "targetOutputKey": "*"})
    old = {"id": "t", "inputs": {}, "expectedOutput": wanted}
    path = project.eval_set(evaluatorRefs=["L"], evaluations=[old])

    [said] = complaints(path)
    assert said.startswith("'expectedOutput' of an item without 'evaluationCriterias' is an object")
    assert said.endswith(f'as in {{"output": "…"}}, not {what}')


def test_ids_of_studio_are_the_same_in_any_letter_case(project):
    guid = "0A1B2C3D-0000-4000-8000-00000000000F"
    project.evaluator({**EXACT, "id": guid})
    criterias = {guid.lower(): {"expectedOutput": "{}"}}
    items = [item(guid, criterias)]

    [wanted] = compile_plan(
        project.eval_set(evaluatorRefs=[guid.lower()], evaluations=items)
    ).expectations
    assert [grader.name for grader in wanted.graders] == ["ExactMatch"]
    assert wanted.case_id == guid.lower()


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({"query": "hello"}, "hello"),
        ({"query": "hello", "mode": "ok"}, "hello"),
        ({"mode": "ok", "n": 5}, "ok"),
        ({"a": "x", "b": "y"}, '{"a": "x", "b": "y"}'),
        ({"a": "x", "b": "y"}, '{"a":"x","b":"y"}'),
        ({"a": 1}, '{"input": {"a": 1}}'),
    ],
)
def test_a_conversation_shows_by_its_beginning_which_item_it_is(project, inputs, said):
    path = project.eval_set(evaluatorRefs=["ExactMatch"], evaluations=[item(inputs=inputs)])

    [wanted] = compile_plan(path).expectations
    assert said in {wanted.opening, *wanted.openings}


def test_everything_that_is_wrong_is_said_at_once(project):
    path = project.eval_set(
        evaluatorRefs=["ExactMatsh", "ExactMatch", "ExactMatch", 5],
        evaluatonItems=[],
        evaluations=[
            item("a", {"ExactMatsh": None, "ExactMatch": {"expectedOutptu": {}}}),
            item("b", {"ExactMatch": {}}),
            item("b", {"ExactMatch": {"expectedOutput": 5}}),
            item("c", inputs="hello"),
            7,
        ],
    )

    assert sorted(complaints(path)) == sorted(
        [
            "unknown key 'evaluatonItems' (did you mean 'evaluationItems'?)",
            "there is no evaluator 'ExactMatsh' (did you mean 'ExactMatch'?)",
            "the evaluator 'ExactMatch' is here twice; remove one",
            "an evaluator is referred to by its id, not 5",
            "item 'a': there is no evaluator 'ExactMatsh' (did you mean 'ExactMatch'?)",
            (
                "item 'a', evaluator 'ExactMatch': unknown key 'expectedOutptu' "
                "(did you mean 'expectedOutput'?)"
            ),
            (
                "item 'b', evaluator 'ExactMatch': there are no criteria, and the evaluator has no "
                "'defaultEvaluationCriteria'; write 'expectedOutput'"
            ),
            (
                "item 'b', evaluator 'ExactMatch': 'expectedOutput': must be an object or a text, "
                "not 5"
            ),
            "the item 'b' is here twice, first at 1:292; rename one",
            "'inputs' must be a mapping, not 'hello'",
            "an item is a mapping with 'id' and 'inputs', not 7",
        ]
    )


@pytest.mark.parametrize(
    ("document", "why"),
    [
        (
            {"evaluatorTypeId": "uipath-exakt-match"},
            "unknown evaluator type 'uipath-exakt-match' (did you mean 'uipath-exact-match'?)",
        ),
        ({}, "'evaluatorTypeId' is missing; an evaluator of your own has 'evaluatorSchema'"),
        (
            {"evaluatorTypeId": "file://types/x.json"},
            "'evaluatorSchema' is missing; write 'file://<file>.py:<class>'",
        ),
        (
            {"evaluatorSchema": "file://x.py"},
            "'evaluatorSchema' must include class name after ':' - got: 'file://x.py'",
        ),
        (
            {"evaluatorSchema": "file://x.py:X"},
            "Could not find 'x.py' in evals/evaluators/custom folder",
        ),
        ({"type": 2, "category": 0}, "evaluators of type 2 have never run in UiPath "),
        (
            {"evaluatorTypeId": "uipath-binary-classification"},
            "'positive_class' is missing",
        ),
    ],
)
def test_an_evaluator_that_cannot_run_is_said_in_its_file(project, document, why):
    project.evaluator({"version": "1.0", "id": "E", **document})
    path = project.eval_set(evaluatorRefs=["E"], evaluations=[item(criterias={"E": None})])

    with pytest.raises(ConfigError) as refused:
        compile_plan(path)

    [problem] = [p for p in refused.value.problems if p.path.endswith("e.json")]
    assert problem.message.startswith(why)


CONTAINS = {"version": "1.0", "id": "E", "evaluatorTypeId": "uipath-contains"}
IGNORED = [
    (
        {"evaluatorConfig": {"caseSensitiv": True}},
        "unknown key 'caseSensitiv' (did you mean 'caseSensitive'?)",
    ),
    (
        {"evaluatorConfig": {"ignoreCase": True}},
        "unknown key 'ignoreCase' (did you mean 'caseSensitive'?)",
    ),
    (
        {"evaluatorConfig": {"searchText": "x"}},
        "'searchText' belongs to the criteria of the items",
    ),
    ({"evaluatorConfg": {}}, "unknown key 'evaluatorConfg' (did you mean 'evaluatorConfig'?)"),
    (
        {"lineDelimiter": "|"},
        (
            "unknown key 'lineDelimiter'; write 'lineByLineEvaluator' and 'lineDelimiter' in "
            "'evaluatorConfig'"
        ),
    ),
]


@pytest.mark.parametrize(("written", "told"), IGNORED)
def test_a_key_that_uipath_ignores_is_warned_about_with_its_place(project, written, told):
    project.evaluator(CONTAINS | written)
    path = project.eval_set(
        evaluatorRefs=["E"], evaluations=[item(criterias={"E": {"searchText": "x"}})]
    )

    [finding] = compile_plan(path).findings

    assert (finding.rule, finding.severity) == ("unknown-key", "warning")
    assert finding.message == f"{told}; it is ignored"
    assert finding.path.endswith("e.json")
    assert finding.line


@pytest.mark.parametrize(("written", "told"), IGNORED)
def test_it_is_refused_where_the_eval_set_is_strict(project, written, told):
    project.evaluator(CONTAINS | written)
    path = project.eval_set(
        evaluatorRefs=["E"],
        evaluations=[item(criterias={"E": {"searchText": "x"}})],
        **{"x-agentevals": {"strict": True}},
    )

    assert complaints(path) == [told]


def test_unknown_keys_of_items_and_criteria_are_warned_about(project):
    wanted = {"expectedOutput": {"result": "a"}, "y": ""}
    path = project.eval_set(
        evaluatorRefs=["ExactMatch"],
        evaluations=[item("a", {"ExactMatch": wanted}, evaluationCriteria={})],
        evaluatonItems=[],
    )

    plan = compile_plan(path)

    assert [found.message for found in plan.findings] == [
        "unknown key 'evaluatonItems' (did you mean 'evaluationItems'?); it is ignored",
        "unknown key 'evaluationCriteria' (did you mean 'evaluationCriterias'?); it is ignored",
        "item 'a', evaluator 'ExactMatch': unknown key 'y' (known: expectedOutput); it is ignored",
    ]
    assert plan.expectations[0].graders[0].expected_output == {"result": "a"}


BROKEN = {"id": "Other", "version": "1.0", "evaluatorTypeId": "uipath-nothing", "typo": 1}


def test_files_that_nothing_refers_to_refuse_nothing(project):
    project.evaluator(BROKEN)
    (project.evaluators / "copy.json").write_text(json.dumps({**BROKEN, "evaluatorConfig": 5}))
    path = project.eval_set(evaluatorRefs=["ExactMatch"], evaluations=[item()])

    assert compile_plan(path).findings == ()


def test_a_file_that_cannot_be_read_is_warned_about_and_refuses_where_an_evaluator_is_missing(
    project,
):
    (project.evaluators / "z.json").write_text("{")
    right = project.eval_set(evaluatorRefs=["ExactMatch"], evaluations=[item()])

    [finding] = compile_plan(right).findings

    assert (finding.rule, finding.severity) == ("evaluator-not-read", "warning")
    assert finding.path.endswith("z.json")
    missing = project.eval_set(evaluatorRefs=["Zed"], evaluations=[item()])
    assert any("z.json" in str(p) for p in _problems(missing))


def _problems(path):
    with pytest.raises(ConfigError) as refused:
        compile_plan(path)
    return refused.value.problems


def test_an_evaluator_that_is_referred_to_is_refused_with_what_is_wrong_in_its_file(project):
    project.evaluator({"id": "Other", "version": "1.0", "evaluatorConfig": 5})
    path = project.eval_set(evaluatorRefs=["Other"], evaluations=[item(criterias={"Other": {}})])

    assert "'evaluatorConfig' must be a mapping, not 5" in complaints(path)


def test_how_long_a_legacy_judge_may_answer_is_ignored_and_told(project):
    """The judges of UiPath's own samples say so."""
    project.evaluator(
        {"id": "Old", "category": 3, "type": 7, "name": "Old", "prompt": "{{AgentRunHistory}}"}
        | {"model": "gpt-4o", "maxTokens": 10}
    )
    wanted = {"expectedAgentBehavior": "looks it up"}
    path = project.eval_set(evaluatorRefs=["Old"], evaluations=[item(criterias={"Old": wanted})])

    [finding] = compile_plan(path).findings

    assert finding.message.startswith("unknown key 'maxTokens' (known: ")
    assert (finding.severity, finding.path.endswith("old.json")) == ("warning", True)


def test_legacy_criteria_may_say_how_the_agent_should_behave(project):
    project.evaluator({"id": "Old", "category": 0, "type": 1, "name": "Old"})
    wanted = {"expectedOutput": {"a": 1}, "expectedAgentBehavior": "looks it up"}
    path = project.eval_set(evaluatorRefs=["Old"], evaluations=[item(criterias={"Old": wanted})])

    plan = compile_plan(path)

    assert plan.findings == ()
    assert plan.expectations[0].graders[0].expected_output == {"a": 1}


def test_a_class_is_given_what_the_item_says(project):
    (project.evaluators / "custom" / "own.py").write_text("class Own: ...\n")
    project.evaluator(
        {
            "version": "1.0",
            "id": "Own",
            "evaluatorSchema": "file://own.py:Own",
            "evaluatorConfig": {"name": "Mine", "threshold": 0.3, "anything": 1},
        }
    )
    path = project.eval_set(
        evaluatorRefs=["Own"],
        evaluations=[item(criterias={"Own": {"any": 1}}, expectedAgentBehavior="asks")],
    )

    [grader] = compile_plan(path).expectations[0].graders
    assert (grader.type, grader.name, grader.class_name) == ("uipath_class", "Mine", "Own")
    assert (grader.threshold, grader.criteria) == (0.3, {"any": 1})
    assert (grader.inputs, grader.expected_agent_behavior) == ({"query": "hello"}, "asks")
    assert grader.path == project.evaluators / "custom" / "own.py"


def test_what_concerns_the_running_of_an_agent_is_named(project):
    path = project.eval_set(
        evaluatorRefs=["ExactMatch"],
        modelSettings=[{"id": "default"}],
        evaluations=[
            item("a", {"ExactMatch": {"expectedOutput": "{}"}, "Order": None}),
            item("b", {}, mockingStrategy={"type": "llm"}),
        ],
    )

    assert [finding.message for finding in compile_plan(path).findings] == [
        (
            "'mockingStrategy', 'modelSettings': how an agent or a model is run; recordings are "
            "judged as they are"
        ),
        "the evaluator 'Order' is not listed in 'evaluatorRefs' and does not judge 'a'",
        "no evaluator judges 'b'",
    ]


def test_nothing_is_read_outside_of_the_workspace(project, tmp_path):
    outside = tmp_path / "outside.json"
    outside.write_text(json.dumps({**EXACT, "id": "Outside"}))
    (project.evaluators / "link.json").symlink_to(outside)
    path = project.eval_set(evaluatorRefs=["Outside"], evaluations=[item(criterias={})])

    found = complaints(path, Overrides(root=tmp_path / "evals"))
    assert found[0].startswith("there is no evaluator 'Outside'")


def test_the_command_line_wins(project):
    path = project.eval_set(evaluatorRefs=["ExactMatch"], evaluations=[item()])

    plan = compile_plan(path, Overrides(threshold=0.25, on_not_evaluated="warn"))
    assert plan.expectations[0].graders[0].threshold == 0.25
    assert not plan.policy.fail_on_not_evaluated


def test_there_is_no_second_eval_set(project, tmp_path):
    path = project.eval_set(evaluatorRefs=["ExactMatch"], evaluations=[item()])

    with pytest.raises(InputError, match="is an eval set itself"):
        compile_plan(path, Overrides(eval_set=tmp_path / "other.json"))


def test_an_evaluator_has_its_place_where_it_is_referred_to(project):
    path = project.sets / "set.json"
    path.write_text('{"id": "s",\n"evaluatorRefs": [\n"Order",\n"ExactMatch"\n]}')

    assert find_line(path, "ExactMatch") == 4
    assert find_line(path, "nobody") == 1


def test_a_recording_of_any_format_is_judged(project, tmp_path):
    path = project.eval_set(
        evaluatorRefs=["ExactMatch", "Order"],
        evaluations=[
            item(
                "t1",
                {
                    "ExactMatch": {"expectedOutput": {"result": "FOUND"}},
                    "Order": {"toolCallsOrder": ["look up", "answer"]},
                },
            )
        ],
    )
    call = {"id": "c1", "function": {"name": "look_up", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "Hello "},
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "it"},
        {"role": "assistant", "content": '{"result": "found"}'},
    ]
    trace = tmp_path / "chat.json"
    trace.write_text(json.dumps({"messages": messages}))

    ran = agentevals("run", str(trace), "--config", str(path), "-o", "json", cwd=tmp_path)
    report = json.loads(ran.stdout)
    assert [m["score"] for m in report["traces"][0]["metrics"]] == [1.0, 0.5]
    assert (ran.returncode, report["traces"][0]["eval_case_id"]) == (0, "t1")


@pytest.mark.parametrize(
    "recording", ["uipath-output/verbose/output.json", "uipath-trace/two_items/spans.jsonl"]
)
def test_what_uipath_recorded_is_judged_by_the_item_that_it_names(project, tmp_path, recording):
    project.evaluator({**EXACT, "evaluatorConfig": {"targetOutputKey": "status"}})
    path = project.eval_set(
        evaluatorRefs=["ExactMatch", "Order"],
        evaluations=[
            item(name, {"ExactMatch": {"expectedOutput": {"status": "shipped"}}, "Order": None})
            for name in ("o1", "o2")
        ],
    )

    trace = str(DATA / "traces" / recording)
    ran = agentevals("run", trace, "--config", str(path), "-o", "json", cwd=tmp_path)
    first = json.loads(ran.stdout)["traces"][0]
    assert first["eval_case_id"] == "o1"
    assert [metric["score"] for metric in first["metrics"]] == [1.0, 1.0]


def test_a_builtin_of_the_command_line_judges_as_well(project, tmp_path):
    path = project.eval_set(evaluatorRefs=["ExactMatch"], evaluations=[item()])
    trace = tmp_path / "chat.json"
    said = [
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": '{"result": "a"}'},
    ]
    trace.write_text(json.dumps({"messages": said}))

    words = ("run", str(trace), "--config", str(path), "-m", "response_match_score", "-o", "json")
    report = json.loads(agentevals(*words, cwd=tmp_path).stdout)
    assert report["evaluators"] == ["response_match_score", "ExactMatch"]
    assert len(report["traces"][0]["metrics"]) == 2


def test_of_very_many_mistakes_the_first_are_said(project):
    items = [item(f"t{number}", {f"Nobody{number}": {}}) for number in range(1000)]
    path = project.eval_set(evaluatorRefs=["ExactMatch"], evaluations=items)

    with pytest.raises(ConfigError) as refused:
        compile_plan(path)
    lines = str(refused.value).splitlines()

    assert len(refused.value.problems) == 1000
    assert "did you mean" in lines[0] or "known:" in lines[0]
    assert lines[-1] == "and 800 more; correct these first"


def test_there_can_only_be_so_many_classes(project):
    many = [f"c{number}" for number in range(1001)]
    config = {**EXACT["evaluatorConfig"], "classes": many, "aggregators": [{"type": "precision"}]}
    project.evaluator({**EXACT, "evaluatorConfig": config})

    [complaint] = complaints(project.eval_set(evaluatorRefs=["ExactMatch"], evaluations=[item()]))
    assert "there can be 1,000 classes, not 1,001" in complaint


def test_it_lists_the_files_of_the_agent_in_an_extension(project):
    def listing(*agent):
        own = {"x-agentevals": {"agent": list(agent)}}
        return project.eval_set(evaluatorRefs=["ExactMatch"], evaluations=[item()], **own)

    found = compile_plan(listing("../evaluators/*.json")).agent

    assert found.compute_digest()
    assert complaints(listing("nowhere.py")) == [
        "'agent' matches no file (paths are relative to this file)"
    ]


OWN = """\
from uipath.eval.evaluators import BaseEvaluationCriteria, BaseEvaluator, BaseEvaluatorConfig


class Criteria(BaseEvaluationCriteria):
    wanted_text: str


class Config(BaseEvaluatorConfig[Criteria]):
    name: str = "Own"
    share: float = 0.5


class Own(BaseEvaluator[Criteria, Config, str]):
    @classmethod
    def get_evaluator_id(cls):
        return "Own"

    async def evaluate(self, execution, criteria):
        ...
"""


def own_class(project, criteria, source=OWN, name="Own", config=None, **keys):
    """The eval set that a class of one's own judges."""
    (project.evaluators / "custom" / "own.py").write_text(source)
    project.evaluator(
        {
            "version": "1.0",
            "id": "Own",
            "evaluatorSchema": f"file://own.py:{name}",
            "evaluatorConfig": {"name": "Own", **(config or {})},
        }
    )
    items = [item("a", {"Own": criteria})]
    return project.eval_set(evaluatorRefs=["Own"], evaluations=items, **keys)


def inspected(project, criteria, source=OWN, name="Own", **config):
    """What loading a class shows to be wrong: file, line, message."""
    path = own_class(project, criteria, source, name, config)
    with pytest.raises(ConfigError) as refused:
        inspect(path, compile_plan(path))
    return [(p.path.rpartition("/")[2], p.line, p.message) for p in refused.value.problems]


def test_a_class_that_can_judge_has_no_problems(project):
    path = own_class(project, {"wantedText": "x"})
    plan = compile_plan(path)

    assert inspect(path, plan) == plan


@pytest.mark.parametrize("source", ["assert 'A_KEY' not in os.environ", "os.environ['A_KEY']"])
def test_a_class_that_is_only_loaded_is_granted_nothing(project, monkeypatch, source):
    monkeypatch.setenv("A_KEY", "its value")
    grants = {"x-agentevals": {"grants": {"Own": {"env": ["A_KEY"]}}}}
    path = own_class(project, {"wantedText": "x"}, f"import os\n{source}\n{OWN}", **grants)
    plan = compile_plan(path)

    assert inspect(path, plan) == plan  # it may need what it is not granted yet


MISTYPED = [
    (
        {"wantedText": "x", "wantedTxt": "y"},
        {},
        (
            "set.json",
            1,
            (
                "item 'a', evaluator 'Own': evaluationCriteria has the unknown key 'wantedTxt' "
                "(did you mean 'wantedText'?)"
            ),
        ),
    ),
    (
        {"wantedText": "x"},
        {"shar": 1},
        (
            "own.json",
            7,
            "evaluator 'Own': evaluatorConfig has the unknown key 'shar' (did you mean 'share'?)",
        ),
    ),
]


@pytest.mark.parametrize(("criteria", "config", "told"), MISTYPED)
def test_a_key_that_a_class_ignores_is_warned_about(project, criteria, config, told):
    path = own_class(project, criteria, config=config)

    [found] = inspect(path, compile_plan(path)).findings

    assert (found.path.rpartition("/")[2], found.line) == told[:2]
    assert found.message == f"{told[2]}; it is ignored"


@pytest.mark.parametrize(("criteria", "config", "told"), MISTYPED)
def test_it_is_refused_in_a_strict_eval_set(project, criteria, config, told):
    strict = {"x-agentevals": {"strict": True}}
    path = own_class(project, criteria, config=config, **strict)

    with pytest.raises(ConfigError) as refused:
        inspect(path, compile_plan(path))

    assert [problem.message for problem in refused.value.problems] == [told[2]]


def test_a_class_without_criteria_is_refused_at_the_item(project):
    told = "there are no criteria, and the configuration has no 'defaultEvaluationCriteria'"

    assert inspected(project, None) == [("set.json", 1, f"item 'a', evaluator 'Own': {told}")]


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"name": "Own2"}, "Class 'Own2' not found in "),
        ({"source": "import nothing_of_this_name"}, "Error executing module from "),
        ({"share": "much"}, "evaluatorConfig: 'share' must be a number, not 'much'"),
    ],
)
def test_a_class_that_cannot_be_made_is_told_in_the_file_of_its_evaluator(project, changed, told):
    [(file, line, message)] = inspected(project, {"wantedText": "x"}, **changed)

    assert (file, line > 1) == ("own.json", True)
    assert told in message


def test_criteria_of_the_documents_layout_are_told_at_their_place(project):
    (project.evaluators / "custom" / "own.py").write_text(OWN)
    project.evaluator({"version": "1.0", "id": "Own", "evaluatorSchema": "file://own.py:Own"})
    told = {"evaluatorId": "Own", "evaluationCriteria": {"wanted_text": 5}}
    entry = {"id": "a", "agentInput": {}, "evaluations": [told]}
    path = project.eval_set(evaluatorRefs=["Own"], evaluationItems=[entry])

    with pytest.raises(ConfigError) as refused:
        inspect(path, compile_plan(path))

    [problem] = refused.value.problems
    told = "item 'a', evaluator 'Own': evaluationCriteria: 'wanted_text' must be text, not 5"
    assert problem.message == told
    assert problem.path.endswith("set.json")


@pytest.mark.parametrize("version", ["2.0", 1.0, "", True])
def test_another_version_of_an_evaluator_is_refused_as_in_uipath(project, version):
    project.evaluator({**EXACT, "version": version})

    [told] = complaints(project.eval_set(evaluatorRefs=["ExactMatch"], evaluations=[item()]))

    assert told.startswith(f"'version' must be the text '1.0', not {json.dumps(version)}")
