import re

import pytest

from agentevals.model.rule_changes import Offer
from agentevals.report.pages import comment_page, first_line, page_rules
from agentevals.report.pages.page_shortening import STAGES
from tests.report.pages.reviews import FAILING, REVIEWS, TURNED, changed_rules, review

PENDING, APPROVED = REVIEWS["rules changed"], REVIEWS["rules approved"]


def block(found, stage=STAGES[0]):
    return "\n".join(page_rules.describe(found, stage))


def test_the_first_line_says_what_nobody_has_approved():
    headline = first_line.make_headline(PENDING)

    assert headline.sentence == (
        "Rule change needs approval: 2 cases would fail by the rules of main."
    )  # fmt: skip
    assert headline.facts[-1] == (
        "Rules changed: evaluator 'tool_path' (threshold 0.9 → 0.5), case 'two-orders' (removed)"
    )


def test_the_first_line_says_who_has_approved_it():
    headline = first_line.make_headline(APPROVED)

    assert headline.answer == "Ready to merge"
    assert headline.facts[-1].startswith("Rule change approved by @maria: evaluator 'tool_path'")


def test_a_failure_by_the_head_s_own_rules_comes_first():
    failing = review(FAILING, rules=changed_rules(*TURNED))

    assert first_line.make_headline(failing).answer == "Not ready to merge"
    assert first_line.make_headline(failing).facts[-1].startswith("Rules changed: ")


def test_the_page_names_rule_case_and_reason_and_the_command():
    shown = block(PENDING)

    assert "| evaluator 'tool_path' | `refund-over-limit` | 0.50, needs 0.90" in shown
    assert f"/agentevals approve {PENDING.rules.digest}\n" in shown


def test_what_is_approved_is_folded_and_asks_for_nothing():
    shown = block(APPROVED)

    assert "<summary>Rule changes approved by @\u200bmaria (2)</summary>" in shown
    assert "/agentevals approve" not in shown


@pytest.mark.parametrize("stage", STAGES, ids=[stage.name for stage in STAGES])
def test_the_command_stands_in_the_shortest_comment(stage):
    shown = block(PENDING, stage)

    assert re.findall(r"^/agentevals approve ([0-9a-f]{40})$", shown, re.MULTILINE)


@pytest.mark.parametrize("limit", [3_000, 65_536])
def test_what_the_digest_covers_stands_in_the_shortest_comment(limit):
    assert list(page_rules.read_offers(comment_page.render(PENDING, limit))) == list(
        PENDING.rules.offers
    )


def test_the_pairs_in_a_comment_are_proven_by_their_digest():
    (offer,) = page_rules.read_offers(comment_page.render(PENDING))
    forged = Offer(digest=offer.digest, pairs=(*offer.pairs, "5b" * 20))

    assert (offer.is_genuine, forged.is_genuine) == (True, False)
