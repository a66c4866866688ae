import pytest

from agentevals.github.runner.input_types import Shard, read_matrix


def test_a_shard_is_written_as_it_is_given():
    assert str(Shard(2, 3)) == "2/3"


@pytest.mark.parametrize(
    ("matrix", "name"),
    [
        ("", ""),
        ("null", ""),
        ("{}", ""),
        ('{\n  "python": "3.12",\n  "lock": true\n}', "3.12, true"),
        ('{"case": {"a": 1}}', '{"a": 1}'),
        ('{"x": "a\\nb"}', "a b"),
    ],
)
def test_a_leg_is_named_by_its_values(matrix, name):
    assert read_matrix(matrix) == name


def test_a_long_name_is_cut():
    assert len(read_matrix('{"x": "' + "y" * 1000 + '"}')) == 201


@pytest.mark.parametrize("text", ["[" * 100_000, "1", '"x"', "nothing"])
def test_what_is_no_matrix_is_refused(text):
    with pytest.raises(ValueError, match="must be a JSON object"):
        read_matrix(text)
