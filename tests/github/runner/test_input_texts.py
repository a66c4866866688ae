from agentevals.github.runner import input_texts


def read(environ):
    return input_texts.read(
        environ, {"fail-on": "failed", "github-token": "x", "jobs": ""}, {"github-token"}
    )


def test_texts_are_trimmed_and_named_as_in_the_manifest():
    assert read({"INPUT_FAIL-ON": " never\n"}).texts == {"fail-on": "never"}


def test_what_is_empty_or_no_input_is_left_out():
    assert read({"INPUT_JOBS": "", "INPUT_FAIL-ON": "  ", "OUTPUT_JOBS": "1"}).texts == {}


def test_a_default_gives_way_and_a_choice_does_not():
    environ = {"INPUT_FAIL-ON": "never", "INPUT_FAIL_ON": "error"}

    assert read(environ).conflicting == ("fail-on",)
    assert read(environ | {"INPUT_FAIL-ON": "failed"}).conflicting == ()


def test_what_is_computed_always_gives_way():
    found = read({"INPUT_GITHUB-TOKEN": "a", "INPUT_GITHUB_TOKEN": "b"})

    assert found == ({"github-token": "b"}, (), ())


def test_unknown_names_are_told():
    assert read({"INPUT_SHARDS": "1/2"}).unknown == ("shards",)
