"""The environment variables of a foreign program: built from nothing, never inherited."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

_CERTIFICATES = (
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "PIP_CERT"),
    "NODE_EXTRA_CA_CERTS",
)
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


def environment(extras: Mapping[str, str], *, network: bool) -> dict[str, str]:
    """What every program gets, what reaching the network takes, and what was asked for."""
    built = {
        "LANG": "C.UTF-8",
        "PATH": os.pathsep.join(
            (str(Path(sys.executable).parent), "/usr/local/bin", "/usr/bin", "/bin")
        ),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONIOENCODING": "utf-8",
        "PYTHONUTF8": "1",
    }
    if network:
        proxies = (*_PROXIES, *map(str.lower, _PROXIES))
        built |= {n: os.environ[n] for n in (*_CERTIFICATES, *proxies) if n in os.environ}
    return built | dict(extras)


def certificates() -> list[str]:
    """The files and folders that the certificate variables name."""
    named = (os.environ.get(name, "") for name in _CERTIFICATES)
    return [
        path for name in named for path in name.split(os.pathsep) if path and Path(path).exists()
    ]
