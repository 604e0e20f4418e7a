# The figures, each stated here once and imported when first used.

from .agreement_bars import agreement_bars as agreement_bars
from .agreement_map import agreement_map as agreement_map
from .agreement_triangle import agreement_triangle as agreement_triangle
from .archetypes import archetypes as archetypes
from .best_systems import best_systems as best_systems
from .bound_bands import bound_bands as bound_bands
from .crp_and_gain import crp_and_gain as crp_and_gain
from .crp_curves import crp_curves as crp_curves
from .depth_curves import depth_curves as depth_curves
from .difference_histogram import difference_histogram as difference_histogram
from .effort_gain import effort_gain as effort_gain
from .hasse import hasse as hasse
from .leave_out_changes import leave_out_changes as leave_out_changes
from .length_histogram import length_histogram as length_histogram
from .orderings import orderings as orderings
from .outcome_shares import outcome_shares as outcome_shares
from .p_value_curves import p_value_curves as p_value_curves
from .pool_curves import pool_curves as pool_curves
from .rank_scatter import rank_scatter as rank_scatter
from .ranking_grid import ranking_grid as ranking_grid
from .ratio_curves import ratio_curves as ratio_curves
from .robustness_curves import robustness_curves as robustness_curves
from .system_ranking import system_ranking as system_ranking
from .tie_bars import tie_bars as tie_bars
from .topic_differences import topic_differences as topic_differences
from .unjudged_share import unjudged_share as unjudged_share
from .volatility_map import volatility_map as volatility_map

__all__: list[str]
