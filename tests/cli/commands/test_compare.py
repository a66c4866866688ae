import pytest

from agentevals.compare.settlement import review_of
from agentevals.model.review import Scene
from agentevals.report.outputs import OUTPUTS
from tests.compare.runs import against, run
from tests.report.outputs import pages
from tests.support import agentevals

GOOD = {"paris": {"words": 1.0}, "rome": {"words": 0.9}}
WORSE = {"paris": {"words": 0.2}, "rome": {"words": 0.9}}


@pytest.fixture
def folder(tmp_path):
    """Both runs in both forms that a report has."""
    for name, scores in (("base", GOOD), ("head", WORSE)):
        review = review_of(Scene(), [against(run(scores))])
        for form, output in (("run", "report"), ("review", "review")):
            text = "".join(OUTPUTS[output].render(review))
            (tmp_path / f"{name}-{form}.json").write_text(text)
    return tmp_path


@pytest.mark.parametrize("head", ["run", "review"])
@pytest.mark.parametrize("base", ["run", "review"])
def test_a_case_that_fell_is_told_whatever_form_the_reports_have(folder, base, head):
    done = agentevals("compare", f"base-{base}.json", f"head-{head}.json", cwd=folder)

    assert done.returncode == 1, done.stderr
    assert "✗ paris  pass 1.00 → fail 0.20" in done.stdout


def test_it_says_what_a_run_with_a_baseline_says(folder):
    review = review_of(Scene(), [against(run(WORSE), run(GOOD))])
    expected = "".join(OUTPUTS["summary"].render(review))
    done = agentevals("compare", "base-run.json", "head-run.json", "-o", "summary", cwd=folder)

    assert done.stdout == expected.replace("merge-base", "base-run.json")


def test_every_output_is_there(folder):
    words = ("compare", "base-run.json", "head-run.json", "-o", "junit")
    done = agentevals(*words, "--output-file", "both.html", cwd=folder)

    assert done.stdout.startswith("<?xml")
    assert pages.read_lines((folder / "both.html").read_text())[0][1:4] == [
        *("paris", "fail", ["regressed"]),
    ]


def test_the_same_run_twice_has_not_changed(folder):
    done = agentevals("compare", "base-run.json", "base-review.json", cwd=folder)

    assert done.returncode == 0
    assert "regressed" not in done.stdout


def test_what_is_no_report_is_refused_by_name(folder):
    (folder / "other.json").write_text("{}")
    for words in (("other.json", "head-run.json"), ("base-run.json", "other.json")):
        done = agentevals("compare", *words, cwd=folder)

        assert done.returncode == 2
        assert "other.json" in done.stderr
        assert "give what '-o report' writes" in done.stderr


def test_a_report_without_cases_says_what_to_give(folder):
    review = review_of(Scene(), [])
    (folder / "none.json").write_text("".join(OUTPUTS["review"].render(review)))
    done = agentevals("compare", "base-run.json", "none.json", cwd=folder)

    assert done.returncode == 2
    assert "it has no evaluated cases" in done.stderr
