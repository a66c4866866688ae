"""A run that somebody cancels while it works: nothing may look as if it ran for ever."""

import signal

from tests.action import at_once
from tests.action.job import TRAJECTORY, agent, config
from tests.judge.models import YES, completion
from tests.servers import serve


def test_what_has_begun_is_ended(job):
    processes, cancelled = [], []

    def judge(seen):
        if not cancelled:
            cancelled.append(seen)
            processes[0].send_signal(signal.SIGINT)
        return completion(YES)

    with serve(judge) as server:
        settings = {"model": "judge-1", "base_url": f"{server.url}/v1", "cache": False}
        judged = {"name": "safety_v1", "type": "builtin"}
        rules = {"eval_config.yaml": config(TRAJECTORY, judged, judge=settings)}
        job.pull_request(agent(), agent() | rules).given(status="on")
        (done,) = at_once.run([job], processes)

    assert done.code != 0
    assert [check["conclusion"] for check in job.place.checks.values()] == ["failure"]
    assert [status["state"] for status in job.place.statuses] == ["pending", "error"]
    assert "> **Cannot tell whether to merge" in job.comments[0]
    assert "the evaluation ended before it was done" in job.comments[0]
