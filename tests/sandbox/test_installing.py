"""What a build of packages reaches: the indexes of the machine, through us, and no password."""

import base64
import hashlib
import io
import json
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentevals.model.errors import EvaluatorError
from agentevals.sandbox import index_relay, isolation, package_indexes, program_environments
from agentevals.sandbox.allowed_hosts import Host
from agentevals.sandbox.package_indexes import Place
from agentevals.sandbox.package_installers import Installer
from agentevals.sandbox.program_rights import Rights
from tests.sandbox.test_program_environments import wheel
from tests.servers import Reply, Seen, Server, reply, serve

pytestmark = pytest.mark.skipif(
    "seccomp" not in isolation.describe(), reason="only Linux can ask about calls"
)
USER, PASSWORD = "reader", "p4ss-of-the-index"
INSTALLERS = pytest.mark.parametrize("installer", [{}, {"uv": None}], ids=["uv", "pip"])
FORMS = pytest.mark.parametrize("form", ["html", "json"])
JSON = "application/vnd.pypi.simple.v1+json"
PYPROJECT = (
    '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
    '[project]\nname = "built"\nversion = "1.0"\n'
)
# makes a wheel whose one module says what its build found
BACKEND = """
import glob, json, os, socket, urllib.request, zipfile

INFO = "Metadata-Version: 2.1\\nName: built\\nVersion: 1.0\\n"
WHEEL = "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"

def reach(ask):
    try:
        return repr(ask())
    except Exception as error:
        return f"refused: {error}"

def get(url, **headers):
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=5) as told:
        return told.read().decode(errors="replace")

def read_every_process():
    found = ""
    for path in glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/cmdline"):
        try:
            found += open(path).read()
        except OSError:
            pass
    for path in ("SETTINGS", "/etc/pip.conf", os.path.expanduser("~/.netrc")):
        try:
            found += open(path).read()
        except OSError:
            pass
    return found

def attack():
    relay = os.environ.get("PIP_INDEX_URL") or os.environ["UV_DEFAULT_INDEX"]
    own = relay.split("/")[2]
    return {
        "environment": dict(os.environ),
        "processes": read_every_process(),
        "index": reach(lambda: get("http://INDEX/simple/built/")),
        "neighbour": reach(lambda: get("http://NEIGHBOUR/")),
        "connect": reach(lambda: socket.create_connection(("192.0.2.1", 80), 2).recv(1)),
        "page": reach(lambda: get(relay + "built/")),
        "a way up": reach(lambda: get(relay + "../../admin")),
        "another token": reach(lambda: get(f"http://{own}/guess/0/built/")),
        "an unknown file": reach(lambda: get(relay.rsplit("/", 2)[0] + "/file/99/x")),
        "words for the index": reach(lambda: get(relay + "built/?word-in-query",
            Accept="word-in-accept", Range="word-in-range", X="word-in-x")) and "refused: to say",
        "a long name": reach(lambda: get(relay + "w" * 300 + "/")),
        "a file of another place": reach(lambda: get(relay + "http:%2f%2fNEIGHBOUR%2f/")),
        "writing": reach(lambda: open("VICTIM", "w").write("x")),
    }

def build_wheel(folder, settings=None, metadata=None):
    name = "built-1.0-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(folder, name), "w") as made:
        made.writestr("built.py", "FOUND = " + repr(json.dumps(attack())))
        made.writestr("built-1.0.dist-info/METADATA", INFO)
        made.writestr("built-1.0.dist-info/WHEEL", WHEEL)
        made.writestr("built-1.0.dist-info/RECORD", "")
    return name
"""


class Index:
    """Files of packages, served as an index that asks for a password."""

    def __init__(self, form: str) -> None:
        self.form, self.files = form, dict[str, bytes]()

    def answer(self, seen: Seen) -> Reply:
        wanted = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
        if seen.headers.get("authorization") != wanted:
            return reply(401)
        parts = seen.path.strip("/").split("/")
        if parts[0] == "files" and parts[-1] in self.files:
            return reply(body=self.files[parts[-1]])
        names = [name for name in self.files if name.startswith(f"{parts[-1]}-")]
        if parts[0] != "simple" or not names:
            return reply(404)
        links = {name: f"../../files/{name}#sha256={self._hash(name)}" for name in names}
        if self.form == "html":
            page = "".join(f'<a href="{url}">{name}</a>\n' for name, url in links.items())
            return reply(body=page.encode(), headers={"content-type": "text/html"})
        files = [
            {"filename": n, "url": u.partition("#")[0], "hashes": {"sha256": self._hash(n)}}
            for n, u in links.items()
        ]
        page = json.dumps({"meta": {"api-version": "1.0"}, "name": parts[-1], "files": files})
        return reply(body=page.encode(), headers={"content-type": JSON})

    def _hash(self, name: str) -> str:
        return hashlib.sha256(self.files[name]).hexdigest()


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "AGENTEVALS_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("AGENTEVALS_WITHOUT_INDEX_PASSWORDS", raising=False)
    program_environments._failures.clear()


@pytest.fixture
def form() -> str:
    return "html"


@pytest.fixture
def index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> Iterator[tuple[Server, Index]]:
    """An index on this machine with a password, which the settings of pip and of uv name."""
    index = Index(form)
    wheel(tmp_path / "made")
    name = "tiny-1.0-py3-none-any.whl"
    index.files[name] = (tmp_path / "made" / name).read_bytes()
    with serve(index.answer) as server:
        address = f"http://{USER}:{PASSWORD}@{server.host}/simple"
        (tmp_path / "pip.conf").write_text(f"[global]\nindex-url = {address}\n")
        monkeypatch.setenv("PIP_CONFIG_FILE", str(tmp_path / "pip.conf"))
        monkeypatch.setenv("UV_DEFAULT_INDEX", address)
        yield server, index


def pack(files: dict[str, str]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(f"built-1.0/{name}")
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    return packed.getvalue()


def install(
    folder: Path, text: str, installer: dict[str, Any], rights: Rights | None = None
) -> program_environments.Environment:
    folder.mkdir(exist_ok=True)
    (folder / "requirements.txt").write_text(text)
    requirements = folder / "requirements.txt"
    return program_environments.prepare(requirements, Installer(**installer), rights or Rights())


@INSTALLERS
@FORMS
def test_a_wheel_of_an_index_with_a_password_is_installed(
    index: tuple[Server, Index], tmp_path: Path, installer: dict[str, Any]
) -> None:
    made = install(tmp_path / "judge", "tiny==1.0\n", installer)

    assert (made.packages / "tiny" / "__init__.py").is_file()


@INSTALLERS
@FORMS
def test_a_build_finds_no_password_and_reaches_only_pages_and_files_of_the_index(
    index: tuple[Server, Index], tmp_path: Path, installer: dict[str, Any]
) -> None:
    server, files = index
    with serve(lambda _: reply(body=b"here")) as neighbour:
        backend = BACKEND.replace("INDEX/", f"{server.host}/").replace("NEIGHBOUR", neighbour.host)
        backend = backend.replace("VICTIM", str(tmp_path / "victim"))
        backend = backend.replace("SETTINGS", str(tmp_path / "pip.conf"))
        sent = pack({"pyproject.toml": PYPROJECT, "backend.py": backend, "PKG-INFO": INFO})
        files.files["built-1.0.tar.gz"] = sent
        made = install(tmp_path / "judge", "built==1.0\n", installer)
    told = read_finding(made)

    assert PASSWORD not in json.dumps(told)
    assert base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode() not in json.dumps(told)
    assert "built-1.0.tar.gz" in told.pop("page")
    del told["environment"], told["processes"]
    assert [name for name, said in told.items() if not said.startswith("refused: ")] == []
    assert "is not granted" in told["index"]
    assert (neighbour.seen, (tmp_path / "victim").exists()) == ([], False)
    heard = [f"{seen.path} {seen.headers}" for seen in server.seen]
    assert not [one for one in heard if "admin" in one or "word-in" in one or "wwww" in one]


@INSTALLERS
def test_a_host_that_the_evaluator_is_granted_is_reached_by_the_build_as_well(
    index: tuple[Server, Index], tmp_path: Path, installer: dict[str, Any]
) -> None:
    _, files = index
    with serve(lambda _: reply(body=b"here")) as neighbour:
        backend = BACKEND.replace("NEIGHBOUR", neighbour.host)
        sent = pack({"pyproject.toml": PYPROJECT, "backend.py": backend, "PKG-INFO": INFO})
        files.files["built-1.0.tar.gz"] = sent
        rights = Rights(hosts=(Host.parse(neighbour.host),))
        made = install(tmp_path / "judge", "built==1.0\n", installer, rights)

    assert read_finding(made)["neighbour"] == "'here'"


@INSTALLERS
def test_an_index_that_only_the_requirements_name_is_not_reached(
    index: tuple[Server, Index], tmp_path: Path, installer: dict[str, Any]
) -> None:
    with serve(lambda _: reply(404)) as other:
        text = f"--extra-index-url {other.url}/simple\nelsewhere==1.0\n"
        with pytest.raises(EvaluatorError, match=rf"add `network: \[{other.host}\]`"):
            install(tmp_path / "judge", text, installer)

    assert other.seen == []


@INSTALLERS
def test_requirements_may_name_the_index_that_is_asked_anyway(
    index: tuple[Server, Index], tmp_path: Path, installer: dict[str, Any]
) -> None:
    server, _ = index
    made = install(tmp_path / "judge", f"-i {server.url}/simple\ntiny==1.0\n", installer)

    assert (made.packages / "tiny" / "__init__.py").is_file()


@INSTALLERS
def test_on_a_pull_request_of_a_fork_no_password_is_sent(
    index: tuple[Server, Index],
    tmp_path: Path,
    installer: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server, _ = index
    monkeypatch.setenv("AGENTEVALS_WITHOUT_INDEX_PASSWORDS", "")  # as it was, afterwards
    package_indexes.withhold_passwords()

    with pytest.raises(EvaluatorError, match="answered 401; here it is not told your password"):
        install(tmp_path / "judge", "tiny==1.0\n", installer)

    assert not any("authorization" in seen.headers for seen in server.seen)


@INSTALLERS
def test_an_index_that_is_down_is_named(
    tmp_path: Path, installer: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("PIP_INDEX_URL", "UV_DEFAULT_INDEX"):
        monkeypatch.setenv(name, f"http://{USER}:{PASSWORD}@127.0.0.1:9/simple")

    with pytest.raises(EvaluatorError, match=r"127\.0\.0\.1:9: cannot be reached") as failed:
        install(tmp_path / "judge", "tiny==1.0\n", installer)

    assert PASSWORD not in str(failed.value)


def test_the_password_goes_to_the_server_of_the_index_alone() -> None:
    place = Place.parse(f"https://{USER}:p%40ss@index.example.org/simple")

    assert place.url == "https://index.example.org/simple"
    proof = {"authorization": "Basic " + base64.b64encode(b"reader:p@ss").decode()}
    assert place.prove("https://index.example.org/files/x.whl") == proof
    for other in ("http://index.example.org/x", "https://files.example.org/x"):
        assert place.prove(other) == {}


def test_links_to_other_hosts_lead_through_us_and_may_be_followed_by_metadata() -> None:
    relay = index_relay.Relay([Place.parse("https://index.example.org/simple")])
    relay.port = 1
    page = b"<a href='https://files.example.org/a/x-1.whl?b&amp;c#sha256=1' data-yanked>x</a>"

    changed = relay.rewrite(page, "text/html", "https://index.example.org/x/", relay.places[0])

    link = changed.decode().split('"')[1]
    assert link.startswith("http://127.0.0.1:1/")
    assert link.endswith("/x-1.whl#sha256=1")
    path = link.removeprefix("http://127.0.0.1:1").partition("#")[0]
    assert relay.find(path)[0] == "https://files.example.org/a/x-1.whl?b&c"
    assert b" data-yanked>" in changed


def read_finding(made: program_environments.Environment) -> dict[str, Any]:
    space: dict[str, str] = {}
    exec((made.packages / "built.py").read_text(), space)
    told: dict[str, Any] = json.loads(space["FOUND"])
    return told


INFO = "Metadata-Version: 2.1\nName: built\nVersion: 1.0\n"
