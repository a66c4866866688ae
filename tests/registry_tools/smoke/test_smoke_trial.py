"""What to do about a program that failed."""

import pytest

from registry_tools.smoke.smoke_trial import advise


@pytest.mark.parametrize(
    ("failed", "fix"),
    [
        (
            "No module named 'agentevals_grader_sdk'",
            "agentevals_evaluator_sdk",
        ),
        ("ModuleNotFoundError: No module named 'helper' (main.py:1)", "requirements.txt"),
        ("Error: Cannot find module 'lodash'", "requirements.txt"),
        ("KeyError: 'MY_KEY' (main.py:2)", "capabilities.environment"),
        ("<urlopen error [Errno -3] Temporary failure in name resolution>", "capabilities.network"),
        ("FileNotFoundError: [Errno 2] No such file or directory: 'x'", "capabilities.files"),
        ("ValueError: no city", ""),
        ("KeyError: 'city'", ""),
    ],
)
def test_the_last_words_tell_what_was_missed(failed, fix):
    assert fix in advise(failed)
    assert bool(advise(failed)) is bool(fix)
