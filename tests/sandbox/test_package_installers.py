import os
import sys
from pathlib import Path

import pytest

from agentevals.model.errors import EvaluatorError
from agentevals.sandbox import index_relay, package_indexes
from agentevals.sandbox.package_installers import (
    Installer,
    drop_own_indexes,
    hash_content,
    list_readable,
    read_lines,
)


@pytest.fixture(autouse=True)
def bare(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    for name in [name for name in os.environ if name.startswith(("PIP_", "UV_", "SSL_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setattr(package_indexes, "_SYSTEM", ())


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


DEFAULT = "https://default.example.org/simple"


def read_pip():
    return package_indexes.read_pip(lambda: DEFAULT)


def read_uv():
    return package_indexes.read_uv(lambda: DEFAULT)


def list_urls(places):
    return [place.url for place in places]


def test_the_places_of_pip_are_those_of_its_files_and_of_the_environment(tmp_path, monkeypatch):
    (tmp_path / "pip").mkdir()
    (tmp_path / "pip" / "pip.conf").write_text(
        "[global]\nindex-url = https://u:p@first.example.org/simple\ntrusted-host = b.example.org\n"
        "extra-index-url = https://a.example.org/simple\n  http://b.example.org/simple\n"
        "[install]\nfind-links = /wheels\n"
    )

    first, *others = read_pip()

    assert (first.url, first.user, first.password) == ("https://first.example.org/simple", "u", "p")
    assert list_urls(others) == [
        "https://a.example.org/simple", "http://b.example.org/simple", "/wheels",
    ]  # fmt: skip
    assert [place.verify for place in others] == [True, False, True]

    monkeypatch.setenv("PIP_CERT", "/own.pem")
    assert [place.verify for place in read_pip()[:3]] == [
        "/own.pem",
        "/own.pem",
        False,
    ]
    monkeypatch.delenv("PIP_CERT")

    monkeypatch.setenv("PIP_INDEX_URL", "https://other.example.org/simple")
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "")
    assert read_pip()[0].url == "https://other.example.org/simple"
    assert len(read_pip()) == 4


def test_pip_without_settings_takes_its_own_index_and_with_no_index_only_links(monkeypatch):
    assert list_urls(read_pip()) == [DEFAULT]

    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", "/wheels https://example.org/wheels")
    assert list_urls(read_pip()) == ["/wheels", "https://example.org/wheels"]


def test_the_places_of_uv_are_those_of_its_file_and_of_the_environment(tmp_path, monkeypatch):
    (tmp_path / "uv").mkdir()
    (tmp_path / "uv" / "uv.toml").write_text(
        '[[index]]\nname = "corp"\nurl = "https://corp.example.org/simple"\n'
        '[[index]]\nurl = "https://main.example.org/simple"\ndefault = true\n'
    )
    monkeypatch.setenv("UV_INDEX_CORP_USERNAME", "u")
    monkeypatch.setenv("UV_INDEX_CORP_PASSWORD", "p")
    monkeypatch.setenv("UV_FIND_LINKS", "/wheels,/more")

    main, corp, *links = read_uv()

    assert main.url == "https://main.example.org/simple"
    assert (corp.url, corp.user, corp.password) == ("https://corp.example.org/simple", "u", "p")
    assert list_urls(links) == ["/wheels", "/more"]

    monkeypatch.setenv("UV_DEFAULT_INDEX", "https://x:y@env.example.org/simple")
    monkeypatch.setenv("UV_INDEX", "one=https://one.example.org/simple")
    assert list_urls(read_uv())[:2] == [
        "https://env.example.org/simple", "https://one.example.org/simple",
    ]  # fmt: skip


@pytest.mark.parametrize("uv", [True, False])
def test_without_settings_an_installer_says_itself_which_index_it_asks(uv):
    (place,) = Installer(**{} if uv else {"uv": None}).list_places(Path(sys.executable))

    assert place.url.startswith("https://")
    assert place.url.endswith("/simple")


def test_an_installer_that_names_no_index_is_told_what_to_do(tmp_path):
    silent = tmp_path / "uv"
    silent.write_text("#!/bin/sh\necho usage\n")
    silent.chmod(0o755)

    with pytest.raises(EvaluatorError, match="name one, in PIP_INDEX_URL"):
        Installer(uv=str(silent)).list_places(Path(sys.executable))


def test_an_installer_that_does_not_start_is_told_like_one_that_says_nothing(tmp_path):
    with pytest.raises(EvaluatorError, match="name one, in PIP_INDEX_URL"):
        Installer(uv=str(tmp_path / "uv")).list_places(Path(sys.executable))


def test_an_index_of_ours_is_dropped_from_requirements(tmp_path):
    requirements = tmp_path / "requirements.txt"
    places = [package_indexes.Place.parse(DEFAULT)]

    requirements.write_text(f"-i {DEFAULT}\nsix==1.16.0 \\\n    --hash=sha256:00\n")
    assert drop_own_indexes(requirements, places) == "six==1.16.0 \\\n    --hash=sha256:00\n"

    requirements.write_text(f"--extra-index-url={DEFAULT}/\n--index-url https://example.org\nsix\n")
    assert drop_own_indexes(requirements, places) == "--index-url https://example.org\nsix\n"


@pytest.mark.parametrize("line", ["-r more.txt", "-c pins.txt", "-e .", "./wheel", "six"])
def test_requirements_stay_where_they_lie_if_a_path_or_nothing_needs_it(tmp_path, line):
    requirements = tmp_path / "requirements.txt"
    option = "" if line == "six" else f"-i {DEFAULT}\n"
    requirements.write_text(f"{option}{line}\n")

    assert not drop_own_indexes(requirements, [package_indexes.Place.parse(DEFAULT)])


@pytest.mark.parametrize("uv", ["uv", None])
def test_an_installer_is_told_of_our_relay_and_reads_no_settings(monkeypatch, uv):
    monkeypatch.setenv("PIP_INDEX_URL", "https://u:p4ss@example.org/simple")
    monkeypatch.setenv("UV_DEFAULT_INDEX", "https://u:p4ss@example.org/simple")
    installer = Installer(uv=uv and Installer().uv)
    with index_relay.serve(installer.list_places(Path(sys.executable))) as relay:
        given = installer.build_variables(relay)

    assert any(value.startswith("http://127.0.0.1:") for value in given.values())
    assert not any("p4ss" in value or "example.org" in value for value in given.values())
    assert given.get("UV_NO_CONFIG") or given.get("PIP_CONFIG_FILE") == os.devnull


@pytest.mark.parametrize("uv", ["uv", None])
def test_what_lies_on_this_machine_is_read_from_there(uv):
    places = [
        package_indexes.Place.parse("file:///index/simple"),
        package_indexes.Place.parse("/w", is_page=True),
    ]
    with index_relay.serve(places) as relay:
        given = Installer(uv=uv).build_variables(relay)

        assert relay.hosts == ()
    assert {"file:///index/simple", "/w"} <= set(given.values())


def test_offline_there_is_no_index():
    for uv, flag in ((Installer().uv, "--offline"), (None, "--no-index")):
        given = Installer(uv=uv, offline=True)
        assert flag in given.install(Path("python"), "six")
        assert flag not in Installer(uv=uv, offline=False).install(Path("python"), "six")
        assert all(place.path for place in given.list_places(Path(sys.executable)))


@pytest.fixture
def requirements(tmp_path):
    path = tmp_path / "ev" / "requirements.txt"
    path.parent.mkdir()
    path.write_text("six==1.0\n")
    return path


def test_the_folder_of_the_requirements_may_be_read(requirements):
    assert requirements.parent in set(list_readable(requirements, read_pip()))


def test_hidden_things_beside_the_requirements_may_not(requirements):
    (requirements.parent / ".git").mkdir()

    found = set(list_readable(requirements, read_pip()))

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

    opened = {path.resolve() for path in list_readable(requirements, []) if path.name != "circle"}

    assert secret not in opened


def test_a_local_index_may_be_read_when_the_settings_name_it(requirements, tmp_path, monkeypatch):
    (tmp_path / "index" / "simple").mkdir(parents=True)
    (tmp_path / "wheels").mkdir()
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", f"file://{tmp_path}/index/simple")

    assert {tmp_path / "index", tmp_path / "wheels"} <= set(list_readable(requirements, read_pip()))


def test_what_only_the_requirements_name_may_not_be_read(requirements, tmp_path):
    (tmp_path / "secrets").mkdir()
    requirements.write_text(f"--find-links {tmp_path}/secrets\n")

    assert tmp_path / "secrets" not in set(list_readable(requirements, read_pip()))


def test_comments_are_no_requirements(tmp_path):
    requirements = tmp_path / "requirements.txt"
    requirements.write_text("# one\n\nsix # two\nurl#egg=x\n  \n")

    assert list(read_lines(requirements)) == ["six", "url#egg=x"]


def test_requirements_that_cannot_be_read(tmp_path):
    (tmp_path / "requirements.txt").write_bytes(b"\xff")
    with pytest.raises(EvaluatorError, match=r"requirements\.txt cannot be read"):
        list(read_lines(tmp_path / "requirements.txt"))

    (tmp_path / "requirements.txt").write_text("-r missing.txt")
    with pytest.raises(EvaluatorError, match=r"missing\.txt cannot be read"):
        list(read_lines(tmp_path / "requirements.txt"))


def test_files_that_include_each_other_are_read_once(tmp_path):
    for number in range(60):
        (tmp_path / f"{number}.txt").write_text(f"-r {number + 1}.txt\n" * 3)
    (tmp_path / "60.txt").write_text("six\n-r 0.txt\n")

    assert list(read_lines(tmp_path / "0.txt")).count("six") == 1


@pytest.mark.parametrize("way", ["folder/../", "here/", "here/there/here/"])
def test_a_file_that_includes_itself_in_a_roundabout_way_is_read_once(tmp_path, way):
    (tmp_path / "folder").mkdir()
    for link in ("here", "there"):
        (tmp_path / link).symlink_to(tmp_path)
    (tmp_path / "own.txt").write_text(f"-r {way}own.txt\n")

    assert list(read_lines(tmp_path / "own.txt")) == [f"-r {way}own.txt"]


def test_a_name_that_no_file_can_have_is_refused(tmp_path):
    (tmp_path / "own.txt").write_text("-r a\0b\n")

    with pytest.raises(EvaluatorError, match="cannot be read: embedded null byte"):
        list(read_lines(tmp_path / "own.txt"))


def test_what_an_installer_may_read_counts_whatever_kind_of_file_it_is(tmp_path):
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "a.py").write_text("1")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "gone").symlink_to("nowhere")
    before = hash_content(tmp_path)
    (tmp_path / "code" / "a.py").write_text("2")
    hash_content.cache_clear()

    assert hash_content(tmp_path) != before


def test_an_endless_file_is_no_requirements_file(tmp_path):
    (tmp_path / "requirements.txt").write_text("-r /dev/zero")

    with pytest.raises(EvaluatorError, match="/dev/zero cannot be read: it is no file of at most"):
        list(read_lines(tmp_path / "requirements.txt"))


def test_what_a_link_names_elsewhere_is_not_read(tmp_path):
    (tmp_path / "judge").mkdir()
    (tmp_path / "elsewhere").write_text("1")
    (tmp_path / "judge" / "link").symlink_to(tmp_path / "elsewhere")
    before = hash_content(tmp_path / "judge")
    (tmp_path / "elsewhere").write_text("2")
    hash_content.cache_clear()

    assert hash_content(tmp_path / "judge") == before
