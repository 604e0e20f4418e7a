"""A matrix as an image, read again by a reader of images."""

import base64
from io import BytesIO

import numpy as np
from matplotlib.image import imread

from irframe.reports.ladder import BETTER, CELL, FULL, INKED, SIGNED, WORSE, picture


def test_every_pixel_has_the_colour_of_its_sign_and_is_as_strong_as_its_mark():
    marks = np.zeros((SIGNED + 1, SIGNED + 1), np.int8)
    marks[:3, :3] = [[0, 1, 3], [-1, 0, 2], [-3, -2, 0]]
    head, _, data = picture(marks, 3).partition(",")
    assert head == "data:image/png;base64"
    pixels = np.round(imread(BytesIO(base64.b64decode(data))) * 255).astype(int)
    assert pixels.shape == (*marks.shape, 4)
    np.testing.assert_array_equal(pixels[..., 3], abs(marks.astype(int)) * FULL // 3)
    for place, mark in np.ndenumerate(marks):
        if mark:
            assert tuple(pixels[place][:3]) == tuple(BETTER if mark > 0 else WORSE)


def test_cells_of_few_systems_have_signs():
    data = picture(np.array([[0, 2], [-2, 0]], np.int8), 2).partition(",")[2]
    pixels = np.round(imread(BytesIO(base64.b64decode(data))) * 255).astype(int)
    assert pixels.shape == (2 * CELL, 2 * CELL, 4)
    inked = (pixels == INKED).all(axis=-1).reshape(2, CELL, 2, CELL).sum(axis=(1, 3))
    assert inked.tolist() == [[0, 13], [7, 0]]
