import os
from pathlib import Path, PurePath

import pytest

from agentevals.sandbox import closed_paths
from agentevals.sandbox.closed_paths import find_closed, is_closed

SECRETS = (
    *(".git/config", "tool/.git/config", ".env", "app/.env.production", "prod.env", ".envrc"),
    *(".npmrc", ".pypirc", ".netrc", ".ssh/config", ".aws/credentials", ".config/gh/hosts.yml"),
    *("keys/id_rsa", "keys/id_ed25519", "keys/server.key", "keys/store.p12", "ID_RSA"),
    *("gha-creds-0123.json", "infra/terraform.tfstate", "service-account.json"),
)
ORDINARY = (
    *("main.py", ".github/workflows/ci.yml", ".gitignore", ".env.example", "keys/id_rsa.pub"),
    *("environment.yml", ".config/app/settings.toml", "keyboard.py", "credentials.py"),
)
CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n"


def write(folder: Path, *names: str, text: str = "x") -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


@pytest.mark.parametrize("name", SECRETS)
def test_histories_keys_and_credentials_are_closed_however_deep(tmp_path: Path, name: str) -> None:
    write(tmp_path / "deep" / "er", name)

    (found,) = find_closed(tmp_path)

    assert (tmp_path / "deep" / "er" / name).is_relative_to(found)
    assert is_closed(PurePath(name))


def test_ordinary_files_are_not(tmp_path: Path) -> None:
    write(tmp_path, *ORDINARY)

    assert find_closed(tmp_path) == ()
    assert not any(is_closed(PurePath(name)) for name in ORDINARY)


def test_certificates_are_for_everybody_and_keys_beside_them_are_not(tmp_path: Path) -> None:
    write(tmp_path, "cacert.pem", text=CERTIFICATE)
    write(tmp_path, "both.pem", text=CERTIFICATE + "-----BEGIN RSA PRIVATE KEY-----")
    write(tmp_path, "other.pem")
    os.mkfifo(tmp_path / "pipe.pem")

    names = {Path(path).name for path in find_closed(tmp_path)}

    assert names == {"both.pem", "other.pem", "pipe.pem"}


def test_what_a_closed_name_is_a_link_to_is_closed_under_its_own_name_too(tmp_path: Path) -> None:
    write(tmp_path, "config/production", "/".join(("config", "other")))
    (tmp_path / ".env").symlink_to("config/production")
    (tmp_path / "config/.env").symlink_to("/etc/hostname")

    found = find_closed(tmp_path)

    assert str(tmp_path / "config/production") in found
    assert str(tmp_path / "config/other") not in found
    assert len(found) == 3


def test_a_folder_that_changed_is_looked_through_again(tmp_path: Path) -> None:
    write(tmp_path, "a/b/main.py")
    long_ago = 10**9
    for folder in (tmp_path, tmp_path / "a", tmp_path / "a/b"):
        os.utime(folder, (long_ago, long_ago))

    assert find_closed(tmp_path) == ()
    assert find_closed(tmp_path) is find_closed(tmp_path)
    write(tmp_path, "a/b/.env")

    assert find_closed(tmp_path) == (str(tmp_path / "a/b/.env"),)


def test_a_folder_that_cannot_be_read_or_is_a_file_has_nothing_closed(tmp_path: Path) -> None:
    write(tmp_path, "file")

    assert find_closed(tmp_path / "file") == find_closed(tmp_path / "none") == ()
    assert closed_paths.find_closed(tmp_path / "file") == ()
