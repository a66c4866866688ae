from agentevals.graders.text.checks import listed


def test_texts_are_named_in_quotes():
    assert listed(["a", "b c"]) == '"a", "b c"'
