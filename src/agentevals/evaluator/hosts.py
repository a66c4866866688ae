"""The addresses of GitHub's API and raw files, and the token that is sent there alone."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

API_URL = "https://api.github.com"
RAW_URL = "https://raw.githubusercontent.com"
_LOOPBACK = {"127.0.0.1", "::1", "localhost"}


@dataclass(frozen=True, kw_only=True)
class Hosts:
    """The addresses are empty where there is no such thing: a mirror of files has no API, an
    Enterprise Server hands out files through its API alone.
    """

    api: str = API_URL
    raw: str = RAW_URL
    token: str = field(default="", repr=False)

    @property
    def name(self) -> str:
        """The host, as people read it; it tells repositories of one name apart."""
        if self.api == API_URL:
            return "github.com"
        return urlsplit(self.api or self.raw).netloc

    def headers(self, url: str) -> dict[str, str]:
        """Return the token for addresses of these hosts, if nobody on the way can read it."""
        ours = {origin(each) for each in (self.api, self.raw) if each}
        if not self.token or origin(url) not in ours or not is_confidential(url):
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
    given = token or env.get("AGENTEVALS_GITHUB_TOKEN") or _find_runner_token(env, api)
    return Hosts(api=api, raw=raw, token=given.strip())


def _find_runner_token(env: Mapping[str, str], api: str) -> str:
    """Return the token of a workflow's run, which belongs to the GitHub that it runs on."""
    home = env.get("GITHUB_API_URL") or API_URL
    return env.get("GITHUB_TOKEN", "") if api and origin(api) == origin(home) else ""


def origin(url: str) -> tuple[str, str]:
    """Return the scheme and host, which are equal for addresses of one server."""
    parts = urlsplit(url)
    return parts.scheme, parts.netloc.lower()


def is_confidential(url: str) -> bool:
    """Return whether nobody on the way can read or change a request."""
    parts = urlsplit(url)
    return parts.scheme == "https" or parts.hostname in _LOOPBACK
