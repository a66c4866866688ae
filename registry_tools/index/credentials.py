"""The token for pushing: for the host that it belongs to, and never where others can read it."""

import base64
import os
from dataclasses import replace
from urllib.parse import urlsplit

from registry_tools.index.repository import Repository

_SERVER = "https://github.com"


def add_token(found: Repository, remote: str) -> Repository:
    """Return the repository with GITHUB_TOKEN, for the token's own server alone.

    It travels in the environment: arguments of programs can be read by everybody on a machine.
    """
    token = os.environ.get("AGENTEVALS_GITHUB_TOKEN") or os.environ.get("GITHUB_TOKEN")
    server = os.environ.get("GITHUB_SERVER_URL") or _SERVER
    address = found.attempt("remote", "get-url", "--push", "--", remote).stdout.decode().strip()
    if not token or not _is_same_host(address, server) or _has_header(found, address):
        return found
    count = int(os.environ.get("GIT_CONFIG_COUNT") or 0)
    secret = base64.b64encode(f"x-access-token:{token}".encode()).decode("ascii")
    settings = {
        "GIT_CONFIG_COUNT": str(count + 1),
        f"GIT_CONFIG_KEY_{count}": f"http.{server.rstrip('/')}/.extraheader",
        f"GIT_CONFIG_VALUE_{count}": f"AUTHORIZATION: basic {secret}",
    }
    return replace(found, environment={**found.environment, **settings})


def _is_same_host(address: str, server: str) -> bool:
    one, other = urlsplit(address), urlsplit(server)
    return one.scheme == "https" == other.scheme and one.netloc.lower() == other.netloc.lower()


def _has_header(found: Repository, address: str) -> bool:
    """Return whether the checkout has a token itself; a server refuses two of them."""
    done = found.attempt("config", "--get-urlmatch", "http.extraheader", address)
    return bool(done.stdout.strip())
