from pathlib import Path

import pytest

from agentevals.github.runner import safe_glob


@pytest.mark.parametrize(
    ("path", "base", "segments"),
    [
        ("/w/a/*.json", "/w/a", ("*.json",)),
        ("/w/**/x", "/w", ("**", "x")),
        ("/w/a/b", "/w/a/b", ()),
        ("/w/[ab]/c", "/w", ("[ab]", "c")),
    ],
)
def test_a_glob_starts_from_its_last_plain_folder(path, base, segments):
    assert safe_glob.split(Path(path)) == (Path(base), segments)


def test_any_number_of_folders_twice_is_any_number_once(tmp_path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "x").touch()

    found = list(safe_glob.find_matches(tmp_path, ("**", "**", "**", "x"), tmp_path))

    assert found == [tmp_path / "a" / "b" / "x"]


def test_a_link_that_leads_out_is_shown_and_not_entered(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "out").symlink_to("/")

    found = list(safe_glob.find_matches(tmp_path / "in", ("*", "etc"), tmp_path / "in"))

    assert found == [tmp_path / "in" / "out"]
