"""eyechart measures how well a vision-language model points, counts, answers and describes."""

__version__ = "0.1.0"
