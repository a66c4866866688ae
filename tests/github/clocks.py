"""Time for tests: it stands still while anybody works, and jumps when all of them wait."""

import threading

from agentevals.github.api_retries import Clock

START = 1_800_000_000.0


class VirtualTime:
    """One time for several threads, each of which joins before it starts and leaves at its end."""

    def __init__(self, people=1):
        self.pauses = []
        self._now = START
        self._changed = threading.Condition()
        self._busy, self._waiting = people, []

    @property
    def clock(self):
        return Clock(now=lambda: self._now, sleep=self._sleep)

    def leave(self):
        with self._changed:
            self._busy -= 1
            self._pass()

    def _sleep(self, seconds):
        with self._changed:
            self.pauses.append(seconds)
            until = self._now + seconds
            self._waiting.append(until)
            self._busy -= 1
            self._pass()
            while self._now < until:
                self._changed.wait()

    def _pass(self):
        if self._busy == 0 and self._waiting:
            self._now = min(self._waiting)
            still = [until for until in self._waiting if until > self._now]
            self._busy, self._waiting = len(self._waiting) - len(still), still
            self._changed.notify_all()
