import pytest

from agentevals.evaluator import evaluator_names, registry_index
from agentevals.evaluator.evaluator_names import Range, check, check_ref, choose, parse_version
from agentevals.model.errors import InputError
from tests.evaluator.conftest import PROGRAM, entry, listing, sha256


@pytest.mark.parametrize("ref", ["a.py", "evaluators/a-b/a_b.py", "x/y.z/_t.ts", "a.b.js"])
def test_paths(ref):
    assert check_ref(ref) == ref
    assert check(ref) == ref


NOWHERE = [
    "",
    "/a.py",
    "../a.py",
    "a/../b.py",
    "a//b.py",
    ".hidden/a.py",
    "a\\b.py",
    "a%2e.py",
    "a.sh",
    "a/b",
    "-a/b.py",
    "é.py",
    "a/" * 16 + "b.py",
    "a" * 510 + ".py",
    "a.py\n",
]


@pytest.mark.parametrize("ref", NOWHERE)
def test_paths_that_could_lead_elsewhere_are_refused(ref):
    with pytest.raises(ValueError, match=r"must (be|have|end)"):
        check_ref(ref)


@pytest.mark.parametrize("ref", NOWHERE)
def test_nor_are_they_names(ref):
    with pytest.raises(ValueError, match=r"must (be|have|end)"):
        check(ref)


@pytest.mark.parametrize(
    "ref", ["contains", "tool-order_2", "a@^1.2", "a@>=1.2, <2", "a@latest", "a@"]
)
def test_names(ref):
    assert check(ref) == ref


@pytest.mark.parametrize("ref", ["Contains", "a b", "a@x", "a@1.2.3.4", "a@^", "@1", "a@1,"])
def test_what_is_no_name(ref):
    with pytest.raises(ValueError, match=r"must be|for a version"):
        check(ref)


@pytest.mark.parametrize(
    ("wanted", "first", "last", "after"),
    [
        ("^1.2", "1.2.0", "1.99.9", "2.0.0"),
        ("^1.2.3", "1.2.3", "1.99.9", "2.0.0"),
        ("^0.2", "0.2.0", "0.2.9", "0.3.0"),
        ("^0.0.3", "0.0.3", "0.0.3", "0.0.4"),
        ("^0", "0.0.0", "0.99.0", "1.0.0"),
        ("~1.2", "1.2.0", "1.2.9", "1.3.0"),
        ("~1.2.3", "1.2.3", "1.2.9", "1.3.0"),
        ("~1", "1.0.0", "1.9.9", "2.0.0"),
        ("1", "1.0.0", "1.9.9", "2.0.0"),
        ("1.2", "1.2.0", "1.2.9", "1.3.0"),
        ("1.2.3", "1.2.3", "1.2.3", "1.2.4"),
        ("=1.2.3", "1.2.3", "1.2.3", "1.2.4"),
        (">=1.2, <2", "1.2.0", "1.99.0", "2.0.0"),
        (">1.2, <=2.1", "1.3.0", "2.1.9", "2.2.0"),
    ],
)
def test_ranges(wanted, first, last, after):
    held = [Range.parse(wanted).holds(version) for version in (first, last, after)]

    assert held == [True, True, False]


@pytest.mark.parametrize("version", ["", "1", "1.2", "1.2.3-beta.1", "1.2.3\n", "01.2.3"])
def test_what_is_no_release_fits_no_range(version):
    assert parse_version(version) is None
    assert not Range.parse(">=0").holds(version)


def chosen(ref, *entries, **facts):
    found = registry_index.parse(listing(*entries, **facts), where="here")
    return choose(ref, found, where="here")


def earlier(version, **facts):
    digests = {"a.py": sha256(PROGRAM)}
    return {"version": version, "files": digests, "sha256": registry_index.digest(digests), **facts}


HISTORY = entry(
    version="2.0.0",
    earlier=[earlier("1.0.0"), earlier("1.10.0"), earlier("1.11.0", yanked="wrong")],
)


@pytest.mark.parametrize(
    ("ref", "version"),
    [("a", "2.0.0"), ("a@^1", "1.10.0"), ("a@1.0.0", "1.0.0"), ("evaluators/a/a.py", "2.0.0")],
)
def test_the_newest_that_fits_and_was_not_withdrawn(ref, version):
    assert chosen(ref, HISTORY).version == version


def test_a_withdrawn_version_is_refused_even_by_its_number():
    with pytest.raises(InputError, match=r"a 1\.11\.0 was withdrawn from here: wrong"):
        chosen("a@1.11.0", HISTORY)


@pytest.mark.parametrize("ref", ["a", "evaluators/a/a.py"])
def test_a_withdrawn_evaluator_names_the_one_to_use_instead(ref):
    with pytest.raises(InputError, match=r"withdrawn from here: wrong; use 'b' instead"):
        chosen(ref, entry(yanked="wrong", replaced_by="b"))


def test_a_version_that_does_not_exist_names_those_that_do():
    with pytest.raises(InputError, match=r"fits '\^3' \(known: 2\.0\.0, 1\.11\.0, 1\.10\.0, 1\.0"):
        chosen("a@^3", HISTORY)


def test_an_earlier_name_still_leads_there():
    assert chosen("old", entry(aliases=["old"])).entry.name == "a"


def test_a_removed_evaluator_says_why():
    removed = {"a": {"reason": "it leaked", "replaced_by": "b"}}

    with pytest.raises(InputError, match=r"'a' was removed from here: it leaked; use 'b' instead"):
        chosen("a", removed=removed)


def test_deprecations_are_said():
    choice = chosen("a", entry(deprecated="slow\x1b[31m", replaced_by="b"))

    (said,) = evaluator_names.list_deprecations(choice)
    assert said.startswith("a should not be used any more: slow")
    assert said.endswith("; use 'b' instead")
    assert "\x1b" not in said


@pytest.mark.parametrize("name", ["tool_use", "tool-use", "tooluse", "ToolUse", "tool.use"])
def test_case_and_separators_do_not_tell_names_apart(name):
    assert evaluator_names.fold(name) == "tooluse"


@pytest.mark.parametrize("name", ["ok", "politeness", "tool-order", "f1_score", "a" * 64])
def test_nothing_is_said_against_a_name_that_can_be_published(name):
    assert evaluator_names.find_objection(name) == ""


@pytest.mark.parametrize("name", ["a", "2nd", "Polite", "a__b", "a_", "é", "a" * 65, "", "ok\n"])
def test_a_name_that_does_not_fit_is_refused_with_what_would(name):
    assert "lower-case letters and digits" in evaluator_names.find_objection(name)


@pytest.mark.parametrize("name", ["class", "con", "com1", "built-in", "response_match_score"])
def test_a_name_that_means_something_is_reserved(name):
    assert evaluator_names.find_objection(name) == "it is reserved"
