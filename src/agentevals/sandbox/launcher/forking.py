"""The launcher's loop: forks a child per order, tells how it ended, leaves nothing behind."""

import json
import os
import resource
import select
import signal
import socket
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from agentevals.sandbox.launcher import (
    MESSAGE,
    PRELOAD,
    TERMINATE,
    WATCHED,
    forked_child,
    kernel,
    preloading,
    program_ending,
    program_usage,
    scratch_folder,
)
from agentevals.sandbox.launcher.control_groups import MEASURED, Group, Groups
from agentevals.sandbox.launcher.kernel import PR_SET_CHILD_SUBREAPER, prctl
from agentevals.sandbox.launcher.process_isolation import Machine
from agentevals.sandbox.launcher.spare_child import Spare

_WATCH_EVERY = 0.1
_GRACE = 0.1
_SCRATCH_BYTES = 256 << 20
_TOO_MUCH = (
    "left more than 256 MiB in its scratch folder, or more folders or areas of memory "
    "than can be measured"
)
_MEMORY_TAKEN = "took more than {} MiB of memory, with all that it started; 'memory_mb' allows more"
_MIB = 1 << 20
_USUAL_LIMITS = 1024, 128  # MiB and processes, as most orders have them


@dataclass(kw_only=True)
class _Job:
    """A child that runs, and whom to tell."""

    pid: int
    user: int
    folder: str
    channel: socket.socket
    watched: bool
    memory_mb: int
    group: Group | None
    looked_at: float = field(default_factory=time.monotonic)
    kill_at: float = 0.0
    # once it has ended; what it started may still be about to
    exit_code: int | None = None

    def tell(self, **message: str | int) -> None:
        with suppress(OSError):  # nobody listens any more
            self.channel.sendall(json.dumps(message).encode() + b"\n")

    def receive(self) -> bytes:
        try:
            return self.channel.recv(1)
        except OSError:
            return b""


class Server:
    """Serves one process of ours, until that closes its end of the control socket or dies."""

    def __init__(self, control: socket.socket, base: str) -> None:
        self._control, self._base = control, base
        self._machine = Machine(base)
        self._jobs: dict[int, _Job] = {}
        self._groups = Groups.find(base)
        self._serial = 0
        self._spare: Spare | None = None
        first = kernel.find_first_user()
        self._shared_user = first + kernel.USERS
        self._users = list(range(first, self._shared_user))
        self._poll = select.poll()
        self._woken = _wake_on_child()
        self._owner = _watch_owner()
        for file in (control.fileno(), self._woken, *self._owner):
            self._poll.register(file, select.POLLIN)

    def serve(self) -> None:
        """Until nobody is left to serve."""
        limits = str(self._groups or MEASURED)
        best = json.dumps({"isolation": str(self._machine), "limits": limits}).encode()
        with suppress(OSError):  # it ended already; what it made for us is still to be removed
            self._control.sendall(best + b"\n")
        while self._take_step():
            self._reap()
            self._watch()
        self._drop_spare()
        for job in self._jobs.values():
            program_ending.signal_group(job.pid, signal.SIGKILL)
        program_ending.outlive_children()
        if self._groups:
            self._groups.close()
        scratch_folder.remove_tree(self._base)

    def _take_step(self) -> bool:
        """Wait for something to do and do it; False when there is nobody left to serve."""
        events = self._poll.poll(self._choose_patience())
        if not events and not self._spare:
            self._spare = self._make_spare()
        for file, _ in events:
            if file in self._owner:
                return False
            if file == self._control.fileno():
                if not self._accept():
                    return False
            elif file == self._woken:
                os.read(file, 1024)
            elif file in self._jobs:
                self._obey(self._jobs[file])
        return True

    def _choose_patience(self) -> float | None:
        if not self._spare:
            return 0
        if not self._jobs:
            return None
        dying = any(job.kill_at for job in self._jobs.values())
        return 1000 * (_GRACE / 4 if dying else _WATCH_EVERY)

    def _accept(self) -> bool:
        message, files, _, _ = socket.recv_fds(self._control, MESSAGE.size, forked_child.FILES)
        if len(message) != MESSAGE.size:
            return False
        kind, stage, memory_mb, processes = MESSAGE.unpack(message)
        if preloading.import_stages(stage):
            self._drop_spare()
        if kind == PRELOAD:
            return True
        self._serial += 1
        folder = f"{self._base}/{self._serial}"
        user = self._users.pop() if self._users else self._shared_user
        spare = self._begin(files, user, folder, (memory_mb, processes))
        for file in files[1:]:
            os.close(file)
        channel = socket.socket(fileno=files[0])
        self._jobs[channel.fileno()] = _Job(
            pid=spare.pid,
            user=user,
            folder=folder,
            channel=channel,
            watched=kind == WATCHED,
            memory_mb=memory_mb,
            group=spare.group,
        )
        self._poll.register(channel, select.POLLIN)
        return True

    def _make_spare(self) -> Spare:
        """Fork a child that waits, in a group if possible; or else its memory is measured."""
        self._serial += 1
        group = None
        with suppress(OSError):
            if self._groups:
                group = self._groups.make(f"{self._serial}", *_USUAL_LIMITS)
        try:
            return Spare(self._machine, group)
        except OSError:
            return Spare(self._machine, None)

    def _begin(self, files: list[int], user: int, folder: str, limits: tuple[int, int]) -> Spare:
        """Have a child become a program, and return the child."""
        spare, self._spare = self._spare or self._make_spare(), None
        try:
            _start(spare, files, user, folder, limits)
        except OSError:  # it was ended from outside, or its group takes no such limits
            spare = Spare(self._machine, None)
            _start(spare, files, user, folder, limits)
        return spare

    def _drop_spare(self) -> None:
        """End it: it has imported less than the next program needs, or there is no next one."""
        if self._spare:
            self._spare.end()
        self._spare = None

    def _obey(self, job: _Job) -> None:
        """Our process asks to end a program, or has lost interest in it."""
        if job.receive() == TERMINATE:
            program_ending.signal_group(job.pid, signal.SIGTERM)
            job.kill_at = time.monotonic() + _GRACE
        else:
            self._poll.modify(job.channel, 0)
            program_ending.signal_group(job.pid, signal.SIGKILL)

    def _reap(self) -> None:
        while ended := program_ending.find_ended():
            job = next((job for job in self._jobs.values() if job.pid == ended), None)
            if job:  # while its process id, and so that of its group, still belongs to it
                program_ending.signal_group(job.pid, signal.SIGKILL)
            _, status = os.waitpid(ended, 0)
            if job:
                job.exit_code = os.waitstatus_to_exitcode(status)
        for job in list(self._jobs.values()):
            if job.exit_code is not None and program_ending.is_gone(job.pid):
                self._finish(job)

    def _finish(self, job: _Job) -> None:
        del self._jobs[job.channel.fileno()]
        self._poll.unregister(job.channel)
        if job.user != self._shared_user:
            self._users.append(job.user)
        if not self._machine.keeps_groups:
            spare = {self._spare.pid} if self._spare else set()
            program_ending.end_strays(spare.union(job.pid for job in self._jobs.values()))
        scratch_folder.remove(job.folder)
        if job.group and job.group.was_short():
            job.tell(failed=_MEMORY_TAKEN.format(job.memory_mb))
        job.tell(exit=job.exit_code or 0)
        if self._groups and job.group:
            self._groups.take_back(job.group)
        job.channel.close()

    def _watch(self) -> None:
        """Over what the kernel has no limit for, in programs that run for a while."""
        now = time.monotonic()
        due = [job for job in self._jobs.values() if now - job.looked_at > _WATCH_EVERY]
        groups = program_usage.list_groups() if due else {}
        for job in due:
            job.looked_at = now
            if excess := _find_excess(job, groups.get(job.pid, [])):
                job.tell(failed=excess)
                program_ending.signal_group(job.pid, signal.SIGKILL)
        for job in self._jobs.values():
            if job.kill_at and now >= job.kill_at:
                program_ending.signal_group(job.pid, signal.SIGKILL)


def _find_excess(job: _Job, pids: list[int]) -> str:
    """Return what a program took too much of, in words."""
    most = job.memory_mb * _MIB
    if job.group.was_short() if job.group else program_usage.measure_memory(pids, most) > most:
        return _MEMORY_TAKEN.format(job.memory_mb)
    unnamed = program_usage.measure_deleted(pids) if job.watched else 0
    if job.watched and scratch_folder.exceeds(job.folder, _SCRATCH_BYTES - unnamed):
        return _TOO_MUCH
    return ""


def _start(spare: Spare, files: list[int], user: int, folder: str, limits: tuple[int, int]) -> None:
    if spare.group:
        spare.group.limit(*limits)
    spare.begin(files, user, folder)


def _wake_on_child() -> int:
    """A file descriptor that becomes readable when a child ends."""
    read, write = os.pipe()
    os.set_blocking(read, False)
    os.set_blocking(write, False)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return read


def _watch_owner() -> list[int]:
    """A file descriptor that becomes readable when the process that started us is gone."""
    try:
        return [os.pidfd_open(os.getppid())]
    except (AttributeError, OSError):
        return []  # the end of the control socket tells it too


def main(file: int, base: str) -> None:
    """Serve the process at the other end of a control socket."""
    resource.setrlimit(
        resource.RLIMIT_NOFILE, (forked_child.MOST_OPEN_FILES, forked_child.MOST_OPEN_FILES)
    )
    if sys.platform == "linux":
        prctl(PR_SET_CHILD_SUBREAPER, 1)
        # should memory run out, the kernel ends what we started, and not what started us
        Path("/proc/self/oom_score_adj").write_text("1000")
    control = os.dup(file)  # the one that was inherited may lie above what children close
    os.close(file)
    server = Server(socket.socket(fileno=control), base)
    forked_child.remember_own_modules()
    preloading.import_stages(0)
    server.serve()
