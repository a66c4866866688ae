"""Schemas that others publish, fetched once into a cache; where there is no index, tests skip."""

import hashlib
import json
import shutil
import subprocess
import tarfile
import tempfile
from functools import cache
from pathlib import Path

import pytest

CACHE = Path.home() / ".cache" / "agentevals-tests" / "schemas"
# package, the digest of what was looked at, and where the schema lies in it
PACKAGES = {
    "sarif": (
        "@microsoft/jest-sarif@1.0.0-beta.0",
        "748e2c3d1a842e7bb258416685c7ea3a0da40005b72267b2052c2856d48ad102",
        "package/lib/schemas/sarif-2.1.0-rtm.5.json",
    ),
    "ctrf": (
        "ctrf@0.3.0",
        "e3ca219a2236c53c6cf0463c635161264b0a9f46dc9e285b7827d40f7551e8b6",
        "package/src/ctrf-schema-0.0.json",
    ),
}


def schema(name):
    """The JSON Schema of a format, as its makers publish it."""
    package, digest, member = PACKAGES[name]
    cached = CACHE / digest / Path(member).name
    if not cached.is_file() and (obstacle := _fetch(package, digest, member, cached)):
        pytest.skip(f"{package} is needed: {obstacle}")
    return json.loads(cached.read_text())


@cache
def _fetch(package, digest, member, cached):
    """Why it cannot be had; asked once, because asking takes long where nobody answers."""
    npm = shutil.which("npm")
    if npm is None:
        return "there is no npm"
    with tempfile.TemporaryDirectory() as folder:
        command = [npm, "pack", "--silent", "--fetch-retries=0", package]
        try:
            packed = subprocess.run(
                command, cwd=folder, capture_output=True, timeout=60, check=False
            )
        except subprocess.TimeoutExpired:
            return "npm does not answer"
        archives = list(Path(folder).glob("*.tgz"))
        if not archives:
            return f"npm ends with {packed.returncode} {packed.stderr.decode()[-200:]}"
        assert hashlib.sha256(archives[0].read_bytes()).hexdigest() == digest
        with tarfile.open(archives[0]) as archive:
            content = archive.extractfile(member).read()
    cached.parent.mkdir(parents=True, exist_ok=True)
    cached.write_bytes(content)
    return None
