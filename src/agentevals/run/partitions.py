"""A partition of a run: files that a worker reads and judges, as though they were all there is."""

import pickle
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from agentevals.configs.plan import Plan
from agentevals.files.named_files import pause_garbage_collection
from agentevals.graders.grader import Services
from agentevals.model.errors import InputError
from agentevals.model.results import Finding
from agentevals.model.version import VERSION
from agentevals.run.case_judging import Judging
from agentevals.run.families import Families
from agentevals.run.pairing import Pairing
from agentevals.run.run_costs import CostTally, list_prices
from agentevals.traces.loaders import read_file
from agentevals.traces.reading.trace_files_opened import Recording
from agentevals.traces.reading.trace_joining import JoinedTraces
from agentevals.traces.turns import read_groups
from agentevals.traces.turns.conversation_groups import Groups, find_groups
from agentevals.traces.turns.echoed_spans import SDKS

_KEY = 8  # bytes


class File(NamedTuple):
    """A trace file: its place among all, and the name by which the run knows it."""

    number: int
    path: Path
    name: str
    was_named: bool


class Partition(NamedTuple):
    """Files to be judged together. `is_whole` is whether the run has no others."""

    files: tuple[File, ...]
    is_whole: bool


@dataclass(kw_only=True)
class Job:
    """Holds what all partitions of a run share."""

    plan: Plan
    group_by: str
    transcribe: bool = False
    version: str = VERSION

    @cached_property
    def pairing(self) -> Pairing:
        """Return the pairing that those of all partitions are copies of."""
        return make_pairing(self.plan)


@dataclass(kw_only=True)
class Told:
    """Holds what a worker tells of a partition, and what may tie it to another."""

    # by the file in which the first trace of each conversation is; a pickled Part
    parts: tuple[tuple[int, bytes], ...]
    findings: dict[int, tuple[Finding, ...]]  # by the file
    joined: tuple[tuple[int, Finding], ...]  # by the last of the files
    traces: int
    recorded: int  # conversations, two at the most
    keys: Sequence[int] = ()
    has_attempts: bool = False
    has_sessions: bool = False
    tells: bool = False
    asks: bool = False
    asks_everybody: bool = False


def make_pairing(plan: Plan) -> Pairing:
    """Return what pairs the conversations of a run with its expectations."""
    needed = plan.needs_expectations
    return Pairing(plan.expectations, plan.policy, needed=needed, pairs=plan.pair)


def make_job(plan: Plan, *, transcribe: bool) -> Job:
    """Return what all partitions of a run share."""
    return Job(plan=plan.drop_sources(), group_by=plan.grouping, transcribe=transcribe)


def judge_partition(job: Job, partition: Partition) -> Told:
    """Read the files of a partition, and judge every conversation in them."""
    if job.version != VERSION:
        msg = f"a worker has agentevals {VERSION}, and the run {job.version}; install the same"
        raise InputError(msg)
    joined, starts, findings = JoinedTraces(), list[int](), dict[int, tuple[Finding, ...]]()
    with pause_garbage_collection():
        for file in partition.files:
            starts.append(len(joined))
            recording = Recording(file.path, file.name)
            trace_format, named = job.plan.trace_format, file.was_named
            findings[file.number] = tuple(
                read_file(recording, joined, trace_format, was_named=named)
            )
        keys = array("Q", joined.keys)
        joined.seal()
    groups = find_groups(joined, job.group_by)
    keys.extend(_shorten(f"conversation {name}") for name in groups.names)
    numbers = {file.name: file.number for file in partition.files}
    witnesses = joined.witnesses
    parts, recorded = _judge(job, partition, groups, starts)
    return Told(
        parts=parts,
        findings=findings,
        joined=tuple((numbers[name], finding) for name, finding in joined.list_split()),
        traces=len(joined),
        recorded=recorded,
        keys=keys,
        has_attempts=groups.has_attempts,
        has_sessions=groups.has_sessions,
        tells=witnesses.tells,
        asks=witnesses.asks,
        asks_everybody=any(scope.startswith(SDKS) for scope in witnesses.scopes),
    )


def _judge(
    job: Job, partition: Partition, groups: Groups, starts: Sequence[int]
) -> tuple[tuple[tuple[int, bytes], ...], int]:
    """Return the parts of the partition, and how many conversations it has, two at the most."""
    judging = Judging(
        plan=job.plan,
        services=Services(),
        families=Families(job.plan),
        costs=CostTally(list_prices(job.plan)),
        pairing=job.pairing,
        groups=groups,
        jobs=1,
        transcribe=job.transcribe,
    )
    recorded = job.pairing.begin_anew().count_first(read_groups(groups))
    if partition.is_whole:
        return ((0, pickle.dumps(judging.judge_part(None))),), recorded
    numbers = [file.number for file in partition.files]
    parts = zip(numbers, _split(groups, starts), strict=True)
    return tuple((at, pickle.dumps(judging.judge_part(part))) for at, part in parts), recorded


def _split(groups: Groups, starts: Sequence[int]) -> Iterator[range]:
    """Yield the conversations whose first trace is in each file."""
    firsts = groups.starts
    ends = [bisect_left(firsts, start) for start in (*starts, len(groups.traces))]
    return (range(start, end) for start, end in pairwise(ends))


def _shorten(key: str) -> int:
    digest = blake2b(key.encode(errors="surrogatepass"), digest_size=_KEY).digest()
    return int.from_bytes(digest, "little")
