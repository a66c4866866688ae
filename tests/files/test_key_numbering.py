import pickle
import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from agentevals.files.key_numbering import Numbering, Places


@given(st.lists(st.text(max_size=3)))
def test_keys_are_numbered_in_the_order_of_first_sight(keys):
    numbers, known = Numbering(), {}

    for key in keys:
        assert numbers.find(key) == known.get(key)
        assert numbers.add(key) == known.setdefault(key, len(known))

    assert len(numbers) == len(known)
    assert {key: numbers.find(key) for key in known} == known


def test_half_a_character_is_a_key_as_well():
    numbers = Numbering()

    assert [numbers.add(key) for key in ("\ud800", "\udfff", "\ud800")] == [0, 1, 0]


def test_many_keys_take_few_bytes_each():
    tracemalloc.start()
    numbers = Numbering()
    for number in range(50_000):
        assert numbers.add(f"a key of some length that is not kept {number}") == number
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert held / 50_000 < 40
    assert numbers.find("a key of some length that is not kept 777") == 777
    assert pickle.loads(pickle.dumps(numbers)).find("no such key") is None


@given(st.lists(st.text("ab", max_size=2)))
def test_each_key_has_all_of_its_places(keys):
    places = Places()
    for place, key in enumerate(keys):
        places.add(key, place)

    for key in (*keys, "c"):
        assert places.find(key) == [place for place, known in enumerate(keys) if known == key]
