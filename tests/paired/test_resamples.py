"""Draws of topics and signs, and how many of them are too many."""

import numpy as np
import pytest

from irframe.errors import ParameterError
from irframe.paired import Bootstrap, Permutation, TukeyHSD
from irframe.paired.pairs import draw_signs, draw_topics

SCORES = np.array([[[0.1], [0.2], [0.4]], [[0.3], [0.1], [0.2]]])


@pytest.mark.parametrize(
    ("ask", "size"),
    [
        (lambda n: Bootstrap(samples=n).kernel(SCORES), 96),
        (lambda n: Permutation(samples=n).kernel(SCORES), 6),
        (lambda n: TukeyHSD(samples=n).kernel(SCORES), 32),
        (lambda n: draw_topics(5, samples=n, seed=0), 160),
        (lambda n: draw_signs(5, samples=n, seed=0), 10),
    ],
)
def test_bytes_are_said_before_they_are_asked_for(ask, size):
    with pytest.raises(
        ParameterError, match=rf"in at most 4 GiB; found .* \({size:,},000,000,000 b"
    ):
        ask(10**9)
    ask(9)
