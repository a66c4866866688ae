"""The data of a `wordllama` for where it is not installed: small, and made of letters."""

import json
import string
import struct

LETTERS = string.ascii_lowercase
MERGES = ("a b", "▁ c", "ab c", "▁c a", "x y", "▁▁ ▁▁", "▁ ▁")
PIECES = (
    *("<unk>", "<s>", "</s>"),
    *(f"<0x{byte:02X}>" for byte in range(256)),
    *("▁", *LETTERS),
    *(merge.replace(" ", "") for merge in MERGES),
)


def tokenizer(**model):
    """What the file of a tokenizer says."""
    return {
        "added_tokens": [{"id": at, "content": PIECES[at]} for at in range(3)],
        "pre_tokenizer": None,
        "model": {
            "type": "BPE",
            "byte_fallback": True,
            "continuing_subword_prefix": None,
            "vocab": {piece: at for at, piece in enumerate(PIECES)},
            "merges": list(MERGES),
            **model,
        },
    }


def weights(**table):
    """A vector for each piece: how often it has each letter."""
    rows = [[float(piece.count(letter)) for letter in LETTERS] for piece in PIECES]
    rows[: PIECES.index("▁")] = [[0.0] * len(LETTERS)] * PIECES.index("▁")
    data = b"".join(struct.pack(f"<{len(LETTERS)}e", *row) for row in rows)
    shape = {"dtype": "F16", "shape": [len(PIECES), len(LETTERS)], "data_offsets": [0, len(data)]}
    header = json.dumps({"embedding.weight": shape | table}).encode()
    return struct.pack("<Q", len(header)) + header + data


def written_to(folder):
    """The folder that has to be on the path. There is nothing in it that could be imported."""
    for name in ("tokenizers", "weights"):
        (folder / "wordllama" / name).mkdir(parents=True)
    home = folder / "wordllama"
    (home / "__init__.py").write_text("raise AssertionError('only its data is needed')\n")
    (home / "tokenizers/l2_supercat_tokenizer_config.json").write_text(json.dumps(tokenizer()))
    (home / "weights/l2_supercat_256.safetensors").write_bytes(weights())
    return folder
