"""Machines that offer less, made by taking system calls away from a process of ours."""

import subprocess
import sys
from pathlib import Path

import pytest

from agentevals.sandbox.isolation import describe
from agentevals.sandbox.launcher.process_isolation import Isolation

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has levels")

LANDLOCK, SET_USER, LISTENER = (444, 444), (117, 147), (317, 277)
POORER = """if True:
    import errno, json, sys
    from pathlib import Path
    from agentevals.model.errors import EvaluatorError
    from agentevals.sandbox.allowed_hosts import Host
    from agentevals.sandbox.isolation import Rights, describe, run_program
    from agentevals.sandbox.launcher import kernel, seccomp
    missing = {str(n): tuple(pair) for n, pair in enumerate(json.loads(sys.argv[1]))}
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    seccomp.Filter(seccomp._compile([(missing, errno.ENOSYS)], [])).enforce()
    print(describe())
    for level in ("strict", "best"):
        try:
            command = [sys.executable, "evaluator.py"]
            folder = Path(sys.argv[2])
            done = run_program(command, stdin=b"", timeout=10, folder=folder, level=level)
            print(done.stdout.decode().strip(), done.isolation)
        except EvaluatorError as error:
            print(error)
    """


def isolation_without(folder: Path, *calls: tuple[int, int], text: str = POORER) -> list[str]:
    (folder / "evaluator.py").write_text("print('ran')")
    folder.chmod(0o755)
    command = [sys.executable, "-c", text, str([list(call) for call in calls]), str(folder)]
    return subprocess.run(
        command, capture_output=True, text=True, check=True, timeout=30
    ).stdout.splitlines()


@pytest.mark.skipif("seccomp" not in describe(), reason="nothing can be taken away")
def test_without_landlock_a_program_still_runs_unless_more_is_demanded(tmp_path: Path) -> None:
    offered, demanded, best = isolation_without(tmp_path, LANDLOCK)

    assert offered.startswith("partial (")
    assert "landlock" not in offered
    assert demanded == f"the isolation 'strict' is not available here, only {offered}"
    assert best == f"ran {offered}"


@pytest.mark.skipif("seccomp" not in describe(), reason="nothing can be taken away")
def test_where_no_call_can_be_asked_about_no_host_alone_is_opened(tmp_path: Path) -> None:
    asking = POORER.replace("level=level)", "rights=Rights(hosts=(Host('127.0.0.1', 9),)))")
    _, *said = isolation_without(tmp_path, LISTENER, text=asking)

    refused = "single hosts cannot be opened to it here (Function not implemented)"
    assert said == [f"{refused}; `network: true` opens all"] * 2


@pytest.mark.skipif("landlock" not in describe(), reason="nothing is left")
def test_root_without_the_right_to_change_its_user_is_shut_in_by_the_rest(tmp_path: Path) -> None:
    offered, demanded, best = isolation_without(tmp_path, SET_USER)

    assert "own user" not in offered
    assert "landlock" in offered
    assert best == f"ran {offered}"
    assert demanded.endswith(offered)


@pytest.mark.skipif(not describe().startswith("strict"), reason="nothing can be taken away")
def test_what_a_kernel_accepts_and_does_not_keep_is_not_claimed(tmp_path: Path) -> None:
    accepting = POORER.replace("errno.ENOSYS", "0")
    restrict = (446, 446)

    offered, *_ = isolation_without(tmp_path, restrict, text=accepting)
    of_users, *_ = isolation_without(tmp_path, SET_USER, text=accepting)

    assert "landlock" not in offered
    assert "own user" not in of_users


@pytest.mark.parametrize(
    ("own_user", "landlock", "seccomp", "told"),
    [
        (True, 7, True, "strict (own user, landlock 7, seccomp)"),
        (True, 1, True, "strict (own user, landlock 1, seccomp)"),
        (False, 6, True, "strict (landlock 6, seccomp)"),
        (False, 5, True, "partial (landlock 5, seccomp)"),
        (True, 0, True, "partial (own user, seccomp)"),
        (True, 7, False, "partial (own user, landlock 7)"),
        (False, 0, False, "basic"),
    ],
)
def test_a_level_is_what_its_walls_make_it(
    own_user: bool, landlock: int, seccomp: bool, told: str
) -> None:
    box = Isolation(own_user=own_user, search=False, landlock=landlock, seccomp=seccomp)

    assert str(box) == told
