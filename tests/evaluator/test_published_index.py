"""What a client asks of a registry whose index has parts; a server on loopback counts it."""

import json
from types import SimpleNamespace

import pytest

from agentevals.evaluator import evaluator_lists
from agentevals.evaluator.https_source import HttpsEvaluatorSource
from agentevals.evaluator.registry_head import HEAD
from agentevals.evaluator.registry_index import Earlier, Index, IndexEntry, Removed, digest
from agentevals.model.errors import InputError, UnavailableError
from agentevals.web import Terms
from registry_tools.index import index_signing
from registry_tools.index.index_serialise import serialise
from tests.evaluator.conftest import COMMIT, PROGRAM, fetched, sha256
from tests.servers import reply, serve

DESCRIPTION = "Whether the answer names every tool that was called, in the order of the calls"


def listed(name, **facts):
    files = {f"{name}.py": sha256(PROGRAM), "evaluator.yaml": sha256(b"")}
    said = {
        "description": DESCRIPTION,
        "language": "python",
        "path": f"evaluators/{name}/{name}.py",
        "entrypoint": f"{name}.py",
        "tags": ("answer", "tools"),
        "author": "octocat",
        "updated": "2026-03-26T10:00:00Z",
        "version": "1.1.0",
        "license": "Apache-2.0",
        "files": files,
        "sha256": digest(files),
        "config_schema": {"type": "object", "properties": {"words": {"type": "array"}}},
        "earlier": (Earlier(version="1.0.0", commit=COMMIT, sha256=digest(files), files=files),),
    }
    return IndexEntry(name=name, **{**said, **facts})


def publish(index, before=None):
    """The files of a registry that has published this index, after what it had before."""
    files = serialise(index).files()
    return files | index_signing.extend([(before or {}).get], files, COMMIT, None)


class Site:
    """A registry of a web server; `asked` are the paths, `sent` the bytes of all bodies."""

    def __init__(self, files):
        self.files, self.asked, self.sent = files, [], 0

    def __call__(self, seen):
        name = seen.path.removeprefix("/r/")
        self.asked.append(name)
        content = self.files.get(name)
        if content is None and name.startswith("evaluators/"):
            content = b"" if name.endswith(".yaml") else PROGRAM
        self.sent += len(content or b"")
        return reply(404) if content is None else reply(200, content)


@pytest.fixture
def place(monkeypatch):
    """A place for a registry, which a test still has to put there."""
    monkeypatch.setattr(HttpsEvaluatorSource, "terms", Terms(retries=0))
    site = Site({})
    with serve(site) as server:
        monkeypatch.setenv("AGENTEVALS_EVALUATOR_INDEX", f"{server.url}/r/index.json")
        yield site


def entries(count):
    return tuple(listed(f"evaluator_{at}") for at in range(count))


def test_three_evaluators_of_ten_thousand_cost_less_than_50_kb(place):
    place.files = publish(Index(evaluators=entries(10_000)))
    for at in (7, 4711, 9999):
        assert fetched(f"evaluator_{at}@^1.0", "https").pin.version == "1.1.0"

    assert place.sent < 50_000
    assert "index.json" not in place.asked
    assert len(place.files["index.json"]) > 5_000_000


def test_nothing_is_asked_twice_of_what_the_head_still_means(place):
    place.files = publish(Index(evaluators=entries(100)))
    fetched("evaluator_7", "https")
    place.asked.clear()
    fetched("evaluator_7", "https")

    assert place.asked == [HEAD]


@pytest.mark.parametrize("count", [1, 64, 65, 1_100])
def test_every_name_is_found_however_many_there_are(place, count):
    place.files = publish(Index(evaluators=entries(count)))
    source = HttpsEvaluatorSource()

    for at in {0, count // 2, count - 1}:
        assert (
            source.resolve(f"evaluator_{at}").path == f"evaluators/evaluator_{at}/evaluator_{at}.py"
        )


def test_a_path_an_alias_and_an_earlier_version_are_found_too(place):
    place.files = publish(Index(evaluators=(*entries(3), listed("new", aliases=("old",)))))

    assert fetched("evaluators/new/new.py", "https").pinned_by == "index"
    assert fetched("old", "https").pin.name == "new"
    assert fetched("new@~1.0", "https").pin.version == "1.0.0"


def test_who_asks_for_a_removed_one_or_an_unknown_one_is_told(place):
    gone = {"sloppy": Removed(reason="it never worked", replaced_by="new")}
    place.files = publish(Index(evaluators=(*entries(3), listed("new")), removed=gone))

    with pytest.raises(InputError, match=r"was removed .*: it never worked; use 'new' instead"):
        fetched("sloppy", "https")
    with pytest.raises(InputError, match=r"no evaluator 'evaluator_11' .did you mean 'evaluator_1"):
        fetched("evaluator_11", "https")


def test_a_search_reads_the_list_alone_however_long_it_is(place):
    shown = {"description": DESCRIPTION, "path": "evaluators/x/x.py"}
    lines = (json.dumps({"name": f"evaluator_{at}", **shown}) for at in range(120_000))
    search = f'{{"schema":1,"evaluators":[{",".join(lines)}]}}'.encode()
    files = {"index/search.json": search, "index.json": b"", "index/tree/root.json": b"{}"}
    place.files = files | index_signing.extend([{}.get], files, "", None)
    found = evaluator_lists.filter_by_words(
        ["evaluator_119999"], evaluator_lists.ask_source(HttpsEvaluatorSource())
    )

    assert [info.name for info in found] == ["evaluator_119999"]
    assert len(search) > 16 * 1024 * 1024
    assert place.asked == [HEAD, "index/tree/root.json", "index/search.json"]


class TestTampering:
    """Every part is held against the head."""

    @pytest.fixture
    def parts(self, place):
        place.files = publish(Index(evaluators=entries(100)))
        return place

    def find(self, pattern, files):
        return next(name for name in sorted(files) if name.startswith(pattern))

    @pytest.mark.parametrize(
        "part", ["e/evaluator_7.json", "index/tree/root.json", "index/search.json"]
    )
    def test_a_part_that_is_another_one_is_refused(self, parts, part):
        parts.files[part] = parts.files[part] + b" "

        with pytest.raises(UnavailableError, match=f"{part} is not the one that head.json means"):
            fetched("evaluator_7" if "search" not in part else "unknown", "https")

    def test_a_part_that_is_missing_is_named(self, parts):
        del parts.files["e/evaluator_7.json"]

        with pytest.raises(
            UnavailableError, match=r"e/evaluator_7\.json does not exist; try again"
        ):
            fetched("evaluator_7", "https")

    def test_without_a_tree_the_whole_index_is_read_that_the_head_means(self, parts):
        del parts.files["index/tree/root.json"]
        assert fetched("evaluator_7", "https").pinned_by == "index"

        parts.files["index.json"] += b" "
        with pytest.raises(UnavailableError, match=r"not the one that head\.json names"):
            fetched("evaluator_8", "https")

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (b"[]", "no part of an index"),
            (b"[" * 10**5, "no part of an index"),
            (b'{"nodes":{}}', "no evaluator 'evaluator_7'"),
        ],
    )
    def test_a_root_that_the_head_means_may_still_be_none(self, place, content, said):
        files = serialise(Index(evaluators=entries(3))).files() | {"index/tree/root.json": content}
        place.files = files | index_signing.extend([{}.get], files, "", None)

        with pytest.raises((UnavailableError, InputError), match=said):
            fetched("evaluator_7", "https")

    @pytest.mark.parametrize("content", [b"{}", b"nonsense", b'{"evaluator":{"name":"b"}}'])
    def test_an_entry_that_is_none_or_of_another_name_is_refused(self, place, content):
        leaf = json.dumps({"entries": {"a": sha256(content)}}).encode()
        files = serialise(Index(evaluators=())).files()
        files |= {"e/a.json": content, "index/tree/root.json": leaf}
        place.files = files | index_signing.extend([{}.get], files, "", None)

        with pytest.raises(UnavailableError, match=r"e/a.json: .*(not an entry|another name)"):
            fetched("a", "https")

    def test_an_older_state_is_refused_and_the_last_good_copy_used(self, parts, caplog):
        older = parts.files
        fetched("evaluator_7", "https")
        parts.files = publish(Index(evaluators=entries(101)), older)
        fetched("evaluator_7", "https")
        parts.files = older

        assert fetched("evaluator_7", "https").pinned_by == "cache"
        assert "index no. 1 stands where no. 2 was seen before" in caplog.text

    @pytest.mark.parametrize("gone", [HEAD, "index/heads/0.json"])
    def test_an_older_state_without_some_of_its_files_is_refused(self, parts, gone):
        newer = publish(Index(evaluators=entries(101)), parts.files)
        fetched("evaluator_7", "https")
        parts.files = publish(Index(evaluators=entries(50)), newer)
        del parts.files[gone]

        with pytest.raises(UnavailableError, match="may have been put back"):
            fetched("evaluator_9", "https")


def test_an_index_without_parts_is_read_whole(place):
    files = serialise(Index(evaluators=entries(3))).files()
    old = {"sequence": 4, "index": sha256(files["index.json"])}
    place.files = {"index.json": files["index.json"], HEAD: json.dumps(old).encode()}

    assert fetched("evaluator_2", "https").pinned_by == "index"
    assert "index/tree/root.json" not in place.asked


def test_lists_show_all_that_the_whole_index_has(place):
    odd = listed("odd", deprecated="slow", replaced_by="evaluator_1", deterministic=False)
    place.files = publish(Index(evaluators=(*entries(2), odd)))
    shown = evaluator_lists.ask_source(HttpsEvaluatorSource())
    del place.files[HEAD]
    whole = evaluator_lists.ask_source(SimpleNamespace(**_like(HttpsEvaluatorSource())))

    assert shown == whole


def _like(source):
    return {"problem": "", "list_evaluators": source.list_evaluators, "source_name": "https"}
