"""A matrix as an image, read again by a reader of images."""

import base64
from io import BytesIO

import numpy as np
from matplotlib.image import imread

from irframe.reports.pixels import BETTER, FULL, WORSE, picture


def test_every_pixel_has_the_colour_of_its_sign_and_is_as_strong_as_its_mark():
    marks = np.array([[0, 1, 3], [-1, 0, 2], [-3, -2, 0]], np.int8)
    head, _, data = picture(marks, 3).partition(",")
    assert head == "data:image/png;base64"
    pixels = np.round(imread(BytesIO(base64.b64decode(data))) * 255).astype(int)
    assert pixels.shape == (3, 3, 4)
    np.testing.assert_array_equal(pixels[..., 3], abs(marks.astype(int)) * FULL // 3)
    for place, mark in np.ndenumerate(marks):
        if mark:
            assert tuple(pixels[place][:3]) == tuple(BETTER if mark > 0 else WORSE)
