"""What one evaluator says about one case is bounded in the report, and a finding says so."""

import json
from pathlib import Path

from agentevals.graders.grader import Services
from agentevals.graders.grading import cut_grade, grade_case
from agentevals.graders.programs.code import Code
from agentevals.model.cases import Grade, Status
from tests.support import case

LARGE = """
import json
print(json.dumps({"score": 1, "details": {
    "reasoning": "r" * 10_000_000, "issues": ["i" * 100] * 50_000, "small": [1], "other": "x"
}}))
"""


def test_an_ordinary_grade_stays_the_same_object() -> None:
    grade = Grade(score=1.0, reasoning="fine", hits=("a",), details={"a": {"b": [1, 2]}})

    assert cut_grade(grade) == (grade, [])
    assert cut_grade(grade)[0] is grade


def test_a_large_one_is_cut_where_it_is_large() -> None:
    grade = Grade(
        score=1.0,
        reasoning="x" * 100_000,
        hits=("h" * 100,) * 5000,
        details={"first": 1, "large": "y" * 10_000_000, "last": "z"},
    )

    cut, names = cut_grade(grade)

    assert names == ["reasoning", "hits", "details"]
    assert cut.score == 1.0
    assert "34464 characters omitted" in cut.reasoning
    assert cut.hits[-1] == "… 4344 more omitted …"
    assert cut.details == {"first": 1, "large": "… 9765 KiB omitted …", "last": "z"}


def test_members_without_end_are_cut_too() -> None:
    cut, names = cut_grade(Grade(score=0.0, details={f"{n}{'k' * 2000}": n for n in range(5000)}))

    assert names == ["details"]
    assert len(json.dumps(cut.details)) < 2 << 20


def test_a_program_that_says_megabytes_keeps_its_score_and_is_named(tmp_path: Path) -> None:
    (tmp_path / "large.py").write_text(LARGE)
    services = Services()

    result = grade_case(Code(name="large", path=tmp_path / "large.py"), case(), services)

    assert (result.status, result.score) == (Status.PASSED, 1.0)
    assert result.details["small"] == [1]
    assert len(json.dumps([result.reasoning, result.misses, result.details])) < 1 << 20
    (finding,) = services.findings.values()
    assert finding.message == (
        "evaluator 'large': its 'reasoning', 'misses', 'details' were too long for the report "
        "and were cut"
    )
