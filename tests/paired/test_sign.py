"""The sign test, far into its tails."""

import numpy as np
import pytest
from scipy import stats

from irframe.paired import sign_p


def test_golden_sign_test(golden):
    case = golden["001-sign-test"]
    wins, losses = np.array(case["input"]["pairs"]).T
    np.testing.assert_allclose(sign_p(wins, losses), case["expected"]["exact"], rtol=1e-12)


@pytest.mark.parametrize("wins", [0, 3, 37, 400])
@pytest.mark.parametrize("losses", [0, 4, 90, 1000])
def test_sign_p_in_the_tails(wins, losses):
    if wins + losses:
        expected = stats.binomtest(wins, wins + losses).pvalue
        assert sign_p(np.array([wins]), np.array([losses])) == pytest.approx(expected, rel=1e-9)
