"""Install the command `agentevals` for the later steps of a job. `action.yml` starts it.

It needs the standard library alone. Every Python starts with `-I`: the working directory is a
checkout, and nothing in it is imported.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1]
# settings of the workflow that would install other versions, or in another place
_REDIRECTING = {
    *("PIP_CONSTRAINT", "PIP_PREFIX", "PIP_ROOT", "PIP_TARGET", "PIP_USER"),
    *("PYTHONHOME", "PYTHONPATH"),
}
_PIP = ("-I", "-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input", "install")
_LOCKED = ("--require-hashes", "--only-binary", ":all:")


def install(home: Path) -> Path:
    """Return the folder of the command, which lies in an environment of its own below `home`."""
    environment, build, commands = home / "environment", home / "build", home / "bin"
    shutil.rmtree(home, ignore_errors=True)
    venv.create(environment, with_pip=True)
    scripts = Path(sysconfig.get_path("scripts", "venv", {"base": str(environment)}))
    python = scripts / _program("python")
    _run(python, *_PIP, *_LOCKED, "-r", SOURCE / "requirements-runtime.lock")
    _run(python, *_PIP, *_LOCKED, "--target", build, "-r", SOURCE / "requirements-build.lock")
    unbuilt = ("--no-index", "--no-deps", "--no-build-isolation", SOURCE)
    _run(python, *_PIP, *unbuilt, PYTHONPATH=str(build))
    shutil.rmtree(build)
    # the only program of its folder: PATH must not lead to the Python of this environment
    commands.mkdir()
    shutil.copy(scripts / _program("agentevals"), commands)
    return commands


def _program(name: str) -> str:
    return f"{name}.exe" if os.name == "nt" else name


def _run(program: Path, *words: str | Path, **variables: str) -> None:
    kept = {name: value for name, value in os.environ.items() if name not in _REDIRECTING}
    subprocess.run([program, *words], env=kept | variables, check=True)  # noqa: S603


def main() -> None:
    """Install the command, start it once, and tell the runner where it is."""
    try:
        commands = install(Path(os.environ["RUNNER_TEMP"]).resolve() / "agentevals")
    except subprocess.CalledProcessError:
        sys.exit(
            "::error title=agentevals::the locked packages cannot be installed; the lines above "
            "say why. Check that the runner reaches its package index"
        )
    _run(commands / _program("agentevals"), "--version")
    with Path(os.environ["GITHUB_PATH"]).open("a", encoding="utf-8") as path:
        path.write(f"{commands}\n")


if __name__ == "__main__":
    main()
