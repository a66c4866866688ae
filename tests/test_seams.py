import pytest

from agentevals.errors import InputError
from agentevals.seams import Table, suggestion

TABLE = Table("codec", {"json": "json", "quote": "shlex:quote"})


def test_a_module_or_something_in_it_is_imported_when_asked_for():
    assert TABLE["json"].dumps([1]) == "[1]"
    assert TABLE["quote"]("a b") == "'a b'"


def test_an_unknown_name_says_the_nearest():
    with pytest.raises(InputError, match=r"unknown codec 'jsn' \(did you mean 'json'\?\)"):
        TABLE["jsn"]


def test_names_that_are_not_near_any_are_told_all():
    assert suggestion("zzz", ["alpha", "beta"]) == " (known: alpha, beta)"


def test_installed_packages_add_theirs_behind_ours(tmp_path, monkeypatch):
    package = tmp_path / "plugin-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: plugin\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text("[codecs]\nbase64 = base64\njson = shlex\n")
    monkeypatch.syspath_prepend(tmp_path)

    table = Table("codec", {"json": "json"}, group="codecs")

    assert list(table) == ["json", "base64"]
    assert table["base64"].b64encode(b"x") == b"eA=="
    assert table["json"].__name__ == "json"
