"""The style of figures in papers."""

import matplotlib as mpl
import pytest

import irframe as ir
from irframe.errors import ParameterError


def test_a_style_holds_within_and_not_beyond(tmp_path):
    before = dict(mpl.rcParams)
    with ir.plots.paper(columns=2) as style:
        assert mpl.rcParams["pdf.fonttype"] == style["pdf.fonttype"] == 42
        assert mpl.rcParams["font.size"] == 8
        scores = ir.cube(*ir.example_track()).ireval.score("AP", at=[1, 5])
        figure = scores.ireval.plot.depth_curves().figure
        figure.savefig(tmp_path / "figure.pdf", metadata={"CreationDate": None})
    assert figure.get_size_inches().tolist() == [6.9, 3.4]
    assert b"/CIDFontType2" in (tmp_path / "figure.pdf").read_bytes()
    assert dict(mpl.rcParams) == before


def test_a_style_is_a_mapping_for_rc_params():
    with mpl.rc_context():
        mpl.rcParams.update(ir.plots.paper())
        assert tuple(mpl.rcParams["figure.figsize"]) == (3.3, 2.4)


def test_pages_have_one_or_two_columns():
    with pytest.raises(ParameterError, match="columns=1 or columns=2; found 3"):
        ir.plots.paper(3)
