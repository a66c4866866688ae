import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentevals.compare.statistics.multiplicity import benjamini_hochberg, holm

P_VALUES = st.lists(st.floats(0, 1), max_size=30)
BOTH = pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])

# the 25 p values of McDonald, "Handbook of Biological Statistics", on multiple comparisons
DIETS = [
    *(0.001, 0.008, 0.039, 0.041, 0.042, 0.06, 0.074, 0.205, 0.212, 0.216, 0.222, 0.251, 0.269),
    *(0.275, 0.34, 0.341, 0.384, 0.569, 0.594, 0.696, 0.762, 0.94, 0.942, 0.975, 0.986),
]


# statsmodels 0.15.0: multipletests(p_values, method="holm") and method="fdr_bh"
@pytest.mark.parametrize(
    ("adjust", "p_values", "adjusted"),
    [
        (holm, [0.01, 0.04, 0.03, 0.005], [0.03, 0.06, 0.06, 0.02]),
        (holm, [0.5, 0.5, 0.9], [1.0, 1.0, 1.0]),
        (holm, DIETS[:5], [0.005, 0.032, 0.117, 0.117, 0.117]),
        (holm, DIETS, [0.025, 0.192, 0.897, 0.902, 0.902, *[1.0] * 20]),
        (benjamini_hochberg, [0.01, 0.04, 0.03, 0.005], [0.02, 0.04, 0.04, 0.02]),
        (benjamini_hochberg, [0.5, 0.5, 0.9], [0.75, 0.75, 0.9]),
        (
            benjamini_hochberg,
            DIETS,
            [
                *(0.025, 0.1, 0.21, 0.21, 0.21, 0.25, 0.26428571428571423),
                *([0.49107142857142855] * 7),
                *(0.5328125, 0.5328125, 0.5647058823529412, 0.781578947368421, 0.781578947368421),
                *(0.87, 0.9071428571428571, 0.986, 0.986, 0.986, 0.986),
            ],
        ),
    ],
)
def test_p_values_are_adjusted_as_published(adjust, p_values, adjusted):
    assert adjust(p_values) == pytest.approx(adjusted, rel=1e-12)


@BOTH
def test_none_and_one_need_no_adjustment(adjust):
    assert adjust([]) == []
    assert adjust([0.02]) == [0.02]


@BOTH
@given(p_values=P_VALUES)
def test_an_adjusted_p_value_is_at_least_the_p_value_and_at_most_1(adjust, p_values):
    pairs = zip(p_values, adjust(p_values), strict=True)

    assert all(p_value <= adjusted <= 1 for p_value, adjusted in pairs)


@BOTH
@given(p_values=P_VALUES)
def test_the_order_of_the_evidence_is_kept(adjust, p_values):
    ranked = [adjusted for _, adjusted in sorted(zip(p_values, adjust(p_values), strict=True))]

    assert ranked == sorted(ranked)


@BOTH
@given(p_values=P_VALUES, random=st.randoms(use_true_random=False))
def test_each_p_value_is_adjusted_wherever_it_stands(adjust, p_values, random):
    order = random.sample(range(len(p_values)), k=len(p_values))
    adjusted = adjust(p_values)

    assert adjust([p_values[place] for place in order]) == [adjusted[place] for place in order]


@given(P_VALUES)
def test_holm_is_the_stricter(p_values):
    pairs = zip(holm(p_values), benjamini_hochberg(p_values), strict=True)

    assert all(strict >= lenient * (1 - 1e-12) for strict, lenient in pairs)


@BOTH
@pytest.mark.parametrize("wrong", [-0.01, 1.01])
def test_what_is_no_p_value_is_refused(adjust, wrong):
    with pytest.raises(ValueError, match="is no p value"):
        adjust([0.5, wrong])
