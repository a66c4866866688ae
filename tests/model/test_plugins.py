import subprocess
import sys

import pytest

from agentevals.model.errors import InputError
from agentevals.model.plugins import Table, suggestion

TABLE = Table("codec", {"json": "json", "quote": "shlex:quote"})


def test_a_module_or_something_in_it_is_imported_when_asked_for():
    assert TABLE["json"].dumps([1]) == "[1]"
    assert TABLE["quote"]("a b") == "'a b'"


def test_an_unknown_name_says_the_nearest():
    with pytest.raises(InputError, match=r"unknown codec 'jsn' \(did you mean 'json'\?\)"):
        TABLE["jsn"]


def test_names_that_are_not_near_any_are_told_all():
    assert suggestion("zzz", ["alpha", "beta"]) == " (known: alpha, beta)"


@pytest.fixture
def installed(tmp_path, monkeypatch):
    def install(entry_points):
        package = tmp_path / "plugin-1.0.dist-info"
        package.mkdir()
        (package / "METADATA").write_text("Metadata-Version: 2.1\nName: plugin\nVersion: 1.0\n")
        (package / "entry_points.txt").write_text(f"[codecs]\n{entry_points}\n")
        monkeypatch.syspath_prepend(tmp_path)

    return install


def test_installed_packages_add_theirs_behind_ours(installed):
    installed("base64 = base64\njson = shlex")

    table = Table("codec", {"json": "json"}, group="codecs")

    assert list(table) == ["json", "base64"]
    assert table["base64"].b64encode(b"x") == b"eA=="
    assert table["json"].__name__ == "json"


@pytest.mark.parametrize("target", ["no_such_package", "base64:no_such_name"])
def test_a_plug_in_that_cannot_be_imported_says_whose_it_is(installed, target):
    installed(f"other = {target}")

    with pytest.raises(InputError, match=rf"the codec 'other' of an installed package \({target}"):
        Table("codec", {"json": "json"}, group="codecs")["other"]


def test_a_lazy_module_is_imported_when_something_of_it_is_used():
    program = (
        "import sys; from agentevals.model.plugins import Lazy\n"
        "late = Lazy('agentevals.files.yaml_reader'); print('yaml' in sys.modules)\n"
        "late.scan; print('yaml' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert done.stdout.split() == ["False", "True"]
