"""Which bytes an evaluator is: enough to fetch the same ones again, and to know them when seen."""

from msgspec.structs import replace

from agentevals.evaluator import folders, index
from agentevals.model.noun import Noun


class Pin(Noun, frozen=True):
    """One evaluator as it was found.

    `files` are the sha256 of its files by their names below its folder, of which `entrypoint` is
    the program; they are empty where nobody has said them. `commit` is empty where there is none.
    """

    source: str
    repository: str
    path: str
    entrypoint: str
    commit: str = ""
    name: str = ""
    version: str = ""
    files: dict[str, str] = {}
    sha256: str = ""

    @property
    def folder(self) -> str:
        """Where its files lie, with a slash at the end unless that is the top."""
        return self.path.removesuffix(self.entrypoint)

    def __str__(self) -> str:
        at = f"@{self.commit[:12]}" if self.commit else ""
        return f"{self.repository}{at}:{self.path}"


def readable(pin: Pin, *, about: str = "") -> Pin:
    """Return the pin without compiled files; with `about`, a warning names those left out."""
    kept = folders.readable(pin.files, about=about)
    if len(kept) == len(pin.files):
        return pin
    files = {name: pin.files[name] for name in kept}
    return replace(pin, files=files, sha256=index.digest(files))
