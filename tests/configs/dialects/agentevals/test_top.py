from agentevals.configs.dialects.agentevals.top import OUTPUT_FORMATS
from agentevals.report.reporters import REPORTERS


def test_the_output_formats_are_the_reporters():
    assert list(OUTPUT_FORMATS.ours) == list(REPORTERS.ours)
