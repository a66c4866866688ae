"""Evaluators in a GitHub repository: a branch becomes a commit, whose index says the rest."""

import logging
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Unpack
from urllib.parse import quote, urlsplit

import msgspec

from agentevals import web
from agentevals.evaluator import evaluator_store, published_index
from agentevals.evaluator.evaluator_files import find_problem
from agentevals.evaluator.evaluator_lock import Pin
from agentevals.evaluator.registry_catalogue import Registry, Snapshot
from agentevals.evaluator.registry_copies import (
    Copies,
    How,
    NotHereError,
    TokenRefusedError,
    read_origin,
)
from agentevals.evaluator.registry_head import Fetch, Memory
from agentevals.model.errors import InputError, UnavailableError

log = logging.getLogger(__name__)
DEFAULT_REPO = "agentevals-dev/evaluators"
VERSION = "2022-11-28"
_SHA_ONLY = "application/vnd.github.sha"
_RAW = "application/vnd.github.raw+json"
_JSON = "application/vnd.github+json"
_REPOSITORY = re.compile(r"[\w-][\w.-]*/[\w-][\w.-]*", re.ASCII)
_COMMIT = re.compile(r"[0-9a-f]{40}")
_FILE_MODES = {"100644", "100755"}
API_URL = "https://api.github.com"
RAW_URL = "https://raw.githubusercontent.com"


class _Leaf(msgspec.Struct):
    path: str
    mode: str = ""
    type: str = ""


class _Tree(msgspec.Struct):
    tree: list[_Leaf]
    truncated: bool = False


class GitHubEvaluatorSource(Registry):
    """A branch, a tag or a commit of a repository."""

    source_name = "github"
    terms = web.TERMS

    def __init__(
        self,
        repo: str | None = None,
        branch: str | None = None,
        index_path: str | None = None,
        token: str | None = None,
    ) -> None:
        env = os.environ
        named = repo or env.get("AGENTEVALS_EVALUATOR_REPO")
        self.repo = named or DEFAULT_REPO
        self.branch = branch or env.get("AGENTEVALS_EVALUATOR_BRANCH") or "main"
        self._named = (index_path,) if index_path else ()
        self._hosts = read_environment(own_repository=bool(named), token=token)
        self._root = evaluator_store.find_default_root()

    @property
    def cache_key(self) -> str:
        return "/".join(quote(part, safe="") for part in (self._hosts.name, self.repo, self.branch))

    @property
    def repository(self) -> str:
        return f"{self._hosts.name}/{self.repo}"

    @property
    def problem(self) -> str:
        if _REPOSITORY.fullmatch(self.repo):
            return ""
        return f"AGENTEVALS_EVALUATOR_REPO: {self.repo!r} is not a repository; write owner/name"

    def snapshot(self) -> Snapshot:
        if self.problem:
            raise InputError(self.problem)
        for address in published_index.read_addresses():
            try:
                return self._read_address(address)
            except UnavailableError as error:
                log.warning("%s; the index of %s itself is used", error, self.repository)
        commit = self._find_commit(self.branch)
        fetch = self._follow_pointer(self._fetch_at(commit or self.branch))
        names = self._named or (published_index.JSON, published_index.YAML)
        where, memory = self.repository, self._open_memory()
        found, signer = published_index.read(fetch, *names, where=where, memory=memory)
        commit = (found.commit if found else "") or commit
        return Snapshot(listed=found, commit=commit, signer=signer)

    def _fetch_at(self, commit: str) -> Fetch:
        return lambda name, /, digest="": self._read(name, commit, digest=digest)

    def _follow_pointer(self, here: Fetch) -> Fetch:
        """Return what fetches the index from where the branch says that it is."""
        pointer = None if self._named else published_index.read_pointer(here)
        if pointer is None:
            return here
        if pointer.branch:
            return self._fetch_at(self._find_commit(pointer.branch) or pointer.branch)
        return published_index.fetch_beside(pointer.index, self._copies)

    def list_memories(self) -> list[Memory]:
        own = self._open_memory()
        return [*published_index.open_memories(self._root / "heads"), *([own] if own else [])]

    def _open_memory(self) -> Memory | None:
        """Return what was seen of the branch; a commit that the user names may be an old one."""
        if self._is_fixed:
            return None
        key = (self.repository, self.branch, *self._named)
        return Memory.open(self._root / "heads", *key, where=self.repository)

    def read_file(self, pin: Pin, name: str) -> bytes | None:
        return self._read(f"{pin.folder}{name}", pin.commit or self.branch, kept=False)

    def list_files(self, pin: Pin) -> Iterable[str]:
        try:
            listed = self._list_tree(pin)
        except (NotHereError, InputError):
            raise
        except UnavailableError as error:
            log.warning("%s; only the program and its requirements are fetched", error)
            listed = []
        return listed or super().list_files(pin)

    def describe_missing(self, pin: Pin) -> str:
        token = self._hosts.token_name
        private = "; for a private one set AGENTEVALS_GITHUB_TOKEN"
        private = f", or the token in {token} may not read it" if token else private
        where = f"(repository {self.repo}, branch {self.branch})"
        return f"{pin.path} does not exist{private} {where}"

    @property
    def _is_fixed(self) -> bool:
        """Return whether the user asked for one commit, which may be an old one."""
        return bool(_COMMIT.fullmatch(self.branch))

    def _read_address(self, address: str) -> Snapshot:
        found, signer = published_index.read_address(
            address, self._copies, seen=self._root / "heads"
        )
        return Snapshot(
            listed=found, commit=found.commit or self._find_commit(self.branch), signer=signer
        )

    def _find_commit(self, branch: str) -> str:
        """Return the commit of a branch; empty where no API can be asked."""
        if _COMMIT.fullmatch(branch) or not self._hosts.api:
            return branch if _COMMIT.fullmatch(branch) else ""
        url = f"{self._hosts.api}/repos/{self.repo}/commits/{quote(branch, safe='')}"
        try:
            said = self._ask(url, _SHA_ONLY, what=f"branch {branch} of {self.repository}")
        except (NotHereError, TokenRefusedError):
            raise
        except UnavailableError as error:
            log.warning("%s; its files are read without knowing the commit", error)
            return ""
        commit = (said or b"").decode("ascii", "replace").strip()
        if said is None:
            token = self._hosts.token_name
            private = "; for private ones set AGENTEVALS_GITHUB_TOKEN"
            or_token = f", or the token in {token} may not read it" if token else private
            msg = f"{self.repository} has no branch, tag or commit {branch!r}{or_token}"
            raise InputError(msg)
        if not _COMMIT.fullmatch(commit):
            msg = f"{self._hosts.api} does not answer like GitHub; check AGENTEVALS_API_URL"
            raise UnavailableError(msg)
        return commit

    def _list_tree(self, pin: Pin) -> list[str]:
        """Return the files of a folder at the commit, without links and submodules."""
        if not self._hosts.api or not pin.commit or not pin.folder:
            return []
        url = f"{self._hosts.api}/repos/{self.repo}/git/trees/{pin.commit}?recursive=1"
        said = self._ask(url, _JSON, what=f"the files of {self.repository}", lasting=True)
        try:
            tree = msgspec.json.decode(said or b"", type=_Tree)
        except (msgspec.DecodeError, RecursionError):
            return []
        if tree.truncated:
            log.warning("%s has too many files to list all of them", self.repository)
        names = [
            leaf.path.removeprefix(pin.folder)
            for leaf in tree.tree
            if leaf.mode in _FILE_MODES and leaf.path.startswith(pin.folder)
        ]
        kept = [name for name in names if not find_problem(name)]
        return kept if pin.entrypoint in kept else []

    def _read(self, path: str, at: str, *, kept: bool = True, digest: str = "") -> bytes | None:
        """Read a file at a commit, from the first address that has it."""
        lasting = bool(_COMMIT.fullmatch(at))
        what = f"{path} of {self.repository}"
        trouble: UnavailableError | None = None
        for url, accept in self._list_addresses(path, at):
            try:
                found = self._ask(url, accept, what=what, lasting=lasting, kept=kept, digest=digest)
            except UnavailableError as error:
                trouble = trouble or error
            else:
                if found is not None:
                    return found
                if not self._hosts.token:
                    return None
        if trouble:
            raise trouble
        return None

    def _list_addresses(self, path: str, at: str) -> Iterable[tuple[str, str]]:
        if self._hosts.raw:
            yield f"{self._hosts.raw}/{self.repo}/{quote(at)}/{quote(path)}", "*/*"
        if self._hosts.api:
            place = f"{self._hosts.api}/repos/{self.repo}/contents/{quote(path)}"
            yield f"{place}?ref={quote(at, safe='')}", _RAW

    def _ask(self, url: str, accept: str, **how: Unpack[How]) -> bytes | None:
        headers = {"accept": accept, **self._hosts.headers(url)}
        if url.startswith(f"{self._hosts.api}/"):
            headers["x-github-api-version"] = VERSION
        return self._copies.get(url, headers, **how)

    @cached_property
    def _copies(self) -> Copies:
        root, token = self._root / "web", self._hosts.token_name
        return Copies(root=root, terms=self.terms, token=token)


@dataclass(frozen=True, kw_only=True)
class Hosts:
    """The addresses are empty where there is no such thing: a mirror of files has no API, an
    Enterprise Server hands out files through its API alone.
    """

    api: str = API_URL
    raw: str = RAW_URL
    token: str = field(default="", repr=False)
    token_name: str = ""  # the variable that it came from

    @property
    def name(self) -> str:
        """The host, as people read it; it tells repositories of one name apart."""
        if self.api == API_URL:
            return "github.com"
        return urlsplit(self.api or self.raw).netloc

    def headers(self, url: str) -> dict[str, str]:
        """Return the token for addresses of these hosts, if nobody on the way can read it."""
        ours = {read_origin(each) for each in (self.api, self.raw) if each}
        if (
            not self.token
            or read_origin(url) not in ours
            or not published_index.is_confidential(url)
        ):
            return {}
        return {"authorization": f"token {self.token}"}


def read_environment(*, own_repository: bool, token: str | None = None) -> Hosts:
    """Read the addresses and the token from the environment.

    On a runner of an Enterprise Server a repository of one's own is looked for there; the
    community's is on github.com wherever it is used.
    """
    env = os.environ
    api, raw = env.get("AGENTEVALS_API_URL", ""), env.get("AGENTEVALS_RAW_URL", "")
    if not api and not raw:
        api = env.get("GITHUB_API_URL", "") if own_repository else ""
        api = api or API_URL
    api, raw = api.rstrip("/"), raw.rstrip("/")
    if api == API_URL:
        raw = raw or RAW_URL
    given = {
        "the call": token or "",
        "AGENTEVALS_GITHUB_TOKEN": env.get("AGENTEVALS_GITHUB_TOKEN", ""),
        "GITHUB_TOKEN": _find_runner_token(env, api),
    }
    name = next((name for name in given if given[name]), "")
    return Hosts(api=api, raw=raw, token=given.get(name, "").strip(), token_name=name)


def _find_runner_token(env: Mapping[str, str], api: str) -> str:
    """Return the token of a workflow's run, which belongs to the GitHub that it runs on."""
    home = env.get("GITHUB_API_URL") or API_URL
    return env.get("GITHUB_TOKEN", "") if api and read_origin(api) == read_origin(home) else ""
