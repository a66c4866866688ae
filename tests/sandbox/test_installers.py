from pathlib import Path

import pytest

from agentevals.sandbox.installers import Installer, list_readable, read_settings


@pytest.fixture(autouse=True)
def bare(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    for name in read_settings():
        monkeypatch.delenv(name)


def test_uv_is_taken_where_it_is():
    assert Path(Installer().uv).name == "uv"


@pytest.mark.parametrize("name", ["PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS"])
def test_an_index_that_only_pip_knows_makes_it_pip(monkeypatch, name):
    monkeypatch.setenv(name, "https://example.org/simple")

    assert Installer().uv is None


def test_an_index_in_the_settings_file_of_pip_makes_it_pip(tmp_path):
    (tmp_path / "pip").mkdir()
    (tmp_path / "pip" / "pip.conf").write_text("[global]\nindex-url = https://example.org\n")

    assert Installer().uv is None


def test_settings_for_uv_make_it_uv(monkeypatch):
    monkeypatch.setenv("PIP_INDEX_URL", "https://example.org/simple")
    monkeypatch.setenv("UV_DEFAULT_INDEX", "https://example.org/simple")

    assert Installer().uv


def test_only_what_reaches_an_index_is_passed_on(monkeypatch):
    monkeypatch.setenv("PIP_INDEX_URL", "https://example.org/simple")
    monkeypatch.setenv("GITHUB_TOKEN", "s3cr3t")

    assert read_settings() == {"PIP_INDEX_URL": "https://example.org/simple"}


def test_offline_the_installers_are_told():
    for uv, flag in (("uv", "--offline"), (None, "--no-index")):
        given = Installer(uv=uv, offline=True).install(Path("python"), "six")
        assert flag in given
        assert flag not in Installer(uv=uv, offline=False).install(Path("python"), "six")


@pytest.fixture
def requirements(tmp_path):
    path = tmp_path / "ev" / "requirements.txt"
    path.parent.mkdir()
    path.write_text("six==1.0\n")
    return path


def test_the_folder_of_the_requirements_may_be_read(requirements):
    assert requirements.parent in set(list_readable(requirements))


def test_hidden_things_beside_the_requirements_may_not(requirements):
    (requirements.parent / ".git").mkdir()

    found = set(list_readable(requirements))

    assert requirements in found
    assert not found & {requirements.parent, requirements.parent / ".git"}


@pytest.mark.parametrize("link", ["requirements.txt", "wheels"])
def test_what_a_link_beside_the_requirements_leads_to_may_not(requirements, tmp_path, link):
    secret = tmp_path / "secret"
    secret.touch()
    (requirements.parent / ".git").mkdir()
    (requirements.parent / link).unlink(missing_ok=True)
    (requirements.parent / link).symlink_to(secret)
    (requirements.parent / "circle").symlink_to("circle")

    opened = {path.resolve() for path in list_readable(requirements) if path.name != "circle"}

    assert secret not in opened


def test_a_local_index_may_be_read_when_the_settings_name_it(requirements, tmp_path, monkeypatch):
    (tmp_path / "index" / "simple").mkdir(parents=True)
    (tmp_path / "wheels").mkdir()
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", f"file://{tmp_path}/index/simple")

    assert {tmp_path / "index", tmp_path / "wheels"} <= set(list_readable(requirements))


def test_what_only_the_requirements_name_may_not_be_read(requirements, tmp_path):
    (tmp_path / "secrets").mkdir()
    requirements.write_text(f"--find-links {tmp_path}/secrets\n")

    assert tmp_path / "secrets" not in set(list_readable(requirements))
