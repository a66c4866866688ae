import random

import pytest

from agentevals.model.shards import Shard


@pytest.mark.parametrize("total", [1, 2, 3, 7, 50])
def test_every_place_is_in_exactly_one_part_and_they_are_in_order(total):
    draw = random.Random(total)
    weights = [draw.randint(0, 99) for _ in range(40)]

    parts = [Shard(number, total).cut(weights) for number in range(1, total + 1)]

    assert [place for part in parts for place in part] == list(range(40))


def test_parts_weigh_the_same_as_nearly_as_places_allow():
    weights = [1000, *[1] * 1000]

    parts = [Shard(number, 2).cut(weights) for number in (1, 2)]

    assert [sum(weights[place] for place in part) for part in parts] == [1000, 1000]


def test_nothing_can_be_split_as_well():
    assert [Shard(number, 3).cut([]) for number in (1, 2, 3)] == [range(0)] * 3
    assert [place for n in (1, 2) for place in Shard(n, 2).cut([0, 0])] == [0, 1]


@pytest.mark.parametrize("text", ["", "1", "0/4", "5/4", "1/0", "-1/4", "1/10000", "x/4", "1/4/4"])
def test_what_is_no_part_of_a_whole_is_refused(text):
    with pytest.raises(ValueError, match="must be a part of a whole"):
        Shard.parse(text)


def test_a_part_is_written_as_it_is_read():
    assert str(Shard.parse("1/4")) == "1/4"
