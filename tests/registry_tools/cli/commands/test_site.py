"""`registry site` writes pages of the index: complete, linked, and harmless whatever is in it."""

import re
from html.parser import HTMLParser

import pytest

from registry_tools.index.index_build import build_index
from registry_tools.site import build_site
from tests.registry_tools import registries
from tests.support import agentevals

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"
MANIFEST = registries.changed(
    "  type: object\n  properties:\n    words: {type: array, items: {type: string}}\n",
    "  type: object\n  required: [words]\n  properties:\n"
    "    words: {type: array, items: {type: string}, description: what is `polite`}\n"
    "    strict: {type: boolean, default: false, description: all of them}\n"
    "    least: {type: integer, minimum: 1, maximum: 9}\n"
    "    mode: {enum: [any, all]}\n",
)


def write(root, *words):
    registries.repository(root)
    done = agentevals("registry", "site", "--output", "site", *words, cwd=root)
    assert done.returncode == 0, done.stderr
    return root / "site", done.stdout


def read(folder, page):
    return (folder / page).read_text(encoding="utf-8")


class Tags(HTMLParser):
    """Every tag of a page, with its attributes."""

    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def test_a_page_says_how_to_use_an_evaluator_and_what_it_needs(tmp_path):
    registries.write(tmp_path, files={"evaluator.yaml": MANIFEST})

    folder, said = write(tmp_path, "--repository", "octo-org/evaluators")
    page = read(folder, "pages/politeness.html")

    assert said == "6 files written into site\n"
    assert "export AGENTEVALS_EVALUATOR_REPO=octo-org/evaluators" in page
    assert "- name: politeness\n  type: remote\n  ref: politeness\n" in page
    assert "  config:\n    words: []\n" in page
    assert "<td><code>words</code></td><td>list</td><td><b>required</b></td>" in page
    assert "<td>what is <code>polite</code></td>" in page
    assert "<td>true or false</td><td><code>false</code></td>" in page
    assert "<td>whole number, at least 1, at most 9</td><td>none</td>" in page
    assert "<td>any, all</td>" in page
    assert "<dt>Licence</dt><dd>Apache-2.0</dd>" in page
    assert '<a href="https://github.com/octocat">octocat</a>' in page
    assert "This version was not measured" in page
    assert "final_response: Good day!" in page


PAGE = """\
# politeness

```yaml
evaluators:
  - name: politeness
    type: remote
    ref: evaluators/politeness/politeness.py
    threshold: 0.9
    judge: true
    grants: {network: all}
    config: {words: [please]}
```
"""


def test_the_lines_to_paste_are_those_of_its_page_without_rights(tmp_path):
    registries.write(tmp_path, files={"evaluator.yaml": MANIFEST, "README.md": PAGE})

    page = read(write(tmp_path)[0], "pages/politeness.html")

    assert (
        "ref: politeness\n  threshold: 0.9\n  judge: true\n  config:\n    words:\n    - please"
        in page
    )
    assert "grants" not in page


def test_what_was_measured_is_there_as_long_as_it_is_of_this_program(tmp_path):
    home = registries.write(tmp_path, files={"examples.yaml": "fail: [a]\npass: [b, c]\n"})
    done = agentevals("registry", "evidence", str(home), "--write")
    assert done.returncode == 0, done.stderr

    measured = read(write(tmp_path)[0], "pages/politeness.html")
    (home / "politeness.py").write_text(registries.PROGRAM + "\n")
    changed = read(write(tmp_path)[0], "pages/politeness.html")

    assert "3 in <code>examples.yaml</code>" in measured
    assert "0 of 1: 0.00" in measured
    assert "This version was not measured" in changed


def test_every_link_leads_to_a_page_that_is_there(tmp_path):
    for name in ("answers", "politeness"):
        registries.write(tmp_path, name)

    folder, _ = write(tmp_path)

    pages = sorted(folder.rglob("*.html"))
    assert len(pages) == 5
    for page in pages:
        for tag, attributes in Tags(read(folder, page.relative_to(folder))).found:
            target = attributes.get("href") or attributes.get("src")
            if target and not target.startswith("https://github.com/"):
                assert (page.parent / target).resolve().is_file(), (page, tag, target)


@pytest.mark.parametrize("place", ["description", "author", "README", "fixture", "title", "schema"])
def test_hostile_text_stays_text(tmp_path, place):
    quoted = "'" + HOSTILE.replace("'", "''") + "'"
    manifest = {
        "description": registries.changed("Whether the answer is polite", quoted),
        "author": registries.changed("author: octocat", f"author: {quoted}"),
        "schema": registries.changed(
            "words: {type: array, items: {type: string}}",
            f"words: {{type: array, default: {quoted}, description: {quoted}}}",
        ),
    }.get(place, registries.MANIFEST)
    files = {"evaluator.yaml": manifest}
    files |= {"README.md": f"# politeness\n\n{HOSTILE} `{HOSTILE}` *{HOSTILE}*\n"}
    if place == "fixture":
        files |= {"fixtures.yaml": registries.FIXTURES.replace("Good day!", quoted)}
    registries.write(tmp_path, files=files)

    folder, _ = write(tmp_path, "--title", HOSTILE if place == "title" else "Evaluators")

    for page in folder.rglob("*.html"):
        tags = Tags(page.read_text()).found
        assert [a.get("src") for tag, a in tags if tag in {"script", "img"}] in (
            [["site.js"], ["../site.js"]]
        )
        assert not [name for _, a in tags for name in a if name.startswith("on")]


def test_nothing_is_loaded_from_elsewhere_and_no_script_is_inline(tmp_path):
    registries.write(tmp_path)

    folder, _ = write(tmp_path)

    for page in folder.rglob("*.html"):
        text = page.read_text()
        (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]+)"', text)
        assert policy.startswith("default-src 'none'; style-src 'self'; script-src 'self';")
        assert " style=" not in text
        assert "<style" not in text


def test_pages_of_evaluators_that_are_gone_go_and_other_files_stay(tmp_path):
    for name in ("answers", "politeness"):
        registries.write(tmp_path, name)
    folder, _ = write(tmp_path)
    (folder / "pages/own.html").write_text("<p>mine</p>")
    (folder / "CNAME").write_text("example.com")

    for path in sorted((tmp_path / "evaluators/answers").iterdir()):
        path.unlink()
    _, said = write(tmp_path)

    assert said.endswith("1 old page removed\n")
    assert not (folder / "pages/answers.html").exists()
    assert (folder / "pages/own.html").exists()
    assert (folder / "CNAME").exists()


def test_the_same_commit_gives_the_same_bytes(tmp_path):
    registries.write(tmp_path)

    first = {p: p.read_bytes() for p in write(tmp_path)[0].rglob("*") if p.is_file()}

    done = agentevals("registry", "site", "--output", "site", cwd=tmp_path)
    assert done.returncode == 0
    assert {path: path.read_bytes() for path in first} == first


def test_a_registry_is_not_written_over(tmp_path):
    registries.write(tmp_path)

    done = agentevals("registry", "site", "--output", ".", cwd=tmp_path)

    assert done.returncode == 2
    assert "name a folder of its own" in done.stderr


def test_an_evaluator_that_cannot_be_listed_is_named(tmp_path):
    registries.write(tmp_path, files={"evaluator.yaml": registries.changed("1.0.0", "one")})
    registries.repository(tmp_path)

    done = agentevals("registry", "site", cwd=tmp_path)

    assert done.returncode == 0
    assert "evaluators/politeness/evaluator.yaml:7:10: not listed" in done.stderr


def test_an_address_that_is_none_is_refused(tmp_path):
    registries.write(tmp_path)

    done = agentevals("registry", "site", "--repository", "https://x/y", cwd=tmp_path)

    assert done.returncode == 2
    assert "is not OWNER/NAME" in done.stderr


def test_a_page_does_not_grow_with_the_registry(tmp_path):
    def measure(count):
        for number in range(count):
            registries.write(tmp_path / str(count), f"evaluator_{number:04}")
        root = tmp_path / str(count)
        registries.repository(root)
        files = build_site(build_index(root).index, root, "Evaluators", "")
        return len(files), sum(map(len, files.values())), len(files["pages/evaluator_0001.html"])

    few, many = measure(20), measure(200)

    assert (few[0], many[0]) == (25, 205)
    assert many[1] < 10 * few[1]
    assert many[2] == few[2]
