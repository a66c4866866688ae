"""Functions are named by verbs, docstrings have a subject: the exceptions may only become fewer."""

from collections import defaultdict

import pytest

from tests.house import words

# How many functions of a room are named by a participle or a preposition. Only lower a number.
MOST_NAMES = {
    "agentevals.custom_evaluators": 1,  # `supported_extensions` of the promised protocol
    "agentevals_evaluator_sdk": 6,  # as the replaced packages name them
}

# How many docstrings of a room begin with What, Whether, Where, Of, Those … Only lower a number.
MOST_DOCSTRINGS = {
    "agentevals.evaluator": 3,  # in the published schema of manifests
}


@pytest.mark.parametrize(
    ("places", "most", "advice"),
    [
        (words.names_without_verb, MOST_NAMES, "Name a function by a verb"),
        (words.docstrings_without_subject, MOST_DOCSTRINGS, "Begin with a verb: Return …"),
    ],
    ids=["names", "docstrings"],
)
def test_no_room_speaks_worse_than_before(places, most, advice):
    found = defaultdict(list)
    for room, place in places():
        found[room].append(place)
    worse = [
        f"{room}: {len(there)} instead of {most.get(room, 0)} at most. {advice}:\n  "
        + "\n  ".join(there)
        for room, there in found.items()
        if len(there) > most.get(room, 0)
    ]

    assert not worse, "\n".join(worse)


@pytest.mark.parametrize("most", [MOST_NAMES, MOST_DOCSTRINGS], ids=["names", "docstrings"])
def test_every_room_that_is_counted_exists(most):
    assert set(most) <= {words.room(module) for module in words.modules()}


@pytest.mark.parametrize(
    "name", ["_said", "found", "of_case", "selected", "_as_text", "within", "built_index"]
)
def test_a_participle_or_a_preposition_is_no_verb(name):
    assert not words.has_verb(name)


@pytest.mark.parametrize(
    "name", ["read", "need", "_embed", "is_closed", "feed", "__init__", "run_red"]
)
def test_a_verb_may_end_like_a_participle(name):
    assert words.has_verb(name)


@pytest.mark.parametrize(
    ("docstring", "fine"),
    [
        ("What a run is.", False),
        ("Of a commit, its tree.", False),
        ("Return whether a run passed.", True),
        ("Offers of a registry.", True),
        (None, True),
    ],
)
def test_a_docstring_has_a_subject(docstring, fine):
    assert words.has_subject(docstring) is fine
