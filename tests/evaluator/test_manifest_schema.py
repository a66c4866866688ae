import hashlib
import json

from agentevals.cli import schemas
from agentevals.evaluator import manifest_schema
from agentevals.model import project_links
from tests.owner import ROOT

# what was published in a version stays what it was, whoever owns the copy
PUBLISHED = {
    "1.2": "82d7df2a36c92abcee0eb226568b0ee8961e4acc0811c5a5129f16754876b01c",
    "1.3": "39dae284f68bc9411ea74127d615fd292aa0b1239411d8df31a1bfdbccd50ac5",
}


def test_a_schema_that_changes_gets_a_version_of_its_own():
    text = schemas.text("evaluator").replace(project_links.NAME, "OWNER/agentevals-action")
    found = hashlib.sha256(text.encode()).hexdigest()

    assert PUBLISHED.get(manifest_schema.VERSION) == found, "raise VERSION, and add it here"


def test_it_lies_where_its_id_says():
    at = manifest_schema.ID.partition("/main/")[2]

    assert manifest_schema.ID.startswith(
        f"https://raw.githubusercontent.com/{project_links.NAME}/main/"
    )
    assert (ROOT / at).read_text(encoding="utf-8") == schemas.text("evaluator"), "run: make docs"


def test_editors_complete_what_comes_from_a_list():
    said = json.loads(schemas.text("evaluator"))["$defs"]["Manifest"]["properties"]

    assert "Apache-2.0" in said["license"]["anyOf"][0]["enum"]
    assert "tool-use" in said["tags"]["items"]["anyOf"][0]["enum"]
    assert said["language"]["enum"] == ["javascript", "python", "typescript"]
