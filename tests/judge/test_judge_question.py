import pytest

from agentevals.judge import JudgeAnswerError
from agentevals.judge.judge_question import check_schema, read_error

ANYTHING = {"type": ["object", "array"]}


def test_texts_are_clipped_however_deep_they_lie():
    answer = check_schema({"a": [{"b": "x" * 9000, "n": 1, "t": True}]}, ANYTHING)

    assert answer == {"a": [{"b": "x" * 4000 + "…", "n": 1, "t": True}]}


def test_only_an_object_is_an_answer():
    with pytest.raises(JudgeAnswerError, match="not an object"):
        check_schema(["yes"], ANYTHING)


def test_a_misfit_is_described_with_its_place():
    schema = {"properties": {"verdict": {"enum": ["yes", "no"]}}}

    with pytest.raises(
        JudgeAnswerError, match=r"schema at \$\.verdict: 'maybe\\x1b' is not one of"
    ):
        check_schema({"verdict": "maybe\x1b"}, schema)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"error": {"message": "no"}}', "no"),
        (b'{"error": "no"}', "no"),
        (b'{"detail": "no"}', '{"detail": "no"}'),
        (b'["no"]', '["no"]'),
        (b"<h1>no</h1>\x1b", "<h1>no</h1> "),
        (b"\xff", "\ufffd"),
        (b"", ""),
        (b"my sk-1 and sk-1", "my … and …"),
        (b"x" * 999, "x" * 300 + "…"),
    ],
)
def test_what_a_server_has_against_a_request(body, said):
    assert read_error(body, key="sk-1") == said
