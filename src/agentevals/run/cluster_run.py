"""A run on a cluster: which files are judged together, and what the whole run comes to.

Every partition is judged as though there were no others. What its worker tells of it shows whether
that was right: partitions that share a trace or a conversation are judged again as one.
"""

import pickle
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, NamedTuple

from agentevals.configs.plan import Plan
from agentevals.files.storage import Remote
from agentevals.model.errors import InputError
from agentevals.model.results import Finding
from agentevals.run.case_judging import Part, only_computes
from agentevals.run.engines import Cluster
from agentevals.run.partitions import File, Job, Partition, Told, judge_partition
from agentevals.traces.loaders import Files, measure

_SIZE = 32 * 2**20  # bytes of files in a partition, if there are several
_EACH = 8  # partitions for each worker, if there is less than that to do
_MOST = 4096  # partitions: a scheduler keeps something of each

Numbers = tuple[int, ...]


class _Place(NamedTuple):
    file: int
    start: int
    size: int


class Distributed:
    """Holds what the partitions of a run came to: their parts lie on disk, in any order."""

    def __init__(self, noted: Sequence[Finding]) -> None:
        self._noted = noted
        self._kept: IO[bytes] = tempfile.TemporaryFile(prefix="agentevals-")  # noqa: SIM115
        weakref.finalize(self, self._kept.close)
        self._places: dict[Numbers, list[_Place]] = {}
        self._told: dict[Numbers, Told] = {}

    def add(self, numbers: Numbers, told: Told) -> None:
        """Keep what a worker has told of the files of these numbers."""
        places = []
        for file, data in told.parts:
            places.append(_Place(file, self._kept.tell(), len(data)))
            self._kept.write(data)
        self._places[numbers], self._told[numbers] = places, replace(told, parts=())

    def keep(self, partitions: Iterable[Numbers]) -> None:
        """Forget what was told of other partitions."""
        self._told = {numbers: self._told[numbers] for numbers in partitions}

    def find(self, numbers: Numbers) -> Told | None:
        """Return what was told of these files, if they were judged together."""
        return self._told.get(numbers)

    @property
    def traces(self) -> int:
        """The number of traces."""
        return sum(told.traces for told in self._told.values())

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings about files, in their order."""
        told = self._told.values()
        files = sorted((at, found) for one in told for at, found in one.findings.items())
        joined = sorted((j for one in told for j in one.joined), key=lambda found: found[0])
        return (*self._noted, *(f for _, fs in files for f in fs), *(f for _, f in joined))

    def take(self) -> Iterator[Part]:
        """Yield the parts in the order of their files."""
        for place in sorted(place for numbers in self._told for place in self._places[numbers]):
            self._kept.seek(place.start)
            yield pickle.loads(self._kept.read(place.size))  # noqa: S301 -- of our own workers


def refuse_programs(plan: Plan) -> None:
    """Refuse evaluators that start programs or ask somebody: workers do neither."""
    names = [repr(grader.name) for grader in plan.all_graders if not only_computes(grader)]
    if names:
        several = len(names) > 1
        msg = (
            f"{'evaluators' if several else 'evaluator'} {', '.join(names)}: workers of an engine "
            "start no third-party program and ask no judge; run "
            f"{'them' if several else 'it'} without --engine, from a config of "
            f"{'their' if several else 'its'} own"
        )
        raise InputError(msg)


def distribute(cluster: Cluster, job: Job, paths: Sequence[Path]) -> Distributed:
    """Judge all files on a cluster."""
    named = Files(paths)
    files = [
        File(number, _locate(path), str(path), named.was_named(path))
        for number, path in enumerate(named)
    ]
    done = Distributed(named.findings)
    partitions = _pack(files, cluster.workers)
    if job.plan.pair == "position":
        partitions = [tuple(range(len(files)))]
    while True:
        _judge_missing(cluster, job, files, partitions, done)
        done.keep(partitions)
        united = _unite(partitions, done)
        lone = [
            numbers for numbers in partitions if _lacks_sessions(numbers, partitions, job, done)
        ]
        if united == partitions and not lone:
            return done
        if lone:
            job = replace(job, group_by="conversation")
            done.keep(numbers for numbers in partitions if numbers not in lone)
        partitions = united


def _locate(path: Path) -> Path:
    """Return where workers find a file: on storage that they share."""
    return path if isinstance(path, Remote) else path.absolute()


def _pack(files: Sequence[File], workers: int) -> list[Numbers]:
    """Put small files together, one after the other."""
    sizes = [measure(file.path) or 0 for file in files]
    fair = sum(sizes) // (max(workers, 1) * _EACH)
    most = max(min(_SIZE, fair), sum(sizes) // _MOST)
    packed: list[list[int]] = []
    room = 0
    for number, size in enumerate(sizes):
        if not packed or size > room:
            packed.append([])
            room = most
        packed[-1].append(number)
        room -= size
    return [tuple(numbers) for numbers in packed]


def _judge_missing(
    cluster: Cluster,
    job: Job,
    files: Sequence[File],
    partitions: Sequence[Numbers],
    done: Distributed,
) -> None:
    missing = [numbers for numbers in partitions if done.find(numbers) is None]
    items = [
        Partition(tuple(files[number] for number in numbers), len(numbers) == len(files))
        for numbers in missing
    ]
    for at, told in cluster.map(judge_partition, job, items):
        done.add(missing[at], told)


def _lacks_sessions(
    numbers: Numbers, partitions: Sequence[Numbers], job: Job, done: Distributed
) -> bool:
    """Return whether conversations were named elsewhere, and single traces judged here."""
    has = {one: (told := done.find(one)) is not None and told.has_sessions for one in partitions}
    return job.group_by == "auto" and any(has.values()) and not has[numbers]


def _unite(partitions: Sequence[Numbers], done: Distributed) -> list[Numbers]:
    """Return the partitions, those that belong together as one."""
    told = [found for numbers in partitions if (found := done.find(numbers))]
    everybody = (
        any(one.has_attempts or one.asks_everybody for one in told)
        or sum(one.recorded for one in told) == 1
    )
    ties = [list(range(len(told)))] if everybody else list(_find_ties(told))
    leader = list(range(len(told)))
    for tie in ties:
        roots = {_find_root(leader, at) for at in tie}
        first = min(roots, default=0)
        for root in roots:
            leader[root] = first
    united: dict[int, list[int]] = {}
    for at, numbers in enumerate(partitions):
        united.setdefault(_find_root(leader, at), []).extend(numbers)
    return [tuple(sorted(numbers)) for numbers in united.values()]


def _find_ties(told: Sequence[Told]) -> Iterator[list[int]]:
    """Yield places of partitions that cannot be judged apart."""
    first: dict[int, int] = {}
    for at, one in enumerate(told):
        others = {first.setdefault(key, at) for key in one.keys} - {at}
        if others:
            yield [at, *others]
    if any(one.tells for one in told):
        yield [at for at, one in enumerate(told) if one.tells or one.asks]


def _find_root(leader: Sequence[int], at: int) -> int:
    while leader[at] != at:
        at = leader[at]
    return at
