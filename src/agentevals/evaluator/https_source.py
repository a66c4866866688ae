"""Evaluators on a web server: an index, and the files that it lists, relative to it."""

from functools import cached_property
from urllib.parse import quote

from agentevals import web
from agentevals.evaluator import evaluator_store, published_index
from agentevals.evaluator.evaluator_lock import Pin
from agentevals.evaluator.registry_catalogue import Registry, Snapshot
from agentevals.evaluator.registry_copies import Copies
from agentevals.evaluator.registry_head import Memory
from agentevals.model.errors import InputError, UnavailableError


class HttpsEvaluatorSource(Registry):
    """The first of the addresses in AGENTEVALS_EVALUATOR_INDEX that answers."""

    source_name = "https"
    terms = web.TERMS

    def __init__(self) -> None:
        self._root = evaluator_store.find_default_root()

    @property
    def cache_key(self) -> str:
        return f"https/{quote(self.repository, safe='')}"

    @property
    def repository(self) -> str:
        """The first address stands for all of them: the others hold the same."""
        given = published_index.read_addresses()
        return published_index.strip_name(given[0]).rstrip("/") if given else ""

    @property
    def problem(self) -> str:
        try:
            known = published_index.read_addresses()
        except InputError as error:
            return str(error)
        return (
            ""
            if known
            else f"source 'https' needs the address of an index: set {published_index.VARIABLE}"
        )

    def snapshot(self) -> Snapshot:
        if self.problem:
            raise InputError(self.problem)
        trouble = []
        for address in published_index.read_addresses():
            try:
                found, signer = published_index.read_address(
                    address, self._copies, seen=self._root / "heads"
                )
            except UnavailableError as error:
                trouble.append(str(error))
            else:
                return Snapshot(listed=found, commit=found.commit, signer=signer)
        raise UnavailableError("; ".join(trouble))

    def list_memories(self) -> list[Memory]:
        return published_index.open_memories(self._root / "heads")

    def read_file(self, pin: Pin, name: str) -> bytes | None:
        trouble: UnavailableError | None = None
        for address in published_index.read_addresses():
            url = f"{published_index.strip_name(address)}{quote(f'{pin.folder}{name}')}"
            try:
                content = self._copies.get(url, {"accept": "*/*"}, what=url, kept=False)
            except UnavailableError as error:
                trouble = trouble or error
            else:
                if content is not None:
                    return content
        if trouble:
            raise trouble
        return None

    @cached_property
    def _copies(self) -> Copies:
        return Copies(root=self._root / "web", terms=self.terms)
