"""Score bounds over labels, and over orders of ties.

Metrics that are normalised by the recall base need a search over labels, because a label also
changes the normaliser. If relevant grades have different gains, the class attribute `graded` of a
metric names the method. ``"labelings"`` enumerates how many unjudged documents have each grade.
``"ratios"`` maximises a ratio by Dinkelbach's iteration.
"""
