"""The built-in eye chart: scenes drawn from a seed and an index, with exact truth."""
