"""20,000 foreign texts, each in every place of a page, as a browser reads them."""

import json
import re
from html import unescape

from agentevals.text.markdown import visible
from tests import hostile
from tests.text import places

SCRIPT = """
const expected = JSON.parse(document.querySelector('#expected').textContent);
const wrong = [...document.querySelectorAll('section')].filter((section, at) => {
  const elements = [...section.querySelectorAll('*')].filter(e => e.localName !== 'span');
  const names = elements.map(e => [e.localName, ...[...e.attributes].map(a => a.name)].join(' '));
  const words = section.textContent.replace(/[\\s\\u200b]/g, '');
  return names.join() !== expected.elements.join() || words !== expected.words[at];
});
document.title = JSON.stringify([expected.words.length, wrong.slice(0, 5).map(s => s.innerHTML)]);
document.body.replaceChildren();
"""


def test_no_foreign_text_is_an_element_and_each_is_read_as_it_is(tab, tmp_path):
    texts = [text for text in hostile.compositions() if visible(text)]
    sections = "".join(
        f"<section>{places.render(places.compose(text))}</section>" for text in texts
    )
    expected = {"elements": places.ELEMENTS, "words": [places.expect(text) for text in texts]}
    data = json.dumps(expected).replace("<", "\\u003c")
    path = tmp_path / "texts.html"
    path.write_text(
        '<!DOCTYPE html><meta charset="utf-8"><title></title><body>'
        f'{sections}<script id="expected" type="application/json">{data}</script>'
        f"<script>{SCRIPT}</script>",
        encoding="utf-8",
    )
    written = tab.visit(path.as_uri(), width=900)
    read, wrong = json.loads(unescape(re.search(r"<title>(.*?)</title>", written).group(1)))

    assert read == len(texts) > hostile.COUNT * 0.9
    assert wrong == []
