"""The page that helps to choose: its thresholds are measured, and its lines can be pasted."""

from agentevals.graders.text.text_metrics import rouge_n
from tests.support import DOCS

PAGE = (DOCS / "choosing.md").read_text(encoding="utf-8")
# an expected answer, a good one in other words, and a wrong one about the same topic
ANSWERS = (
    (
        "Order 7 will arrive tomorrow.",
        "Your order 7 arrives tomorrow.",
        "Order 7 was cancelled and refunded.",
    ),
    (
        "It is sunny in Paris today, with 24 °C.",
        "Today it is sunny in Paris at 24 °C.",
        "I cannot look up the weather right now.",
    ),
    (
        "I have refunded 20 euros to your card.",
        "A refund of 20 euros was sent to your card.",
        "Refunds for this card are not possible.",
    ),
    (
        "The meeting is on Monday at 10 in room 4.",
        "Your meeting takes place Monday at 10 in room 4.",
        "You have no meeting on Monday.",
    ),
    (
        "You can return it within 30 days.",
        "Returns are possible within 30 days.",
        "This article cannot be returned.",
    ),
    (
        "The flight leaves at 8:15 from gate B2.",
        "Your flight departs from gate B2 at 8:15.",
        "The flight was moved to tomorrow.",
    ),
    (
        "The password was reset; check your mail.",
        "I reset your password, please check your mail.",
        "I cannot reset a password without your mail.",
    ),
    (
        "The invoice is attached.",
        "Please find the invoice attached.",
        "There is no invoice for this order.",
    ),
    (
        "Two tickets are booked for Friday.",
        "I booked two tickets for Friday.",
        "Friday is sold out.",
    ),
    (
        "The capital of Australia is Canberra.",
        "Canberra is Australia's capital.",
        "Sydney is the largest city of Australia.",
    ),
    (
        "Your subscription ends on 1 May.",
        "On 1 May your subscription ends.",
        "You have no subscription.",
    ),
    (
        "There are three open tickets: 4, 8 and 9.",
        "Open tickets: 4, 8 and 9, three in total.",
        "All tickets are closed.",
    ),
)


def scores(which):
    return sorted(round(rouge_n(answer[which], answer[0], size=1), 2) for answer in ANSWERS)


def test_the_threshold_of_response_match_score_parts_good_answers_from_wrong_ones():
    good, wrong = scores(1), scores(2)

    assert f"{len(good)} good answers in other words scored {good[0]:.2f} or more" in PAGE
    assert (
        f"{len(wrong) - 1} scored {wrong[-2]:.2f} or less, and one scored {wrong[-1]:.2f}" in PAGE
    )
    assert good[0] >= 0.6 > wrong[-2]


def test_every_page_recommends_the_same_one():
    pages = [path.read_text(encoding="utf-8") for path in sorted(DOCS.rglob("*.md"))]
    lines = [line for page in pages for line in page.splitlines() if "response_match_score" in line]

    stated = {line.partition("threshold: ")[2][:3] for line in lines if "threshold: " in line}
    assert stated <= {"0.6"}
