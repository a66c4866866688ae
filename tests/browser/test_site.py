"""The site of a registry in Chromium: with and without scripts, wide and narrow, and hostile."""

import functools
import http.server
import re
import threading

import pytest

from registry_tools.index.index_build import build_index
from registry_tools.site import build_site
from tests.registry_tools import registries

HOSTILE = "<script>document.title=1</script><img src=x onerror=document.title=2>"
WIDEST = """
<iframe id="seen" src="{page}" style="width:{width}px;height:900px"></iframe>
<script>
  document.getElementById("seen").onload = ({{ target }}) => {{
    const root = target.contentDocument.documentElement;
    document.title = `${{root.scrollWidth}} of ${{root.clientWidth}}`;
  }};
</script>
"""
WITHOUT_SCRIPTS = """
<iframe id="seen" src="index.html" sandbox="allow-same-origin"></iframe>
<script>
  document.getElementById("seen").onload = ({ target }) => {
    const page = target.contentDocument;
    const cards = [...page.querySelectorAll(".card")].filter((card) => !card.hidden);
    document.title = `${cards.length} cards, search ${page.querySelector(".search").hidden}`;
  };
</script>
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("registry")
    for name in ("answers", "politeness", "summaries"):
        about = f"# {name}\n\n{HOSTILE}\n"
        words = registries.MANIFEST.replace("politeness", name)
        words = words.replace("Whether the answer is polite", f"'{HOSTILE} of {name}'")
        registries.write(root, name, files={"README.md": about, "evaluator.yaml": words})
    registries.repository(root)
    for path, content in build_site(
        build_index(root).index, root, "Evaluators", "octo-org/evaluators"
    ).items():
        target = root / "site" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    (root / "site" / "plain.html").write_text(WITHOUT_SCRIPTS)
    for page in ("index.html", "pages/politeness.html"):
        for width in (360, 1280):
            frame = WIDEST.format(page=page, width=width)
            (root / "site" / f"{width}-{page.replace('/', '-')}").write_text(frame)
    return root / "site"


@pytest.fixture(scope="module")
def address(folder):
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
    handler.log_message = lambda *_: None
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def shown(page):
    return re.findall(r'<li class="card"(?![^>]* hidden)[^>]*>.*?<h2><a[^>]*>([^<]+)', page)


def test_search_hides_what_was_not_meant(tab, address):
    everything = tab.visit(f"{address}/index.html")
    found = tab.visit(f"{address}/index.html?q=Summ")

    assert shown(everything) == ["answers", "politeness", "summaries"]
    assert shown(found) == ["summaries"]
    assert "1 of 3</output>" in found


def test_without_scripts_all_are_listed_and_no_dead_field_is_shown(tab, address):
    page = tab.visit(f"{address}/plain.html")

    assert "<title>3 cards, search true</title>" in page


@pytest.mark.parametrize("page", ["index.html", "pages/politeness.html", "tags/answer.html"])
def test_nothing_that_somebody_wrote_runs(tab, address, page):
    seen = tab.visit(f"{address}/{page}")

    assert "<title>1</title>" not in seen
    assert "<title>2</title>" not in seen
    assert "&lt;img src=x" in seen
    assert "<img" not in seen


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("page", ["index.html", "pages-politeness.html"])
def test_no_page_is_wider_than_its_window(tab, address, page, width):
    seen = tab.visit(f"{address}/{width}-{page}", width=1_400)

    wide, of = re.search(r"<title>(\d+) of (\d+)</title>", seen).groups()
    assert int(wide) <= int(of)
