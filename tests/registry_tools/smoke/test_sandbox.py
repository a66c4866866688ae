import subprocess
import sys

import pytest

from agentevals.sandbox.isolation import describe
from agentevals.sandbox.promises import CheckedPromise, Outcome
from registry_tools.smoke import sandbox
from tests.registry_tools.smoke.builders import judge
from tests.sandbox.test_levels import LANDLOCK

HELD = CheckedPromise("it cannot use TCP", Outcome.HELD)
LACKING = CheckedPromise("it cannot use TCP", Outcome.UNAVAILABLE, ("connected over TCP",))
BROKEN = CheckedPromise("it cannot use TCP", Outcome.BROKEN, ("connected over TCP",))


@pytest.mark.parametrize(
    ("walls", "checked", "level", "why"),
    [
        ("strict (own user)", HELD, "strict", ""),
        ("partial (seccomp)", LACKING, "partial", ""),
        ("partial (seccomp)", HELD, "strict", "only the walls partial (seccomp), and 'strict'"),
        ("basic", LACKING, "partial", "this machine has only the walls basic"),
        ("basic", LACKING, "basic", ""),
        ("strict (own user)", BROKEN, "partial", "it cannot use TCP: it connected over TCP"),
        ("basic", BROKEN, "basic", "a promise of the sandbox does not hold"),
    ],
)
def test_nothing_runs_where_the_walls_do_not_hold(walls, checked, level, why):
    objection = sandbox.judge_promises(walls, [HELD, checked], level)

    assert why in objection
    assert bool(objection) == bool(why)


# on a machine that offers less: system calls are taken away, as in the tests of isolation
POORER = """if True:
    import errno, sys
    from pathlib import Path
    from agentevals.sandbox.launcher import kernel, seccomp
    from registry_tools.manifests import registry
    from registry_tools.smoke import run
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    seccomp.Filter(seccomp._compile([({"landlock": LANDLOCK}, errno.ENOSYS)], [])).enforce()
    found = registry.read(Path(sys.argv[1]))
    for one in run.run(found, run.Options(level=sys.argv[2], cached=False)):
        print(one.rule, one.severity.value, one.path, one.message)
    """


def said_without_landlock(root, level):
    program = POORER.replace("LANDLOCK", str(LANDLOCK))
    done = subprocess.run(
        [sys.executable, "-c", program, str(root), level],
        capture_output=True,
        text=True,
        timeout=120,
        env={"PYTHONPATH": ":".join(sys.path), "PATH": "/usr/bin:/bin"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif("landlock" not in describe(), reason="nothing can be taken away")
def test_a_machine_that_offers_less_than_was_asked_for_runs_nothing(tmp_path):
    judge(tmp_path, "1 / 0")

    said = said_without_landlock(tmp_path, "strict")

    assert said.startswith("smoke-sandbox error evaluators no evaluator was run: ")
    assert said.count("\n") == 1


@pytest.mark.skipif("landlock" not in describe(), reason="nothing can be taken away")
def test_a_machine_that_offers_less_runs_what_it_may(tmp_path):
    judge(tmp_path, "1 / 0")

    assert "smoke-program error" in said_without_landlock(tmp_path, "partial")
