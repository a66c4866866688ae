"""Each page of how-to works for somebody who has done what the README says."""

import re

import pytest
import yaml

from tests.walkthroughs.reader import FILE_NAME, ROOT, list_fences

PAGES = {page.stem: page for page in sorted((ROOT / "docs" / "how-to").glob("[!R]*.md"))}
INSTALLS = "pip install git+https://github.com/OWNER/agentevals-action"


def text_of(name):
    return PAGES[name].read_text(encoding="utf-8")


def files_of(name):
    """The files that a page shows whole."""
    found = (FILE_NAME.match(text) for _, text, _ in list_fences(text_of(name)))
    return [named.group(1) for named in found if named]


# whose commands need the files of another system, which the tests of its page have
OF_OTHER_SYSTEMS = {"from-adk", "from-uipath"}


# after which nothing is left to validate
REMOVES = {"remove"}


@pytest.mark.parametrize("name", sorted(PAGES.keys() - OF_OTHER_SYSTEMS - REMOVES))
def test_a_page_can_be_followed_after_the_readme(reader, name):
    reader.follow(text_of(name))

    assert [file for file in files_of(name) if not (reader.folder / file).is_file()] == []
    assert reader.type("agentevals validate eval_config.yaml").endswith(": no problems\n")


def test_nothing_is_left_after_removing(reader):
    assert (reader.folder / "eval_config.yaml").is_file()

    reader.follow(text_of("remove"))

    assert not list(reader.folder.glob("*eval*"))
    assert not (reader.folder / "traces").exists()


def scripts_of(language, text):
    """What another CI system runs."""
    if language == "groovy":
        return re.findall(r"^ *sh '(.*)'$", text, re.MULTILINE)
    file = yaml.safe_load(text)
    if "steps" in file:
        return [step["script"] for step in file["steps"] if "script" in step]
    return file["agentevals"]["script"]


OTHERS = [
    pytest.param(language, text, id=text.splitlines()[0].split()[-1])
    for language, text, _ in list_fences(text_of("other-ci"))
    if INSTALLS in text
]


def test_three_other_systems_are_shown():
    assert len(OTHERS) == 3


@pytest.mark.parametrize(("language", "text"), OTHERS)
def test_the_job_of_another_system_ends_with_a_verdict(reader, language, text):
    scripts = scripts_of(language, text)

    printed = [reader.type(line) for line in scripts]

    assert scripts[0] == INSTALLS
    assert printed[-1].startswith("PASS  4 cases passed")
    assert (reader.folder / "junit.xml").is_file()
