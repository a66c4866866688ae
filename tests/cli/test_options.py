from agentevals.cli import options
from agentevals.sandbox import isolation


def test_the_levels_of_isolation_are_those_there_are():
    assert {level.value for level in options.Isolation} == {isolation.BEST, *isolation.LEVELS}
