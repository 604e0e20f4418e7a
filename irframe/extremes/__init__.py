"""Score bounds over all possible labels and orders of ties.

Metrics that are normalised by the recall base need a search over labels, because labelling a
document as relevant also changes the normaliser. If relevant grades have different gains, the class
attribute `graded` of the metric selects the method. ``"labelings"`` enumerates the possible numbers
of unjudged documents with each grade. ``"ratios"`` maximises the score, which is a ratio, by
Dinkelbach's iteration.
"""
