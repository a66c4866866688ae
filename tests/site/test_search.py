"""The site in Chromium: it builds without a remark, and its search answers what people ask."""

import functools
import http.server
import json
import re
import threading

import pytest
import yaml

from agentevals.model import project_links
from tests.browser import chromium
from tests.site.__main__ import build
from tests.site.pages import ROOT, list_pages
from tests.site.questions import QUESTIONS

FIRST_PAGE = 10
PATIENCE = 120  # seconds
# types each text into the search of the site, and keeps the addresses that it lists
PROBE = """
<iframe id="site" src="index.html" style="width: 1200px; height: 900px"></iframe>
<img src="answered">
<script>
  const wait = (time) => new Promise((done) => setTimeout(done, time));
  document.getElementById("site").onload = async ({ target }) => {
    const page = target.contentDocument;
    await wait(500);
    page.querySelector(".md-search__button").click();
    await wait(500);
    const root = [...page.querySelectorAll("div")].find((div) => div.shadowRoot).shadowRoot;
    const found = [];
    for (const text of TYPED) {
      const input = root.querySelector("input");
      input.value = text;
      input.dispatchEvent(new Event("input", { bubbles: true }));
      await wait(400);
      found.push([...root.querySelectorAll("a[href]")].map((link) => link.href));
    }
    await fetch("found", { method: "POST", body: JSON.stringify(found) });
  };
</script>
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    return build(tmp_path_factory.mktemp("site"))


class Server(http.server.ThreadingHTTPServer):
    """The site; its picture `answered` is not there before the page has posted what it found."""

    daemon_threads = True

    def __init__(self, folder):
        super().__init__(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))
        self.posted = threading.Event()
        self.found = b""


class Handler(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/answered":
            self.server.posted.wait(PATIENCE)
        super().do_GET()

    def do_POST(self):
        self.server.found = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(204)
        self.end_headers()
        self.server.posted.set()

    def log_message(self, *words):
        pass


@pytest.fixture(scope="module")
def found(site):
    """The first pages that the search lists for each question."""
    typed = json.dumps([question.typed for question in QUESTIONS])
    (site / "probe.html").write_text(PROBE.replace("TYPED", typed), encoding="utf-8")
    with Server(site) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/"
        chromium.visit(f"{address}probe.html")
        server.shutdown()
    listed = json.loads(server.found)
    return {
        question: [link.removeprefix(address) for link in links]
        for question, links in zip(QUESTIONS, listed, strict=True)
    }


def path_of(page):
    """Where the site has it."""
    return page.removesuffix("index.md").removesuffix("README.md").replace(".md", "/")


@pytest.mark.parametrize("question", QUESTIONS, ids=[each.asked for each in QUESTIONS])
def test_the_first_page_of_the_search_has_the_answer(found, question):
    pages = list(dict.fromkeys(re.split("[?#]", link)[0] for link in found[question]))

    assert path_of(question.page) in pages[:FIRST_PAGE]


def test_each_page_is_there_as_markdown_too(site):
    for page in list_pages():
        if not page.name.startswith(("docs/rules/", "docs/types/")) or page.name.endswith(
            "README.md"
        ):
            assert (site / page.name.removeprefix("docs/")).is_file()
    listed = re.findall(r"^- \[.+?\]\((.+?)\): .+$", (site / "llms.txt").read_text(), re.MULTILINE)
    assert len(listed) == len(set(listed)) > len(QUESTIONS)


def test_nothing_is_loaded_from_elsewhere_but_the_badges_of_the_last_runs(site):
    loads = re.compile(r'<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)="((?:https?:)?//[^"]*)"')
    pages = [path for path in site.rglob("*.html") if path.name != "probe.html"]
    badges = (
        f"https://raw.githubusercontent.com/{project_links.NAME}/frameworks/",
        f"{project_links.REPOSITORY}/actions/workflows/",
    )
    itself = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["site_url"]

    loaded = {address for path in pages for address in loads.findall(path.read_text())}
    assert {each for each in loaded if not each.startswith((*badges, itself))} == set()


def test_no_link_leaves_the_folder_of_the_pages(site):
    text = (site / "choosing/index.html").read_text(encoding="utf-8")

    assert "/blob/main/evaluators/README.md" in text
    assert "../evaluators/README.md" not in text
    assert (ROOT / "evaluators/README.md").is_file()
