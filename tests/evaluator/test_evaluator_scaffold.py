import json
from pathlib import Path

import pytest
import yaml

from agentevals.evaluator import evaluator_manifest, evaluator_scaffold
from agentevals.model.errors import InputError
from tests.support import agentevals

SIX = ["name", "description", "language", "entrypoint", "tags", "author"]
NAMES = ["politeness", "politeness.py", "politeness.js", "politeness.ts", "tool-order"]


PLACEHOLDERS = {
    "Every turn has an answer; replace this with what yours judges.": "Every turn has an answer.",
    'author: ""': "author: Mona Lisa",
    "# license: Apache-2.0": "license: MIT",
    "{login: ghost, id: 10137}": "{login: octocat, id: 583231}",
}


def fill_in(path):
    """What an author has to write, and nothing else."""
    text = path.read_text()
    for old, new in PLACEHOLDERS.items():
        assert old in text
        text = text.replace(old, new)
    path.write_text(text)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_written_and_filled_in_is_complete(tmp_path, name):
    fill_in(evaluator_scaffold.write(name, None, tmp_path / "evaluators").manifest)

    done = agentevals(
        *("registry", "validate", "--level", "complete", "--format", "json"),
        cwd=tmp_path,
        XDG_CACHE_HOME=str(tmp_path / "cache"),
    )

    assert (done.returncode, json.loads(done.stdout)["findings"]) == (0, [])


def test_the_first_keys_are_those_that_every_registry_knows(tmp_path):
    made = evaluator_scaffold.write("politeness", None, tmp_path)

    written = yaml.safe_load(made.manifest.read_text())
    assert list(written)[:6] == SIX
    assert evaluator_manifest.list_missing(evaluator_manifest.convert(written)) == ("license",)


@pytest.mark.parametrize("name", ["on", "2nd", "1e3", "null", "123", "0x1f", "a_b-c"])
def test_a_name_stays_a_name_in_yaml(tmp_path, name):
    made = evaluator_scaffold.write(name, None, tmp_path)

    written = yaml.safe_load(made.manifest.read_text())
    assert (written["name"], written["entrypoint"]) == (name, f"{name}.py")


def test_everything_that_was_written_is_told(tmp_path):
    made = evaluator_scaffold.write("politeness", "ts", tmp_path)

    told = {made.program, made.manifest, *made.others}
    assert told == set((tmp_path / "politeness").iterdir())


def test_the_page_shows_a_config_that_works(tmp_path):
    made = evaluator_scaffold.write("politeness", None, tmp_path)

    page = (made.program.parent / "README.md").read_text()
    config = yaml.safe_load(page.split("```yaml\n")[1].split("```")[0])
    assert (tmp_path / config["evaluators"][0]["path"]).resolve() == made.program.resolve()


@pytest.mark.parametrize("file", ["evaluator.yaml", "fixtures.yaml", "README.md"])
def test_nothing_is_overwritten(tmp_path, file):
    precious = tmp_path / "politeness" / file
    precious.parent.mkdir()
    precious.write_text("precious")

    with pytest.raises(InputError, match=f"{file} exists already"):
        evaluator_scaffold.write("politeness", None, tmp_path)

    assert list(precious.parent.iterdir()) == [Path(precious)]
