"""`agentevals registry index`, and every defect of the script that it takes the place of."""

import hashlib
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from agentevals.evaluator import registry_index
from tests.registry_tools import registries
from tests.registry_tools.publishers import COMMAND, environment, run
from tests.registry_tools.registries import LEGACY, MANIFEST, changed, git
from tests.support import DATA

COMMUNITY = DATA / "registries/legacy"
HEAD = json.dumps({"sequence": 1, "index": "0" * 64})
LEGACY_KEYS = ["name", "description", "language", "path", "tags", "author", "lastUpdated"]


def legacy(root, name, description="It is good", tags="text", author="someone"):
    text = LEGACY.format(name=name, description=description, tags=tags)
    text = text.replace("agentevals-dev", author)
    registries.write(root, name, {"evaluator.yaml": text, "fixtures.yaml": None})


def compiled(root, *words):
    done = run(root, "index", *words)
    assert done.returncode == 0, done.stderr
    return registry_index.parse((root / "index.json").read_bytes(), where="index.json"), done.stderr


def names(root):
    return [entry.name for entry in compiled(root)[0].evaluators]


def committed_at(root, seconds):
    """All that is there, at a moment that the test chose."""
    moment = {"GIT_AUTHOR_DATE": f"@{seconds} +0900", "GIT_COMMITTER_DATE": f"@{seconds} +0900"}
    people = {
        f"GIT_{who}_{what}": "x@example.com"
        for who in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    around = {**os.environ, **moment, **people}
    for words in (["add", "--all"], ["commit", "--quiet", "--allow-empty", "-m", "x"]):
        subprocess.run(["git", *words], cwd=root, env=around, check=True)


@pytest.fixture
def root(tmp_path):
    for name in ("contains", "equals"):
        legacy(tmp_path, name)
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    committed_at(tmp_path, 1_700_000_000)
    return tmp_path


class TestShape:
    def test_the_predecessors_keys_come_first_and_in_its_order(self, root):
        compiled(root)
        document = yaml.safe_load((root / "index.yaml").read_text())

        assert next(iter(document)) == "generatedAt"
        assert [list(entry)[:7] for entry in document["evaluators"]] == [LEGACY_KEYS] * 2
        assert document["evaluators"][0] | {"files": None, "sha256": None, "commit": None} == {
            "name": "contains",
            "description": "It is good",
            "language": "python",
            "path": "evaluators/contains/contains.py",
            "tags": ["text"],
            "author": "someone",
            "lastUpdated": "2023-11-14T22:13:20Z",
            "entrypoint": "contains.py",
            "commit": None,
            "files": None,
            "sha256": None,
            "size": document["evaluators"][0]["size"],
            "level": "legacy",
        }

    def test_all_files_say_the_same(self, root):
        found, _ = compiled(root)
        each = [
            json.loads((root / f"e/{name}.json").read_text()) for name in ("contains", "equals")
        ]

        assert registry_index.parse((root / "index.yaml").read_bytes(), where="index.yaml") == found
        assert yaml.safe_load((root / "index.yaml").read_text()) == {
            key: value
            for key, value in json.loads((root / "index.json").read_text()).items()
            if key != "removed"
        }
        assert [one["evaluator"] for one in each] == json.loads((root / "index.json").read_text())[
            "evaluators"
        ]

    def test_hashes_are_those_of_the_files(self, root):
        found, _ = compiled(root)
        entry = found.evaluators[0]
        told = subprocess.run(
            ["sha256sum", *sorted(entry.files)],
            cwd=root / "evaluators/contains", stdout=subprocess.PIPE, check=True,
        ).stdout  # fmt: skip

        assert told.decode() == "".join(f"{h}  {name}\n" for name, h in entry.files.items())
        assert entry.sha256 == registry_index.digest(entry.files)

    def test_the_predecessors_community_is_listed_as_it_stands(self, tmp_path):
        subprocess.run(["cp", "-r", f"{COMMUNITY}/evaluators", tmp_path], check=True)
        registries.repository(tmp_path)
        found, said = compiled(tmp_path)

        assert len(found.evaluators) == 10
        assert {entry.level for entry in found.evaluators} == {"legacy"}
        assert said == ""

    def test_a_complete_entry_is_listed_with_all_that_it_says(self, tmp_path):
        more = "capabilities: {judge: true}\nruntime: {python: '>=3.11'}\n"
        registries.write(tmp_path, files={"evaluator.yaml": MANIFEST + more})
        registries.repository(tmp_path)
        (entry,) = compiled(tmp_path)[0].evaluators

        assert (entry.version, entry.license, entry.level) == ("1.0.0", "Apache-2.0", "complete")
        assert entry.capabilities.judge
        assert entry.runtime.python == ">=3.11"
        assert entry.maintainers[0].id == 583231
        assert entry.config_schema == {
            "type": "object",
            "properties": {"words": {"type": "array", "items": {"type": "string"}}},
            "additionalProperties": False,
        }


class TestTimes:
    """The predecessor's were ten of ten garbage."""

    def test_they_are_those_of_the_commits_that_changed_a_folder(self, root):
        (root / "evaluators/equals/equals.py").write_text("# another\n")
        committed_at(root, 1_750_000_000)
        (root / "README.md").write_text("not of the registry\n")
        committed_at(root, 1_760_000_000)
        found, _ = compiled(root)

        assert [entry.updated for entry in found.evaluators] == [
            "2023-11-14T22:13:20Z",
            "2025-06-15T15:06:40Z",
        ]
        assert found.generated == "2025-06-15T15:06:40Z"

    def test_a_merge_counts_as_the_moment_when_it_became_part_of_the_branch(self, root):
        git(root, "switch", "--quiet", "--create", "side")
        (root / "evaluators/equals/equals.py").write_text("# another\n")
        committed_at(root, 1_710_000_000)
        git(root, "switch", "--quiet", "main")
        (root / "evaluators/contains/contains.py").write_text("# another\n")
        committed_at(root, 1_720_000_000)
        git(root, "merge", "--quiet", "--no-ff", "--no-commit", "side")
        committed_at(root, 1_730_000_000)
        found, _ = compiled(root)

        assert [entry.updated for entry in found.evaluators] == [
            "2024-07-03T09:46:40Z",
            "2024-10-27T03:33:20Z",
        ]
        assert found.commit == git(root, "rev-parse", "main").strip()

    def test_the_commit_of_an_entry_has_its_files(self, root):
        (root / "evaluators/equals/equals.py").write_text("# another\n")
        committed_at(root, 1_750_000_000)
        for entry in compiled(root)[0].evaluators:
            for name in entry.files:
                blob = git(root, "show", f"{entry.commit}:evaluators/{entry.name}/{name}")

                assert blob == (root / "evaluators" / entry.name / name).read_text()

    def test_a_change_of_code_alone_is_a_change(self, root):
        before = compiled(root)[0].evaluators[1]
        (root / "evaluators/equals/helper.py").write_text("# new\n")
        committed_at(root, 1_750_000_000)
        after = compiled(root)[0].evaluators[1]

        assert before.sha256 != after.sha256
        assert before.updated < after.updated

    def test_a_history_that_is_cut_off_is_refused(self, root, tmp_path):
        (root / "README.md").write_text("more\n")
        committed_at(root, 1_750_000_000)
        git(root, "clone", "--quiet", "--depth=1", f"file://{root}", str(tmp_path / "shallow"))
        done = run(tmp_path / "shallow", "index")

        assert done.returncode == 2
        assert "the history is cut off; check out with fetch-depth: 0" in done.stderr

    def test_without_git_there_are_none(self, tmp_path):
        legacy(tmp_path, "contains")
        found, _ = compiled(tmp_path)

        assert (found.generated, found.commit, found.evaluators[0].updated) == ("", "", "")
        assert found.evaluators[0].sha256 is not None


class TestText:
    @pytest.mark.parametrize(
        "description",
        [
            "'Says \"yes\"'",
            "'Matches \\d+\\.'",
            "'a: b'",
            "'@x'",
            "'# no comment'",
            "'- a list?'",
            "'{flow} [too] & *more !'",
            '"Zeilen\\nund Umbrüche"',
            "'ends in a colon:'",
            "'null'",
            "'2026-03-26'",
            "'😀 ünï'",
        ],
    )
    def test_whatever_somebody_writes_is_what_everybody_reads(self, tmp_path, description):
        meant = yaml.safe_load(description)
        legacy(tmp_path, "contains")
        legacy(tmp_path, "equals", description=description)
        found, said = compiled(tmp_path)
        document = yaml.safe_load((tmp_path / "index.yaml").read_text())

        assert said == ""
        assert found.evaluators[1].description == meant
        assert document["evaluators"][1]["description"] == meant

    @pytest.mark.parametrize(
        ("old", "new", "why"),
        [
            ("author: someone", "author: @x", "4:9: not listed: not valid YAML"),
            ("author: someone", "author: a: b", "not listed: not valid YAML"),
            ("author: someone", "author: someone\n---\nname: other", "a second YAML document"),
            ("name: evil", "name: yes", "without quotes is not the same for every reader"),
            ("name: evil", "name: 'yes'", "the manifest says 'yes'"),
            ("author: someone", "author: [x]", "does not fit its schema: 'author' must be text"),
            ("author: someone", "nonsense: 1", ":6:1: not listed: the manifest does not fit"),
            ("python", "cobol", "does not fit its schema: 'language' must be one of"),
            ("name: evil\n", "", "'name' is missing"),
            ("entrypoint: evil.py", "entrypoint: ../contains/contains.py", "does not fit"),
            ("entrypoint: evil.py", "entrypoint: /etc/passwd", "does not fit its schema"),
            ("entrypoint: evil.py", "entrypoint: nothing.py", "'nothing.py' does not exist"),
            ("entrypoint: evil.py", "entrypoint: .", "does not fit its schema"),
            (
                "author: someone",
                'author: "x\\n  - name: contains\\n    path: evaluators/evil/evil.py"',
                "does not fit its schema",
            ),
            ("author: someone", "author: &a someone", "is for repeating"),
        ],
    )
    def test_a_broken_manifest_costs_only_itself(self, tmp_path, old, new, why):
        for name in ("contains", "evil", "zealous"):
            legacy(tmp_path, name)
        manifest = tmp_path / "evaluators/evil/evaluator.yaml"
        manifest.write_text(changed(old, new, manifest.read_text()))
        found, said = compiled(tmp_path)

        assert [entry.name for entry in found.evaluators] == ["contains", "zealous"]
        assert re.match(r"agentevals: evaluators/evil/evaluator\.yaml:\d+:\d+: not listed: ", said)
        assert why.replace("4:9: ", "") in said

    def test_what_is_missing_from_a_legacy_manifest_is_empty_and_not_null(self, tmp_path):
        text = "name: contains\ndescription: x\nlanguage: python\nentrypoint: contains.py\n"
        registries.write(tmp_path, "contains", {"evaluator.yaml": text})
        compiled(tmp_path)
        document = yaml.safe_load((tmp_path / "index.yaml").read_text())

        assert (document["evaluators"][0]["tags"], document["evaluators"][0]["author"]) == ([], "")


class TestFolders:
    def test_a_folder_without_a_manifest_is_said(self, root):
        (root / "evaluators/empty").mkdir()
        (root / "evaluators/empty/notes.txt").write_text("later\n")
        registries.commit(root)

        assert "not listed: there is no evaluator.yaml" in compiled(root)[1]

    @pytest.mark.parametrize("file", ["__pycache__/contains.pyc", "contains.SO", "é.pyc"])
    def test_what_is_compiled_is_not_listed(self, root, file):
        before, _ = compiled(root)
        (root / "evaluators/contains" / file).parent.mkdir(exist_ok=True)
        (root / "evaluators/contains" / file).write_bytes(b"\0")
        registries.commit(root)
        found, said = compiled(root)

        assert found.evaluators[0].files == before.evaluators[0].files
        assert found.evaluators[0].sha256 == before.evaluators[0].sha256
        assert f"evaluators/contains/{file}: compiled files are never listed" in said

    def test_without_git_nothing_compiled_is_listed_either(self, tmp_path):
        legacy(tmp_path, "contains")
        (tmp_path / "evaluators/contains/contains.pyc").write_bytes(b"\0")
        found, said = compiled(tmp_path)

        assert sorted(found.evaluators[0].files) == ["contains.py", "evaluator.yaml"]
        assert "compiled files are never listed: 'contains.pyc'" in said

    @pytest.mark.parametrize("content", [b"x" * (1 << 20) + b"x", b"text\0"])
    def test_what_nobody_can_review_is_not_listed(self, root, content):
        before, _ = compiled(root)
        (root / "evaluators/contains/data.bin").write_bytes(content)
        registries.commit(root)
        found, said = compiled(root)

        assert found.evaluators[0].files == before.evaluators[0].files
        assert "contains/data.bin: binary or long files are never listed: 'data.bin'" in said

    @pytest.mark.parametrize("is_broken", [False, True])
    def test_what_an_older_index_lists_of_it_goes_without_another_version(self, root, is_broken):
        registries.write(root, files={"data.bin": b"\0"})
        registries.commit(root)
        run(root, "index")
        said = json.loads((root / "index.json").read_bytes())
        (entry,) = [one for one in said["evaluators"] if one["name"] == "politeness"]
        entry["files"]["data.bin"] = hashlib.sha256(b"\0").hexdigest()
        entry["sha256"] = registry_index.digest(entry["files"])
        (root / "index.json").write_text(json.dumps(said))
        if is_broken:
            (root / "evaluators/politeness/evaluator.yaml").write_text("name: [")
        registries.commit(root)
        (found,) = [one for one in compiled(root)[0].evaluators if one.name == "politeness"]

        assert "data.bin" not in found.files
        assert found.sha256 == registry_index.digest(found.files)

    def test_a_program_that_is_compiled_is_said(self, root):
        manifest = root / "evaluators/contains/evaluator.yaml"
        manifest.write_text(manifest.read_text().replace("contains.py", "contains.pyc"))
        (root / "evaluators/contains/contains.pyc").write_bytes(b"\0")
        registries.commit(root)
        found, said = compiled(root)

        assert [entry.name for entry in found.evaluators] == ["equals"]
        assert "the program 'contains.pyc' is compiled" in said

    def test_a_link_with_the_name_of_what_is_compiled_is_still_a_link(self, root):
        (root / "evaluators/contains/__pycache__").symlink_to("/etc")
        registries.commit(root)

        assert names(root) == ["equals"]

    @pytest.mark.parametrize("target", ["/etc/passwd", "../equals/equals.py"])
    def test_a_link_is_not_listed(self, root, target):
        (root / "evaluators/contains/data").symlink_to(target)
        registries.commit(root)
        found, said = compiled(root)

        assert [entry.name for entry in found.evaluators] == ["equals"]
        assert "is a symbolic link" in said

    def test_a_folder_that_is_a_link_is_not_listed(self, root):
        (root / "evaluators/third").symlink_to("equals")
        registries.commit(root)

        assert names(root) == ["contains", "equals"]

    def test_files_that_no_client_would_take_are_not_listed(self, root):
        (root / "evaluators/contains/what is this?.txt").write_text("x")
        registries.commit(root)
        found, said = compiled(root)

        assert [entry.name for entry in found.evaluators] == ["equals"]
        assert "what is this?.txt" in said

    def test_names_that_nobody_can_tell_apart_are_not_both_listed(self, root):
        legacy(root, "con_tains")
        registries.commit(root)
        found, said = compiled(root)

        assert len(found.evaluators) == 2
        assert "cannot be told apart from" in said

    def test_nobody_takes_the_name_of_another_as_an_alias(self, root):
        text = MANIFEST + "aliases: [contains]\n"
        registries.write(root, files={"evaluator.yaml": text})
        registries.commit(root)

        assert "contains" in names(root)
        assert "politeness" not in names(root)

    def test_what_is_not_committed_is_not_listed(self, root):
        legacy(root, "later")
        (root / "evaluators/contains/contains.py").write_text("# not committed\n")
        found, _ = compiled(root)
        blob = git(root, "show", "HEAD:evaluators/contains/contains.py").encode()

        assert len(found.evaluators) == 2
        assert found.evaluators[0].files["contains.py"] == hashlib.sha256(blob).hexdigest()

    def test_files_are_hashed_as_they_were_committed(self, root, tmp_path):
        git(root, "config", "core.autocrlf", "true")
        before = compiled(root)[0]
        clone = tmp_path / "windows"
        git(root, "clone", "--quiet", "-c", "core.autocrlf=true", str(root), str(clone))

        assert b"\r\n" in (clone / "evaluators/contains/contains.py").read_bytes()
        assert compiled(clone)[0] == before

    def test_a_folder_that_is_no_registry_is_named(self, tmp_path):
        done = run(tmp_path, "index")

        assert done.returncode == 2
        assert "name the folder of a registry" in done.stderr


class TestSameBytes:
    @pytest.mark.parametrize(
        "around",
        [
            {"PYTHONHASHSEED": "1"},
            {"PYTHONHASHSEED": "4242", "LC_ALL": "tr_TR.UTF-8", "TZ": "Pacific/Auckland"},
            {"LC_ALL": "C", "TZ": "America/New_York", "LANG": "de_DE"},
            {"GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_0": "core.quotepath",
             "GIT_CONFIG_VALUE_0": "true", "GIT_CONFIG_KEY_1": "log.date",
             "GIT_CONFIG_VALUE_1": "relative"},
            {"SOURCE_DATE_EPOCH": "1"},
        ],
    )  # fmt: skip
    def test_on_every_machine(self, root, tmp_path, around):
        compiled(root)
        whole = {path: (root / path).read_bytes() for path in ("index.yaml", "index.json")}
        git(root, "tag", "v1")
        git(root, "branch", "another")
        clone = tmp_path / "elsewhere"
        git(root, "clone", "--quiet", str(root), str(clone))
        done = subprocess.run(
            [*COMMAND, "index"], cwd=clone, env=environment(**around),
            capture_output=True, check=False,
        )  # fmt: skip

        assert done.returncode == 0, done.stderr
        assert {path: (clone / path).read_bytes() for path in whole} == whole

    def test_again_and_again(self, root):
        compiled(root)
        first = {path: path.read_bytes() for path in root.rglob("*.json")}
        registries.commit(root)
        compiled(root)

        assert {path: path.read_bytes() for path in root.rglob("*.json")} == first

    def test_it_is_sorted_by_code_point(self, tmp_path):
        for name in ("zz", "a_b", "abc", "a-c", "a1"):
            legacy(tmp_path, name)

        assert names(tmp_path) == ["a-c", "a1", "a_b", "abc", "zz"]


class TestVersions:
    def bump(self, root, version, program):
        registries.write(root, files={
            "evaluator.yaml": changed("1.0.0", version), "politeness.py": program
        })  # fmt: skip
        registries.commit(root)

    def entry(self, root):
        found, said = compiled(root)
        return next(one for one in found.evaluators if one.name == "politeness"), said

    def test_earlier_versions_are_listed_with_their_commits_and_files(self, root):
        for number in range(3):
            self.bump(root, f"1.{number}.0", f"# {number}\n")
        entry, _ = self.entry(root)

        assert (entry.version, [one.version for one in entry.earlier]) == (
            "1.2.0",
            ["1.1.0", "1.0.0"],
        )
        for one in entry.earlier:
            assert one.sha256 == registry_index.digest(one.files)
            shown = git(root, "show", f"{one.commit}:evaluators/politeness/politeness.py")
            assert shown == f"# {one.version[2]}\n"

    def test_a_published_version_stays_what_it_was(self, root):
        self.bump(root, "1.0.0", "# 1\n")
        first, _ = self.entry(root)
        registries.commit(root)
        self.bump(root, "1.0.0", "# another\n")
        second, said = self.entry(root)

        assert second == first
        assert f"stays listed as of {first.commit[:12]}: files changed, and 1.0.0 is pub" in said
        assert "evaluators/politeness/evaluator.yaml:7:10: " in said

    def test_a_version_never_goes_down(self, root):
        self.bump(root, "1.1.0", "# 1\n")
        self.entry(root)
        registries.commit(root)
        self.bump(root, "1.0.0", "# 2\n")
        entry, said = self.entry(root)

        assert entry.version == "1.1.0"
        assert "the version 1.0.0 is lower than 1.1.0" in said

    def test_one_that_breaks_stays_listed_as_it_was(self, root):
        self.bump(root, "1.0.0", "# 1\n")
        first, _ = self.entry(root)
        registries.commit(root)
        (root / "evaluators/politeness/evaluator.yaml").write_text("name: [\n")
        registries.commit(root)

        assert self.entry(root)[0] == first

    def test_an_earlier_version_can_be_withdrawn(self, root):
        self.bump(root, "1.0.0", "# 1\n")
        self.bump(root, "1.1.0", "# 2\n")
        (root / "evaluators/.tombstones.yaml").write_text(
            'yanked:\n  politeness: {"1.0.0": it crashed}\n'
        )
        registries.commit(root)
        entry, _ = self.entry(root)

        assert entry.yanked == ""
        assert entry.earlier[0].yanked == "it crashed"


class TestForgery:
    """Somebody writes into index.json what never was on the main line."""

    def forge(self, root, change):
        compiled(root)
        document = json.loads((root / "index.json").read_text())
        change(document)
        (root / "index.json").write_text(json.dumps(document))
        registries.commit(root)
        return compiled(root)

    def test_an_entry_that_never_was_is_not_kept(self, root):
        def add(document):
            entry = document["evaluators"][0]
            document["evaluators"].append({**entry, "name": "evil", "path": "evaluators/evil/e.py"})

        found, said = self.forge(root, add)

        assert [entry.name for entry in found.evaluators] == ["contains", "equals"]
        assert "evil/evaluator.yaml:1:1: not listed: its folder is gone" in said

    def test_an_entry_of_a_commit_beside_the_main_line_is_not_kept(self, root):
        git(root, "switch", "--quiet", "--create", "side")
        legacy(root, "evil")
        registries.commit(root)
        compiled(root)
        entries = json.loads((root / "index.json").read_text())["evaluators"]
        evil = next(entry for entry in entries if entry["name"] == "evil")
        git(root, "clean", "--quiet", "--force", "-d")
        git(root, "rm", "-r", "--quiet", "evaluators/evil")
        registries.commit(root)
        git(root, "switch", "--quiet", "main")
        git(root, "merge", "--quiet", "--no-ff", "-m", "merge", "side")
        found, _ = self.forge(root, lambda document: document["evaluators"].append(evil))

        assert [entry.name for entry in found.evaluators] == ["contains", "equals"]

    def test_other_files_are_not_published_under_an_old_name(self, root):
        def swap(document):
            document["evaluators"][0]["path"] = "evaluators/equals/equals.py"
            document["evaluators"][0]["version"] = "9.9.9"

        found, _ = self.forge(root, swap)

        assert found.evaluators[0].path == "evaluators/contains/contains.py"
        assert found.evaluators[0].version == ""

    def test_versions_that_never_were_are_not_listed(self, root):
        registries.write(root)
        registries.commit(root)

        def add(document):
            entry = document["evaluators"][2]
            old = {key: entry[key] for key in ("commit", "path", "sha256", "files")}
            entry["earlier"] = [{**old, "version": "0.9.0"}]

        found, _ = self.forge(root, add)

        assert found.evaluators[2].earlier == ()


class TestCheck:
    def test_a_committed_index_that_says_the_same_is_up_to_date(self, root):
        compiled(root)
        registries.commit(root)
        done = run(root, "index", "--check")

        assert (done.returncode, done.stdout) == (0, "up to date: 2 evaluators listed\n")

    def test_what_differs_is_said(self, root):
        compiled(root)
        (root / "evaluators/equals/equals.py").write_text("# another\n")
        legacy(root, "new_one")
        registries.commit(root)
        before = (root / "index.json").read_bytes()
        done = run(root, "index", "--check")

        assert done.returncode == 1
        assert "index.json: not in it yet: new_one; changed: equals (" in done.stdout
        assert "e: 2 files stale: " in done.stdout
        assert (root / "index.json").read_bytes() == before

    @pytest.mark.parametrize(
        ("path", "content", "said"),
        [
            ("index.json", None, "index.json: it is missing"),
            ("index.yaml", "nonsense", "index.yaml: not an index of evaluators"),
            ("index.json", '{"evaluators": []}', "not in it yet: contains, equals"),
            ("head.json", None, "head.json: it is missing"),
            ("head.json", "{}", "head.json: it is no head of an index"),
            ("head.json", HEAD, "head.json: of commit none, not "),
            ("e/contains.json", "{}", "1 file stale: contains.json"),
            ("e/gone.json", "{}", "1 file stale: gone.json"),
        ],
    )
    def test_whatever_is_wrong_with_it(self, root, path, content, said):
        compiled(root)
        if content is None:
            (root / path).unlink()
        else:
            (root / path).write_text(content)
        done = run(root, "index", "--check")

        assert done.returncode == 1
        assert said in done.stdout

    def test_a_head_says_of_which_commit_it_is(self, root):
        compiled(root)
        before = git(root, "rev-parse", "HEAD")[:12]
        (root / "evaluators/equals/equals.py").write_text("# another\n")
        registries.commit(root)
        now = git(root, "rev-parse", "HEAD")[:12]
        done = run(root, "index", "--check")

        assert f"head.json: of commit {before}, not {now}\n" in done.stdout

    def test_writing_it_again_puts_it_right(self, root):
        compiled(root)
        (root / "e/gone.json").write_text("{}")
        (root / "index.yaml").write_text("nonsense")
        compiled(root)

        assert run(root, "index", "--check").returncode == 0
        assert not (root / "e/gone.json").exists()


class TestOutput:
    @pytest.mark.parametrize("name", ["index.yaml", "list.json", "deep/er/index.yml"])
    def test_one_file(self, root, name):
        target = root / "out" / name
        target.parent.mkdir(parents=True)
        done = run(root, "index", "--output", str(target))

        assert done.returncode == 0
        assert len(registry_index.parse(target.read_bytes(), where="x").evaluators) == 2
        assert list((root / "out").rglob("*.*")) == [target]

    def test_a_folder(self, root, tmp_path):
        done = run(tmp_path, "index", "--root", str(root), "-o", "site")

        assert done.returncode == 0
        assert sorted(path.name for path in Path(tmp_path, "site").iterdir()) == [
            "e",
            "head.json",
            "index",
            "index.json",
            "index.yaml",
        ]

    def test_a_name_that_says_no_format_is_refused(self, root):
        done = run(root, "index", "-o", "index.txt")

        assert done.returncode == 2
        assert "ends in .json or .yaml" in done.stderr

    def test_what_cannot_be_written_is_said(self, root):
        done = run(root, "index", "-o", "/proc/nothing/")

        assert done.returncode == 2
        assert "cannot be written" in done.stderr


def test_a_registry_in_a_folder_of_a_repository(tmp_path):
    registries.write(tmp_path / "community")
    registries.repository(tmp_path)
    found, _ = compiled(tmp_path / "community")

    assert found.evaluators[0].path == "evaluators/politeness/politeness.py"
    assert found.evaluators[0].commit == git(tmp_path, "rev-parse", "HEAD").strip()


def test_a_program_of_the_repository_is_not_started(root, tmp_path):
    git(root, "config", "core.fsmonitor", f"touch {tmp_path}/trapped")
    git(root, "config", "diff.external", f"touch {tmp_path}/trapped")
    git(root, "config", "core.pager", f"touch {tmp_path}/trapped")
    git(root, "config", "log.showSignature", "true")
    git(root, "config", "gpg.program", f"touch {tmp_path}/trapped")
    (root / ".gitattributes").write_text("* diff=evil filter=evil\n")
    git(root, "config", "diff.evil.textconv", f"touch {tmp_path}/trapped")
    compiled(root)

    assert not (tmp_path / "trapped").exists()


@pytest.mark.parametrize("planted", ["e", "index.yaml", "e/contains.json"])
def test_a_link_among_the_files_of_an_index_leads_nowhere(root, tmp_path_factory, planted):
    compiled(root)
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    for name in ("contains.json", "precious.json"):
        (elsewhere / name).write_text("precious")
    path = root / planted
    if path.is_dir():
        shutil.rmtree(path)
        path.symlink_to(elsewhere)
    else:
        path.unlink()
        path.symlink_to(elsewhere / "contains.json")

    stale = run(root, "index", "--check")
    compiled(root)

    assert stale.returncode == 1
    assert [file.read_text() for file in elsewhere.iterdir()] == ["precious"] * 2
    assert run(root, "index", "--check").returncode == 0
    assert not (root / planted).is_symlink()


def test_a_registry_that_once_was_a_link_has_a_history(root, tmp_path_factory):
    (root / "evaluators").rename(root / "kept")
    (root / "evaluators").symlink_to(tmp_path_factory.mktemp("elsewhere"))
    committed_at(root, 1_700_000_001)
    refused = run(root, "index")
    (root / "evaluators").unlink()
    (root / "kept").rename(root / "evaluators")
    committed_at(root, 1_700_000_002)

    assert (refused.returncode, "Traceback" in refused.stderr) == (0, False)
    assert names(root) == ["contains", "equals"]


def test_whoever_removes_the_index_does_not_make_it_undone(root):
    compiled(root)
    committed_at(root, 1_700_000_001)
    sequence = json.loads((root / "head.json").read_text())["sequence"]
    for name in ("head.json", "index.json", "index.yaml"):
        (root / name).unlink()
    shutil.rmtree(root / "evaluators/equals")
    committed_at(root, 1_700_000_002)

    assert names(root) == ["contains", "equals"]
    assert json.loads((root / "head.json").read_text())["sequence"] > sequence
