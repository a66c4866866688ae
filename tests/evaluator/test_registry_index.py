import hashlib
import json
import re

import msgspec
import pytest
import yaml

from agentevals.evaluator import registry_index
from agentevals.evaluator.registry_index import IndexEntry, Removed, describe_entry, digest, parse
from agentevals.model.errors import UnavailableError

HASH = "a" * 64

OLD = """\
# written by a script

generatedAt: "2026-03-26T10:00:00Z"

evaluators:
  - name: contains
    description: "Says \\"yes\\", or: no"
    language: python
    path: evaluators/contains/contains.py
    tags: ["text", "match"]
    author: someone
    lastUpdated: "2026-03-26T10:00:00Z"
  - name: yes
    description: "x"
    language: python
    path: evaluators/yes/yes.py
    tags: null
    author: null
    lastUpdated: "%Y->-T3de932c:%M:HEADZ"
"""


def entry(name="contains", **more):
    return {"name": name, "path": f"evaluators/{name}/{name}.py", **more}


def as_json(*entries, **top):
    return json.dumps({"evaluators": entries, **top}).encode()


def read(content):
    return parse(content if isinstance(content, bytes) else content.encode(), where="here")


def test_the_predecessors_index_is_read_as_it_stands():
    found = read(OLD)

    assert found.generated == "2026-03-26T10:00:00Z"
    assert found.remarks == ()
    assert found.evaluators[0] == IndexEntry(
        name="contains",
        description='Says "yes", or: no',
        language="python",
        path="evaluators/contains/contains.py",
        tags=("text", "match"),
        author="someone",
        updated="2026-03-26T10:00:00Z",
    )


def test_text_stays_text_whatever_yaml_takes_it_for():
    found = read("evaluators:\n- {name: yes, version: 1.10, author: 2024, tags: [no, 010]}")

    assert found.evaluators == (
        IndexEntry(name="yes", version="1.10", author="2024", tags=("no", "010")),
    )


def test_dates_that_are_none_are_not_shown():
    first, second = (describe_entry(one, "github").last_updated for one in read(OLD).evaluators)

    assert first == "2026-03-26T10:00:00Z"
    assert second is None


def test_an_index_in_json_says_the_same_as_one_in_yaml():
    whole = {
        "generatedAt": "2026-03-26T10:00:00Z",
        "schema": 1,
        "commit": "b" * 40,
        "evaluators": [
            entry(
                version="1.0.0",
                files={"a.py": HASH, "evaluator.yaml": HASH},
                sha256=HASH,
                size=10,
                capabilities={"network": ["api.example.com"], "judge": True},
                config_schema={"type": "object", "properties": {"n": {"minimum": 1.5}}},
                runtime={"python": ">=3.11"},
                deterministic=False,
                maintainers=[{"login": "someone", "id": 7}],
                earlier=[{"version": "0.1.0", "commit": "b" * 40, "sha256": HASH}],
            )
        ],
        "removed": {"old": {"reason": "it was wrong", "replaced_by": "contains"}},
    }

    assert read(json.dumps(whole)) == read(yaml.safe_dump(whole, sort_keys=False))
    assert read(json.dumps(whole)).removed == {
        "old": Removed(reason="it was wrong", replaced_by="contains")
    }


def test_what_is_written_is_what_was_read():
    found = read(as_json(entry(files={"a.py": HASH}, sha256=HASH), commit="c" * 40))

    assert read(msgspec.json.encode(found)) == found


def test_keys_of_a_newer_registry_are_passed_over():
    found = read(
        as_json(
            entry(stars=5, capabilities={"gpu": True}, runtime={"ruby": "3"}, files={}), signed="…"
        )
    )

    assert [one.name for one in found.evaluators] == ["contains"]


def test_a_newer_shape_is_said_to_be_one():
    with pytest.raises(UnavailableError, match="schema 2 of an index is not known here; update"):
        read(as_json({"id": 1}, schema=2))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"name": ["x"]}, "entry no. 2 is skipped: Expected `str`"),
        ({}, "entry no. 2 is skipped: Object missing required field `name`"),
        ({"name": ""}, "skipped"),
        ({"name": "two words"}, "skipped"),
        ({"name": "a\nb"}, "skipped"),
        ({"name": "x", "files": {"a.py": "nonsense"}}, "'x' is skipped: .* `\\$.files"),
        ({"name": "x", "files": {"a.py": HASH.upper()}}, "'x' is skipped"),
        ({"name": "x", "sha256": "1"}, "'x' is skipped"),
        ({"name": "x", "size": "big"}, "'x' is skipped"),
        ({"name": "x", "tags": "text"}, "'x' is skipped"),
        ({"name": "x", "description": "y" * 30_000}, "'x' is skipped"),
        ({"name": "x", "capabilities": {"network": ["http://a/b"]}}, "'x' is skipped"),
        ({"name": "x", "maintainers": [{"login": "a/b", "id": 1}]}, "'x' is skipped"),
    ],
)
@pytest.mark.parametrize("text", [json.dumps, yaml.safe_dump])
def test_an_entry_that_cannot_be_used_costs_only_itself(wrong, said, text):
    found = read(text({"evaluators": [entry(), wrong, entry("equals")]}))

    assert [one.name for one in found.evaluators] == ["contains", "equals"]
    assert len(found.remarks) == 1
    assert re.search(said, found.remarks[0])


def test_a_name_that_is_listed_twice_stands_for_neither():
    found = read(as_json(entry(), entry("equals"), entry(path="evaluators/evil/evil.py")))

    assert [one.name for one in found.evaluators] == ["equals"]
    assert found.remarks == ("'contains' is skipped: it is listed more than once",)


def test_remarks_are_ours():
    assert read(as_json(entry(), remarks=["trust me"])).remarks == ()
    assert read(as_json(entry(author=None), remarks=["trust me"])).remarks == ()


DEEP = 100_000

HOSTILE = {
    "nothing": b"",
    "nul": b"\0",
    "binary": bytes(range(256)),
    "utf-16": OLD.encode("utf-16"),
    "broken json": b'{"evaluators": [',
    "broken yaml": b"evaluators: [",
    "two documents": b"evaluators: []\n---\nevaluators: []\n",
    "deep json": b'{"evaluators": ' + b"[" * DEEP,
    "deep json below a key nobody knows": b'{"evaluators": [], "x": ' + b"[" * DEEP + b"]" * DEEP,
    "deep yaml": b"evaluators: " + b"[" * DEEP,
    "deep blocks": "".join(" " * n + "a:\n" for n in range(1_000)).encode(),
    "a bomb of aliases": b"a: &a [x,x,x,x,x,x,x,x,x,x]\n"
    + b"".join(
        b"%c: &%c [%s]\n" % (97 + n, 97 + n, b",".join([b"*%c" % (96 + n)] * 10))
        for n in range(1, 10)
    )
    + b"evaluators: [*j]\n",
    "a python object": b"evaluators: !!python/object/apply:os.system [echo]",
    "the same key twice": b"evaluators: []\nevaluators: []\n",
    "a list": b"[]",
    "a number": b"7",
    "no list": b'{"evaluators": {"a": 1}}',
    "texts": b'{"evaluators": ["a"]}',
    "nulls": b"evaluators: null",
    "html": b"<!doctype html><p>Sign in",
    "huge number": b'{"evaluators": [], "schema": 1e999}',
    "wrong head": b'{"evaluators": [], "commit": "main"}',
    "lone surrogate": b'{"evaluators": [], "generatedAt": "\\ud800"',
    "all entries wrong": b'{"evaluators": [{"name": 1}, {"name": 2}]}',
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_what_is_no_index_is_answered_with_a_sentence(content):
    with pytest.raises(UnavailableError, match=r"^here: not an index of evaluators; ") as error:
        read(content)

    assert len(str(error.value)) < 1_000
    assert "\n" not in str(error.value)


def test_an_index_that_is_too_large_is_not_read():
    with pytest.raises(UnavailableError, match="it has more than 256 MB"):
        read(b" " * (registry_index.LARGEST + 1))


def test_the_digest_of_an_entry_is_that_of_the_list_of_its_files():
    listed = f"{HASH}  B.py\n{HASH}  a.py\n"

    assert digest({"a.py": HASH, "B.py": HASH}) == hashlib.sha256(listed.encode()).hexdigest()
