import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentevals.graders.text.text_metrics import METRICS, compute_similarity, measure_common
from agentevals.model.errors import EvaluatorError


def by_the_book(one, other):
    row = [0] * (len(other) + 1)
    for a in one:
        above, row = row, [0]
        for place, b in enumerate(other, start=1):
            row.append(above[place - 1] + 1 if a == b else max(above[place], row[-1]))
    return row[-1]


@given(st.text("abc", max_size=12), st.text("abc", max_size=12))
def test_it_equals_the_textbook(one, other):
    assert measure_common(one, other) == by_the_book(one, other)


def test_long_equal_texts_are_no_work():
    assert measure_common("ab" * 1_000_000, "ab" * 1_000_000) == 2_000_000


def test_texts_that_would_take_for_ever_are_refused():
    with pytest.raises(EvaluatorError, match="too long to be compared: 200,000 and 200,000"):
        measure_common("a" * 200_000, "b" * 200_000)


ARTICLE = ("the cat sat on the mat", "the cat sat on a mat")
SWAPPED = ("on the mat the cat sat", "the cat sat on the mat")
SHORT = ("the cat", "the cat sat on the mat")
REFUND = ("the agent refunded the order yesterday", "the order was refunded by the agent")
STEMS = ("running quickly", "run quick")
FOREIGN = ("blue", "red")


@pytest.mark.parametrize(
    ("texts", "scores"),
    [
        (
            ARTICLE,
            {
                "bleu": 0.537284965911771,
                "gleu": 0.6111111111111112,
                "meteor": 0.7433333333333335,
                "fuzzy_match": 0.9047619047619048,
                "rouge_1": 0.8333333333333334,
                "rouge_2": 0.6,
                "rouge_3": 0.5,
                "rouge_4": 0.3333333333333333,
                "rouge_5": 0,
                "rouge_l": 0.8333333333333334,
                "cosine": 6 / math.sqrt(8 * 6),
            },
        ),
        (
            SWAPPED,
            {
                "bleu": 0.508132748154615,
                "gleu": 0.6666666666666666,
                "meteor": 0.7106481481481481,
                "fuzzy_match": 0.5909090909090908,
                "rouge_1": 1,
                "rouge_2": 0.8000000000000002,
                "rouge_l": 0.5,
                "cosine": 1,
            },
        ),
        (
            SHORT,
            {
                "bleu": 0.13533528323661276,
                "gleu": 0.16666666666666666,
                "meteor": 0.17857142857142855,
                "fuzzy_match": 0.48275862068965514,
                "rouge_2": 0.33333333333333337,
                "cosine": 3 / math.sqrt(2 * 8),
            },
        ),
        (
            REFUND,
            {
                "bleu": 0.2054799561675077,
                "gleu": 0.3181818181818182,
                "meteor": 0.36231884057971014,
                "fuzzy_match": 0.5753424657534247,
                "rouge_1": 0.7692307692307692,
                "rouge_l": 0.4615384615384615,
            },
        ),
        (STEMS, {"bleu": 0, "gleu": 0, "meteor": 0.25, "fuzzy_match": 0.75, "rouge_1": 0.5}),
        (FOREIGN, {"bleu": 0, "gleu": 0, "meteor": 0, "cosine": 0, "rouge_l": 0}),
    ],
)
def test_reference_values(texts, scores):
    computed = {metric: compute_similarity(metric, *texts) for metric in scores}

    assert computed == pytest.approx(scores, abs=1e-12)


@pytest.mark.parametrize("metric", list(METRICS))
@pytest.mark.parametrize("text", ["Paris", "It is 4.", "!!!", "北京", "", "😀"])
def test_equal_texts_are_worth_one(metric, text):
    assert compute_similarity(metric, text, text) == 1


@pytest.mark.parametrize("metric", list(METRICS))
@pytest.mark.parametrize("texts", [("", "Paris"), ("Paris", ""), ("!!!", "???"), (" ", "Paris")])
def test_silence_is_worth_nothing(metric, texts):
    assert compute_similarity(metric, *texts) == 0


@pytest.mark.parametrize("metric", ["bleu", "gleu", "meteor", "cosine", "rouge_1", "rouge_l"])
def test_case_and_punctuation_do_not_count_for_words(metric):
    assert compute_similarity(metric, "It is: PARIS!", "it is Paris") == 1


def test_they_count_for_characters():
    assert compute_similarity("fuzzy_match", "PARIS", "Paris") < 0.5


def test_meteor_finds_words_by_their_stem():
    assert compute_similarity("meteor", "he runs home", "he running home") == 1


@pytest.mark.parametrize("metric", list(METRICS))
@given(one=st.text(max_size=40), other=st.text(max_size=40))
def test_every_score_is_from_0_to_1(metric, one, other):
    assert 0 <= compute_similarity(metric, one, other) <= 1


WORDS = st.lists(st.sampled_from(["the", "cat", "cats", "sat", "on", "a", "北京"]), max_size=12)


@pytest.mark.parametrize("metric", list(METRICS))
@given(one=WORDS, other=WORDS)
def test_the_same_words_score_highest(metric, one, other):
    one, other = " ".join(one), " ".join(other)

    assert (
        0 <= compute_similarity(metric, one, other) <= compute_similarity(metric, other, other) == 1
    )
