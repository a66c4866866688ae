"""Each rule: what it finds, where, and what to do about it. Whatever is not named is right."""

import pytest

from agentevals.model.results import Severity
from registry_tools import rules
from registry_tools.manifests import registry_folder
from registry_tools.rules import RULES
from tests.bench import registry as bench
from tests.registry_tools import registries
from tests.registry_tools.registries import MANIFEST, PROGRAM, changed

HASH = "--hash=sha256:" + "0123456789abcdef" * 4
AT_NAME, AT_DESCRIPTION, AT_LANGUAGE, AT_ENTRYPOINT = (1, 7), (2, 14), (3, 11), (4, 13)


def with_line(line, text=MANIFEST):
    return f"{text}{line}\n"


LAST = MANIFEST.count("\n") + 1


def test_nothing_is_said_about_an_evaluator_that_is_right(tmp_path):
    assert registries.of_manifest(tmp_path, MANIFEST) == []


MANIFESTS = {
    "latin letters": ("name: é".encode("latin-1"), "encoding", (1, 7), "UTF-8"),
    "line ends": (MANIFEST.replace("\n", "\r\n"), "line-endings", (1, 17), "LF"),
    "not YAML": (changed("author: octocat", "author: @octocat"), "yaml", (6, 9), "quotes"),
    "anchor": (changed("[answer, text]", "&x [answer, text]"), "yaml-references", (5, 7), "remove"),
    "twice": (with_line("author: mallory"), "duplicate-key", (LAST, 1), "remove one"),
    "norway": (changed("author: octocat", "author: no"), "ambiguous-scalar", (6, 9), '"no"'),
    "unknown key": (changed("license:", "licence:"), "schema", (8, 1), "did you mean 'license'?"),
    "misspelt key": (changed("description:", "descripton:"), "schema", (2, 1), "'description'?"),
    "unlike any key": (with_line("colour: red"), "schema", (LAST, 1), "begin it with 'x-'"),
    "missing key": (changed("language: python\n", ""), "schema", (1, 1), "add 'language: …'"),
    "null": (changed("Whether the answer is polite", "~"), "schema", AT_DESCRIPTION, "a text"),
    "empty": (changed(" Whether the answer is polite", ""), "schema", (2, 13), "write a"),
    "number": (changed("author: octocat", "author: 42"), "schema", (6, 9), 'write "42"'),
    "truth value": (changed("author: octocat", "author: true"), "schema", (6, 9), 'write "true"'),
    "text for a list": (changed("[answer, text]", "text"), "schema", (5, 7), "write [text]"),
    "list for text": (changed("author: octocat", "author: [x]"), "schema", (6, 9), ""),
    "language": (changed("language: python", "language: cobol"), "schema", AT_LANGUAGE, ""),
    "case": (changed("language: python", "language: Python"), "schema", AT_LANGUAGE, "'python'?"),
    "author": (changed("octocat", '"a\\n  - b: c"'), "schema", (6, 9), ""),
    "integer entrypoint": (changed("politeness.py", "7"), "schema", AT_ENTRYPOINT, 'write "7"'),
    "not a mapping": ("- a\n", "schema", (1, 1), ""),
    "nothing": ("", "yaml", (1, 1), "write the"),
    "only a comment": ("# later\n", "yaml", (1, 1), "write the"),
    "unknown in depth": (changed("    id:", "    ids:"), "schema", (11, 5), "did you mean 'id'?"),
    "tag": (changed("[answer, text]", "[answer, A b]"), "schema", (5, 16), ""),
    "capability": (with_line("capabilities: {network: all}"), "schema", (LAST, 25), "write [all]"),
    "runtime": (with_line("runtime: {python: new}"), "schema", (LAST, 19), ""),
    "name": (changed("name: politeness", "name: Polite"), "name", AT_NAME, "write"),
    "folder": (changed("name: politeness", "name: polite"), "name", AT_NAME, "write politeness"),
    "placeholder": (changed("Whether the answer", "TODO"), "description", AT_DESCRIPTION, "score"),
    "short": (changed("Whether the answer is polite", "good"), "description", AT_DESCRIPTION, ""),
    "several lines": (
        changed("Whether the answer is polite", '"Whether it is\\npolite"'),
        "description", AT_DESCRIPTION, "README",
    ),
    "comment": (changed("author: octocat", "author: team #1"), "comment-in-text", (6, 9), "quotes"),
    "tag twice": (changed("[answer, text]", "[text, text]"), "tags", (5, 14), "remove one"),
    "spelling": (changed("[answer, text]", "[determinstic]"), "tags", (5, 8), "deterministic"),
    "separators": (changed("[answer, text]", "[tool_use]"), "tags", (5, 8), "write tool-use"),
    "order": (changed("[answer, text]", "[text, answer]"), "tags", (5, 7), "[answer, text]"),
    "outside": (changed("politeness.py", "../x.py"), "entrypoint", AT_ENTRYPOINT, "copy"),
    "absolute": (changed("politeness.py", "/etc/passwd"), "entrypoint", AT_ENTRYPOINT, "in this"),
    "folder itself": (changed("politeness.py", "."), "entrypoint", AT_ENTRYPOINT, "name a file"),
    "no file": (changed("politeness.py", "polite.py"), "entrypoint", AT_ENTRYPOINT, "politeness"),
    "other language": (
        changed("language: python", "language: javascript"), "entrypoint", AT_LANGUAGE, "python",
    ),
    "not a program": (changed("politeness.py", "fixtures.yaml"), "entrypoint", AT_ENTRYPOINT, ""),
    "float version": (changed("1.0.0", "1.10"), "version", (7, 10), "write 1.10.0"),
    "v": (changed("1.0.0", "v1.2.3"), "version", (7, 10), "write 1.2.3"),
    "no version": (changed("1.0.0", "new"), "version", (7, 10), "write 1.0.0"),
    "licence": (changed("Apache-2.0", "Apache 2.0"), "license", (8, 10), "write Apache-2.0"),
    "no licence": (changed("Apache-2.0", "Proprietary"), "license", (8, 10), "spdx.org"),
    "twice maintained": (
        changed("    id: 583231\n", "    id: 583231\n  - {login: Octocat, id: 1}\n"),
        "maintainers", (12, 5), "remove one",
    ),
    "interpreter": (with_line('runtime: {node: ">=20"}'), "runtime", (LAST, 11), "write python"),
    "future": (with_line('runtime: {python: ">=3.30"}'), "runtime", (LAST, 19), "tried"),
    "no range": (with_line('runtime: {python: ">=3.12, <3.11"}'), "runtime", (LAST, 19), ">=3.11"),
    "keyword": (changed("properties:", "propertys:"), "config-schema", (14, 3), "'properties'?"),
    "type": (changed("type: string", "type: text"), "config-schema", (15, 40), "'string'?"),
    "no schema": (changed("type: object", "type: list"), "config-schema", (13, 9), "object"),
    "inner host": (
        with_line("capabilities: {network: [169.254.169.254]}"), "capabilities", (LAST, 26), "",
    ),
    "all hosts": (with_line('capabilities: {network: ["*.com"]}'), "capabilities", (LAST, 26), ""),
    "port": (with_line("capabilities: {network: [a.io:0]}"), "capabilities", (LAST, 26), ""),
    "token": (
        with_line("capabilities: {environment: [GITHUB_TOKEN]}"), "capabilities", (LAST, 30), "",
    ),
    "loader": (
        with_line("capabilities: {environment: [LD_PRELOAD]}"), "capabilities", (LAST, 30), "",
    ),
    "secret": (with_line("capabilities: {files: [/etc/shadow]}"), "capabilities", (LAST, 24), ""),
    "process": (with_line("capabilities: {files: [/proc/1]}"), "capabilities", (LAST, 24), ""),
    "upwards": (with_line("capabilities: {files: [a/../../b]}"), "capabilities", (LAST, 24), ""),
    "host twice": (
        with_line("capabilities: {network: [a.io, a.io]}"), "capabilities", (LAST, 32), "remove",
    ),
    "no fixtures": (changed("fixtures.yaml", "fixture.yaml"), "fixtures", (17, 11), "fixtures"),
    "no reason": (
        with_line("replaced_by: politeness", with_line("yanked: leaks")), "lifecycle",
        (LAST + 1, 14), "remove it",
    ),
    "nobody": (
        with_line("replaced_by: nobody", with_line("deprecated: old")), "lifecycle",
        (LAST + 1, 14), "",
    ),
    "own alias": (with_line("aliases: [politeness]"), "lifecycle", (LAST, 11), "remove it"),
    "requirements": (
        with_line("requirements: ../r.txt"), "requirements", (LAST, 15), "copy the file",
    ),
    "not complete": (changed("license: Apache-2.0\n", ""), "complete", (1, 1), "complete.md"),
}  # fmt: skip


@pytest.mark.parametrize("case", MANIFESTS)
def test_what_is_wrong_in_a_manifest_is_found_where_it_stands(tmp_path, case):
    text, rule, place, fix = MANIFESTS[case]
    found = [one for one in registries.of_manifest(tmp_path, text) if one.rule == rule]

    assert [(one.path, one.line, one.column) for one in found[:1]] == [
        ("evaluators/politeness/evaluator.yaml", *place)
    ]
    assert fix in found[0].fix
    assert found[0].severity in {RULES[rule].RULE.severity, Severity.NOTE}


FOLDERS = {
    "no manifest": ({"evaluator.yaml": None}, "manifest", "evaluator.yaml", None),
    "long manifest": (
        {"evaluator.yaml": MANIFEST + "#" * (64 << 10)}, "manifest", "evaluator.yaml", (1, 1),
    ),
    "empty program": ({"politeness.py": ""}, "entrypoint", "politeness.py", None),
    "compiled": ({"__pycache__/x.pyc": b"\0"}, "files", "__pycache__/x.pyc", None),
    "bytecode": ({"X.PYC": b"text"}, "files", "X.PYC", None),
    "module": ({"fast.so": b"\x7fELF"}, "files", "fast.so", None),
    "binary": ({"weights.dat": b"a\0b"}, "files", "weights.dat", None),
    "large": ({"words.txt": b"a\n" * (1 << 20)}, "files", "words.txt", None),
    "many": ({f"words/{n}.txt": b"a" for n in range(101)}, "files", "evaluator.yaml", (1, 1)),
    "turned": ({"more.py": 'A = 1\nB = "x\u202e"\n'}, "files", "more.py", (2, 7)),
    "isolated": ({"more.js": "// \u2066\n"}, "files", "more.js", (1, 4)),
    "hidden": ({".npmrc": "registry=x"}, "files", ".npmrc", None),
    "backup": ({"politeness.py~": ""}, "files", "politeness.py~", None),
    "conftest": ({"conftest.py": "import os\n"}, "files", "conftest.py", None),
    "sitecustomize": ({"lib/sitecustomize.py": "1\n"}, "files", "lib/sitecustomize.py", None),
    "path file": ({"x.pth": "import os\n"}, "files", "x.pth", None),
    "two cases": ({"Words.txt": "a", "words.txt": "b"}, "files", "words.txt", None),
    "syntax": ({"politeness.py": f"{PROGRAM}x = (\n"}, "syntax", "politeness.py", (11, 5)),
    "nul": ({"politeness.py": b"x = 1\0"}, "syntax", "politeness.py", None),
    "deep": ({"politeness.py": "x = " + "(" * 9_000}, "syntax", "politeness.py", (1, 205)),
    "unread": (
        {"politeness.py": "# @evaluator\nprint(1)\n"}, "syntax", "politeness.py", (1, 1),
    ),
    "helper": ({"lib/words.py": "def (\n"}, "syntax", "lib/words.py", (1, 5)),
    "script": ({"lib/words.js": "const a = 1;\nconst = 2;\n"}, "syntax", "lib/words.js", (2, 7)),
    "types": ({"lib/words.ts": "const a: = 1;\n"}, "syntax", "lib/words.ts", (1, 10)),
    "enumeration": ({"lib/words.ts": "enum A { B }\n"}, "syntax", "lib/words.ts", (1, 1)),
    "index": (
        {"requirements.txt": f"--index-url https://x.example\nattrs==1.0 {HASH}\n"},
        "requirements", "requirements.txt", (1, 1),
    ),
    "unnamed": (
        {"requirements.txt": f"attrs==1 {HASH}\n"}, "requirements", "evaluator.yaml", (1, 1),
    ),
    "not text": ({"requirements.txt": b"\xff"}, "requirements", "requirements.txt", None),
    "no fixture": ({"fixtures.yaml": "fixtures: []\n"}, "fixtures", "fixtures.yaml", (1, 11)),
    "score": (
        {"fixtures.yaml": registries.FIXTURES.replace("1.0", "7")}, "fixtures", "fixtures.yaml",
        (4, 21),
    ),
    "no expectation": (
        {"fixtures.yaml": registries.FIXTURES.replace("score: 1.0", "")}, "fixtures",
        "fixtures.yaml", (4, 13),
    ),
    "fixture key": (
        {"fixtures.yaml": registries.FIXTURES.replace("input", "inputs")}, "fixtures",
        "fixtures.yaml", (2, 5),
    ),
    "fixture twice": (
        {"fixtures.yaml": registries.FIXTURES + registries.FIXTURES.partition("\n")[2]},
        "fixtures", "fixtures.yaml", (5, 11),
    ),
    "anchors": (
        {"fixtures.yaml": registries.FIXTURES.replace("polite", "&x polite")}, "fixtures",
        "fixtures.yaml", (2, 11),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", FOLDERS)
def test_what_is_wrong_in_a_folder_is_found_in_its_file(tmp_path, case):
    files, rule, path, place = FOLDERS[case]
    registries.write(tmp_path, files=files)
    said = [one for one in registries.findings(tmp_path) if one.rule == rule]
    found = [one for one in said if one.path == f"evaluators/politeness/{path}"]

    assert found, said
    assert (found[0].line, found[0].column) == (place or (None, None))
    assert found[0].severity is Severity.ERROR


@pytest.mark.parametrize("file", ["__pycache__/x.pyc", "x.pyc", "x.so", "dist/x.pyd", "X.DLL"])
def test_compiled_files_are_an_error_at_every_level(tmp_path, file):
    text = registries.LEGACY.format(name="politeness", description="It is polite", tags="text")
    registries.write(tmp_path, files={"evaluator.yaml": text, file: b"\0"})
    [found] = [one for one in registries.findings(tmp_path) if one.severity is Severity.ERROR]

    assert (found.rule, found.path) == ("files", f"evaluators/politeness/{file}")
    assert "people cannot review a compiled file" in found.message


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("data.bin", b"x" * (10 << 20), "the file has 10,485,760 bytes; it may have 1,048,576"),
        ("words.txt", b"text" * 5_000 + b"\0", "this is a binary file, which people cannot review"),
        ("words.txt", "Größe".encode("latin-1"), "this is a binary file"),
        ("model.pkl", b"\x80\x04\x95\x00", "this is a binary file"),
    ],
)
def test_what_nobody_can_review_is_an_error_at_every_level(tmp_path, file, content, said):
    text = registries.LEGACY.format(name="politeness", description="It is polite", tags="text")
    registries.write(tmp_path, files={"evaluator.yaml": text, file: content})
    [found] = [one for one in registries.findings(tmp_path) if one.severity is Severity.ERROR]

    assert (found.rule, found.path) == ("files", f"evaluators/politeness/{file}")
    assert said in found.message


def test_many_compiled_files_are_one_finding(tmp_path):
    registries.write(tmp_path, files={f"__pycache__/{name}.pyc": b"\0" for name in "abc"})
    [found] = registries.findings(tmp_path)

    assert "and 2 more" in found.message


def test_a_source_in_a_folder_with_the_name_of_a_compiled_file_is_a_source(tmp_path):
    registries.write(tmp_path, files={"x.pyc/words.txt": "a"})

    assert registries.findings(tmp_path) == []


@pytest.mark.parametrize("name", ["evaluator.yaml", "words.txt"])
def test_links_are_not_followed(tmp_path, name):
    folder = registries.write(tmp_path, files={name: None})
    (folder / name).symlink_to("/etc/passwd")
    found = registries.findings(tmp_path)

    assert ("files", f"evaluators/politeness/{name}") in [(one.rule, one.path) for one in found]
    assert "root:" not in str(found)


def test_a_link_is_not_an_entry(tmp_path):
    registries.write(tmp_path)
    (tmp_path / "evaluators" / "polite_too").symlink_to("politeness")
    found = registries.findings(tmp_path)

    assert [(one.rule, one.path) for one in found] == [("files", "evaluators/polite_too")]


def test_an_entrypoint_behind_a_link_is_none(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "politeness.py").write_text(PROGRAM)
    text = changed("politeness.py", "lib/politeness.py")
    folder = registries.write(tmp_path, files={"evaluator.yaml": text})
    (folder / "lib").symlink_to(outside)
    found = {one.rule: one.message for one in registries.findings(tmp_path)}

    assert "is a symbolic link" in found["entrypoint"]


def test_a_manifest_under_another_name_is_recognised(tmp_path):
    registries.write(tmp_path, files={"evaluator.yaml": None, "evaluator.yml": MANIFEST})

    assert registries.findings(tmp_path)[0].fix == "rename 'evaluator.yml' to evaluator.yaml"


@pytest.mark.parametrize("name", ["con", "com1", "class", "code", "safety_v1", "safetyv1", "tests"])
def test_names_that_mean_something_are_reserved(tmp_path, name):
    registries.write(tmp_path, name)

    assert registries.places(registries.findings(tmp_path)) == [("name", *AT_NAME)]


@pytest.mark.parametrize("other", ["tool-use", "tooluse"])
def test_names_that_differ_in_separators_are_taken(tmp_path, other):
    for name in ("tool_use", other):
        registries.write(tmp_path, name)
    found = registries.findings(tmp_path)

    assert [(one.entry, one.rule, one.severity) for one in found] == [
        (name, "name-taken", Severity.ERROR) for name in sorted(("tool_use", other))
    ]


def test_an_alias_takes_a_name(tmp_path):
    registries.write(tmp_path, "polite")
    text = with_line("aliases: [Polite, polite]".replace("Polite, ", ""))
    found = registries.of_manifest(tmp_path, text)

    assert [(one.entry, one.rule) for one in found] == [
        ("polite", "name-taken"),
        ("politeness", "name-taken"),
    ]
    assert "'politeness', as its alias 'polite'" in found[0].message


def test_names_that_one_could_mistype_for_each_other_are_pointed_out(tmp_path):
    for name in ("contains", "contain", "container_of"):
        registries.write(tmp_path, name)
    found = registries.findings(tmp_path)

    assert [(one.entry, one.rule, one.severity) for one in found] == [
        ("contain", "similar-name", Severity.WARNING),
        ("contains", "similar-name", Severity.WARNING),
    ]


def test_a_login_has_one_number_in_the_whole_registry(tmp_path):
    registries.write(tmp_path, "answers")
    found = registries.of_manifest(tmp_path, changed("583231", "7"))

    assert registries.places(found) == [("maintainers", 11, 9)]


def test_what_replaces_must_be_usable_itself(tmp_path):
    registries.write(tmp_path, "better", {"evaluator.yaml": f"{MANIFEST}yanked: leaks\n"
                                          .replace("politeness", "better")})  # fmt: skip
    found = registries.of_manifest(tmp_path, f"{MANIFEST}deprecated: old\nreplaced_by: better\n")

    assert registries.places(found) == [("lifecycle", LAST + 1, 14)]


def test_a_schema_in_a_file_is_checked_there(tmp_path):
    text = MANIFEST[: MANIFEST.index("config_schema")] + "config_schema: config.json\n"
    text += "fixtures: fixtures.yaml\n"
    schema = '{\n  "type": "object",\n  "propertys": {}\n}\n'
    found = registries.of_manifest(tmp_path, text, {"config.json": schema})

    assert [(one.path, one.rule, one.line, one.column) for one in found] == [
        ("evaluators/politeness/config.json", "config-schema", 3, 3)
    ]


def test_a_schema_in_a_file_that_is_no_json_is_found_there(tmp_path):
    text = MANIFEST[: MANIFEST.index("config_schema")] + "config_schema: config.json\n"
    found = registries.of_manifest(tmp_path, text, {"config.json": "{\n  'a': 1}\n"})

    assert ("config-schema", 2, 3) in registries.places(found)


def test_what_git_ignores_is_not_looked_at(tmp_path):
    registries.write(tmp_path, files={"__pycache__/politeness.pyc": b"\0", ".env": "A=1"})
    (tmp_path / ".gitignore").write_text("__pycache__/\n.env\n")
    registries.repository(tmp_path)

    assert registries.findings(tmp_path) == []


def test_what_is_committed_is_looked_at_although_git_would_ignore_it(tmp_path):
    registries.write(tmp_path, files={"__pycache__/politeness.pyc": b"\0"})
    registries.repository(tmp_path)
    (tmp_path / ".gitignore").write_text("__pycache__/\n")

    assert [one.rule for one in registries.findings(tmp_path)] == ["files"]


def test_a_broken_entry_hides_no_other(tmp_path):
    registries.write(tmp_path, "answers", {"evaluator.yaml": "name: [\n"})
    registries.write(tmp_path, "behaviour", {"evaluator.yaml": b"\xff"})
    registries.write(tmp_path, "courage", {"evaluator.yaml": None})
    registries.write(tmp_path, "dialogue", {"dialogue.py": "x = (\n"})
    registries.write(tmp_path, "elegance")
    found = registries.findings(tmp_path)

    assert [(one.entry, one.rule) for one in found] == [
        ("answers", "yaml"),
        ("behaviour", "encoding"),
        ("courage", "manifest"),
        ("dialogue", "syntax"),
    ]


def test_every_mistake_of_a_manifest_is_found_in_one_pass(tmp_path):
    text = """\
nmae: politeness
description: TODO
description: TODO
language: cobol
entrypoint: /etc/passwd
tags: text
author: yes
version: 1.0
license: mit
x-own: 1
"""
    found = registries.of_manifest(tmp_path, text)

    assert registries.places(found) == [
        ("schema", 1, 1),
        ("description", 2, 14),
        ("duplicate-key", 3, 1),
        ("schema", 4, 11),
        ("entrypoint", 5, 13),
        ("schema", 6, 7),
        ("ambiguous-scalar", 7, 9),
        ("version", 8, 10),
        ("license", 9, 10),
    ]


@pytest.mark.parametrize(
    ("key", "right", "advice"),
    [("license", "Apache-2.0", "choose one from spdx.org/licenses"), ("version", "1.0.0", "1.0.0")],
)
def test_what_quotes_do_not_make_right_is_said_once(tmp_path, key, right, advice):
    [found] = registries.of_manifest(tmp_path, changed(f"{key}: {right}", f"{key}: yes"))

    assert (found.rule, found.edit) == (key, None)
    assert advice in found.fix


def test_only_what_was_asked_about_is_looked_at(tmp_path):
    registries.write(tmp_path, "answers", {"evaluator.yaml": "name: [\n"})
    registries.write(tmp_path, "politeness", {"politeness.py": None})
    found = rules.check_registry(registry_folder.read(tmp_path, {"politeness"}))

    assert [one.entry for one in found] == ["politeness"]


def test_every_rule_has_a_case():
    elsewhere = {"name-taken", "similar-name", "tombstones", "placeholder"}  # tests of their own
    cases = {case[1] for case in [*MANIFESTS.values(), *FOLDERS.values()]}

    assert cases | elsewhere == set(RULES.ours)


def test_the_registry_whose_speed_is_measured_is_right(tmp_path):
    bench.write(tmp_path, 20)

    assert registries.findings(tmp_path) == []


@pytest.mark.parametrize("name", RULES.ours)
def test_a_rule_says_the_id_under_which_it_is_listed(name):
    rule = RULES[name].RULE

    assert rule.id == name
    assert all((rule.title, rule.why, rule.bad, rule.good))
    assert rule.bad != rule.good


@pytest.mark.parametrize(
    ("name", "said", "fix"),
    [
        ("CON", "not 'CON'", "choose another"),
        ("c\u043entains", "its letter no. 2 is U+043E, cyrillic small letter o", "from a to z"),
        ("Polite", "not 'Polite'", "write polite"),
    ],
)
def test_what_is_advised_for_a_name_can_be_one(tmp_path, name, said, fix):
    text = MANIFEST.replace("name: politeness", f"name: {name}")
    found = next(one for one in registries.of_manifest(tmp_path, text) if one.rule == "name")

    assert said in found.message
    assert fix in found.fix


def test_a_quote_that_is_never_closed_is_wrong_where_it_begins(tmp_path):
    found = registries.of_manifest(tmp_path, changed("author: octocat", 'author: "octocat'))

    assert ("yaml", 6, 9) in registries.places(found)


def test_a_manifest_that_is_a_list_is_told_to_have_keys(tmp_path):
    [found] = [one for one in registries.of_manifest(tmp_path, "- a\n") if one.rule == "schema"]

    assert found.fix == "write keys with values, such as 'name: politeness'"


def test_a_missing_file_of_fixtures_is_no_program(tmp_path):
    found = registries.of_manifest(tmp_path, MANIFEST, {"fixtures.yaml": None})

    assert [one.fix for one in found if one.rule == "fixtures"] == ["add the file"]


@pytest.mark.parametrize(
    ("written", "fix"),
    [
        ("'My Tag'", "write my-tag"), ("C#_2", "write c-2"), ("größe", "write grosse"),
        ("日本", "use a word in Latin letters"), ("日本 x", "use a word in Latin letters"),
    ],
)  # fmt: skip
def test_a_tag_is_told_how_it_is_spelt(tmp_path, written, fix):
    text = changed("[answer, text]", f"[answer, {written}]")
    [found] = [one for one in registries.of_manifest(tmp_path, text) if one.rule == "schema"]

    assert (found.fix, found.line, bool(found.edit)) == (fix, 5, written.isascii())


ADVICE = {
    "a short name": ("language: python", "language: py", "schema", "did you mean 'python'?"),
    "a sign before a login": ("octocat\n    id", '"@octocat"\n    id', "schema", "write octocat"),
    "the number of nobody": ("id: 583231", "id: -3", "schema", "gh api users/LOGIN"),
    "a number in words": ("id: 583231", "id: five", "schema", "gh api users/LOGIN"),
    "a key in a small mapping": (
        "fixtures:", "capabilities: {internet: true}\nfixtures:", "schema", "known here: network,",
    ),
    "a path with a dot": (
        ": politeness.py", ": ./politeness.py", "entrypoint", "write politeness.py",
    ),
    "an unknown evaluator": (
        "fixtures:", "deprecated: old\nreplaced_by: nowhere\nfixtures:", "lifecycle",
        "name an evaluator of this registry",
    ),
    "a default of another type": (
        "{type: array,", "{type: array, default: 3,", "config-schema", "correct one of both",
    ),
    "a setting that nobody can give": (
        "  additionalProperties: false", "  required: [word]\n  additionalProperties: false",
        "config-schema", "did you mean 'words'?",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("was", "now", "rule", "fix"), ADVICE.values(), ids=ADVICE)
def test_advice_names_what_to_write(tmp_path, was, now, rule, fix):
    found = registries.of_manifest(tmp_path, MANIFEST.replace(was, now, 1))
    fixes = [one.fix for one in found if one.rule == rule and one.severity is Severity.ERROR]

    assert [one for one in fixes if fix in one], found


@pytest.mark.parametrize("name", ["données.txt", "two words.txt", "a/../b c.txt"])
def test_a_name_for_which_no_index_lists_the_folder_is_an_error(tmp_path, name):
    legacy = "".join(MANIFEST.splitlines(keepends=True)[:6])
    found = registries.of_manifest(tmp_path, legacy, {name: "x\n"})
    [said] = [one for one in found if one.rule == "files"]

    assert (said.severity, said.fix) == (Severity.ERROR, "rename the file")


@pytest.mark.parametrize(
    ("text", "is_short"), [("检查回答是否有礼貌", False), ("礼貌", True), ("polite", True)]
)
def test_a_short_text_may_say_much_in_chinese(tmp_path, text, is_short):
    found = registries.of_manifest(tmp_path, changed("Whether the answer is polite", text))

    assert any("very short" in one.message for one in found) is is_short


SETTINGS = {
    "unknown": ("{word: [a]}", "has no setting 'word'"),
    "another type": ("{words: a}", "the setting 'words' must be of the type array, and is 'a'"),
}


@pytest.mark.parametrize(("config", "message"), SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize("status", ["PASSED", "NOT_EVALUATED"])
def test_a_fixture_gives_the_settings_that_the_schema_has(tmp_path, config, message, status):
    fixture = registries.FIXTURES.rstrip() + f"\n    config: {config}\n"
    fixture = fixture.replace("{score: 1.0}", f"{{status: {status}}}")
    assert status in fixture
    found = registries.of_manifest(tmp_path, MANIFEST, {"fixtures.yaml": fixture})
    said = [one.message for one in found if one.rule == "fixtures"]

    assert [message in one for one in said] == ([True] if status == "PASSED" else [])
