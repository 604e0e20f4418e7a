"""The metrics. Each is a frozen value with a kernel that scores every depth at once."""

from irframe.metrics.ap import AP
from irframe.metrics.base import METRICS, Metric
from irframe.metrics.bpref import Bpref
from irframe.metrics.counts import NumQ, NumRel, NumRelRet, NumRet
from irframe.metrics.dcg import DCG
from irframe.metrics.err import ERR
from irframe.metrics.evidence import Evidence
from irframe.metrics.f import F
from irframe.metrics.infap import InfAP
from irframe.metrics.iprec import IPrec
from irframe.metrics.judged import Judged
from irframe.metrics.ndcg import nDCG
from irframe.metrics.p import P
from irframe.metrics.parsing import parse_metric
from irframe.metrics.q import Q
from irframe.metrics.ranking import score_ranking
from irframe.metrics.rbp import RBP
from irframe.metrics.recall import Recall
from irframe.metrics.rprec import Rprec
from irframe.metrics.rr import RR
from irframe.metrics.setf import SetF
from irframe.metrics.setp import SetP
from irframe.metrics.setr import SetR
from irframe.metrics.success import Success

__all__ = [
    "AP",
    "DCG",
    "ERR",
    "METRICS",
    "RBP",
    "RR",
    "Bpref",
    "Evidence",
    "F",
    "IPrec",
    "InfAP",
    "Judged",
    "Metric",
    "NumQ",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "P",
    "Q",
    "Recall",
    "Rprec",
    "SetF",
    "SetP",
    "SetR",
    "Success",
    "nDCG",
    "parse_metric",
    "score_ranking",
]
