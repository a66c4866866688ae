"""Changes of rules that are meant: each has a way that takes one comment, and none is quiet."""

import json
import re
from pathlib import Path

import pytest

from agentevals.github.approvals import Remark
from agentevals.github.issue_comments import User
from tests.action.job import NUMBER, REPOSITORY, TRAJECTORY, config, eval_set, transcript
from tests.action.rules.test_softening import (
    ALWAYS,
    BASE,
    BLESSED,
    BROKEN,
    LENIENT,
    MINE,
    SOFTER,
    WORKFLOW,
    files,
    soft,
    without,
)
from tests.support import DOCS

MARIA = "maria"


@pytest.fixture
def job(job):
    job.place.roles |= {MARIA: "write", "nina": "maintain", "rita": "read", "tom": "triage"}
    return job


def digest_in(comment):
    (found,) = re.findall(r"^/agentevals approve ([0-9a-f]{40})$", comment, re.MULTILINE)
    return found


def approve(job, author=MARIA, body=None, **facts):
    text = body or f"/agentevals approve {digest_in(job.comments[0])}"
    return job.world.comment(text, NUMBER, REPOSITORY, author=author, app=False, **facts)


def headline(job):
    return job.comments[0].split("\n")[2].removeprefix("> ")


def pending(done):
    return {(one["rule"], one["case_id"]) for one in done.report["rules"]["turned"]
            if not one["approved_by"]}  # fmt: skip


@pytest.mark.parametrize("head", SOFTER.values(), ids=SOFTER)
def test_one_comment_approves_every_kind_of_change(job, head):
    job.pull_request(BASE, head).run()
    approve(job)

    done = job.run()

    assert (done.code, done.report["verdict"]) == (0, "pass")
    assert "Rule change approved by @\u200bmaria" in headline(job)
    assert "needs approval" not in job.comments[0]


# ---- changes that everybody makes


NO_CONFIG = without(BASE, "eval_config.yaml")
BROKEN_CONFIG = BASE | {"eval_config.yaml": "evaluators: [{name: nonsense"}
WRONG = files(failing=["oslo", "paris", "quito", "rome"])

LEGITIMATE = {
    "first config": (NO_CONFIG, BASE),
    "mended config": (BROKEN_CONFIG, BASE),
    "first workflow": (without(BASE, ".github/workflows/agentevals.yml"), BASE),
    "expectation blessed anew": (
        BASE,
        BROKEN | {"eval_set.json": json.dumps(BLESSED)}
        | {"evaluators/words.py": 'NEEDED = "forecast"\n'},
    ),
    "evaluator corrected": (
        files(MINE),
        files(MINE, failing=["paris"]) | {"evaluators/words.py": 'NEEDED = "forecast"\n'},
    ),
    "case deleted": (
        BASE, without(BASE, "traces/rome.json")
        | {"eval_set.json": eval_set("oslo", "paris", "quito")},
    ),
    "failing case deleted": (
        files(failing=["rome"]), without(BASE, "traces/rome.json")
        | {"eval_set.json": eval_set("oslo", "paris", "quito")},
    ),
    "failure accepted": (BASE, SOFTER["failure accepted"]),
    "fail-on changed": (
        BASE, BASE | {".github/workflows/agentevals.yml": WORKFLOW.replace("failed", "regressed")},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("base", "head"), LEGITIMATE.values(), ids=LEGITIMATE)
def test_a_change_that_is_meant_takes_one_comment(job, base, head):
    job.pull_request(base, head)

    first = job.run()
    approve(job)
    second = job.run()

    assert [first.code, second.code] == [1, 0], first.log
    assert pending(first)
    assert "Rule change approved by" in headline(job)


HARMLESS = {
    "config renamed": (
        BASE,
        without(BASE, "eval_config.yaml")
        | {"evals/eval_config.yaml": config(TRAJECTORY, MINE | {"path": "../evaluators/mine.py"},
                                           traces="../traces/*", eval_set="../eval_set.json")},
    ),
    "case added": (
        BASE, BASE | {"traces/lima.json": transcript("lima", "geocode", "forecast"),
                      "eval_set.json": eval_set("oslo", "paris", "quito", "rome", "lima")},
    ),
    "evaluator added": (BASE, files(TRAJECTORY, MINE, MINE | {"name": "again"})),
    "threshold raised": (files(TRAJECTORY, MINE | {"threshold": 0.5}), BASE),
    "threshold lowered, and both pass": (BASE, files(TRAJECTORY, ALWAYS)),
    "gate added": (BASE, files(gate={"pass_rate": {"at_least": 0.9}})),
    "config added beside another": (
        BASE, BASE | {"evals/eval_config.yaml": config(traces="../traces/*",
                                                      eval_set="../eval_set.json")},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("base", "head"), HARMLESS.values(), ids=HARMLESS)
def test_a_change_that_both_sides_pass_is_green_and_named_in_the_headline(job, base, head):
    done = job.pull_request(base, head).run()

    assert done.code == 0, done.log
    assert "Rules changed: " in headline(job)
    assert "it passes by those of main as well" in headline(job)
    assert done.report["rules"]["turned"] == []


def test_without_a_change_of_rules_nothing_is_said_of_them(job):
    done = job.pull_request(BASE, files(failing=["paris"])).run()

    assert "rules" not in done.report
    assert "ule" not in headline(job)


def test_a_head_that_fails_by_its_own_rules_is_red_whatever_was_approved(job):
    head = soft(LENIENT, MINE)
    job.pull_request(BASE, SOFTER["program replaced"]).run()
    approve(job)

    done = job.pull_request(BASE, head).run()

    assert done.code == 1
    assert headline(job).startswith("**Not ready to merge")
    assert "Rules changed: " in headline(job)


# ---- who may approve


@pytest.mark.parametrize(
    ("author", "code"),
    [(MARIA, 0), ("nina", 0), ("rita", 1), ("tom", 1), ("nobody", 1), ("evals[bot]", 1)],
)
def test_only_people_with_write_permission_approve(job, author, code):
    job.place.roles["evals[bot]"] = "admin"
    job.pull_request(BASE, SOFTER["program replaced"]).run()
    approve(job, author)

    assert job.run().code == code


def test_an_edited_comment_approves_nothing(job):
    """Whoever may write to the repository may edit the words of others."""
    job.pull_request(BASE, SOFTER["program replaced"]).run()
    approve(job, edited="2026-03-02T12:00:00Z")

    assert job.run().code == 1


def test_a_program_that_comments_in_the_name_of_somebody_approves_nothing(job):
    job.pull_request(BASE, SOFTER["program replaced"]).run()
    command = f"/agentevals approve {digest_in(job.comments[0])}"
    job.world.comment(command, NUMBER, REPOSITORY, author=MARIA, app=True)

    assert job.run().code == 1


@pytest.mark.parametrize(
    "body",
    [
        "/agentevals approve",
        "/agentevals approve 0000000000000000000000000000000000000000",
        "/agentevals approve {digest}0",
        "> /agentevals approve {digest}",
        "do not /agentevals approve {digest}",
        "/agentevals approve {short}",
    ],
)
def test_only_the_command_with_the_whole_digest_approves(job, body):
    job.pull_request(BASE, SOFTER["program replaced"]).run()
    digest = digest_in(job.comments[0])
    approve(job, body=body.format(digest=digest, short=digest[:12]))

    assert job.run().code == 1


def author_of(job):
    event = json.loads(Path(job.environ["GITHUB_EVENT_PATH"]).read_text())
    return event["pull_request"]["user"]["login"]


@pytest.mark.parametrize(("approval", "code"), [("any", 0), ("other", 1)])
def test_the_base_may_ask_for_another_than_the_author(job, approval, code):
    base = files(gate={"approval": approval})
    job.pull_request(base, soft(LENIENT, ALWAYS)).run()
    job.place.roles[author_of(job)] = "admin"
    approve(job, author_of(job))

    assert job.run().code == code


def test_whom_the_author_may_ask_is_anybody_else(job):
    job.pull_request(files(gate={"approval": "other"}), soft(LENIENT, ALWAYS)).run()
    approve(job)

    assert job.run().code == 0


def test_a_pull_request_cannot_allow_its_author_to_approve(job):
    base = files(gate={"approval": "other"})
    job.pull_request(base, soft(LENIENT, ALWAYS, gate={"approval": "any"})).run()
    job.place.roles[author_of(job)] = "admin"
    approve(job, author_of(job))

    assert job.run().code == 1


def test_the_documented_command_is_the_one_that_is_read():
    page = (DOCS / "action.md").read_text()
    (command,) = re.findall(r"^```text\n(.*)\n```$", page, re.MULTILINE)
    who = User(login=MARIA, type="User")

    assert Remark(body=command, user=who).approves == (command.split()[-1],)


# ---- what an approval covers


TWO = files(failing=["paris", "rome"])


def again(job, head):
    """A later push to the same pull request."""
    job.head = job.origin.commit(head, on=job.base)
    job.origin.move("units", job.head)
    return job.on("pull_request", job.head, job.base).known().checkout(job.head)


def rules_of(tree, *evaluators):
    return tree | {"eval_config.yaml": config(*evaluators)}


def test_a_later_push_keeps_it_and_another_failing_case_is_not_covered(job):
    job.pull_request(BASE, rules_of(BROKEN, LENIENT, ALWAYS)).run()
    approve(job)

    later = rules_of(BROKEN, LENIENT, ALWAYS) | {"README.md": "More.", "agent.py": "x = 1"}
    assert again(job, later).run().code == 0

    done = again(job, rules_of(TWO, LENIENT, ALWAYS)).run()
    assert done.code == 1
    assert {case for _, case in pending(done)} == {"rome"}

    approve(job)
    assert job.run().code == 0


def test_what_is_covered_stays_so_when_less_fails(job):
    job.pull_request(BASE, rules_of(TWO, LENIENT, ALWAYS)).run()
    approve(job)

    assert again(job, rules_of(BROKEN, LENIENT, ALWAYS)).run().code == 0
    assert again(job, rules_of(TWO, LENIENT, ALWAYS)).run().code == 0


def test_a_rule_that_is_softened_further_is_not_covered(job):
    half = TRAJECTORY | {"threshold": 0.5}
    job.pull_request(BASE, rules_of(BROKEN, half | {"weight": 0.5}, ALWAYS))
    assert job.run().code == 1
    job.place.comments.clear()
    job.pull_request(BASE, rules_of(BROKEN, LENIENT, ALWAYS)).run()
    approve(job)

    again(job, rules_of(BROKEN, LENIENT | {"weight": 0}, ALWAYS))

    assert job.run().code == 1


def test_tolerated_failures_are_approved_case_by_case(job):
    tolerant = {"gate": {"pass_rate": {"at_least": 0.5}}}
    one, two = (tree | {"eval_config.yaml": config(**tolerant)} for tree in (BROKEN, TWO))
    job.pull_request(BASE | {"eval_config.yaml": config()}, one).run()
    approve(job)
    assert job.run().code == 0

    assert again(job, two).run().code == 1


def test_a_list_of_pairs_that_somebody_has_changed_is_not_believed(job):
    job.pull_request(BASE, rules_of(BROKEN, LENIENT, ALWAYS)).run()
    approve(job)
    done = again(job, rules_of(TWO, LENIENT, ALWAYS)).run()
    approved, pairs = done.report["rules"]["offers"][0].values()
    forged = " ".join([approved, *pairs, *(o["pair"] for o in done.report["rules"]["turned"])])
    approve(job, body=f"<!-- agentevals:rules {forged} -->")

    assert job.run().code == 1


def test_without_a_comment_of_ours_the_digest_in_the_summary_is_enough(job):
    job.given(comment="off").pull_request(BASE, SOFTER["program replaced"])
    done = job.run()
    approve(job, body=f"/agentevals approve {digest_in(done.summary)}")

    assert job.run().code == 0


# ---- where the base cannot be asked


def test_changes_of_main_since_the_branch_began_are_none_of_the_pull_request(job):
    """The runner checks out the head merged with main as it is now."""
    job.pull_request(files(TRAJECTORY), files(TRAJECTORY) | {"agent.py": "x = 1"})
    main = job.origin.commit(files(TRAJECTORY, MINE), on=job.base)
    merged = job.origin.commit(files(TRAJECTORY, MINE) | {"agent.py": "x = 1"}, on=main)
    merge = job.origin.merge(merged, main, job.head)
    job.origin.move("merged", merge)
    job.environ["GITHUB_SHA"] = merge
    job.given(fail_on="failed").checkout(merge)

    done = job.run()

    assert done.code == 0
    assert "rules" not in done.report


def test_fail_on_never_asks_for_no_approval(job):
    done = job.given(fail_on="never").pull_request(BASE, SOFTER["program replaced"]).run()

    assert done.code == 0
    assert "Rules changed: " in headline(job)


def test_a_config_that_no_commit_holds_is_not_the_first_one(job):
    job.pull_request(NO_CONFIG, NO_CONFIG | {"agent.py": "x = 1"})
    (job.workspace / "eval_config.yaml").write_text(BASE["eval_config.yaml"])

    done = job.given(traces="traces/*").run()

    assert done.code == 0, done.log


@pytest.mark.parametrize("fork", [False, True])
def test_a_shallow_checkout_asks_github_for_the_base(job, fork):
    recorded = "pull_request_fork" if fork else "pull_request"
    job.pull_request(BASE, SOFTER["program replaced"], recorded=recorded, shallow=True)

    done = job.run()

    assert (done.code, pending(done) != set()) == (1, True)
