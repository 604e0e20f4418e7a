"""Score bounds over unknown labels and orders of tied documents.

Metrics that are normalised by the recall base need a search over labels, because labelling a
document as relevant also changes the normaliser. If relevant grades have different gains, the class
attribute `graded` of a metric names the method. ``"labelings"`` enumerates how many unjudged
documents have each grade. ``"ratios"`` maximises the score, which is a ratio, by Dinkelbach's
iteration.
"""
