"""Score bounds over labels, and over orders of ties.

Metrics that are normalised by the recall base need a search over labels, because a label also
changes the normaliser. The class attribute `graded` names the method if relevant grades have
different gains: ``"labelings"`` enumerates how many unjudged documents have each grade, and
``"ratios"`` maximises a ratio by Dinkelbach's iteration.
"""
