"""Every order of tied documents."""

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from irframe.extremes.labelled_bounds import arrange, count_orders

codes = st.lists(st.sampled_from([-127, 0, 1, 3]), max_size=6)


@given(block=codes)
def test_every_distinct_order_comes_once(block):
    found = list(arrange(block))
    assert found == sorted(set(permutations(block)))


@given(blocks=st.lists(codes, max_size=3))
def test_orders_are_counted_without_making_them(blocks):
    expected = 1
    for block in blocks:
        expected *= len(set(permutations(block)))
    assert count_orders(blocks) == expected


def test_many_orders_are_counted():
    assert count_orders([list(range(20))]) == 2432902008176640000
