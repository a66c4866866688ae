import pytest

from agentevals.graders.agentv.assertions import grade_binary, grade_checks


@pytest.mark.parametrize(
    ("hits", "misses", "score"), [(("a", "b"), ("c",), 2 / 3), ((), (), 0), ((), ("a",), 0)]
)
def test_the_score_is_the_share_of_checks_that_were_met(hits, misses, score):
    assert grade_checks(hits, misses).score == score


def test_all_or_nothing_says_which():
    assert grade_binary(met=True, hit="yes", miss="no").hits == ("yes",)
    assert grade_binary(met=False, hit="yes", miss="no").misses == ("no",)
    assert grade_binary(met=False, hit="yes", miss="no").reasoning == "no"
    assert grade_binary(met=False, hit="yes", miss="no", reasoning="because").reasoning == "because"
