import pytest

from agentevals.configs.dialects import compile_plan
from agentevals.configs.plan import Overrides
from agentevals.evaluator import registry_index
from agentevals.run import identity

CONFIG = """\
evaluators:
  - {name: path, type: tool_trajectory_avg_score}
  - {name: mine, type: code, path: mine.py, config: {least: 3}}
"""
CASE = '{"eval_id": "%s", "conversation": [{"user_content": {"parts": [{"text": "%s"}]}}]}\n'


def identified(folder, *, config=CONFIG, program="print(1)", cases=CASE % ("a", "hi"), **options):
    folder.mkdir(exist_ok=True, parents=True)
    (folder / "c.yaml").write_text(config)
    (folder / "mine.py").write_text(program)
    (folder / "e.jsonl").write_text(cases)
    return identity.identify(
        compile_plan(folder / "c.yaml", Overrides(eval_set=folder / "e.jsonl")), **options
    )


def test_it_does_not_depend_on_where_the_files_lie(tmp_path):
    assert identified(tmp_path / "here") == identified(tmp_path / "deeply" / "there")


def test_keys_in_another_order_are_the_same_settings(tmp_path):
    other = CONFIG.replace("config: {least: 3}", "config: {b: 1, a: 2}")
    same = CONFIG.replace("config: {least: 3}", "config: {a: 2, b: 1}")

    assert identified(tmp_path, config=other) == identified(tmp_path, config=same)


@pytest.mark.parametrize(
    ("change", "changed"),
    [
        ({"program": "print(2)"}, "mine"),
        ({"config": CONFIG.replace("least: 3", "least: 4")}, "mine"),
        ({"config": CONFIG.replace("_score}", "_score, threshold: 0.9}")}, "path"),
    ],
)
def test_what_changes_one_evaluator_changes_its_digest_alone(tmp_path, change, changed):
    before, after = identified(tmp_path), identified(tmp_path, **change)

    assert [n for n in before.evaluators if before.evaluators[n] != after.evaluators[n]] == [
        changed
    ]
    assert before.cases == after.cases


def test_a_case_has_a_digest_of_its_own(tmp_path):
    before = identified(tmp_path, cases=CASE % ("a", "hi") + CASE % ("b", "hi"))
    after = identified(tmp_path, cases=CASE % ("a", "hi") + CASE % ("b", "bye"))

    assert before.cases["a"] == after.cases["a"]
    assert before.cases["b"] != after.cases["b"]


TIMED = '{"eval_id": "a", "creation_timestamp": %s, "conversation": [{"user_content": \
{"parts": [{"text": "hi"}]}, "creation_timestamp": %s, "duration": 2}]}\n'
FUNCTION = CONFIG + "  - {name: f, type: adk_function, function: mine.f}\n"


def test_what_only_functions_of_adk_are_given_of_a_case_counts_where_there_is_one(tmp_path):
    plain = [identified(tmp_path, cases=TIMED % (at, at)).cases for at in (1, 2)]
    read = [identified(tmp_path, config=FUNCTION, cases=TIMED % (at, at)).cases for at in (1, 2)]

    assert plain[0] == plain[1] == identified(tmp_path).cases
    assert read[0] != read[1]


def test_what_is_made_of_judged_evaluators_is_judged(tmp_path):
    inner = "{name: safe, type: safety_v1}"
    config = f"evaluators:\n  - {{name: all, type: composite, evaluators: [{inner}]}}\n"

    assert identified(tmp_path, config=config).judged == ("all",)


def test_limits_of_the_gate_are_no_part_of_it(tmp_path):
    strict = CONFIG + "gate: {pass_rate: {at_least: 0.9}}\n"

    assert identified(tmp_path, config=strict) == identified(tmp_path)


def test_judged_evaluators_and_the_judge_are_known(tmp_path):
    judged = "evaluators:\n  - {name: tone, type: safety_v1}\njudge: {model: %s}\n"

    one = identified(tmp_path, config=judged % "gpt-5-mini")
    other = identified(tmp_path, config=judged % "gpt-5")

    assert one.judged == ("tone",)
    assert one.judge != other.judge
    assert one.evaluators == other.evaluators


def test_judges_of_other_names_count_as_well(tmp_path):
    judged = "evaluators:\n  - {name: tone, type: safety_v1}\njudge: {model: gpt-5%s}\n"

    one = identified(tmp_path, config=judged % "")
    other = identified(tmp_path, config=judged % ", targets: {strict: {model: gpt-5-mini}}")

    assert one.judge != other.judge


REMOTE = "evaluators:\n  - {name: far, type: remote, ref: far}\n"
LOCK = """{"schema": 1, "evaluators": [{"ref": "far", "pin": {"source": "github",
"repository": "github.com/o/r", "path": "e/far.py", "entrypoint": "far.py",
"files": {"far.py": "%s"}, "sha256": "%s"}}]}"""


def locked(folder, digest):
    files = {"far.py": digest}
    folder.mkdir()
    (folder / "agentevals.lock").write_text(LOCK % (digest, registry_index.digest(files)))
    return identified(folder, config=REMOTE)


def test_a_remote_evaluator_counts_by_what_is_locked(tmp_path):
    one, same, other = (
        locked(tmp_path / name, digest * 64)
        for name, digest in (("one", "1"), ("same", "1"), ("other", "2"))
    )

    assert one == same
    assert one.evaluators != other.evaluators
    assert one.evaluators != identified(tmp_path / "none", config=REMOTE).evaluators


def test_a_digest_may_be_too_long_to_search_for_two_programs_that_share_it(tmp_path):
    """With 16 digits that takes seconds, and an approval of one would cover the other."""
    short = identified(tmp_path)
    long = identified(tmp_path, length=identity.UNFORGEABLE)

    for one, other in ((short.evaluators, long.evaluators), (short.cases, long.cases)):
        assert one == {name: digest[:16] for name, digest in other.items()}
        assert {len(digest) for digest in other.values()} == {40}
