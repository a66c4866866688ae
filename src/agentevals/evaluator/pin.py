"""The pin of an evaluator: enough to fetch the same bytes again, and to recognise them."""

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
        """The folder of its files, with a slash at the end unless that is the root."""
        return self.path.removesuffix(self.entrypoint)

    def __str__(self) -> str:
        at = f"@{self.commit[:12]}" if self.commit else ""
        return f"{self.repository}{at}:{self.path}"


def drop_compiled(pin: Pin, *, about: str = "") -> Pin:
    """Return the pin without compiled files; with `about`, a warning names those left out."""
    kept = folders.drop_compiled(pin.files, about=about)
    if len(kept) == len(pin.files):
        return pin
    files = {name: pin.files[name] for name in kept}
    return replace(pin, files=files, sha256=index.digest(files))
