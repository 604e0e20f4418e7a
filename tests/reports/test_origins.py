"""What a page says of where its numbers come from."""

import irframe as ir
from irframe.reports.report import inputs


def test_a_frame_is_known_by_its_rows_in_order_and_by_nothing_else():
    runs, qrels = ir.example_track()
    cube = ir.cube(runs, qrels)

    def digest(frame):
        return inputs(cube, {"runs": frame}).iloc[0, -1]

    same = runs.set_axis(range(7, 7 + len(runs)))
    others = [runs.iloc[::-1], runs.iloc[1:], runs.assign(score=runs["score"] + 1)]
    assert digest(same) == digest(runs)
    assert len({digest(runs), *map(digest, others)}) == 4
