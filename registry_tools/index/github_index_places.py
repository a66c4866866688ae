"""Places that GitHub's API writes: a pull request that merges itself, and a release."""

import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlsplit

import msgspec

from agentevals import web
from agentevals.evaluator.head_signatures import FORMS
from agentevals.evaluator.published_index import flatten
from agentevals.evaluator.registry_head import HEAD
from agentevals.github.api import Api
from agentevals.github.api_calls import NotFoundError, Purpose, RefusedError, build_path
from agentevals.model.errors import InputError, UnavailableError
from agentevals.model.noun import Noun
from registry_tools.index import index_build
from registry_tools.index.index_branch import Branch, Files
from registry_tools.index.index_build import Built, Last
from registry_tools.index.index_places import BranchPlace, Written, write_message
from registry_tools.index.index_serialise import JSON, YAML

PULL_BRANCH = "agentevals/index"
_FRESH = ".new"  # a file that is uploaded and has not its name yet
_PAGES = flatten("index/heads/")
_LAST = (JSON, YAML, *FORMS, HEAD)  # in this order, so that a head never comes before its files
_PULLS = "contents: write, pull-requests: write"
_ENABLE = """mutation($id: ID!) {
  enablePullRequestAutoMerge(input: {pullRequestId: $id, mergeMethod: SQUASH}) {
    pullRequest { number }
  }
}"""
_MAY_NOT_OPEN = "not permitted to create or approve pull requests"
_IN_A_CLEAN_STATUS = "clean status"  # nothing is required: auto-merge has nothing to wait for
_CREATED = 201


class _Pull(Noun, frozen=True):
    number: int
    node_id: str = ""
    html_url: str = ""


class _Asset(Noun, frozen=True):
    id: int
    name: str = ""
    state: str = "uploaded"


class _Release(Noun, frozen=True):
    id: int
    upload_url: str = ""
    assets: tuple[_Asset, ...] = ()


def connect() -> tuple[Api, str]:
    """Return GitHub's API and the repository, as a job's environment names them."""
    env = os.environ
    token = env.get("AGENTEVALS_GITHUB_TOKEN") or env.get("GITHUB_TOKEN") or ""
    repository = env.get("GITHUB_REPOSITORY") or ""
    url = env.get("GITHUB_API_URL") or "https://api.github.com"
    if not token or not repository:
        msg = "set GITHUB_TOKEN and GITHUB_REPOSITORY (owner/name): GitHub's API has to be asked"
        raise InputError(msg)
    graphql = env.get("GITHUB_GRAPHQL_URL") or f"{url}/graphql"
    return Api(url=url, graphql_url=graphql, token=token), repository


class PullRequestPlace(BranchPlace):
    """A pull request to the branch that is compiled; it merges itself once its checks pass."""

    def __init__(self, source: Branch, api: Api, repository: str) -> None:
        super().__init__(source, source)
        self._api, self._repository = api, repository
        self._head = Branch(source.found, source.remote, PULL_BRANCH)

    def __str__(self) -> str:
        return f"a pull request to {self._source}"

    def write(self, made: Built, stale: Files) -> Written:
        message = write_message(made)
        commit = self._head.commit(self.state, message, stale)
        if complaint := self._head.push(commit, anew=True):
            return Written(complaint)
        pull = self._find() or self._open(message)
        return Written(note=f"{pull.html_url} {self._let_merge(pull)}")

    def _find(self) -> _Pull | None:
        place = build_path("repos", self._repository, "pulls")
        owner = self._repository.partition("/")[0]
        head = f"{owner}:{PULL_BRANCH}"
        query = {"state": "open", "head": head, "base": self._source.name}
        to = Purpose(deed="list the pull requests", needs=_PULLS)
        return next(iter(self._api.list_pages(place, _Pull, to=to, query=query)), None)

    def _open(self, message: str) -> _Pull:
        title, _, body = message.partition("\n\n")
        words = {"title": title, "head": PULL_BRANCH, "base": self._source.name, "body": body}
        place = build_path("repos", self._repository, "pulls")
        to = Purpose(deed="open a pull request", needs=_PULLS)
        try:
            return self._api.post(place, words, _Pull, to=to)
        except RefusedError as error:
            if _MAY_NOT_OPEN not in str(error):
                raise
            where = "'Allow GitHub Actions to create pull requests' (Settings, Actions, General)"
            msg = f"{error}; switch on {where}, or give the job the token of an App"
            raise UnavailableError(msg) from None

    def _let_merge(self, pull: _Pull) -> str:
        """Return what becomes of it: it merges itself, or somebody has to merge it."""
        to = Purpose(deed="let the pull request merge itself", needs=_PULLS)
        try:
            self._api.graphql(_ENABLE, {"id": pull.node_id}, dict[str, Any], to=to)
        except RefusedError as error:
            if _IN_A_CLEAN_STATUS in str(error):
                return "is ready: nothing is required for a merge, so merge it"
            return f"is open, and somebody has to merge it: {error}"
        return "is open, and merges itself once its checks pass"


class ReleasePlace:
    """The files of a release. Its address stays the same: `…/releases/download/TAG/index.json`.

    A release has no folders and at most 1,000 files, so it has no parts: clients read the whole
    index. Its head, the signature and the hashes of earlier heads are as elsewhere.
    """

    def __init__(self, source: Branch, api: Api, repository: str, tag: str) -> None:
        self.state = ""
        self._source, self._api, self._repository, self._tag = source, api, repository, tag
        self._release: _Release | None = None
        self._there: dict[str, bytes] = {}

    def __str__(self) -> str:
        return f"the release {self._tag}"

    def read(self, tip: str) -> Last:
        self._release = self._find()
        assets = self._release.assets if self._release else ()
        wanted = (one for one in assets if _is_kept(one.name.removesuffix(_FRESH)))
        self._there = {one.name: self._download(one) for one in wanted}
        last = index_build.read_fetched(self._fetch)
        if self._there and not last.has_head:
            msg = (
                f"{self}: it has files of an index without {HEAD}; put back the {HEAD} that it had"
            )
            raise UnavailableError(msg + ", or remove all its files to begin anew")
        return last if last.has_head else index_build.read_last(self._source.found, tip)

    def _fetch(self, name: str, /, digest: str = "") -> bytes | None:  # noqa: ARG002 -- a seam
        """Return a file; of a job that was cancelled meanwhile, the one that it left."""
        flat = flatten(name)
        return self._there.get(flat, self._there.get(f"{flat}{_FRESH}"))

    def find_stale(self, files: Mapping[str, bytes]) -> Files:
        wanted = {flatten(name): content for name, content in files.items()}
        kept = {name: content for name, content in wanted.items() if _is_kept(name)}
        differing = {name: kept[name] for name in kept if self._there.get(name) != kept[name]}
        return {**differing, **{name: None for name in self._there if name not in kept}}

    def write(self, made: Built, stale: Files) -> Written:
        """Upload all files before any is replaced, so that only moments lie between them."""
        release = self._release or self._make(made)
        old = {asset.name: asset for asset in release.assets}
        for name in (name for name in old if name.endswith(_FRESH)):  # of a cancelled job
            self._api.delete(self._build_place(old[name]), to=_RELEASE)
        contents = {name: content for name, content in stale.items() if content is not None}
        fresh = {name: self._upload(release, name, contents[name]) for name in contents}
        for name in sorted(stale, key=_rank):
            if name in old and not name.endswith(_FRESH):
                self._api.delete(self._build_place(old[name]), to=_RELEASE)
            if name in fresh:
                place = self._build_place(fresh[name])
                self._api.patch(place, {"name": name}, _Asset, to=_RELEASE)
        return Written()

    def _find(self) -> _Release | None:
        place = build_path("repos", self._repository, "releases", "tags", self._tag)
        try:
            return self._api.get(place, _Release, to=_RELEASE)
        except NotFoundError:
            return None

    def _make(self, made: Built) -> _Release:
        words = {
            "tag_name": self._tag,
            "target_commitish": made.index.commit or self._source.name,
            "name": self._tag,
            "body": "The index of this registry. A job replaces its files.",
            "make_latest": "false",
        }
        place = build_path("repos", self._repository, "releases")
        return self._api.post(place, words, _Release, to=_RELEASE)

    def _download(self, asset: _Asset) -> bytes:
        place = build_path("repos", self._repository, "releases", "assets", asset.id)
        return self._send("GET", f"{self._api.url.rstrip('/')}{place}").body

    def _upload(self, release: _Release, name: str, content: bytes) -> _Asset:
        base = release.upload_url.partition("{")[0]
        response = self._send("POST", f"{base}?name={quote(f'{name}{_FRESH}')}", content)
        return msgspec.json.decode(response.body, type=_Asset)

    def _build_place(self, asset: _Asset) -> str:
        return build_path("repos", self._repository, "releases", "assets", asset.id)

    def _send(self, method: str, url: str, content: bytes = b"") -> web.Response:
        """Send bytes, or ask for some; the token goes to GitHub's own hosts alone."""
        headers = {"accept": "application/octet-stream", "x-github-api-version": "2022-11-28"}
        if method == "POST":
            headers |= {"accept": "application/json", "content-type": "application/octet-stream"}
        if _is_same_site(url, self._api.url):
            headers["authorization"] = f"Bearer {self._api.token}"
        terms = web.Terms(max_bytes=64 << 20, redirects=3 if method == "GET" else 0)
        if method == "GET":
            response = web.get(url, headers=headers, timeout=60, terms=terms)
        else:
            response = web.send(method, url, content, headers=headers, timeout=120, terms=terms)
        if response.status not in {200, _CREATED}:
            msg = f"{self}: GitHub answered {response.status} to {method} {urlsplit(url).path}"
            raise UnavailableError(msg)
        return response


def _is_kept(name: str) -> bool:
    """Return whether a release keeps a file of an index."""
    return name in _LAST or name.startswith(_PAGES)


def _rank(name: str) -> int:
    return _LAST.index(name) if name in _LAST else -1


def _is_same_site(url: str, api: str) -> bool:
    """Return whether an address is of the API's host, or of one beside it, such as uploads."""
    one, other = urlsplit(url), urlsplit(api)
    if one.scheme != other.scheme:
        return False
    domain = ".".join((other.hostname or "").split(".")[-2:])
    return one.netloc == other.netloc or (
        domain == "github.com" and (one.hostname or "").endswith(".github.com")
    )


_RELEASE = Purpose(deed="publish the files of a release", needs="contents: write")
