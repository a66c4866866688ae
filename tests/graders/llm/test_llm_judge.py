import pytest
from pydantic import ValidationError

from agentevals.graders.grader import Services
from agentevals.graders.grading import grade_case
from agentevals.graders.llm.llm_judge import LLMJudge
from agentevals.judge import JudgeAnswerError
from agentevals.model.cases import Case, Status, Task
from agentevals.model.conversations import Conversation, ToolCall
from agentevals.model.errors import EvaluatorError, InputError
from tests.graders.llm.questions.scripted import ScriptedJudge, judged
from tests.support import case, turn

GOOD = {"score": 0.9, "hits": ["right"], "misses": ["long"], "reasoning": "because"}
ASKED = Case(
    conversation=Conversation(
        conversation_id="c",
        turns=(
            turn(
                "  42 ",
                user="6*7?",
                tool_calls=(ToolCall(name="calc", args={"x": 6, "query": "6*7"}),),
            ),
        ),
    ),
    criteria="be right",
    task=Task(question="what is 6*7?", reference="forty-two", metadata={"note": "easy"}),
)


def graded(answer=GOOD, about=ASKED, **settings):
    return judged(LLMJudge(name="j", **settings), about, answer)


def prompt_of(**settings):
    return graded(**settings)[1].prompts[0]


def refused(**settings):
    with pytest.raises(ValidationError) as caught:
        LLMJudge(name="j", **settings)
    return str(caught.value)


def test_the_grade_is_what_the_judge_says():
    grade, _ = graded()

    assert (grade.score, grade.hits, grade.misses) == (0.9, ("right",), ("long",))
    assert (grade.reasoning, grade.details) == ("because", {})


def test_without_a_prompt_the_usual_sections_are_shown():
    prompt = prompt_of()

    order = ["criteria", "question", "reference_answer", "answer"]
    places = [prompt.index(f"[[ ## {name} ## ]]\n") for name in order]
    assert places == sorted(places)
    assert "]]\nbe right\n\n" in prompt
    assert "]]\nforty-two\n\n" in prompt
    assert "\n42\n<<<END " in prompt


def test_what_a_prompt_names_is_filled_in():
    prompt = prompt_of(prompt="Q: {{question}} C: {{ criteria }} R: {{reference_answer}}.")

    assert prompt.startswith("Q: <<<QUESTION ")
    assert "\nwhat is 6*7?\n<<<END " in prompt
    assert prompt.endswith(" C: be right R: forty-two.")


def test_a_prompt_that_shows_nothing_says_what_the_criteria_are():
    prompt = prompt_of(prompt="Is it polite?")

    assert "[[ ## criteria ## ]]\nIs it polite?\n" in prompt
    assert "\n42\n" in prompt
    assert "be right" not in prompt


def test_a_value_as_of_llm_rubric_is_a_prompt():
    assert LLMJudge(name="j", value="polite?").prompt == "polite?"


@pytest.mark.parametrize("key", ["template", "evaluatorTemplate", "evaluator_template"])
def test_a_template_replaces_the_usual_prompt_but_not_a_prompt_of_its_own(key):
    template = {key: "T {{criteria}}"}

    assert prompt_of(**template) == "T be right"
    assert prompt_of(**template, prompt="P {{criteria}}") == "P be right"
    assert prompt_of(**template, prompt="polite?") == "T polite?"


def test_a_template_in_the_words_of_an_early_release():
    names = ("expected_outcome", "question", "reference_answer", "candidate_answer")
    template = "\n\n".join(f"[[ ## {name} ## ]]\n{{{{{name}}}}}" for name in names)

    prompt = prompt_of(evaluatorTemplate=template)

    assert [prompt.count(f"[[ ## {name} ## ]]") for name in names] == [1, 1, 1, 1]
    assert all(text in prompt for text in ("be right", "what is 6*7?", "forty-two", "42"))
    assert "{{" not in prompt


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (
            {"prompt": "{{anser}}"},
            "nothing is called '{{anser}}' (did you mean 'answer'?) in a prompt",
        ),
        (
            {"prompt": "{{anser}}"},
            "known: question, input_text, criteria, expected_outcome, answer",
        ),
        (
            {"prompt": "{{ x9 }} {{quesion}} {{x9}}"},
            "nothing is called '{{x9}}', '{{quesion}}' (did you mean 'question'?) in a prompt",
        ),
        ({"template": "{{answer.text}}"}, "nothing is called '{{answer.text}}'"),
        ({"prompt": " "}, "is empty; give a text, or omit 'prompt'"),
        ({"prompt": "./prompts/quality.md"}, "there is no file './prompts/quality.md'"),
        ({"prompt": {"command": []}}, "at least 1 item"),
        ({"prompt": {"comand": ["x"]}}, "Extra inputs are not permitted"),
        ({"temperature": 3}, "less than or equal to 2"),
        ({"max_steps": 51}, "less than or equal to 50"),
        ({"target": ""}, "at least 1 character"),
    ],
)
def test_what_cannot_be_meant_is_refused(wrong, why):
    assert why in refused(**wrong)


@pytest.mark.parametrize(
    "kept", ["{answer}", "{{}}", "{{ a b }}", "{{#if x}}", '{"a": {"b": 1}}', "{{{{"]
)
def test_braces_that_name_nothing_stay_as_they_are(kept):
    assert prompt_of(prompt=f"{{{{criteria}}}} {kept}") == f"be right {kept}"


def test_with_rubrics_each_of_them_is_judged_in_the_prompt_of_ones_own():
    said = {"checks": [{"id": "rubric-1", "satisfied": True, "reasoning": "ok"}]}
    answer = said | {"overall_reasoning": ""}

    grade, judge = graded(answer, rubrics=["short"], prompt="P {{criteria}}")

    assert grade.hits == ("[rubric-1] short: ok",)
    assert judge.prompts[0] == (
        "P be right\n\n[[ ## rubrics ## ]]\n- [rubric-1] (weight: 1): short"
    )


def test_a_prompt_may_place_the_rubrics_itself():
    answer = {"checks": [], "overall_reasoning": ""}

    _, judge = graded(answer, rubrics=["short"], prompt="{{rubrics}} and that is all")

    assert judge.prompts[0] == "- [rubric-1] (weight: 1): short and that is all"


def test_a_judge_that_gives_no_usable_answer_is_an_error_and_its_opposite_too():
    services = Services(judge=ScriptedJudge(JudgeAnswerError("no usable answer in 4 tries")))

    result = grade_case(LLMJudge(name="j", negate=True), case(), services)

    assert (result.status, result.score) == (Status.ERROR, None)


def test_without_a_judge_it_is_an_error_that_says_what_to_do():
    with pytest.raises(InputError, match="no judge is configured; give --judge-model"):
        LLMJudge(name="j").grade(case(), Services())


def test_a_name_without_any_judge_is_an_error_that_says_what_to_do():
    with pytest.raises(InputError, match=r"no judge is called 'strict' \(none is\)"):
        LLMJudge(name="j", target="strict").grade(case(), Services())


def test_without_a_turn_there_is_nothing_to_judge():
    grade, judge = graded(about=Case(conversation=Conversation(conversation_id="c")))

    assert grade.status == Status.NOT_EVALUATED
    assert judge.prompts == []


def test_settings_that_change_nothing_are_said():
    grade, _ = graded(maxSteps=5, config={"a": 1})

    assert grade.details == {"without_effect": ["max_steps", "config"]}


@pytest.fixture
def printing(tmp_path):
    """A judge whose prompt is printed by a program with this source."""

    def judge(source, **settings):
        (tmp_path / "prompt.py").write_text(source)
        prompt = {"script": ["python3", "prompt.py"], "config": {"tone": "dry"}}
        return LLMJudge(name="j", prompt=prompt, folder=tmp_path, **settings)

    return judge


def test_a_program_may_print_the_prompt(printing):
    source = (
        "import json, sys\n"
        "given = json.load(sys.stdin)\n"
        "print(given['candidate_answer'], given['config'], '{{criteria}} {{left}}')"
    )

    _, judge = judged(printing(source, config={"of": "all"}), ASKED, GOOD)

    assert judge.prompts == ["  42  {'of': 'all', 'tone': 'dry'} be right {{left}}".strip()]


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("raise SystemExit('no tone')", "program of its prompt exited with code 1: no tone"),
        ("raise SystemExit(3)", "exited with code 3: it said nothing"),
        ("print()", "program of its prompt printed nothing"),
    ],
)
def test_a_program_that_prints_no_prompt_is_an_error(printing, source, why):
    grader = printing(source)
    grader.prepare()

    with pytest.raises(EvaluatorError, match=why):
        judged(grader, ASKED, GOOD)


def test_a_program_that_is_not_there_is_known_before_it_is_needed(tmp_path):
    prompt = {"command": ["no-such-program-anywhere"]}

    (problem,) = LLMJudge(name="j", prompt=prompt, folder=tmp_path).problems()

    assert "'no-such-program-anywhere' was not found" in problem


def test_what_judges_is_the_programs_text_too(printing):
    one, other = printing("print(1)").content, printing("print(2)").content

    assert one != other
    assert LLMJudge(name="j").content == ""
