"""Tests of verdicts from comparisons of two systems."""

import numpy as np

from irframe.effort.breakdown import claim


def test_verdicts_equal_the_worked_table(golden):
    case = golden["003-verdict-table"]
    result = claim(*np.array(case["input"]["inputs"]).T)
    np.testing.assert_array_equal(np.stack([*result.values()], axis=1), case["expected"]["outputs"])
