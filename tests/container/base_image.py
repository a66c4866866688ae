"""A stand-in for the base image where no registry is in reach: Debian packages and a CPython.

Like the real one it has the interpreter in /usr/local, stripped, none of its modules compiled,
and pip.
"""

import hashlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.container.engine import Engine, quietly
from tests.debian import apt

NAME = "python:3.12-slim"
_LABEL = "agentevals.stand-in"
_CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
_LIBRARIES = (
    *("ca-certificates", "libbz2-1.0", "libffi8", "liblzma5", "libncursesw6", "libreadline8"),
    *("libsqlite3-0", "libssl3", "libuuid1", "netbase", "tzdata", "zlib1g"),
)
_SETTINGS = (
    "ENV PATH=/usr/local/bin:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin",
    # those of this machine, which may have its own
    f"ENV PIP_CERT={_CERTIFICATES} SSL_CERT_FILE={_CERTIFICATES}",
    'CMD ["python3"]',
)
_LEFT_OUT = ("test", "tests", "idlelib", "tkinter", "turtledemo", "__pycache__", "site-packages")


def provide(engine: Engine) -> None:
    """Make sure that the engine has an image of that name, made of what this machine has."""
    wanted = _fingerprint()
    if _fingerprint_of(engine) == wanted:
        return
    with tempfile.TemporaryDirectory(prefix="agentevals-base-") as folder:
        root, tar = Path(folder, "root"), Path(folder, "base.tar")
        _debian(root)
        _interpreter(root / "usr/local")
        _finish(root)
        quietly(["tar", "-C", str(root), "--exclude=./dev/*", "-cf", str(tar), "."])
        settings = (*_SETTINGS, f"LABEL {_LABEL}={wanted}")
        changes = [word for setting in settings for word in ("-c", setting)]
        engine.run("import", *changes, str(tar), NAME)


def _fingerprint() -> str:
    prefix, version = _found()
    parts = (Path(__file__).read_text(encoding="utf-8"), str(prefix), version)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _fingerprint_of(engine: Engine) -> str:
    label = f'{{{{index .Config.Labels "{_LABEL}"}}}}'
    return engine.run("image", "inspect", "-f", label, NAME, check=False).stdout.strip()


def _debian(root: Path) -> None:
    if not shutil.which("mmdebstrap"):
        with apt() as run:
            run("install", "--yes", "--no-install-recommends", "mmdebstrap")
    unread = [
        f"--dpkgopt=path-exclude=/usr/share/{folder}/*" for folder in ("doc", "locale", "man")
    ]
    release = _os_release()["VERSION_CODENAME"]
    include = f"--include={','.join(_LIBRARIES)}"
    how = ["--quiet", "--mode=root", "--variant=minbase", "--format=directory"]
    quietly(["mmdebstrap", *how, include, *unread, release, str(root)])


def _interpreter(local: Path) -> None:
    prefix, version = _found()
    for folder in ("bin", "lib"):
        (local / folder).mkdir(parents=True, exist_ok=True)
    modules = local / f"lib/python{version}"
    left_out = shutil.ignore_patterns(*_LEFT_OUT, "*.a")
    shutil.copytree(prefix / f"lib/python{version}", modules, symlinks=True, ignore=left_out)
    (modules / "site-packages").mkdir()
    shutil.copy2(prefix / f"bin/python{version}", local / "bin")
    for library in (prefix / "lib").glob("libpython*.so*"):
        shutil.copy2(library, local / "lib", follow_symlinks=False)
    for name in ("python", "python3"):
        (local / "bin" / name).symlink_to(f"python{version}")
    if shutil.which("strip"):
        binaries = [*local.glob("lib/*.so.*"), *local.rglob("lib-dynload/*.so")]
        quietly(["strip", "--strip-unneeded", *map(str, binaries)])


def _finish(root: Path) -> None:
    python = "/usr/local/bin/python3"
    quietly(["chroot", str(root), "/sbin/ldconfig"])
    quietly(["chroot", str(root), python, "-B", "-m", "ensurepip"])
    (root / "usr/local/bin/pip").symlink_to("pip3")
    shutil.copy2(_CERTIFICATES, root / _CERTIFICATES.relative_to("/"))
    for folder in ("lib/apt/lists", "cache/apt"):
        shutil.rmtree(root / "var" / folder)
        (root / "var" / folder).mkdir()


def _found() -> tuple[Path, str]:
    """A CPython that lies in a folder of its own, the version of the real image before others."""
    ask = "import sys; print(sys.base_prefix, '%d.%d' % sys.version_info[:2])"
    for python in _candidates():
        said = subprocess.run([python, "-c", ask], capture_output=True, text=True, check=False)
        prefix, _, version = said.stdout.strip().rpartition(" ")
        if prefix not in {"", "/usr"}:
            return Path(prefix), version
    msg = "no CPython outside of /usr was found to make a base image of"
    raise AssertionError(msg)


def _candidates() -> Iterator[str]:
    """Those on the path, and those that lie beside our own."""
    beside = Path(sys.base_prefix).parent
    for version in ("3.12", "3.13", "3.11"):
        found = shutil.which(f"python{version}")
        yield from [found] if found else []
        yield from map(str, sorted(beside.glob(f"*/bin/python{version}"), reverse=True))


def _os_release() -> dict[str, str]:
    lines = Path("/etc/os-release").read_text(encoding="utf-8").splitlines()
    return {name: value.strip('"') for name, _, value in (line.partition("=") for line in lines)}
