"""Functions that return the texts of a figure."""


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def texts(ax):
    return [text.get_text() for text in ax.texts]


def names(ax):
    return [label.get_text() for label in ax.get_yticklabels()]
