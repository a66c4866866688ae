import pytest

from agentevals.github.runner import input_texts
from agentevals.github.runner.input_texts import Shard, read_matrix


def read(environ):
    return input_texts.read(
        environ, {"fail-on": "failed", "github-token": "x", "jobs": ""}, {"github-token"}
    )


def test_texts_are_trimmed_and_named_as_in_the_manifest():
    assert read({"INPUT_FAIL-ON": " never\n"}).texts == {"fail-on": "never"}


def test_what_is_empty_or_no_input_is_left_out():
    assert read({"INPUT_JOBS": "", "INPUT_FAIL-ON": "  ", "OUTPUT_JOBS": "1"}).texts == {}


def test_a_default_gives_way_and_a_choice_does_not():
    environ = {"INPUT_FAIL-ON": "never", "INPUT_FAIL_ON": "error"}

    assert read(environ).conflicting == ("fail-on",)
    assert read(environ | {"INPUT_FAIL-ON": "failed"}).conflicting == ()


def test_what_is_computed_always_gives_way():
    found = read({"INPUT_GITHUB-TOKEN": "a", "INPUT_GITHUB_TOKEN": "b"})

    assert found == ({"github-token": "b"}, (), ())


def test_unknown_names_are_told():
    assert read({"INPUT_SHARDS": "1/2"}).unknown == ("shards",)


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
