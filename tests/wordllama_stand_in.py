"""A `wordllama` for where it is not installed: the same calls, and vectors of letter counts."""

PACKAGE = """
class Vectors(list):
    def tolist(self):
        return list(self)


class Model:
    def embed(self, texts, norm):
        return Vectors(self._vector(text, norm) for text in texts)

    def _vector(self, text, norm):
        counts = [float(text.count(letter)) for letter in "abcdefghijklmnopqrstuvwxyz"]
        length = sum(count * count for count in counts) ** 0.5
        return [count / length if length else float("nan") for count in counts]


class WordLlama:
    @classmethod
    def load(cls, *, cache_dir, disable_download):
        assert disable_download
        if (cache_dir / "no weights").exists():
            raise FileNotFoundError("no weights")
        return Model()
"""


def written_to(folder):
    """The folder that has to be on the path."""
    (folder / "wordllama").mkdir()
    (folder / "wordllama" / "__init__.py").write_text(PACKAGE)
    return folder
