"""The metrics. Each is a frozen value with a kernel that scores every depth at once."""

from irframe.metrics.ap import AP
from irframe.metrics.asl import ASL
from irframe.metrics.atomizedp import AtomizedP
from irframe.metrics.balance_point import BalancePoint
from irframe.metrics.base import METRICS, Metric
from irframe.metrics.bpref import Bpref
from irframe.metrics.counts import NumQ, NumRel, NumRelRet, NumRet
from irframe.metrics.crp import CRP
from irframe.metrics.dcg import DCG
from irframe.metrics.err import ERR
from irframe.metrics.esl import ESL
from irframe.metrics.evidence import Evidence
from irframe.metrics.f import F
from irframe.metrics.infap import InfAP
from irframe.metrics.inverseasl import InverseASL
from irframe.metrics.iprec import IPrec
from irframe.metrics.judged import Judged
from irframe.metrics.ndcg import nDCG
from irframe.metrics.p import P
from irframe.metrics.parsing import parse_metric
from irframe.metrics.q import Q
from irframe.metrics.ranking import score_ranking
from irframe.metrics.rbp import RBP
from irframe.metrics.recall import Recall
from irframe.metrics.recovery_ratio import RecoveryRatio
from irframe.metrics.rprec import Rprec
from irframe.metrics.rr import RR
from irframe.metrics.setf import SetF
from irframe.metrics.setp import SetP
from irframe.metrics.setr import SetR
from irframe.metrics.space_ratio import SpaceRatio
from irframe.metrics.success import Success
from irframe.metrics.twist import Twist

__all__ = [
    "AP",
    "ASL",
    "CRP",
    "DCG",
    "ERR",
    "ESL",
    "METRICS",
    "RBP",
    "RR",
    "AtomizedP",
    "BalancePoint",
    "Bpref",
    "Evidence",
    "F",
    "IPrec",
    "InfAP",
    "InverseASL",
    "Judged",
    "Metric",
    "NumQ",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "P",
    "Q",
    "Recall",
    "RecoveryRatio",
    "Rprec",
    "SetF",
    "SetP",
    "SetR",
    "SpaceRatio",
    "Success",
    "Twist",
    "nDCG",
    "parse_metric",
    "score_ranking",
]
