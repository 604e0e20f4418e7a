"""What may be claimed for one system over another, case by case."""

import numpy as np

from irframe.effort.breakdown import claim


def test_table_of_verdicts(golden):
    case = golden["003-verdict-table"]
    found = claim(*np.array(case["input"]["inputs"]).T)
    np.testing.assert_array_equal(np.stack([*found.values()], axis=1), case["expected"]["outputs"])
