"""A headless Chromium and GitHub's style sheet; both are fetched where they are missing."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests import npm
from tests.debian import apt

STYLE = npm.Package(
    "github-markdown-css@5.9.0",
    "tmT5sY+zvg2302XLYEfH2mtkViIM1SWf2nvYoF5N1ZsO0V6B2qZTiw3GOzw4vpjLygK/KG35qRlPFweHqfzz5w==",
)
PACKAGES = ("chromium", "fonts-noto-color-emoji", "fonts-liberation")
NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)


def style(theme: str = "light") -> str:
    """GitHub's style sheet for Markdown, `light` or `dark`."""
    return npm.file(STYLE, f"package/github-markdown-{theme}.css").decode()


def program() -> str:
    """The path of a Chromium, with fonts for everything that a comment may show."""
    with apt() as run:  # other tests may be installing one
        installed = next(filter(None, map(shutil.which, NAMES)), None)
        if installed and _has_emoji():
            return installed
        if os.geteuid() or not shutil.which("apt-get"):
            message = (
                f"needs Chromium and an emoji font; on Debian: apt-get install {' '.join(PACKAGES)}"
            )
            raise RuntimeError(message)
        run("update")
        run("install", "--yes", "--no-install-recommends", *PACKAGES)
    return next(filter(None, map(shutil.which, NAMES)))


def screenshot(page: str, picture: Path, *, width: int, height: int, scale: float = 1) -> None:
    size = f"--window-size={width},{height}"
    _open(page, size, f"--force-device-scale-factor={scale}", f"--screenshot={picture}")


def dom(page: str, *, width: int) -> str:
    """What became of a page once its scripts have run."""
    return _open(page, f"--window-size={width},1200", "--dump-dom")


def visit(address: str, *, width: int = 1_000) -> str:
    """What became of a page of a server on loopback once its scripts have run."""
    with tempfile.TemporaryDirectory() as folder:
        size = f"--window-size={width},1200"
        profile = f"--user-data-dir={folder}/profile"
        command = (program(), *FLAGS, profile, size, "--dump-dom", address)
        return _run(*command, cwd=folder)


def _open(page: str, *flags: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        path.write_text(page, encoding="utf-8")
        profile = f"--user-data-dir={folder}/profile"
        return _run(program(), *FLAGS, profile, *flags, path.as_uri(), cwd=folder)


def _has_emoji() -> bool:
    if not shutil.which("fc-list"):
        return False
    return "Emoji" in _run("fc-list", ":", "family")


def _run(*command: str, cwd: str | None = None) -> str:
    ended = subprocess.run(
        command, cwd=cwd, capture_output=True, encoding="utf-8", timeout=300, check=False
    )
    if ended.returncode:
        message = f"{command[0]} ended with {ended.returncode}: {ended.stderr[-2_000:]}"
        raise RuntimeError(message)
    return ended.stdout
