"""What `confusion_map` draws."""

import numpy as np
import pytest

import irframe as ir
from irframe.errors import InputError, ParameterError

pytestmark = pytest.mark.filterwarnings(
    "ignore:intervals of kappa and alpha hold less often", "ignore:no interval of kappa"
)
JUDGES = {
    "people": {"1": {"a": 0, "b": 0, "c": 0, "d": 1}, "2": {"a": 0, "b": 1}},
    "model": {"1": {"a": 0, "b": 0, "c": 1, "d": 1}, "2": {"a": 0, "b": 1}},
    "other": {"1": {"a": 1, "b": 0, "c": 1, "d": 1}, "2": {"a": 0, "b": 1}},
}


def test_a_cell_is_a_share_of_the_row_and_a_number():
    compared = ir.compare_judges({name: JUDGES[name] for name in ("people", "model")})
    ax = compared.ireval.plot.confusion_map()
    np.testing.assert_allclose(ax.images[0].get_array(), [[0.75, 0.25], [0, 1]])
    assert [text.get_text() for text in ax.texts] == ["75%\n3", "25%\n1", "0%\n0", "100%\n2"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("grade by model", "grade by people")


def test_one_pair_is_drawn():
    compared = ir.compare_judges(JUDGES)
    with pytest.raises(ParameterError, match="none chosen: .*people.*model"):
        ir.plots.confusion_map(compared)
    with pytest.raises(ParameterError, match="nobody"):
        ir.plots.confusion_map(compared, pair=("people", "nobody"))
    chosen = ir.plots.confusion_map(compared, pair=["people", "other"])
    alone = ir.plots.confusion_map(compared.isel(pair=1))
    np.testing.assert_array_equal(chosen.images[0].get_array(), alone.images[0].get_array())
    assert chosen.get_xlabel() == alone.get_xlabel() == "grade by other"


def test_other_data_are_refused():
    compared = ir.compare_judges(JUDGES, by="topic", reference="people", grades=[0, 1])
    with pytest.raises(InputError, match="some by topic"):
        ir.plots.confusion_map(compared, pair=("model", "people"))
    with pytest.raises(InputError, match="what compare_judges gives"):
        ir.plots.confusion_map(compared[["kappa"]])
