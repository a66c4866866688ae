"""Who may hand an evaluator over: what GitHub knows of a pull request decides, never its files."""

import pytest

from tests.registry_tools import registries
from tests.stand_in import documents

MANIFEST = "evaluators/politeness/evaluator.yaml"
TOMBSTONES = "evaluators/.tombstones.yaml"
OWNER, THIEF, WRITER = "octocat", "mallory", "hubot"
IDS = {name: documents.user("", name)["id"] for name in (OWNER, THIEF, WRITER)}
THEIRS = registries.changed("583231", str(IDS[OWNER]))
OWNED = {
    MANIFEST: THEIRS,
    "evaluators/politeness/politeness.py": registries.PROGRAM,
    "evaluators/politeness/fixtures.yaml": registries.FIXTURES,
    TOMBSTONES: "removed:\n  old_one: {reason: it never worked}\n",
}
OLD = f"login: {OWNER}\n    id: {IDS[OWNER]}"
NEW = f"login: {THIEF}\n    id: {IDS[THIEF]}"
TAKEN = THEIRS.replace("1.0.0", "1.0.1").replace(OLD, NEW)
JOINED = THEIRS.replace("1.0.0", "1.0.1").replace(OLD, f"{OLD}\n  - {NEW}")
GIVEN = f"{OWNED[TOMBSTONES]}transferred:\n  politeness: {{to: [{IDS[THIEF]}], reason: mine}}\n"
HANDED_OVER = {MANIFEST: TAKEN, TOMBSTONES: GIVEN}
DECISIONS = {
    "handed over": HANDED_OVER,
    "handed over later": {TOMBSTONES: GIVEN},
    "joined": {MANIFEST: JOINED},
    "removed": {
        **{path: None for path in OWNED if "politeness" in path},
        TOMBSTONES: OWNED[TOMBSTONES] + "  politeness: {reason: mine}\n",
    },
    "withdrawn": {TOMBSTONES: OWNED[TOMBSTONES] + 'yanked:\n  politeness: {"1.0.0": mine}\n'},
    "restored": {TOMBSTONES: "removed: {}\n"},
}


@pytest.fixture
def proposed(job):
    """The step on a pull request of somebody, with reviews of it by others."""

    def propose(changed, *reviews, author=THIEF, base=OWNED):
        files = {path: text for path, text in {**base, **changed}.items() if text is not None}
        job.pull_request(base, files)
        job.known(head_repository="weather/agent", author=author)
        job.pull.reviews = [(who, state, commit or job.head) for who, state, commit in reviews]
        job.place.roles[WRITER] = "write"
        return job.given(command="registry-validate")

    return propose


def approved(who, commit=""):
    return who, "APPROVED", commit


@pytest.mark.parametrize("changed", DECISIONS.values(), ids=DECISIONS)
def test_a_decision_of_somebody_who_may_not_decide_is_red(proposed, changed):
    given = proposed(changed)
    done = given.run()

    assert (done.code, done.outputs["verdict"]) == (1, "failed"), done.log
    assert "agreed" in given.comments[0]
    assert "approve the pull request, then run this job again" in given.comments[0]


@pytest.mark.parametrize("changed", DECISIONS.values(), ids=DECISIONS)
@pytest.mark.parametrize("ways", ["its author may write", "somebody approves who may write"])
def test_whoever_may_write_decides(proposed, changed, ways):
    by_author = ways == "its author may write"
    reviews = () if by_author else (approved(WRITER),)
    done = proposed(changed, *reviews, author=WRITER if by_author else THIEF).run()

    assert done.code == 0, done.log


@pytest.mark.parametrize("changed", [HANDED_OVER, DECISIONS["joined"], DECISIONS["removed"]])
@pytest.mark.parametrize("is_author", [True, False])
def test_who_maintains_it_on_the_base_branch_decides(proposed, changed, is_author):
    reviews = () if is_author else (approved(OWNER),)
    done = proposed(changed, *reviews, author=OWNER if is_author else THIEF).run()

    assert done.code == 0, done.log
    assert "warning" in done.summary


REVIEWS = {
    "the one who takes it": [approved(THIEF)],
    "an app": [approved("octocat[bot]")],
    "of an earlier commit": [approved(OWNER, "1" * 40)],
    "taken back": [approved(OWNER), (OWNER, "CHANGES_REQUESTED", "")],
    "dismissed": [(WRITER, "DISMISSED", "")],
    "a remark": [(OWNER, "COMMENTED", "")],
}


@pytest.mark.parametrize("reviews", REVIEWS.values(), ids=REVIEWS)
def test_what_is_no_approval_of_what_is_proposed_decides_nothing(proposed, reviews):
    assert proposed(HANDED_OVER, *reviews).run().code == 1


def test_an_approval_stands_whatever_is_said_after_it(proposed):
    done = proposed(HANDED_OVER, approved(OWNER), (OWNER, "COMMENTED", "")).run()

    assert done.code == 0, done.log


def test_a_decision_that_the_base_branch_has_already_needs_nobody(proposed):
    done = proposed({MANIFEST: TAKEN}, base=OWNED | {TOMBSTONES: GIVEN}).run()

    assert done.code == 0, done.log


def test_what_changes_no_owner_asks_nobody(proposed):
    words = THEIRS.replace("1.0.0", "1.0.1").replace("Whether the", "How")
    given = proposed({MANIFEST: words})
    done = given.run()

    assert done.code == 0, done.log
    assert given.github.requests("GET", "/reviews") == []


@pytest.mark.parametrize(("reviews", "code"), [([], 1), ([approved(OWNER)], 0)])
def test_a_merge_queue_asks_about_the_pull_request_of_its_branch(proposed, reviews, code):
    given = proposed(HANDED_OVER, *reviews)
    done = given.on("merge_group", given.head, given.base).run()

    assert done.code == code, done.log


def test_where_github_does_not_answer_nobody_agreed(proposed):
    given = proposed(HANDED_OVER, approved(WRITER))
    given.github.permissions |= {"pull-requests": "none"}
    done = given.run()

    assert done.code == 1
    assert "approvals: " in done.log
