# What makes an object, and the namespaces; each is imported when first used.

from . import agreements as agreements
from . import errors as errors
from . import gains as gains
from . import interop as interop
from . import metrics as metrics
from . import paired as paired
from . import plots as plots
from . import verbs as verbs
from .comparing.corrections import Significance as Significance
from .cubes.concat import concat as concat
from .cubes.cube import cube as cube
from .cubes.cube import open_cube as open_cube
from .cubes.parse_scores import as_scores as as_scores
from .evaluation.evaluate import evaluate as evaluate
from .evaluation.scorer import scorer as scorer
from .experiments.choices import AfterSearches as AfterSearches
from .experiments.choices import Budget as Budget
from .experiments.choices import Pool as Pool
from .experiments.choices import Searches as Searches
from .experiments.choices import Threshold as Threshold
from .experiments.choices import Ties as Ties
from .experiments.choices import Units as Units
from .files.as_runs import as_qrels as as_qrels
from .files.as_runs import as_runs as as_runs
from .files.as_spans import as_spans as as_spans
from .files.as_spans import read_spans as read_spans
from .files.read_runs import read_qrels as read_qrels
from .files.read_runs import read_run as read_run
from .files.read_runs import read_runs as read_runs
from .files.scan_runs import scan_runs as scan_runs
from .judging.candidates import JudgingMethod as JudgingMethod
from .judging.compare_judges import compare_judges as compare_judges
from .judging.judge_effect import judge_effect as judge_effect
from .metrics.parse_metric import parse_metric as parse_metric
from .planning.simulate_track import example_track as example_track
from .planning.simulate_track import simulate_track as simulate_track
from .reports.report import report as report
from .scores.averages import Resampling as Resampling
from .tables.cite import cite as cite

__version__: str
