"""The rank-sum test."""

import numpy as np

from irframe.paired import RankSum


def test_rank_sum_rounds_scores():
    noisy = np.array([[0.1 + 0.2, 0.5], [0.3, 0.4]])[:, :, None]
    plain = np.array([[0.3, 0.5], [0.3, 0.4]])[:, :, None]
    assert RankSum().kernel(noisy).p == RankSum().kernel(plain).p
