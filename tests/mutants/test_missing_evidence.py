"""Every recording that `make test` leaves out, without one attribute or field after the other."""

import pytest

from tests.graders.evidence.recordings import Sample
from tests.graders.evidence.test_missing_evidence import FIRST, SAMPLES, list_changes

OTHERS = [sample for sample in SAMPLES if sample not in FIRST]


@pytest.mark.parametrize("sample", OTHERS, ids=lambda sample: sample.name)
def test_no_verdict_changes_for_want_of_evidence(sample: Sample):
    assert not list(list_changes(sample))
