"""What holds for every method: symmetry, identity, reversal, range, shapes, blocks, NaN."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from irframe.agreements import RBO, RMSE, Kendall, Pearson, Spearman, TauAP, blocks
from irframe.errors import ParameterError

RANKWISE = [
    Kendall(),
    Kendall(variant="a"),
    TauAP(),
    TauAP(symmetric=True),
    RBO(p=0.8),
    Spearman(),
]
METHODS = [*RANKWISE, Pearson(), RMSE()]
SIGNED = [method for method in METHODS if not isinstance(method, RBO | RMSE)]
SYMMETRIC = [method for method in METHODS if method != TauAP()]
BOUNDS = {RBO: (0, 1), RMSE: (0, np.inf)}

by_method = pytest.mark.parametrize("method", METHODS, ids=repr)


@st.composite
def sides(draw, smallest=2):
    shape = draw(st.integers(1, 3)), draw(st.integers(smallest, 10))
    tenths = st.integers(0, 10).map(lambda value: value / 10)
    return tuple(draw(arrays(float, shape, elements=tenths)) for _ in "xy")


@st.composite
def permutations(draw):
    """Two orderings without ties, each as a row of scores."""
    systems = draw(st.integers(2, 12))
    order = st.permutations(range(systems))
    return tuple(np.array([draw(order)], dtype=float) for _ in "xy")


def assert_same(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12, equal_nan=True)


@pytest.mark.parametrize("method", SYMMETRIC, ids=repr)
@given(sides())
def test_symmetric(method, xy):
    x, y = xy
    assert_same(method.kernel(x, y), method.kernel(y, x).T)


def test_tau_ap_is_asymmetric():
    x, y = [[4, 3, 2, 1]], [[1, 4, 3, 2]]
    assert TauAP().kernel(x, y) != TauAP().kernel(y, x)


@by_method
@given(permutations())
def test_agrees_with_itself(method, xy):
    assert_same(method.kernel(xy[0], xy[0]), 0 if method.distance else 1)


@given(sides())
def test_tau_b_of_equal_orderings_is_exactly_one(xy):
    x, _ = xy
    diagonal = np.diagonal(Kendall().kernel(x, x))
    tied = np.ptp(x, axis=-1) == 0
    np.testing.assert_array_equal(diagonal, np.where(tied, np.nan, 1))


@by_method
@given(sides())
def test_same_array_on_both_sides(method, xy):
    assert_same(method.kernel(xy[0], xy[0]), method.kernel(xy[0], xy[0].copy()))


@pytest.mark.parametrize("method", SIGNED, ids=repr)
@given(permutations())
def test_reversed_ordering_is_opposite(method, xy):
    assert_same(method.kernel(xy[0], -xy[0]), -1)


@pytest.mark.parametrize("method", [Kendall(), TauAP(), Spearman(), Pearson()], ids=repr)
@given(permutations())
def test_reversing_the_reference_turns_the_sign(method, xy):
    x, y = xy
    assert_same(method.kernel(-x, y), -method.kernel(x, y))


@by_method
@given(sides())
def test_range(method, xy):
    low, high = BOUNDS.get(type(method), (-1, 1))
    values = method.kernel(*xy)
    values = values[~np.isnan(values)]
    assert (values >= low - 1e-12).all()
    assert (values <= high + 1e-12).all()


@pytest.mark.parametrize("method", RANKWISE, ids=repr)
@given(sides())
def test_only_the_order_counts(method, xy):
    x, y = xy
    assert_same(method.kernel(np.exp(3 * x) - 7, y**3), method.kernel(x, y))


@given(sides())
def test_pearson_ignores_origin_and_unit(xy):
    x, y = xy
    np.testing.assert_allclose(
        Pearson().kernel(4 * x + 2, 0.5 * y - 1), Pearson().kernel(x, y), atol=1e-9
    )


@by_method
@given(permutations(), st.randoms(use_true_random=False))
def test_order_of_systems_is_irrelevant(method, xy, random):
    x, y = xy
    shuffled = random.sample(range(x.shape[-1]), x.shape[-1])
    assert_same(method.kernel(x[:, shuffled], y[:, shuffled]), method.kernel(x, y))


def test_tied_systems_keep_their_order_of_input():
    tied, as_input = [[0.5, 0.5, 0.5]], [[3, 2, 1]]
    assert TauAP().kernel(tied, as_input) == 1
    assert RBO().kernel(as_input, tied) == pytest.approx(1)


@by_method
def test_batches_broadcast_and_equal_rows(method):
    rng = np.random.default_rng(3)
    x, y = rng.random((2, 3, 4, 6)).round(1), rng.random((3, 5, 6)).round(1)
    values = method.kernel(x, y)
    assert values.shape == (2, 3, 4, 5)
    for place in np.ndindex(2, 3):
        assert_same(values[place], method.kernel(x[place], y[place[1]]))
    assert method.kernel(y, x).shape == (2, 3, 5, 4)
    assert method.kernel(x[:, :, :0], y).shape == (2, 3, 0, 5)
    assert method.kernel(x[:0], y).shape == (0, 3, 4, 5)


@by_method
@pytest.mark.parametrize("budget", [1, 100, 1000])
def test_blocks_do_not_show(method, budget, monkeypatch):
    rng = np.random.default_rng(4)
    x, y = rng.random((2, 7, 9)).round(1), rng.random((5, 9)).round(1)
    whole = method.kernel(x, y)
    monkeypatch.setattr(blocks, "PAIR_BYTES", budget)
    monkeypatch.setattr(blocks, "ROW_BYTES", budget)
    assert_same(method.kernel(x, y), whole)


@pytest.mark.parametrize("systems", [0, 1, 2, 3, 17, 300])
@pytest.mark.parametrize("budget", [4, 40, 2**25])
def test_blocks_hold_every_pair_once(systems, budget, monkeypatch):
    monkeypatch.setattr(blocks, "PAIR_BYTES", budget * max(1, systems))
    found = [
        pair
        for first, second in blocks.pair_blocks(systems, 4)
        for pair in zip(first.tolist(), second.tolist(), strict=True)
    ]
    assert sorted(found) == [(a, b) for a in range(systems) for b in range(a + 1, systems)]


@by_method
def test_row_with_nan_gives_nan_and_no_other_does(method):
    x = np.array([[1, 2, 3, 4], [1, np.nan, 3, 4], [2, 1, 4, 3]])
    y = np.array([[1, 3, 2, 4], [np.nan] * 4])
    values = method.kernel(x, y)
    np.testing.assert_array_equal(np.isnan(values), [[False, True], [True, True], [False, True]])
    assert_same(values[[0, 2], 0], method.kernel(x[[0, 2]], y[:1])[:, 0])
    assert np.isnan(x).sum() == 1


@pytest.mark.parametrize("method", [Kendall(), Spearman(), Pearson()], ids=repr)
def test_constant_scores_are_undefined(method):
    constant = np.full((1, 6), 0.1)
    assert np.isnan(method.kernel(constant, [[1, 2, 3, 4, 5, 6]])).all()
    assert np.isnan(method.kernel(constant, constant)).all()


@by_method
def test_one_system(method):
    alone = {RBO: 1, RMSE: 0}.get(type(method), np.nan)
    assert_same(method.kernel([[0.3]], [[0.3]]), alone)


@by_method
def test_inputs_are_unchanged(method):
    x, y = np.array([[1.0, np.nan, 2.0], [3.0, 1.0, 1.0]]), np.array([[2.0, 1.0, 3.0]])
    x_before, y_before = x.copy(), y.copy()
    x.setflags(write=False)
    y.setflags(write=False)
    method.kernel(x, y)
    np.testing.assert_array_equal(x, x_before)
    np.testing.assert_array_equal(y, y_before)


@by_method
@pytest.mark.parametrize(
    ("x", "y", "found"),
    [
        ((3,), (2, 3), r"x of shape \(3,\)"),
        ((2, 0), (2, 0), r"x of shape \(2, 0\); y of shape \(2, 0\)"),
        ((2, 3), (2, 4), "3 systems in x and 4 in y"),
        ((2, 5, 3), (3, 5, 3), r"leading dimensions \(2,\) in x and \(3,\) in y"),
    ],
)
def test_shapes_that_do_not_match(method, x, y, found):
    with pytest.raises(ParameterError, match=found):
        method.kernel(np.ones(x), np.ones(y))
