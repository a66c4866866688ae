"""One run compiles each config once and reads each file once, however often they are asked for."""

import sys
from collections import Counter
from contextlib import contextmanager

from agentevals.configs.dialects import DIALECTS
from agentevals.files import named_files
from agentevals.files.spool import Spool
from agentevals.model.results import CaseReport
from tests.action.job import CITIES, TRAJECTORY, agent, config
from tests.action.test_several_configs import below

BOTH = {"config": "*/eval_config.yaml"}
SECOND = {
    "name": "in order",
    "type": "tool_trajectory_avg_score",
    "trajectory_match_type": "IN_ORDER",
}


class Work:
    """Counts the configs that are compiled and the files whose text is read, by their path."""

    def __init__(self):
        self.compiled, self.read, self.walked = Counter(), Counter(), Counter()
        self._spools = []  # kept, so that none takes the identity of another
        self._counted = {
            **{DIALECTS[name].plan.__code__: self._count_config for name in DIALECTS},
            named_files.text.__code__: self._count_file,
            Spool.__iter__.__code__: self._count_walk,
        }

    def __call__(self, frame, event, _):
        """The interpreter reports every call of a function, whoever makes it."""
        if event == "call" and frame.f_code in self._counted:
            self._counted[frame.f_code](frame.f_locals)

    def _count_config(self, given):
        self.compiled[given["document"].path.resolve()] += 1

    def _count_file(self, given):
        self.read[given["path"].resolve()] += 1

    def _count_walk(self, given):
        spool = given["self"]
        if len(spool) and isinstance(spool[0], CaseReport):
            self._spools.append(spool)
            self.walked[id(spool)] += 1


@contextmanager
def observed():
    work, before = Work(), sys.getprofile()
    sys.setprofile(work)
    try:
        yield work
    finally:
        sys.setprofile(before)


def two(*evaluators, **keys):
    """A repository with two agents, of which one case fails in each."""
    files = agent(failing=["paris", "rome"]) | {"eval_config.yaml": config(*evaluators, **keys)}
    return below("billing", files) | below("search", files)


def of_head(job, counter):
    return {
        path.relative_to(job.workspace).as_posix(): times
        for path, times in counter.items()
        if path.is_relative_to(job.workspace)
    }


def of_base(job, counter):
    """By the last two parts of the path: the base is unpacked somewhere else."""
    elsewhere = (path for path in counter.elements() if not path.is_relative_to(job.workspace))
    return Counter("/".join(path.parts[-2:]) for path in elsewhere)


FOLDERS = ("billing", "search")
CONFIGS = [f"{folder}/eval_config.yaml" for folder in FOLDERS]
FILES = [*CONFIGS, *(f"{folder}/eval_set.json" for folder in FOLDERS)]


def test_two_configs_are_compiled_once_in_the_head_and_once_in_the_base(job):
    """There are a changed threshold to report and lines of two evaluators to link to."""
    head = two(TRAJECTORY, SECOND)
    job.pull_request(two(TRAJECTORY | {"threshold": 0.9}, SECOND), head).given(**BOTH)

    with observed() as work:
        done = job.run()

    assert len(done.report["sections"]) == len(CONFIGS)
    assert of_head(job, work.compiled) == dict.fromkeys(CONFIGS, 1)
    assert of_base(job, work.compiled) == dict.fromkeys(CONFIGS, 1)
    assert of_head(job, work.read) == dict.fromkeys(FILES, 1)
    assert of_base(job, work.read) == dict.fromkeys(FILES, 1)


def test_the_base_is_compiled_once_where_only_its_rules_are_compared(job):
    job.pull_request(two(), two(TRAJECTORY, SECOND)).given(**BOTH, baseline="none")

    with observed() as work:
        job.run()

    assert of_head(job, work.compiled) == dict.fromkeys(CONFIGS, 1)
    assert of_base(job, work.compiled) == dict.fromkeys(CONFIGS, 1)


def test_an_eval_set_of_two_configs_is_read_once(job):
    shared = {"eval_set.json": agent()["eval_set.json"]}
    job.pull_request(shared | two(), shared | two(SECOND)).given(**BOTH, eval_set="eval_set.json")

    with observed() as work:
        job.run()

    assert of_head(job, work.read) == dict.fromkeys([*CONFIGS, *shared], 1)


def test_the_cases_of_the_head_are_walked_over_five_times_at_most(job):
    """Once to settle the run, and once for each file that holds every case."""
    job.pull_request(agent(), agent(failing=["paris"]))

    with observed() as work:
        done = job.run()

    cases = [case["case_id"] for case in done.report["sections"][0]["report"]["cases"]]
    assert len(cases) == len(CITIES)
    assert max(work.walked.values()) <= len(
        ("settle", "report.json", "junit.xml", "ctrf.json", "report.html")
    )
