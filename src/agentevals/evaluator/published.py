"""An index as a registry publishes it: `index.json`, or an older `index.yaml`, with `head.json`."""

import logging
import os
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from agentevals.evaluator import head, hosts
from agentevals.evaluator import index as indexes
from agentevals.evaluator.copies import Copies
from agentevals.evaluator.index import Index
from agentevals.model.errors import InputError, UnavailableError

log = logging.getLogger(__name__)

JSON, YAML = "index.json", "index.yaml"
VARIABLE = "AGENTEVALS_EVALUATOR_INDEX"

Fetch = Callable[[str], bytes | None]  # a file beside the index, by its name


def read(
    fetch: Fetch, *names: str, where: str, seen: Path, key: tuple[str, ...] = ()
) -> Index | None:
    """The first of the files that is there. With a key it must not be older than before."""
    for name in names:
        content = fetch(name)
        if content is None:
            continue
        if key:
            # it names the hash of index.json, so whoever hands out index.yaml alone proves nothing
            newest = fetch(head.FILE) if name.endswith(".json") else None
            head.watch(seen, *key, head=newest, index=content, where=where)
        found = indexes.parse(content, where=f"{where}/{name}")
        for remark in found.remarks:
            log.warning("%s/%s: %s", where, name, remark)
        return found
    if key:
        head.watch(seen, *key, head=None, index=None, where=where)
    return None


def at(address: str, copies: Copies, seen: Path) -> Index:
    """The index at an address of the web, without any token."""
    base, name = base_of(address), address.rpartition("/")[2]

    def fetch(beside: str) -> bytes | None:
        url = f"{base}{beside}"
        return copies.get(url, {"accept": "*/*"}, what=url)

    found = read(fetch, name, where=base.rstrip("/"), seen=seen, key=(address,))
    if found is None:
        msg = f"{address} does not exist; check {VARIABLE}"
        raise UnavailableError(msg)
    return found


def addresses() -> list[str]:
    """Where the index is looked for, in this order; each is the address of the file itself."""
    given = os.environ.get(VARIABLE, "").split()
    for address in given:
        name = urlsplit(address).path.rpartition("/")[2]
        plain = not urlsplit(address).query and not urlsplit(address).fragment
        if not (hosts.is_confidential(address) and plain and name.endswith((".json", ".yaml"))):
            msg = f"{VARIABLE}: {address!r} is no address of an index; "
            raise InputError(msg + "write it like https://example.org/registry/index.json")
    return given


def base_of(address: str) -> str:
    """The folder of an address, with its slash."""
    return f"{address.rpartition('/')[0]}/"
