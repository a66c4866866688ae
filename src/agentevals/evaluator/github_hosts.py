"""The addresses of a GitHub, and the token that goes there and nowhere else."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from agentevals.evaluator import published
from agentevals.evaluator.copies import read_origin

API_URL = "https://api.github.com"
RAW_URL = "https://raw.githubusercontent.com"


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
        if not self.token or read_origin(url) not in ours or not published.is_confidential(url):
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
